"""An edit that wrote what was to be added in the place of something else, with both kept.

Asked for a function like one that is there, a small model turns that one into the new one. What
it wrote is right where it stands; what it wrote over is put back before it.
"""

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
    if pairs[0][1].lines.start == 0:
        lines[0] = lines[0].removeprefix(BOM)
    for gone, come in reversed(pairs):
        lines[come.lines.start : come.lines.start] = _put_back(source, gone)
    return oracle(source, Source.from_bytes(b"".join(lines)))


def _replaced(source: Source, edited: Source) -> list[tuple[Definition, Definition]]:
    """Definitions that are gone, each with the new one whose head stands where its head stood."""
    old, new = definitions(source.views), definitions(edited.views)
    old_names, new_names = ({each.name for each in side} for side in (old, new))
    gone = [each for each in old if each.name not in new_names]
    heads = {
        (first + offset): start + offset
        for tag, first, last, start, stop in align(source.views, edited.views)
        if tag == "replace"
        for offset in range(min(last - first, stop - start))
    }
    come = {each.lines.start: each for each in new if each.name not in old_names}
    return [
        (each, come[heads[each.lines.start]])
        for each in gone
        if heads.get(each.lines.start) in come
    ]


def _put_back(source: Source, gone: Definition) -> list[bytes]:
    """The lines of ``gone``, all of them ended, and the blank ones that part it from others."""
    kept = list(source.lines[gone.lines.start : gone.lines.stop])
    if source.ends_open and gone.lines.stop == len(source):
        kept[-1] += source.common_ending
    return kept + [source.common_ending] * _blanks_around(source, gone)


def _blanks_around(source: Source, gone: Definition) -> int:
    """How many blank lines stand behind ``gone``, or before it, or one."""
    behind = _leading_blanks(source.views[gone.lines.stop :])
    before = _leading_blanks(source.views[: gone.lines.start][::-1])
    return behind or before or 1


def _leading_blanks(lines: tuple[str, ...]) -> int:
    return next((n for n, line in enumerate(lines) if line.strip()), 0)
