"""``rewrite``: the whole new file, token by token. What it repeats is copied afterwards.

Models drop blank lines at the ends of a file that they rewrite, so those are not shown
and not asked for: they are copied.
"""

from collections.abc import Sequence
from dataclasses import replace

from cedit_engine.decoder import Decoder
from cedit_engine.draft import Drafter, NoDraft
from cedit_engine.grammar import joined, literal, text_until
from cedit_engine.hunks import Opcode, align
from cedit_engine.model import Turn
from cedit_engine.program import Copy, Gen, Program
from cedit_engine.prompt import fence_around, fenced_document, span_text
from cedit_engine.source import split_lines
from cedit_engine.strategies.base import StrategyOptions
from cedit_engine.task import Span, Task

SYSTEM = """\
You are a code editor. Given a file and an instruction, output the complete edited file \
and nothing else, in one code block."""


class Rewrite:
    """The strategy; it keeps no state between answers."""

    def turns(self, task: Task) -> Sequence[Turn]:
        question = f"{self.document(task)}Instruction: {task.instruction}"
        return [Turn("system", SYSTEM), Turn("user", question)]

    def document(self, task: Task) -> str:
        return fenced_document(without_blank_ends(task))

    def further_turn(self, task: Task, seen: str) -> str:
        return f"{seen}\nCorrect that, and output the complete edited file again."

    def answer(self, decoder: Decoder, task: Task, options: StrategyOptions) -> Program:
        shown = without_blank_ends(task)
        fence, rewritten = fence_of(shown), _rewritten(shown)
        decoder.force(opening_of(shown).encode())
        before = _before(shown)
        if before:
            decoder.splice(span_text(task, before).encode(), before.first, before.last)
        drafter = self.drafter(decoder, f"{span_text(task, rewritten)}{fence}", options)
        return _program(task, rewritten, decoder.fenced_lines(fence.encode(), drafter))

    def drafter(self, decoder: Decoder, unchanged: str, options: StrategyOptions) -> Drafter:
        """What guesses the answer, given the text that it is where nothing changes."""
        return NoDraft()

    def copied_text(self, task: Task) -> str:
        return span_text(task, task.view)

    def grammar(self, task: Task) -> str:
        shown = without_blank_ends(task)
        opening = literal(opening_of(shown) + span_text(task, _before(shown)))
        closing = f"\n{fence_of(shown)}"
        # The text begins as if behind a newline: the first character of its end.
        return joined([f"root ::= {opening} text-1"], text_until(closing))


def without_blank_ends(task: Task) -> Task:
    """The task with the blank lines at both ends of what is shown left out."""
    view = task.view
    solid = [n for n in range(view.first, view.last + 1) if task.source.views[n - 1].strip()]
    ends = (solid[0], solid[-1]) if solid else (view.first, view.first - 1)
    return replace(task, view=Span(*ends))


def fence_of(shown: Task) -> str:
    """What closes the answer."""
    lines = shown.source.views[shown.view.first - 1 : shown.view.last]
    return fence_around(lines, shown.language)


def opening_of(shown: Task) -> str:
    """The line that the answer begins with."""
    return f"{fence_of(shown)}{shown.language}\n"


def _rewritten(shown: Task) -> Span:
    """The lines that the model writes anew: from the first that may change to the end."""
    return Span(max(shown.view.first, shown.window.first), shown.view.last)


def _before(shown: Task) -> Span:
    return Span(shown.view.first, min(shown.window.first - 1, shown.view.last))


def _program(task: Task, rewritten: Span, text: bytes) -> Program:
    """``text`` in place of ``rewritten``, as far as that may change."""
    changeable = max(0, min(rewritten.last, task.window.last) - rewritten.first + 1)
    old = task.source.views[rewritten.first - 1 : rewritten.last]
    new = split_lines(text)
    views = [line.decode("utf-8", "replace").removesuffix("\n") for line in new]
    kept = new[: _lines_for(changeable, align(old, views))]
    head = [Copy(1, rewritten.first - 1)] if rewritten.first > 1 else []
    following, last = rewritten.first + changeable, len(task.source)
    tail = [Copy(following, last)] if following <= last else []
    return Program((*head, Gen(b"".join(kept)), *tail))


def _lines_for(count: int, opcodes: Sequence[Opcode]) -> int:
    """How many of the new lines stand for the first ``count`` old ones."""
    lines = 0
    for _, old, old_end, new, new_end in opcodes:
        if old_end > count:
            return max(lines, new + min(count - old, new_end - new))
        lines = new_end
    return lines
