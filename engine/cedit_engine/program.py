"""An edit as a program over its source, and the program's text form.

The text form is the grammar of the Copy-as-Decode paper (arXiv 2604.18170)::

    <program>
    <copy lines="1-14"/>
    <gen>
        distance = abs(elem - elem2)
    </gen>
    <copy lines="16-19"/>
    </program>

A copy of ``tokens="7-9"`` names tokens of the source instead, as a model's tokenizer splits it.

It is always valid UTF-8 and round-trips any bytes. Three attributes make that so:
``open="yes"`` marks generated text without a final newline, ``encoding="base64"`` text
that is not UTF-8, and a number behind the tag's name (``<gen2>``) sets a block apart
whose text holds the plain closing tag as a line.
"""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from cedit_engine.errors import ProgramSyntax


@dataclass(frozen=True)
class _Span:
    """``first`` to ``last``, counted from 1, both included."""

    first: int
    last: int

    def __post_init__(self) -> None:
        if not 1 <= self.first <= self.last:
            raise ValueError(f"not a span: {self.first}-{self.last}")


@dataclass(frozen=True)
class Copy(_Span):
    """Lines ``first`` to ``last`` of the source."""


@dataclass(frozen=True)
class CopyTokens(_Span):
    """Tokens ``first`` to ``last`` of the source, as a model's tokenizer splits it."""


@dataclass(frozen=True)
class Gen:
    """New bytes."""

    data: bytes


Operation = Copy | CopyTokens | Gen


@dataclass(frozen=True)
class Program:
    """The operations that build the new file from top to bottom."""

    operations: tuple[Operation, ...] = ()

    def merged(self) -> "Program":
        """The same bytes from the fewest operations: neighbours joined, empty text dropped."""
        merged: list[Operation] = []
        for operation in self.operations:
            last = merged[-1] if merged else None
            match last, operation:
                case _, Gen(b""):
                    pass
                case Gen(before), Gen(after):
                    merged[-1] = Gen(before + after)
                case Copy(first, end), Copy(start, last_line) if start == end + 1:
                    merged[-1] = Copy(first, last_line)
                case CopyTokens(first, end), CopyTokens(start, last_token) if start == end + 1:
                    merged[-1] = CopyTokens(first, last_token)
                case _:
                    merged.append(operation)
        return Program(tuple(merged))

    @property
    def copies_tokens(self) -> bool:
        """Whether a tokenizer must say what it copies."""
        return any(isinstance(operation, CopyTokens) for operation in self.operations)

    @property
    def copied_lines(self) -> int:
        """How many source lines it copies, repeats counted."""
        return sum(op.last - op.first + 1 for op in self.operations if isinstance(op, Copy))


def render(program: Program) -> str:
    """The text form; ``parse`` turns it back into an equal program."""
    body = "".join(render_operation(operation) for operation in program.operations)
    return f"<program>\n{body}</program>\n"


def render_operation(operation: Operation) -> str:
    """The text form of one operation."""
    match operation:
        case Copy(first, last):
            return f'<copy lines="{first}-{last}"/>\n'
        case CopyTokens(first, last):
            return f'<copy tokens="{first}-{last}"/>\n'
        case Gen(data):
            return _render_text(data)


def _render_text(data: bytes) -> str:
    attributes = ""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        attributes = ' encoding="base64"'
        text = base64.encodebytes(data).decode("ascii")
    if text and not text.endswith("\n"):
        attributes += ' open="yes"'
        text += "\n"
    tag = _free_tag(text)
    return f"<{tag}{attributes}>\n{text}</{tag}>\n"


def _free_tag(text: str) -> str:
    """``gen``, or the first of ``gen2``, ``gen3`` … whose closing tag is no line of ``text``."""
    lines = set(text.split("\n"))
    names = (f"gen{number}" if number > 1 else "gen" for number in count(1))
    return next(name for name in names if f"</{name}>" not in lines)


_COPY = re.compile(r'<copy (lines|tokens)="([0-9]+)(?:-([0-9]+))?"/>')
_KINDS: Mapping[str, type[Copy] | type[CopyTokens]] = {"lines": Copy, "tokens": CopyTokens}
_GEN = re.compile(r'<(gen[0-9]*)( encoding="base64")?( open="yes")?>')


def parse(text: str) -> Program:
    """The program that ``text`` spells; raises ``ProgramSyntax`` with the line at fault."""
    lines = enumerate(text.removesuffix("\n").split("\n"), start=1)
    number, line = next(lines)
    if line != "<program>":
        raise ProgramSyntax(number, "<program>", line)
    operations: list[Operation] = []
    for number, line in lines:
        if line == "</program>":
            break
        operations.append(_parse_operation(number, line, lines))
    else:
        raise ProgramSyntax(number, "</program>", "the end of the text")
    for number, line in lines:
        raise ProgramSyntax(number, "nothing after </program>", line)
    return Program(tuple(operations))


def _parse_operation(number: int, line: str, rest: Iterator[tuple[int, str]]) -> Operation:
    if copy := _COPY.fullmatch(line):
        first = int(copy[2])
        last = int(copy[3] or first)
        if not 1 <= first <= last:
            raise ProgramSyntax(number, f"a span of {copy[1]}, first to last, from 1", line)
        return _KINDS[copy[1]](first, last)
    if gen := _GEN.fullmatch(line):
        return _parse_gen(number, gen[1], bool(gen[2]), bool(gen[3]), rest)
    raise ProgramSyntax(number, '<copy lines="i-j"/>, <gen> or </program>', line)


def _parse_gen(
    number: int, tag: str, is_base64: bool, is_open: bool, rest: Iterator[tuple[int, str]]
) -> Gen:
    text: list[str] = []
    for _, line in rest:
        if line == f"</{tag}>":
            break
        text.append(line + "\n")
    else:
        raise ProgramSyntax(number, f"</{tag}>", "the end of the text")
    data = "".join(text).encode("utf-8")
    if is_open:
        data = data.removesuffix(b"\n")
    if not is_base64:
        return Gen(data)
    try:
        return Gen(base64.b64decode(b"".join(data.split()), validate=True))
    except binascii.Error:
        raise ProgramSyntax(number, "base64 text", data[:40].decode("utf-8")) from None
