"""A known edit as the answer that a perfect model would have given, in every strategy.

There is none where new text holds what would close it: tags and fences are chosen before an
answer is known.
"""

from collections.abc import Callable, Mapping, Sequence

from cedit_engine.hunks import Hunk, hunks_between
from cedit_engine.offsets import TokenOffsets
from cedit_engine.oracle import oracle
from cedit_engine.program import Gen, Program
from cedit_engine.prompt import closed, lines_answer, span_text, text_of
from cedit_engine.source import Source
from cedit_engine.splice import FULL, Splice
from cedit_engine.strategies.rewrite import fence_of, opening_of, without_blank_ends
from cedit_engine.task import Span, Task


def as_lines(task: Task, after: Source, splice: Splice = FULL) -> str | None:
    """The program by ``lines`` as it stands in the context: copied text behind each copy."""
    return _as_program(task, oracle(task.source, after), splice)


def as_tokens(task: Task, program: Program, tokens: TokenOffsets) -> str | None:
    """``program``, which copies ``tokens``, by ``lines`` that may: copied text behind each copy."""
    return _as_program(task, program, FULL, tokens)


def _as_program(
    task: Task, program: Program, splice: Splice, tokens: TokenOffsets | None = None
) -> str | None:
    # An answer has one operation at least: that of an empty file is an empty text.
    operations = program.operations or (Gen(b""),)
    closing = task.tags.end_gen.encode()
    if any(isinstance(each, Gen) and closing in each.data for each in operations):
        return None
    return lines_answer(task.tags, task, operations, splice, tokens)


def as_anchor(task: Task, after: Source) -> str | None:
    """The edits by ``anchor``; None where no line can be held on to."""
    hunks = anchored_hunks(task.source, hunks_between(task.source, after))
    tags, text = task.tags, ""
    if hunks is None or any(tags.end_new.encode() in hunk.data for hunk in hunks):
        return None
    for hunk in hunks:
        old = span_text(task, Span(hunk.first, hunk.last))
        text += f"{tags.old}\n{old}{tags.end_old}\n{tags.new}\n{closed(text_of(hunk.data))}"
        text += f"{tags.end_new}\n"
    return text + tags.done


def as_rewrite(task: Task, after: Source) -> str | None:
    """The whole new file in its fence, without blank lines at its ends."""
    shown = without_blank_ends(task)
    fence = fence_of(shown)
    if any(line.startswith(fence) for line in after.views):
        return None
    text = "".join(f"{line}\n" for line in after.views).strip("\n")
    return f"{opening_of(shown)}{text}\n{fence}"


SPELLINGS: Mapping[str, Callable[[Task, Source], str | None]] = {
    "lines": as_lines,
    "anchor": as_anchor,
    "rewrite": as_rewrite,
    "verify": as_rewrite,
}


def anchored_hunks(source: Source, hunks: Sequence[Hunk]) -> list[Hunk] | None:
    """``hunks``, grown upwards until each is the first place behind the last that reads so."""
    grown: list[Hunk] = []
    for hunk in hunks:
        held: Hunk | None = hunk
        while held and not _is_found(source, held, grown[-1].last + 1 if grown else 1):
            held = _grown(source, held, grown)
        if held is None:
            return None
        grown.append(held)
    return grown


def _grown(source: Source, hunk: Hunk, above: list[Hunk]) -> Hunk | None:
    """``hunk`` and a line more; it takes over the last of those ``above`` where it meets it."""
    adds = hunk.last < hunk.first
    if adds and hunk.first <= len(source) and not _can_hold(source, hunk.first - 1, above):
        return Hunk(hunk.first, hunk.first, hunk.data + source.lines[hunk.first - 1])
    if above and hunk.first == above[-1].last + 1:
        last = above.pop()
        return Hunk(last.first, hunk.last, last.data + hunk.data)
    if hunk.first > 1:
        return Hunk(hunk.first - 1, hunk.last, source.lines[hunk.first - 2] + hunk.data)
    if hunk.last < len(source):
        return Hunk(hunk.first, hunk.last + 1, hunk.data + source.lines[hunk.last])
    return None


def _can_hold(source: Source, line: int, above: list[Hunk]) -> bool:
    """Whether an addition may repeat ``line``: one that is not blank and in no other hunk."""
    taken = above[-1].last if above else 0
    return line > taken and bool(source.views[line - 1].strip())


def _is_found(source: Source, hunk: Hunk, following: int) -> bool:
    block = source.views[hunk.first - 1 : hunk.last]
    if not block or not block[0].strip():
        return False
    starts = range(following - 1, hunk.first)
    first = next(at for at in starts if source.views[at : at + len(block)] == block)
    return first == hunk.first - 1
