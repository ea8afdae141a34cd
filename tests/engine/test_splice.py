"""What stands in the context behind a copy."""

import pytest

from cedit_engine.bench.splices import score
from cedit_engine.errors import UnknownSplice
from cedit_engine.session import AnswerOptions, Session
from cedit_engine.source import Source
from cedit_engine.spelling import as_lines
from cedit_engine.splice import FULL, Splice
from cedit_engine.strategies.base import StrategyOptions
from cedit_engine.strategies.lines import Lines
from cedit_engine.task import Span, Task
from tests.fakes import ScriptedModel

BEFORE, AFTER = b"one\ntwo\nthree\nfour\n", b"one\ntwo\n3\nfour\n"
TASK = Task.of(Source.from_bytes(BEFORE), "x", "f")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("full", Span(3, 9)),
        ("none", Span(10, 9)),
        ("tail:0", Span(10, 9)),
        ("tail:2", Span(8, 9)),
        ("tail:99", Span(3, 9)),
    ],
)
def test_the_end_of_a_span_is_shown(name: str, shown: Span) -> None:
    assert Splice.named(name).shown(Span(3, 9)) == shown


@pytest.mark.parametrize("name", ["", "half", "tail", "tail:", "tail:-1", "full "])
def test_what_is_no_splice(name: str) -> None:
    with pytest.raises(UnknownSplice) as caught:
        Splice.named(name)
    assert caught.value.name == name


@pytest.mark.parametrize(
    ("splice", "written"),
    [
        (FULL, b"one\ntwo\n<gen>"),
        (Splice(1), b'"1-2"/>\ntwo\n<gen>'),
        (Splice(0), b'"1-2"/>\n<gen>'),
    ],
)
def test_the_edit_is_the_same_and_the_context_is_not(splice: Splice, written: bytes) -> None:
    spelled = as_lines(TASK, Source.from_bytes(AFTER), splice)
    model = ScriptedModel(spelled)
    options = AnswerOptions(spelling=StrategyOptions(splice=splice))
    attempt = Session(model).attempt(TASK, "lines", options)
    assert attempt.after == AFTER
    assert written in model.answer
    assert attempt.counts.spliced_tokens == len(model.tokenize(spelled.encode())) - sum(
        (
            attempt.counts.decoded_tokens,
            attempt.counts.forced_tokens,
            attempt.counts.accepted_tokens,
        )
    )


def test_the_examples_show_what_the_answer_will() -> None:
    for splice, shown in ((FULL, True), (Splice(0), False)):
        answers = [turn.text for turn in Lines(splice).turns(TASK) if turn.role == "assistant"]
        assert all(("/>\n<" in answer) is not shown for answer in answers)


@pytest.mark.parametrize("fresh", [1, 3, 99])
def test_moved_lines_cost_no_call(fresh: int) -> None:
    splice = Splice(moves=True, fresh=fresh)
    spelled = as_lines(TASK, Source.from_bytes(AFTER))
    model = ScriptedModel(spelled)
    options = AnswerOptions(spelling=StrategyOptions(splice=splice, drafts=False))
    attempt = Session(model).attempt(TASK, "lines", options)
    assert attempt.after == AFTER
    assert b"/>\none\ntwo\n<gen>" in model.answer
    options = AnswerOptions(spelling=StrategyOptions(drafts=False))
    full = Session(ScriptedModel(spelled)).attempt(TASK, "lines", options)
    assert attempt.counts.decoded_tokens == full.counts.decoded_tokens
    assert attempt.counts.spliced_tokens == full.counts.spliced_tokens


def test_a_known_program_is_scored() -> None:
    after = Source.from_bytes(AFTER)
    spelled = as_lines(TASK, after)
    model = ScriptedModel(spelled)
    found = score(model, TASK, after, FULL)
    assert found.calls + found.spliced_tokens == len(model.tokenize(spelled.encode()))
    assert found.generated.tokens == len(b"3\n")
    # The script's own tokens are what this model prefers, but for those that a seam divides.
    assert found.generated.preferred == found.generated.tokens
    none = score(ScriptedModel(spelled), TASK, after, Splice(0))
    assert (none.calls, none.spliced_tokens) == (found.calls, 0)
    assert none.operations.nats > found.operations.nats
    moved = score(ScriptedModel(spelled), TASK, after, Splice(moves=True))
    assert moved.spliced_tokens == found.spliced_tokens
