"""Every strategy, driven by scripts, and held against the grammar that it prints."""

import zlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from cedit_engine.counts import Counts
from cedit_engine.errors import BudgetExhausted, EmptyInstruction, LinesOutsideFile, PromptTooLong
from cedit_engine.events import Copying, Event
from cedit_engine.offsets import TokenOffsets
from cedit_engine.program import Copy
from cedit_engine.resolver import resolve
from cedit_engine.sampling import SamplingOptions
from cedit_engine.session import AnswerOptions, Attempt, Session
from cedit_engine.source import Source
from cedit_engine.strategies.base import StrategyOptions
from cedit_engine.strategies.lines import last_line_grammar
from cedit_engine.strategies.registry import STRATEGIES
from cedit_engine.task import ContextFile, Span, Tags, Task
from tests.fakes import PIECES, ScriptedModel, vocabulary
from tests.gbnf import Grammar

SOURCE = Source.from_bytes(
    b"def f():\n    x = 1\n    return x\n\n\ndef g():\n    x = 1\n    return x\n"
)


def run(
    *scripts: str, source: Source = SOURCE, strategy: str = "anchor", **task: object
) -> Attempt:
    made = Task.of(source, "do it", "f.py", **task)  # type: ignore[arg-type]
    return ask(ScriptedModel(*scripts), made, strategy)


def ask(
    model: ScriptedModel, task: Task, strategy: str, options: AnswerOptions | None = None
) -> Attempt:
    return Session(model).attempt(task, strategy, options or AnswerOptions())


def old_new(old: str, new: str) -> str:
    return f"<old>\n{old}</old>\n<new>\n{new}</new>\n"


def changed(result: Attempt) -> list[str]:
    return result.after.decode().splitlines()


def test_anchor_replaces_the_lines_it_names() -> None:
    result = run(old_new("    return x\n", "    return 2\n") + "<done>")
    assert changed(result)[2] == "    return 2"
    assert result.counts.copied_lines == 7
    assert result.counts.copied_bytes == len(SOURCE.data) - len("    return x\n")


def test_equal_lines_mean_the_nearest() -> None:
    edits = old_new("    x = 1\n", "    x = 2\n") + old_new("    x = 1\n", "    x = 3\n")
    result = run(edits + "<done>")
    assert changed(result)[1] == "    x = 2"
    assert changed(result)[6] == "    x = 3"


def test_a_following_line_tells_equal_lines_apart() -> None:
    source = Source.from_bytes(b"a\nb\na\nc\n")
    result = run(old_new("a\nc\n", "z\n") + "<done>", source=source)
    assert result.after == b"a\nb\nz\n"


def test_an_anchor_edit_may_delete() -> None:
    assert changed(run(old_new("    x = 1\n", "") + "<done>"))[1] == "    return x"


def test_an_edit_that_changes_nothing_is_undone_and_tried_elsewhere() -> None:
    source = Source.from_bytes(b"a\nb\nc\n")
    result = run(old_new("b\n", "b\n"), old_new("a\n", "x\n") + "<done>", source=source)
    assert result.after == b"x\nb\nc\n"
    assert result.counts.retries == 1
    assert result.counts.rolled_back_tokens > 0


def test_after_three_retries_there_is_no_change() -> None:
    lines = ["def f():\n", "    x = 1\n", "    return x\n", "def g():\n"]
    result = run(*(old_new(line, line) for line in lines))
    assert result.after == result.before
    assert result.counts.retries == 3


def test_an_edit_that_changes_nothing_behind_one_that_did_ends_the_answer() -> None:
    source = Source.from_bytes(b"a\nb\nc\n")
    first = old_new("a\n", "x\n")
    result = run(first + old_new("b\n", "b\n"), first + old_new("c\n", "y\n"), source=source)
    assert result.after == b"x\nb\nc\n"
    assert result.counts.retries == 0


def test_a_tag_in_the_place_of_the_closing_one_ends_the_text() -> None:
    source = Source.from_bytes(b"a\nb\nc\n")
    slip = "<old>\na\n</old>\n<new>\nx\n<done> ```python\n<old>\n"
    second = old_new("a\n", "x\n") + "<old>\nc\n</old>\n<new>\ny\n<old>\n"
    right = old_new("a\n", "x\n") + old_new("c\n", "y\n") + "<done>"
    assert run(slip, second, right, source=source).after == b"x\nb\ny\n"


