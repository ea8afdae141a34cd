"""An edit that wrote what was to be added in the place of something else, with both kept.

Asked for a function like one that is there, a small model turns that one into the new one; asked
for a method, it may end the file with it. What it wrote is right where it stands; what it wrote
over is put back beside it.
"""

from collections.abc import Iterator
from typing import NamedTuple

from cedit_engine.blocks import indentation
from cedit_engine.hunks import align
from cedit_engine.instruction import adds
from cedit_engine.oracle import oracle
from cedit_engine.outline import Definition, definitions
from cedit_engine.program import Program
from cedit_engine.source import BOM, Source
from cedit_engine.task import Task


def with_both(task: Task, after: bytes) -> Program | None:
    """The edit with every definition put back that gave way to a new one.

    None where there is none, or the instruction does not ask to add anything.
    """
    source, edited = task.source, Source.from_bytes(after)
    pairs = _replaced(source, edited) if adds(task.instruction) else ()
    if not pairs:
        return None
    lines = list(edited.lines)
    insertions = sorted((_insertion(source, edited, *pair) for pair in pairs), key=_place)
    if insertions[0].at == 0:
        lines[0] = lines[0].removeprefix(BOM)
    if insertions[-1].at == len(lines) and edited.ends_open:
        lines[-1] += source.common_ending
    for insertion in reversed(insertions):
        lines[insertion.at : insertion.at] = insertion.lines
    return oracle(source, Source.from_bytes(b"".join(lines)))


class _Insertion(NamedTuple):
    """``lines`` stand before the line ``at``, from 0."""

    at: int
    lines: list[bytes]


def _place(insertion: _Insertion) -> int:
    return insertion.at


def _insertion(source: Source, edited: Source, gone: Definition, come: Definition) -> _Insertion:
    """Where ``gone`` is put back: behind ``come`` where that is part of what stands before."""
    kept, blanks = _kept(source, gone), [source.common_ending] * _blanks_around(source, gone)
    if indentation(edited.views[come.lines.start]) <= indentation(source.views[gone.lines.start]):
        return _Insertion(come.lines.start, kept + blanks)
    return _Insertion(come.lines.stop, blanks + kept)


def _replaced(source: Source, edited: Source) -> list[tuple[Definition, Definition]]:
    """Definitions that are gone, each with the new one whose head stands where its head stood."""
    old, new = definitions(source.views), definitions(edited.views)
    old_names, new_names = ({each.name for each in side} for side in (old, new))
    come = {each.lines.start: each for each in new if each.name not in old_names}
    pairs = []
    for gone in old:
        if gone.name not in new_names:
            places = _places(source, edited, gone.lines.start)
            pairs += [(gone, come[place]) for place in places if place in come][:1]
    return pairs


def _places(source: Source, edited: Source, line: int) -> Iterator[int]:
    """The lines that stand, from 0, where ``line`` and those around it stood; its own first."""
    for tag, first, last, start, stop in align(source.views, edited.views):
        if tag == "replace" and first <= line < last:
            yield from sorted(range(start, stop), key=lambda place: place != start + line - first)


def _kept(source: Source, gone: Definition) -> list[bytes]:
    """The lines of ``gone``, all of them ended."""
    kept = list(source.lines[gone.lines.start : gone.lines.stop])
    if source.ends_open and gone.lines.stop == len(source):
        kept[-1] += source.common_ending
    return kept


def _blanks_around(source: Source, gone: Definition) -> int:
    """How many blank lines stand behind ``gone``, or before it, or one."""
    behind = _leading_blanks(source.views[gone.lines.stop :])
    before = _leading_blanks(source.views[: gone.lines.start][::-1])
    return behind or before or 1


def _leading_blanks(lines: tuple[str, ...]) -> int:
    return next((n for n, line in enumerate(lines) if line.strip()), 0)
