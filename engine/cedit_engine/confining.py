"""An edit without what it does to lines that may not change."""

from collections.abc import Iterator

from cedit_engine.hunks import Hunk, hunks_between, program_of
from cedit_engine.program import Program
from cedit_engine.resolver import resolve
from cedit_engine.source import Source, split_lines
from cedit_engine.task import Span, Task


def confined(program: Program, task: Task) -> Program:
    """``program`` less those of its hunks that are not within one of ``task``'s spans.

    Where lines give way to as many, each of them is a hunk of its own. Without spans it is
    ``program`` itself.
    """
    if not task.spans:
        return program
    after = Source.from_bytes(resolve(program, task.source))
    pieces = (piece for hunk in hunks_between(task.source, after) for piece in _pieces(hunk))
    kept = [piece for piece in pieces if any(_is_within(piece, span) for span in task.spans)]
    return program_of(kept, task.source)


def _pieces(hunk: Hunk) -> Iterator[Hunk]:
    lines = split_lines(hunk.data)
    if len(lines) != hunk.last - hunk.first + 1:
        yield hunk
        return
    for line, data in enumerate(lines, start=hunk.first):
        yield Hunk(line, line, data)


def _is_within(hunk: Hunk, span: Span) -> bool:
    """Also where ``hunk`` only adds lines, right before the span or right behind it."""
    return span.first <= hunk.first and hunk.last <= span.last and hunk.first <= span.last + 1
