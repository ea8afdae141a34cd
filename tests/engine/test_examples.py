"""Tests of ``cedit_engine.examples``."""

import pytest

from cedit_engine.examples import Example, example_named, examples_for
from cedit_engine.guards.edited import Edited
from cedit_engine.guards.syntax import no_longer_parses
from cedit_engine.prompt import anchor_answer, lines_answer
from cedit_engine.session import AnswerOptions, Session
from cedit_engine.source import Source
from cedit_engine.strategies.registry import STRATEGIES
from cedit_engine.task import Tags, Task
from tests.fakes import ScriptedModel
from tests.gbnf import Grammar

LANGUAGES = ("python", "javascript")
every_example = pytest.mark.parametrize(
    "example",
    [example_named("intervals.py"), *(each for name in LANGUAGES for each in examples_for(name))],
    ids=lambda example: example.name,
)


@every_example
def test_a_worked_answer_is_what_grammar_and_strategy_make_of_it(example: Example) -> None:
    """Each answer, played by a script, makes the file that it should."""
    answers = {
        "anchor": anchor_answer(Tags(), example),
        "lines": lines_answer(Tags(), example.task, example.operations),
    }
    for strategy, answer in answers.items():
        session = Session(ScriptedModel(answer))
        attempt = session.attempt(example.task, strategy, AnswerOptions())
        assert attempt.after.decode() == example.after
    assert Grammar(STRATEGIES["anchor"].grammar(example.task)).accepts(answers["anchor"].encode())


@every_example
def test_the_files_are_code(example: Example) -> None:
    nothing = Task.of(Source.from_bytes(b""), example.instruction, example.name)
    for text in (example.before, example.after):
        assert no_longer_parses(Edited(nothing, text.encode())) is None
    broken = example.before.replace("(", "", 1).encode()
    assert no_longer_parses(Edited(nothing, broken))


@pytest.mark.parametrize("name", ["a.js", "a.mjs", "a.jsx", "a.ts", "a.tsx"])
def test_examples_are_in_the_language_of_the_file(name: str) -> None:
    language = Task.of(Source.from_bytes(b"x\n"), "x", name).language
    assert [each.name for each in examples_for(language)] == ["stats.js", "store.js"]


def test_a_language_without_examples_has_those_in_python() -> None:
    assert [each.name for each in examples_for("zig")] == ["stats.py", "store.py"]
