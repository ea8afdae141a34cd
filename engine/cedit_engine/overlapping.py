"""An edit that wrote on past what it replaced, without what it wrote anew.

Asked for an edit of a function, a small model names its first line and writes the whole function in
the place of it; the rest of the old one is copied behind the new one.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from cedit_engine.guards.concerns import Concern
from cedit_engine.guards.doubling import repeated
from cedit_engine.guards.edited import Edited
from cedit_engine.guards.loss import SMALLEST_BLOCK
from cedit_engine.guards.reach import lines_never_run, unreachable
from cedit_engine.guards.syntax import no_longer_parses
from cedit_engine.hunks import align
from cedit_engine.instruction import adds_check
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

    None where no guard sees that there is too much, the edit is not in one definition, or nothing
    but blank lines would be left of it.
    """
    edited = Edited(task, after)
    found = _overlap(edited, off)
    if found is None:
        return None
    is_over = _is_rewritten(found) or _is_never_run(edited, found.rest)
    return _edit(task, found.block, found.kept) if is_over else None


def without_rewriting(task: Task, after: bytes, off: Collection[str]) -> Program | None:
    """The edit with the end of the new definition gone, where the old one behind it ends so too.

    Only where a check is asked for, which changes nothing else: what the new one left out of the
    old one is there again. None as for ``without_overlap``.
    """
    found = _overlap(Edited(task, after), off)
    if found is None or not adds_check(task.instruction):
        return None
    again = common_prefix_length(found.kept[::-1], found.old[::-1])
    added = found.kept[: len(found.kept) - again]
    if len(_solid(found.kept[len(added) :])) < SMALLEST_BLOCK:
        return None
    return _edit(task, found.block, (*added, *(found.edited_lines[i] for i in found.rest)))


@dataclass(frozen=True)
class _Overlap:
    """The definition that is edited, and where its old end begins in ``edited_lines``."""

    block: range
    old: Sequence[bytes]
    edited_lines: Sequence[bytes]
    rest: range

    @property
    def kept(self) -> Sequence[bytes]:
        """What is there of the definition before its old end."""
        return self.edited_lines[self.block.start : self.rest.start]


def _overlap(edited: Edited, off: Collection[str]) -> _Overlap | None:
    if not any(sign(edited) for name, sign in _SIGNS.items() if name not in off):
        return None
    source, result = edited.task.source, Source.from_bytes(edited.after)
    block = _edited_definition(source.lines, result.lines, source.views)
    if block is None:
        return None
    end = len(result) - (len(source) - block.stop)
    new, old = result.lines[block.start : end], source.lines[block.start : block.stop]
    start = end - common_prefix_length(new[::-1], old[::-1])
    return _Overlap(block, old, result.lines, range(start, end))


def _edit(task: Task, block: range, lines: Sequence[bytes]) -> Program | None:
    """``lines`` in the place of ``block``; None where they are the same but for blank ones."""
    before = task.source.lines
    if _solid(lines) == _solid(before[block.start : block.stop]):
        return None
    after = (*before[: block.start], *lines, *before[block.stop :])
    return oracle(task.source, Source.from_bytes(b"".join(after)))


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


def _is_rewritten(found: _Overlap) -> bool:
    """Whether the old end stands in what is kept too, or others for its lines.

    Half of them have to be there as they were, in order, and none may be gone without another.
    """
    kept, old = found.kept, found.old
    start = len(old) - len(found.rest)
    changed = kept[min(start, common_prefix_length(kept, old)) :]
    again = 0
    for tag, first, last, _, _ in align(old[start:], changed):
        solid = len(_solid(old[start + first : start + last]))
        if tag == "delete" and solid:
            return False
        again += solid if tag == "equal" else 0
    return 0 < len(_solid(old[start:])) <= 2 * again


def _is_never_run(edited: Edited, lines: range) -> bool:
    """Whether these lines, from 0, are Python that is never run, and too few to be missed."""
    solid = {number + 1 for number in lines if edited.lines[number].strip()}
    return 0 < len(solid) < SMALLEST_BLOCK and solid <= lines_never_run(edited)


def _solid(lines: Sequence[bytes]) -> list[bytes]:
    return [line for line in lines if line.strip()]
