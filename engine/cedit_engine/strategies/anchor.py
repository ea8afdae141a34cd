"""``anchor``: edits that name the lines they replace by repeating them.

Inside ``<old>`` every line is one of the file's own, at or after the end of the last edit,
so an edit cannot name a place that is not there. All that no edit names is copied.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from cedit_engine.decoder import Decoder
from cedit_engine.draft import Drafter, NoDraft, SourceDrafter
from cedit_engine.examples import examples_for
from cedit_engine.grammar import FREE_TEXT, joined, line_literal, literal, text_until
from cedit_engine.hunks import Hunk, program_of
from cedit_engine.model import Turn
from cedit_engine.program import Program
from cedit_engine.prompt import anchor_answer, fenced_document, span_text
from cedit_engine.strategies.base import StrategyOptions
from cedit_engine.suffix import SuffixAutomaton
from cedit_engine.task import Span, Task

SYSTEM = """\
You are a code editor. You are given a file and an instruction. \
Answer with the edits that carry out the instruction, from top to bottom, each as
{tags.old}
the lines to replace, copied exactly
{tags.end_old}
{tags.new}
the lines that take their place
{tags.end_new}
Keep each edit as small as possible. End with {tags.done}."""


class Edit(NamedTuple):
    """The lines of ``span`` give way to ``text``."""

    span: Span
    text: bytes


class Anchor:
    """The strategy; it keeps no state between answers."""

    def turns(self, task: Task) -> Sequence[Turn]:
        turns = [Turn("system", SYSTEM.format(tags=task.tags))]
        for example in examples_for(task.language):
            turns.append(Turn("user", _question(example.task)))
            turns.append(Turn("assistant", anchor_answer(task.tags, example)))
        return [*turns, Turn("user", _question(task))]

    def document(self, task: Task) -> str:
        return fenced_document(task)

    def further_turn(self, task: Task, seen: str) -> str:
        return f"{seen}\nCorrect the edited file with further edits, ended by {task.tags.done}."

    def answer(self, decoder: Decoder, task: Task, options: StrategyOptions) -> Program:
        return _Answer(decoder, task, options).program()

    def copied_text(self, task: Task) -> str:
        return ""

    def grammar(self, task: Task) -> str:
        return anchor_grammar(task)


def _question(task: Task) -> str:
    return f"{fenced_document(task)}Instruction: {task.instruction}"


@dataclass
class _Answer:
    """One answer being written."""

    decoder: Decoder
    task: Task
    options: StrategyOptions

    def program(self) -> Program:
        if not _anchors(self.task, self.task.window.first):
            return self._program_around([self._appended_text()])
        edits = list(self._edits_at_sites())
        following = max([self.task.window.first, *(site + 1 for site in self.task.sites)])
        while self._wants_another(following):
            # A model that has changed something and then repeats lines has no more to change.
            retries = 0 if edits else self.options.retries
            edit = self._edit_that_changes(following, retries)
            if edit is None:
                break
            edits.append(edit)
            following = edit.span.last + 1
        return self._program_around(edits)

    def _appended_text(self) -> Edit:
        """A window without a line to hold on to can only be added to."""
        tags, window = self.task.tags, self.task.window
        self.decoder.force(f"{tags.old}\n{tags.end_old}\n{tags.new}\n".encode())
        nothing = Span(window.last + 1, window.last)
        return Edit(nothing, self._replacement(nothing))

    def _edits_at_sites(self) -> Iterator[Edit]:
        """What becomes of each line that has to be asked for; those left as they are, nothing."""
        tags = self.task.tags
        for site in self.task.sites:
            span = Span(site, site)
            old = f"{tags.old}\n{span_text(self.task, span)}{tags.end_old}\n"
            self.decoder.force(f"{old}{tags.new}\n".encode())
            edit = Edit(span, self._replacement(span))
            if not self._is_idle(edit):
                yield edit

    def _wants_another(self, following: int) -> bool:
        tags = self.task.tags
        if not _anchors(self.task, following):
            return False
        opening = f"{tags.old}\n"
        options = [opening.encode(), tags.done.encode()]
        return self.decoder.choose(options, self.decoder.tokenize(opening)) == options[0]

    def _edit_that_changes(self, following: int, retries: int) -> Edit | None:
        """The next edit; one that replaces lines by themselves is undone and tried elsewhere."""
        mark = self.decoder.mark()
        refused: set[str] = set()
        for attempt in range(retries + 1):
            anchors = _anchors(self.task, following)
            anchors = {text: lines for text, lines in anchors.items() if text not in refused}
            if not anchors:
                break
            self.decoder.counts.retries += attempt > 0
            edit = self._edit(anchors)
            if not self._is_idle(edit):
                return edit
            refused.add(self.task.source.views[edit.span.first - 1])
            self.decoder.roll_back(mark)
        return None

    def _edit(self, anchors: dict[str, list[int]]) -> Edit:
        span = self._old_lines(anchors)
        self.decoder.force(f"{self.task.tags.new}\n".encode())
        return Edit(span, self._replacement(span))

    def _old_lines(self, anchors: dict[str, list[int]]) -> Span:
        """The span that the model names; of equal ones the nearest."""
        first = self.decoder.choose_whole(map(_line, anchors), self._closed_and_repeated)
        ends = anchors[_text(first)]
        length = 1
        closing = f"{self.task.tags.end_old}\n".encode()
        while True:
            span = Span(ends[0] - length + 1, ends[0])
            following = _by_text(self.task, [end + 1 for end in ends])
            options = [closing, *map(_line, following)]
            named = span_text(self.task, span).encode()
            chosen = self.decoder.choose(options, self._closed_and_repeated(named))
            if chosen == closing:
                return span
            ends = following[_text(chosen)]
            length += 1

    def _closed_and_repeated(self, named: bytes) -> list[int]:
        """What is likely behind the lines that an edit names: their end, and they once more."""
        tags, tokenize = self.task.tags, self.decoder.tokenize
        frame = [*tokenize(f"{tags.end_old}\n"), *tokenize(f"{tags.new}\n")]
        return [*frame, *tokenize(named.decode())]

    def _replacement(self, span: Span) -> bytes:
        """The lines that take the place of ``span``, drafted from it and from the file."""
        tags = self.task.tags
        # A small model may go on as if it had closed the text.
        slips = [tag.encode() for tag in (tags.old, tags.end_old, tags.new, tags.done)]
        return self.decoder.free_text(tags.end_new.encode(), self._drafter(span), slips)

    def _drafter(self, span: Span) -> Drafter:
        if not self.options.drafts:
            return NoDraft()
        repeated = span_text(self.task, span) + f"{self.task.tags.end_new}\n"
        start = len(self._history.tokens)
        self._history.extend(self.decoder.tokenize(repeated))
        # Whether another edit follows is decided behind the bracket that opens both answers.
        self._history.extend(self.decoder.tokenize("<"))
        return SourceDrafter(self._history, start)

    @cached_property
    def _history(self) -> SuffixAutomaton:
        return SuffixAutomaton(self.decoder.tokenize(span_text(self.task, self.task.view)))

    def _is_idle(self, edit: Edit) -> bool:
        lines = self.task.source.views[edit.span.first - 1 : edit.span.last]
        return _text(edit.text) == "\n".join(lines)

    def _program_around(self, edits: Sequence[Edit]) -> Program:
        hunks = (Hunk(edit.span.first, edit.span.last, edit.text) for edit in edits)
        return program_of(hunks, self.task.source)


def _line(text: str) -> bytes:
    return f"{text}\n".encode()


def _text(line: bytes) -> str:
    return line.decode().removesuffix("\n")


def _anchors(task: Task, following: int) -> dict[str, list[int]]:
    """The lines that an edit may begin with, by their text, from ``following`` on."""
    by_text = _by_text(task, range(following, task.window.last + 1))
    return {text: lines for text, lines in by_text.items() if text.strip()}


def _by_text(task: Task, lines: Sequence[int]) -> dict[str, list[int]]:
    """Those of ``lines`` that may change, by their text, in the order given."""
    by_text: dict[str, list[int]] = {}
    for line in lines:
        if task.may_change(line):
            by_text.setdefault(task.source.views[line - 1], []).append(line)
    return by_text


def anchor_grammar(task: Task) -> str:
    """GBNF, right-linear over line positions: its size is linear in the file's.

    ``next-k`` stands before an edit at or after line k, ``first-k`` before its first line,
    ``after-k`` behind line k.
    """
    tags, window = task.tags, task.window
    replacement = f"{line_literal(tags.end_old)} {line_literal(tags.new)} {FREE_TEXT}"
    rules = [f"root ::= next-{window.first}"]
    if not _anchors(task, window.first):
        rules = [f"root ::= {line_literal(tags.old)} {replacement}"]
        return joined(rules, text_until(tags.end_new))
    for line in range(window.first, window.last + 1):
        rules += _rules_of_line(task, line, replacement)
    rules.append(f"next-{window.last + 1} ::= {literal(tags.done)}")
    return joined(rules, text_until(tags.end_new))


def _rules_of_line(task: Task, line: int, replacement: str) -> list[str]:
    tags, text = task.tags, task.source.views[line - 1]
    more_anchors = bool(_anchors(task, line + 1))
    starts = [f"line-{line} after-{line}"] if text.strip() and task.may_change(line) else []
    starts += [f"first-{line + 1}"] if more_anchors else []
    ends = [f"line-{line + 1} after-{line + 1}"] if task.may_change(line + 1) else []
    ends.append(f"{replacement} next-{line + 1}")
    opening = f"{line_literal(tags.old)} first-{line} | " if starts else ""
    rules = [
        f"next-{line} ::= {opening}{literal(tags.done)}",
        f"line-{line} ::= {line_literal(text)}",
        f"after-{line} ::= {' | '.join(ends)}",
    ]
    return [*rules, f"first-{line} ::= {' | '.join(starts)}"] if starts else rules
