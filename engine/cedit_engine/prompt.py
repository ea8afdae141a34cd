"""The conversations that strategies open: a system turn, worked examples, the task."""

import re
from collections.abc import Callable, Iterable, Sequence

from cedit_engine.examples import Example
from cedit_engine.offsets import TokenOffsets
from cedit_engine.program import Copy, CopyTokens, Gen, Operation, render_operation
from cedit_engine.splice import FULL, Splice
from cedit_engine.task import Span, Tags, Task


def fenced_document(task: Task) -> str:
    """All that the model may read before the instruction: context files, the lines shown."""
    return f"{context_files(task)}{fenced(_lines(task, task.view), task.language)}\n"


def numbered_file(task: Task) -> str:
    """The lines shown, each behind its number."""
    return "".join(_numbers_and_lines(task))


def line_places(task: Task, places: Callable[[Sequence[bytes]], list[range]]) -> list[range]:
    """Which tokens of the prompt each line of ``numbered_file`` is in, without its number's.

    ``places`` tells it of the parts of a text.
    """
    return places([part.encode() for part in _numbers_and_lines(task)])[1::2]


def _numbers_and_lines(task: Task) -> list[str]:
    """A number, its line, the next number …

    No space stands between them: it would be a token's with the line's own indentation, and the
    line's tokens others than those of its text alone.
    """
    shown = enumerate(_lines(task, task.view), start=task.view.first)
    return [part for number, line in shown for part in (f"{number}|", f"{line}\n")]


def span_text(task: Task, span: Span) -> str:
    """The lines of ``span`` as a copy of them stands in the context: as they are."""
    return "".join(f"{line}\n" for line in _lines(task, span))


def _lines(task: Task, span: Span) -> Sequence[str]:
    return task.source.views[span.first - 1 : span.last]


def context_files(task: Task) -> str:
    """The further files, each in a fence under its name; nothing where there are none."""
    files = [f"`{file.name}`:\n{fenced(file.source.views, '')}\n" for file in task.context]
    return "".join(["For reference, not to be edited:\n\n", *files]) if files else ""


def fenced(lines: Sequence[str], language: str) -> str:
    """``lines`` in a code fence that they cannot close."""
    text = "".join(f"{line}\n" for line in lines)
    fence = fence_around(lines, language)
    return f"{fence}{language}\n{text}{fence}\n"


def fence_around(lines: Sequence[str], language: str) -> str:
    """Backticks, more of them than stand together anywhere in ``lines``.

    Text in Markdown may come to hold a fence that it does not hold yet.
    """
    runs = re.findall("`{3,}", "\n".join(lines))
    shortest = 4 if language == "markdown" else 3
    return "`" * max([shortest, *(len(run) + 1 for run in runs)])


def anchor_answer(tags: Tags, example: Example) -> str:
    """An example's answer in the spelling of the ``anchor`` strategy."""
    edits = []
    for hunk in example.hunks:
        old = span_text(example.task, Span(hunk.first, hunk.last))
        new = text_of(hunk.data)
        edits.append(f"{tags.old}\n{old}{tags.end_old}\n{tags.new}\n{new}{tags.end_new}\n")
    return "".join(edits) + tags.done


def lines_answer(
    tags: Tags,
    task: Task,
    operations: Iterable[Operation],
    splice: Splice = FULL,
    tokens: TokenOffsets | None = None,
) -> str:
    """A program over ``task`` in the spelling of the ``lines`` strategy, copies spliced.

    It may copy ``tokens`` of the file where they are given, and its text end inside a line then.
    """
    parts = []
    for operation in operations:
        if isinstance(operation, Gen):
            text = text_of(operation.data)
            opening = tags.open_gen if tokens and closed(text) != text else tags.gen
            parts.append(f"{opening}\n{closed(text)}{tags.end_gen}\n")
            continue
        parts.append(render_operation(operation))
        if isinstance(operation, Copy):
            parts.append(span_text(task, splice.shown(Span(operation.first, operation.last))))
        elif isinstance(operation, CopyTokens) and tokens:
            parts.append(text_of(tokens.span(operation.first, operation.last)))
    return f"<program>\n{''.join(parts)}</program>"


def text_of(data: bytes) -> str:
    """Any bytes as text, those that are not UTF-8 as lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


def closed(text: str) -> str:
    """``text`` with a newline at its end, where it is not empty."""
    return text if not text or text.endswith("\n") else f"{text}\n"