def test_a_model_that_is_done_at_once_changes_nothing() -> None:
    result = run("<done>")
    assert result.after == result.before
    assert result.counts.retries == 0


def test_an_empty_file_is_generated_as_a_whole() -> None:
    empty = Source.from_bytes(b"")
    assert run("<old>\n</old>\n<new>\na\nb\n</new>\n", source=empty).after == b"a\nb\n"
    written = "<program>\n<gen>\na\nb\n</gen>\n</program>"
    assert run(written, source=empty, strategy="lines").after == b"a\nb\n"


def test_lines_copies_by_number_and_splices_what_it_copied() -> None:
    script = (
        '<program>\n<copy lines="1-2"/>\ndef f():\n    x = 1\n'
        '<gen>\n    return 2\n</gen>\n<copy lines="4-8"/>\n'
        "\n\ndef g():\n    x = 1\n    return x\n</program>"
    )
    events: list[Event] = []
    model = ScriptedModel(script)
    session = Session(model, events.append)
    result = session.attempt(Task.of(SOURCE, "do it"), "lines", AnswerOptions())
    assert changed(result)[2] == "    return 2"
    assert result.counts.copied_lines == 7
    assert [event for event in events if isinstance(event, Copying)] == [
        Copying(1, 2),
        Copying(4, 8),
    ]


def test_copies_rise_unless_any_order_is_allowed() -> None:
    source = Source.from_bytes(b"a\nb\n")
    script = '<program>\n<copy lines="2-2"/>\nb\n<copy lines="1-1"/>\na\n</program>'
    task = Task.of(source, "swap")
    options = AnswerOptions(spelling=StrategyOptions(any_order=True))
    assert ask(ScriptedModel(script), task, "lines", options).after == b"b\na\n"
    rising = ask(ScriptedModel(script), task, "lines")
    assert rising.after == b"b\n"


def test_a_program_that_changes_nothing_ends_its_first_copy_elsewhere() -> None:
    source = Source.from_bytes(b"a\nb\nc\n")
    idle = '<program>\n<copy lines="1-2"/>\na\nb\n<gen>\nc\n</gen>\n</program>'
    whole = '<program>\n<copy lines="1-3"/>\na\nb\nc\n</program>'
    right = (
        '<program>\n<copy lines="1-1"/>\na\n<gen>\nx\n</gen>\n<copy lines="3-3"/>\nc\n</program>'
    )
    result = run(idle, whole, right, source=source, strategy="lines")
    assert result.after == b"a\nx\nc\n"
    assert result.counts.retries == 2
    unchanged = run(whole, source=Source.from_bytes(b"a\n"), strategy="lines")
    assert unchanged.after == unchanged.before


def test_the_last_line_of_a_copy_is_none_of_those_refused() -> None:
    grammar = Grammar(last_line_grammar(3, 12, {3, 7, 12}))
    ends = [n for n in range(20) if grammar.accepts(b'%d"/>\n' % n)]
    assert ends == [4, 5, 6, 8, 9, 10, 11]


_REWRITTEN = (
    "```python\ndef f():\n    x = 1\n    return x\n\n\n"
    "    x = 5\n    return x\nnot asked for\n```\n"
)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_only_the_lines_of_the_window_may_change(strategy: str) -> None:
    scripts = {
        "anchor": old_new("    x = 1\n", "    x = 5\n") + "<done>",
        "lines": '<program>\n<copy lines="1-5"/>\ndef f():\n    x = 1\n    return x\n'
        "\n\n<gen>\n    x = 5\n</gen>\n</program>",
        "verify": _REWRITTEN,
        "rewrite": _REWRITTEN,
    }
    result = run(scripts[strategy], strategy=strategy, lines=(6, 7))
    assert result.after.startswith(b"".join(SOURCE.lines[:5]))
    assert result.after.endswith(b"    x = 5\n    return x\n")


@pytest.mark.parametrize("strategy", ["anchor", "lines"])
def test_a_window_is_shown_with_what_fits_around_it(strategy: str) -> None:
    source = Source.from_bytes(b"".join(b"line %d\n" % n for n in range(1000)))
    script = old_new("line 500\n", "x\n") + "<done>"
    model = ScriptedModel(script, trained_context=9000)
    options = AnswerOptions(answer_tokens=100)
    with pytest.raises(PromptTooLong) as caught:
        ask(model, Task.of(source, "do it"), strategy, options)
    assert caught.value.context_tokens == 9000
    assert caught.value.prompt_tokens + caught.value.answer_tokens > 9000
    task = Task.of(source, "do it", lines=(501, 501))
    after = ask(model, task, strategy, options).after
    assert b"line 499\n" in after
    assert after.count(b"\n") in (999, 1000)
    assert model.reserved <= 9000
    shown = model.turns[-1][-1].text
    assert "line 500\n" in shown
    assert "line 999\n" not in shown


