"""Unified diffs that ``git apply`` accepts, over any bytes."""

from dataclasses import dataclass
from difflib import diff_bytes, unified_diff

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
    hunks = list(diff_bytes(unified_diff, list(file.before.lines), list(file.after.lines)))[2:]
    if not hunks:
        return head
    from_name = b"/dev/null" if file.new_mode is not None else _ended(old)
    names = b"--- " + from_name + b"\n+++ " + _ended(new) + b"\n"
    body = b"".join(line if line.endswith(b"\n") else line + _NO_NEWLINE for line in hunks)
    return head + names + body


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
