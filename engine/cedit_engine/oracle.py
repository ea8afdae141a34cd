"""(before, after) → a program: the edit that a perfect model would have written."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import TypeVar

from cedit_engine.prefix import common_prefix_length
from cedit_engine.program import Copy, Gen, Operation, Program
from cedit_engine.source import Source

Opcode = tuple[str, int, int, int, int]
Line = TypeVar("Line", bytes, str)


def oracle(before: Source, after: Source) -> Program:
    """A line-level program with ``resolve(oracle(before, after), before) == after.data``."""
    return Program(tuple(_operations(before, after))).merged()


def _operations(before: Source, after: Source) -> Iterator[Operation]:
    for tag, first, last, start, stop in align(before.lines, after.lines):
        if tag == "equal":
            yield Copy(first + 1, last)
        else:
            yield Gen(b"".join(after.lines[start:stop]))


def align(before: Sequence[Line], after: Sequence[Line]) -> list[Opcode]:
    """difflib's opcodes between two sequences of lines, equal ends set aside first.

    The ends are most of an edited file, and difflib's worst case is quadratic.
    """
    head = common_prefix_length(before, after)
    tail = common_prefix_length(before[head:][::-1], after[head:][::-1])
    middle = SequenceMatcher(
        None, before[head : len(before) - tail], after[head : len(after) - tail], autojunk=False
    )
    opcodes: list[Opcode] = [("equal", 0, head, 0, head)] if head else []
    opcodes += [
        (tag, first + head, last + head, start + head, stop + head)
        for tag, first, last, start, stop in middle.get_opcodes()
    ]
    if tail:
        opcodes.append(("equal", len(before) - tail, len(before), len(after) - tail, len(after)))
    return opcodes