def test_the_tags_of_the_grammar_in_a_file_are_set_apart() -> None:
    source = Source.from_bytes(b"<old>\n</old>\n<new2>\n</gen>\n<done>\nx\n")
    task = Task.of(source, "do it")
    assert task.tags == Tags(3)
    script = "<old3>\n</old>\n</old3>\n<new3>\n</new>\n</new3>\n<done3>"
    assert run(script, source=source).after == source.data.replace(b"</old>", b"</new>")


def test_a_tag_in_the_instruction_is_set_apart_too() -> None:
    assert Task.of(SOURCE, "add </new> at the end").tags == Tags(2)
    context = ContextFile("c", Source.from_bytes(b"<done2>\n</new>\n"))
    assert Task.of(SOURCE, "do", context=(context,)).tags == Tags(3)


def test_context_files_are_shown_in_fences_they_cannot_close() -> None:
    model = ScriptedModel("<done>")
    context = (ContextFile("lib/a.md", Source.from_bytes(b"````\nhelp\n")),)
    ask(model, Task.of(SOURCE, "do it", "f.py", context=context), "anchor")
    question = model.turns[-1][-1].text
    assert "`lib/a.md`:\n`````\n````\nhelp\n`````\n" in question
    assert question.endswith("Instruction: do it")
    assert "```python\ndef f():\n" in question


def test_a_rewritten_document_may_come_to_hold_a_fence() -> None:
    source = Source.from_bytes(b"# Use\n\nRun it.\n")
    text = "# Use\n\n```sh\nrun\n```\n"
    task = Task.of(source, "Show the command.", "README.md")
    model = ScriptedModel(f"````markdown\n{text}````")
    assert ask(model, task, "verify").after == text.encode()


def test_blank_lines_at_the_ends_are_copied_and_not_asked_for() -> None:
    source = Source.from_bytes(b"\n\n\na\n\nb\n\n\n")
    model = ScriptedModel("```\na\n\nc\n```")
    answer = ask(model, Task.of(source, "do it"), "rewrite")
    assert answer.after == b"\n\n\na\n\nc\n\n\n"
    assert "```\na\n\nb\n```\n" in model.turns[-1][-1].text


def test_what_is_rewritten_the_same_is_copied_with_its_bytes() -> None:
    source = Source.from_bytes(b"\xef\xbb\xbfone\r\ntw\xff\r\nthree")
    model = ScriptedModel("```\none\ntw\ufffd\n3\n```")
    answer = ask(model, Task.of(source, "do it"), "verify")
    assert answer.after == b"\xef\xbb\xbfone\r\ntw\xff\r\n3"
    assert answer.program.operations[0] == Copy(1, 2)


def test_tasks_are_checked() -> None:
    with pytest.raises(EmptyInstruction):
        Task.of(SOURCE, "  \n")
    with pytest.raises(LinesOutsideFile):
        Task.of(SOURCE, "x", lines=(3, 9))


