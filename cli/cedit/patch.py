"""Unified diffs that ``git apply`` accepts, over any bytes."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from cedit_engine.hunks import align
from cedit_engine.source import Source

_NO_NEWLINE = b"\n\\ No newline at end of file\n"
_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}


@dataclass(frozen=True)
class PatchedFile:
    """A file's name in its repository, its two contents, and its mode where it is new."""

    name: bytes
    before: Source
    after: Source
    new_mode: int | None = None


def git_patch(file: PatchedFile) -> bytes:
    """The patch between the contents of ``file``; nothing where they are equal."""
    if file.before == file.after and file.new_mode is None:
        return b""
    old, new = _quoted(b"a/" + file.name), _quoted(b"b/" + file.name)
    head = b"diff --git " + old + b" " + new + b"\n"
    if file.new_mode is not None:
        head += b"new file mode 100%o\n" % file.new_mode
    hunks = list(_hunk_lines(file.before.lines, file.after.lines))
    if not hunks:
        return head
    from_name = b"/dev/null" if file.new_mode is not None else _ended(old)
    names = b"--- " + from_name + b"\n+++ " + _ended(new) + b"\n"
    body = b"".join(line if line.endswith(b"\n") else line + _NO_NEWLINE for line in hunks)
    return head + names + body


def _hunk_lines(before: tuple[bytes, ...], after: tuple[bytes, ...]) -> Iterator[bytes]:
    """Headers and lines of the hunks, with three lines of context."""
    for group in _Grouping(align(before, after)).get_grouped_opcodes():
        (_, first, _, start, _), (_, _, last, _, stop) = group[0], group[-1]
        yield b"@@ -%s +%s @@\n" % (_range(first, last), _range(start, stop))
        for tag, old, old_end, new, new_end in group:
            if tag == "equal":
                yield from (b" " + line for line in before[old:old_end])
                continue
            yield from (b"-" + line for line in before[old:old_end])
            yield from (b"+" + line for line in after[new:new_end])


class _Grouping(SequenceMatcher[bytes]):
    """difflib's grouping of opcodes that are not its own.

    To its own, lines that occur often are junk, or take it for ever.
    """

    def __init__(self, opcodes: Any) -> None:
        super().__init__(None, (), ())
        self._opcodes = opcodes

    def get_opcodes(self) -> Any:
        return self._opcodes


def _range(start: int, stop: int) -> bytes:
    """Lines after ``start`` up to ``stop`` as a hunk's header names them."""
    length = stop - start
    if length == 1:
        return b"%d" % stop
    return b"%d,%d" % (start + 1 if length else start, length)


def _ended(name: bytes) -> bytes:
    """git ends a name that holds a space with a tab, lest a date be read into it."""
    return name + b"\t" if b" " in name and not name.startswith(b'"') else name


def _quoted(name: bytes) -> bytes:
    """``name`` as git writes it: in C quotes where it holds anything unusual."""
    spelled = "".join(map(_spell, name))
    return f'"{spelled}"'.encode() if len(spelled) > len(name) else name


def _spell(byte: int) -> str:
    if byte in _ESCAPES:
        return f"\\{_ESCAPES[byte]}"
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"
