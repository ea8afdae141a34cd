"""An edit that wrote on past what it replaced, without what it wrote anew.

Asked for an edit of a function, a small model names its first line and writes the whole function in
the place of it; the rest of the old one is copied behind the new one.
"""

from collections.abc import Callable, Collection, Mapping, Sequence

from cedit_engine.guards.concerns import Concern
from cedit_engine.guards.doubling import repeated
from cedit_engine.guards.edited import Edited
from cedit_engine.guards.reach import unreachable
from cedit_engine.guards.syntax import no_longer_parses
from cedit_engine.hunks import align
from cedit_engine.oracle import oracle
from cedit_engine.outline import definitions
from cedit_engine.prefix import common_prefix_length
from cedit_engine.program import Program
from cedit_engine.source import Source
from cedit_engine.task import Task

_SIGNS: Mapping[str, Callable[[Edited], Concern | None]] = {
    "doubling": repeated,
    "reach": unreachable,
    "syntax": no_longer_parses,
}
"""The guards that see that there is too much."""


def without_overlap(task: Task, after: bytes, off: Collection[str]) -> Program | None:
    """The edit with the end of an old definition gone, where it is behind what replaces it.

    None where no guard sees that there is too much, or the edit is not in one definition.
    """
    edited, source, result = Edited(task, after), task.source, Source.from_bytes(after)
    if not any(sign(edited) for name, sign in _SIGNS.items() if name not in off):
        return None
    block = _edited_definition(source.lines, result.lines, source.views)
    if block is None:
        return None
    end = len(result) - (len(source) - block.stop)
    old = source.lines[block.start : block.stop]
    kept = _without_old_end(result.lines[block.start : end], old)
    if kept is None:
        return None
    lines = (*source.lines[: block.start], *kept, *source.lines[block.stop :])
    return oracle(source, Source.from_bytes(b"".join(lines)))


def _edited_definition(
    before: Sequence[bytes], after: Sequence[bytes], views: Sequence[str]
) -> range | None:
    """The lines of the innermost definition that holds all that was changed."""
    head = common_prefix_length(before, after)
    tail = common_prefix_length(before[::-1], after[::-1])
    around = [
        each.lines
        for each in definitions(views)
        if each.lines.start <= head and len(before) - each.lines.stop <= tail
    ]
    return around[-1] if around else None


def _without_old_end(new: Sequence[bytes], old: Sequence[bytes]) -> Sequence[bytes] | None:
    """``new`` less the end of ``old`` that it ends with, if half of that stands before it too."""
    end = common_prefix_length(new[::-1], old[::-1])
    kept, given_up = new[: len(new) - end], old[len(old) - end :]
    changed = kept[min(len(old) - end, common_prefix_length(new, old)) :]
    again = sum(
        sum(map(bool, map(bytes.strip, given_up[first:last])))
        for tag, first, last, _, _ in align(given_up, changed)
        if tag == "equal"
    )
    solid = sum(map(bool, map(bytes.strip, given_up)))
    return kept if solid and 2 * again >= solid else None