class RandomModel(ScriptedModel):
    """Wants anything: its logits are noise, with the closing tags made likely."""

    def __init__(self, seed: int) -> None:
        super().__init__("")
        self._seed = seed

    def _logits(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        # Noise that is a function of what was written, as a model's logits are.
        seed = zlib.crc32(np.array([self._seed, *tokens]).tobytes())
        random = np.random.default_rng(seed)
        logits = random.normal(size=len(PIECES)).astype(np.float32)
        for token in map(PIECES.index, (b"<", b"/", b"</", b"new", b"gen", b">\n", b"\n", b"`")):
            logits[token] += 6
        return logits


small_files = st.lists(st.sampled_from(["a", "b", "ab", "", " a", "</a>"]), max_size=6)


@settings(max_examples=24)
@example(lines=[], seed=1, sampled=True, strategy="lines")  # text that is not UTF-8
@given(small_files, st.integers(0, 9999), st.booleans(), st.sampled_from(list(STRATEGIES)))
def test_whatever_the_model_wants_the_answer_is_in_the_grammar_and_resolves(
    lines: list[str], seed: int, sampled: bool, strategy: str
) -> None:
    source = Source.from_bytes("".join(f"{line}\n" for line in lines).encode())
    task = Task.of(source, "do it")
    model = RandomModel(seed)
    sampling = SamplingOptions(temperature=0.7 if sampled else 0.0, seed=seed)
    options = AnswerOptions(150, sampling, StrategyOptions(retries=0))
    try:
        result = ask(model, task, strategy, options)
    except BudgetExhausted:  # it may want to write for ever
        return
    assert result.after == resolve(result.program, source)
    answer = model.answer
    grammar = Grammar(STRATEGIES[strategy].grammar(task))
    if strategy != "lines":  # what it splices is not in its grammar
        assert grammar.accepts(answer) or grammar.step(grammar.start, answer), answer
    plain = replace(options, spelling=StrategyOptions(retries=0, drafts=False))
    without_drafts = ask(RandomModel(seed), task, strategy, plain)
    assert without_drafts.after == result.after
    assert without_drafts.counts.forward_calls >= result.counts.forward_calls
    assert isinstance(result.counts, Counts)


@settings(max_examples=24)
@given(
    small_files, st.sets(st.integers(1, 6)), st.integers(0, 9999), st.sampled_from(list(STRATEGIES))
)
def test_whatever_the_model_wants_lines_outside_of_the_spans_are_copied(
    lines: list[str], free: set[int], seed: int, strategy: str
) -> None:
    source = Source.from_bytes("".join(f"{line}\n" for line in lines).encode())
    spans = tuple(Span(line, line) for line in sorted(free) if line <= len(source))
    if not spans:
        return
    task = Task.of(source, "do it").confined_to(spans)
    model = RandomModel(seed)
    try:
        result = ask(model, task, strategy, AnswerOptions(150))
    except BudgetExhausted:
        return
    copies = [op for op in result.program.operations if isinstance(op, Copy)]
    copied = [line for op in copies for line in range(op.first, op.last + 1)]
    assert copied == sorted(set(copied))
    assert {*range(1, len(source) + 1)} - free <= set(copied)
    if strategy == "anchor":
        grammar = Grammar(STRATEGIES[strategy].grammar(task))
        answer = model.answer
        assert grammar.accepts(answer) or grammar.step(grammar.start, answer), answer


TOKENS = AnswerOptions(spelling=StrategyOptions(tokens=True))


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_tokens_are_copied_where_lines_may_not_do(ending: bytes) -> None:
    lines = [b"one", b"return x + 1", b"three"]
    source = Source.from_bytes(b"".join(line + ending for line in lines))
    tokens = TokenOffsets.of(source.data, ScriptedModel().tokenize, vocabulary())
    start = source.data.index(b"return")
    first = next(n for n in range(1, len(tokens) + 1) if tokens.start(n - 1) == start)
    assert tokens.span(first, first + 3) == b"return x + "
    model = ScriptedModel(
        '<program>\n<copy lines="1-1"/>\none\n'
        f'<copy tokens="{first}-{first + 3}"/>\nreturn x + '
        '<gen>\n2\n</gen>\n<copy lines="3-3"/>\nthree\n</program>'
    )
    attempt = Session(model).attempt(Task.of(source, "x", "f"), "lines", TOKENS)
    assert attempt.after == source.data.replace(b"1", b"2")
    assert not attempt.program.copies_tokens


def test_copies_of_tokens_rise_and_may_end_in_a_line() -> None:
    source = Source.from_bytes(b"abc\ndef\n")
    script = (
        '<program>\n<copy tokens="1-2"/>\nab<gen open="yes">\nX\n</gen>\n'
        '<copy tokens="1-1"/>\na<copy tokens="3-4"/>\nc\n<copy lines="2-2"/>\ndef\n</program>'
    )
    risen = script.replace('<copy tokens="1-1"/>\na', "")
    any_order = AnswerOptions(spelling=StrategyOptions(tokens=True, any_order=True))
    task = Task.of(source, "x", "f")
    attempt = Session(ScriptedModel(script, risen)).attempt(task, "lines", any_order)
    assert attempt.after == b"abXac\ndef\n"
    attempt = Session(ScriptedModel(script, risen)).attempt(task, "lines", TOKENS)
    assert attempt.after == b"abXc\ndef\n"
