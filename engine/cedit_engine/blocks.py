"""Blocks of lines by their indentation, in whatever language."""

from collections.abc import Sequence

_CLOSERS = ("}", ")", "]", "end")
_OPENERS = ("{", "(", "[", ":")


def block_at(lines: Sequence[str], start: str) -> range | None:
    """The lines, counted from 0, of the block whose first one begins with ``start``.

    Where ``start`` is not indented itself, the line may be. The block goes on while lines are
    blank or indented further, and with what closes it; blank lines at its end are left out.
    """
    first = next((n for n, line in enumerate(lines) if _begins(line, start)), None)
    return None if first is None else block_from(lines, first)


def block_from(lines: Sequence[str], first: int) -> range:
    """The same of the block that begins with line ``first``, counted from 0."""
    depth, last = indentation(lines[first]), first
    for number in range(first + 1, len(lines)):
        text = lines[number].strip()
        if not text:
            continue
        if indentation(lines[number]) <= depth:
            if indentation(lines[number]) == depth and text.startswith(_CLOSERS):
                last = number
                if text.endswith(_OPENERS):
                    continue
            break
        last = number
    return range(first, last + 1)


def _begins(line: str, start: str) -> bool:
    return line.startswith(start) or line.lstrip().startswith(start)


def indentation(line: str) -> int:
    """How many characters ``line`` is indented by."""
    return len(line) - len(line.lstrip())
