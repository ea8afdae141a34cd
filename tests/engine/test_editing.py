from dataclasses import replace

import pytest

from cedit_engine.editing import (
    EditOptions,
    EditResult,
    FailsTest,
    NothingAcceptable,
    Outvoted,
    SameAgain,
    Test,
    Verdict,
    edit,
    reserve,
    strategies_of,
)
from cedit_engine.errors import BudgetExhausted
from cedit_engine.guards.check import GUARDS
from cedit_engine.guards.concerns import DefinitionsGone, NoChange, NoLongerParses
from cedit_engine.mending import Mend
from cedit_engine.oracle import oracle
from cedit_engine.session import AnswerOptions, Session
from cedit_engine.source import Source
from cedit_engine.task import Task
from tests.fakes import ScriptedModel

SOURCE = "def f():\n    return 1\n"


def rewritten(text: str) -> str:
    return f"```python\n{text}```"


def replacing(old: str, new: str) -> str:
    return f"<old>\n{old}\n</old>\n<new>\n{new}\n</new>\n<done>"


def run(
    *scripts: str, test: Test | None = None, source: str = SOURCE, **options: object
) -> EditResult:
    task = Task.of(Source.from_bytes(source.encode()), "do it", "f.py")
    given = EditOptions(**options)  # type: ignore[arg-type]
    return edit(Session(ScriptedModel(*scripts)), task, given, test)


def test_a_short_file_is_rewritten_first() -> None:
    result = run(rewritten("def f():\n    return 2\n"), replacing("    return 1", "    return 3"))
    assert (result.strategy, result.rejected) == ("verify", ())
    assert result.after == b"def f():\n    return 2\n"


def test_a_long_file_is_edited_first() -> None:
    right = replacing("    return 1", "    return 3")
    result = run(rewritten("def f():\n    return 2\n"), right, rewrite_tokens=3)
    assert (result.strategy, result.rejected) == ("anchor", ())
    assert result.after == b"def f():\n    return 3\n"


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        (SOURCE, NoChange),
        ("def f(:\n", NoLongerParses),
        ("def g():\n    return 2\n", DefinitionsGone),
    ],
)
def test_the_second_strategy_answers_where_the_first_does_not(first: str, reason: type) -> None:
    result = run(rewritten(first), replacing("    return 1", "    return 2"))
    assert result.strategy == "anchor"
    rejected = result.rejected[0]
    assert (rejected.strategy, type(rejected.reason)) == ("verify", reason)
    assert rejected.attempt is not None
    calls = [other.counts.forward_calls for other in (result.chosen, *result.rejected)]
    assert result.counts.forward_calls == sum(calls)


def test_what_a_guard_saw_goes_back_and_only_that_is_read() -> None:
    def answers(asked: str) -> list[str]:
        told = "Your edit broke the syntax of line 1 (invalid syntax).\nLine 1: `def f(:`" in asked
        return [rewritten("def f():\n    return 3\n" if told else "def f(:\n    return 3\n")]

    model = ScriptedModel(per_task=answers)
    task = Task.of(Source.from_bytes(SOURCE.encode()), "do it", "f.py")
    result = edit(Session(model), task, EditOptions(strategy="verify"))
    assert result.after == b"def f():\n    return 3\n"
    assert result.program == oracle(task.source, Source.from_bytes(result.after))
    assert (result.strategy, result.chosen.repairs) == ("verify", 1)
    (rejected,) = result.rejected
    assert isinstance(rejected.reason, NoLongerParses)
    counts = result.chosen.counts
    assert counts.reused_tokens > rejected.counts.prompt_tokens
    assert counts.prompt_tokens - counts.reused_tokens < 250, "the new turn, a byte a token"


def test_what_lost_code_is_left_out_where_the_rest_is_good() -> None:
    dropped = "def g():\n    return 3\n"
    before = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"
    result = run(rewritten(dropped), source=before, strategy="verify")
    assert result.after.decode() == before.replace("return 2", "return 3")
    assert result.chosen.mends == (Mend.WITHOUT_LOSSES,)
    assert len(result.rejected) == 1


def test_what_was_written_over_is_put_back_where_the_rest_is_good() -> None:
    before = "def f():\n    return 1\n\n\ndef h():\n    return 2\n"
    answer = "<old>\ndef f():\n    return 1\n</old>\n<new>\ndef g():\n    return 3\n</new>\n<done>"
    task = Task.of(Source.from_bytes(before.encode()), "Add a function g() like f.", "f.py")
    result = edit(Session(ScriptedModel(answer)), task, EditOptions(strategy="anchor"))
    added = "\n\n\ndef g():\n    return 3\n\n\ndef h()"
    assert result.after.decode() == before.replace("\n\n\ndef h()", added)
    assert result.chosen.mends == (Mend.WITH_BOTH,)
    assert len(result.rejected) == 1


def test_a_check_that_the_rest_was_written_again_behind_stays_and_the_rest_goes() -> None:
    head, doc = "def total(values):", '    """The sum."""'
    check = '    if values is None:\n        raise TypeError("values must not be None")'
    loop = "    result = 0\n    for value in values:\n        result += value\n    return result"
    before = f"{head}\n{doc}\n\n    start = 0\n{loop}\n"
    task = Task.of(
        Source.from_bytes(before.encode()), "total should raise TypeError for None.", "f.py"
    )
    answer = replacing(head, f"{head}\n{check}\n{loop}")
    result = edit(Session(ScriptedModel(answer)), task, EditOptions(strategy="anchor"))
    assert result.after.decode() == f"{head}\n{doc}\n{check}\n\n    start = 0\n{loop}\n"
    assert result.chosen.mends == (Mend.WITHOUT_REWRITING, Mend.WITH_DOCSTRING)


def test_what_an_edit_uses_of_the_standard_library_is_imported() -> None:
    answer = "<old>\ndef f():\n</old>\n<new>\ndef f(a: Any):\n</new>\n<done>"
    result = run(answer, strategy="anchor")
    assert result.after.decode() == (
        "from typing import Any\n\n\n" + SOURCE.replace("def f():", "def f(a: Any):")
    )
    assert result.chosen.mends == (Mend.WITH_IMPORTS,)
    assert len(result.rejected) == 1
    marked = "\ufeff" + SOURCE.replace("\n", "\r\n")
    after = run(answer, source=marked, strategy="anchor").after.decode()
    assert after == "\ufeff" + result.after.decode().replace("\n", "\r\n")


RENAMED = "def f(old):\n    return old\n\n\nf(1)\n"


def test_a_renaming_is_asked_for_on_every_line() -> None:
    first, second = "def f(old):", "    return old"
    answer = (
        f"<old>\n{first}\n</old>\n<new>\ndef f(new):\n</new>\n"
        f"<old>\n{second}\n</old>\n<new>\n    return new\n</new>\n<done>"
    )
    model = ScriptedModel(answer)
    task = Task.of(Source.from_bytes(RENAMED.encode()), "Rename old to new in f.", "f.py")
    result = edit(Session(model), task, EditOptions())
    assert (result.strategy, result.rejected) == ("anchor", ())
    assert result.after == RENAMED.replace("old", "new").encode()
    assert result.counts.decoded_tokens < 12, "where to edit is not asked"


def test_a_site_that_stays_as_it_is_is_no_edit() -> None:
    answer = (
        "<old>\ndef f(old):\n</old>\n<new>\ndef f(new):\n</new>\n"
        "<old>\n    return old\n</old>\n<new>\n    return old\n</new>\n<done>"
    )
    task = Task.of(Source.from_bytes(RENAMED.encode()), "Rename old to new in f.", "f.py")
    options = EditOptions(strategy="anchor", guards_off=("names",))
    result = edit(Session(ScriptedModel(answer)), task, options)
    assert result.program.copied_lines == 4


def test_a_function_that_is_named_is_looked_at_where_an_answer_failed() -> None:
    site = "<old>\ndef f():\n</old>\n<new>\ndef f():\n    check()\n</new>\n<done>"
    task = Task.of(Source.from_bytes(SOURCE.encode()), "f should check.", "f.py")

    def result(instruction: str) -> EditResult:
        session = Session(ScriptedModel(rewritten(SOURCE), site))
        asked = replace(task, instruction=instruction)
        return edit(session, asked, EditOptions(guards_off=("names", "requests")))

    named, unnamed = result("f should check."), result("It should check.")
    assert (named.strategy, len(named.rejected)) == ("anchor", 1)
    assert named.after == SOURCE.replace("    return", "    check()\n    return").encode()
    decoded = named.chosen.counts.decoded_tokens
    assert decoded < unnamed.chosen.counts.decoded_tokens, "where to edit is not asked"
    assert decoded < result("Double f.").chosen.counts.decoded_tokens, "only for a check"
    assert decoded < result("Check and remove f.").chosen.counts.decoded_tokens


def test_what_is_unbound_is_asked_for_line_by_line() -> None:
    def answers(asked: str) -> list[str]:
        if "used old on line 2 and defined it nowhere" in asked:
            return ["<old>\n    return old\n</old>\n<new>\n    return new\n</new>\n<done>"]
        return [replacing("def f(old):", "def f(new):")]

    task = Task.of(Source.from_bytes(RENAMED.encode()), "f takes new, not old.", "f.py")
    model = ScriptedModel(per_task=answers)
    result = edit(Session(model), task, EditOptions(strategy="anchor"))
    assert result.after == RENAMED.replace("old", "new").encode()
    assert result.program.copied_lines == 3


def test_a_repair_that_changes_nothing_is_the_last() -> None:
    with pytest.raises(NothingAcceptable) as caught:
        run(rewritten("def f(:\n"), strategy="verify")
    reasons = [type(other.reason) for other in caught.value.rejected]
    assert reasons == [NoLongerParses, SameAgain]


def test_repairs_are_bounded() -> None:
    answers = iter(rewritten(f"def f(: {n}\n") for n in range(9))
    model = ScriptedModel(per_task=lambda asked: [next(answers)] if asked else [])
    task = Task.of(Source.from_bytes(SOURCE.encode()), "do it", "f.py")
    with pytest.raises(NothingAcceptable) as caught:
        edit(Session(model), task, EditOptions(strategy="verify", repairs=2))
    assert [other.attempt.repairs for other in caught.value.rejected if other.attempt] == [0, 1, 2]


def test_an_answer_without_end_is_no_answer() -> None:
    answer = AnswerOptions(answer_tokens=80)
    result = run(
        "```python\n" + "z" * 500, replacing("    return 1", "    return 2"), answer=answer
    )
    assert result.strategy == "anchor"
    assert isinstance(result.rejected[0].reason, BudgetExhausted)
    assert result.counts.forward_calls > result.chosen.counts.forward_calls
    with pytest.raises(BudgetExhausted):
        run(
            "```python\n" + "z" * 500,
            "<old>\n    return 1\n</old>\n<new>\n" + "z" * 500,
            answer=answer,
        )


def test_where_nothing_changes_the_file_there_is_no_change() -> None:
    result = run(rewritten(SOURCE), "<done>")
    assert not result.changed
    assert [other.strategy for other in result.rejected] == ["verify"]


def test_where_every_answer_is_bad_none_is_offered() -> None:
    with pytest.raises(NothingAcceptable) as caught:
        run(rewritten("def f(:\n"), "<done>")
    reasons = [type(other.reason) for other in caught.value.rejected]
    assert reasons == [NoLongerParses, SameAgain, NoChange]


def test_without_guards_an_answer_is_taken_as_it_is() -> None:
    result = run(rewritten("def f(:\n"), strategy="verify", guards_off=tuple(GUARDS))
    assert result.after == b"def f(:\n"


def test_a_test_chooses() -> None:
    tried = []

    def test(after: bytes) -> Verdict:
        tried.append(after)
        return Verdict(b"return 2" in after, "expected 2")

    wrong, right = replacing("    return 1", "    return 3"), rewritten("def f():\n    return 2\n")
    result = run(wrong, right, test=test)
    assert result.strategy == "verify"
    assert result.rejected[0].reason == FailsTest("expected 2")
    assert tried == [b"def f():\n    return 3\n", b"def f():\n    return 2\n"]


def test_sampled_answers_are_told_what_the_test_said() -> None:
    model = ScriptedModel(replacing("    return 1", "    return 3"), rewritten(SOURCE))
    task = Task.of(Source.from_bytes(SOURCE.encode()), "do it", "f.py")
    with pytest.raises(NothingAcceptable) as caught:
        edit(
            Session(model), task, EditOptions(attempts=3), lambda after: Verdict(False, "E: not 2")
        )
    reasons = [type(other.reason) for other in caught.value.rejected]
    assert reasons == [FailsTest, NoChange, SameAgain]
    questions = [turns[-1].text for turns in model.turns if "Instruction" in turns[-1].text]
    assert [("E: not 2" in question) for question in questions] == [False, False, True]


def test_attempts_are_bounded() -> None:
    with pytest.raises(NothingAcceptable) as caught:
        run(replacing("    return 1", "    return 3"), attempts=1, test=lambda _: Verdict(False))
    assert len(caught.value.rejected) == 1


def test_without_a_test_what_most_answers_came_to_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cedit_engine.decoder.SURE", 1.0)
    model = ScriptedModel(*(rewritten(SOURCE.replace("1", n)) for n in "234"))
    model.spread = 0.1
    task = Task.of(Source.from_bytes(SOURCE.encode()), "do it", "f.py")
    options = EditOptions(strategy="verify", attempts=6)
    result = edit(Session(model), task, options)
    texts = [each.attempt.after for each in result.rejected if each.attempt] + [result.after]
    assert len(texts) == 6
    assert len(set(texts)) > 1
    assert texts.count(result.after) == max(map(texts.count, texts))
    assert {type(each.reason) for each in result.rejected} == {Outvoted}
    assert edit(Session(model), task, replace(options, attempts=None)).rejected == ()


def test_of_answers_that_none_agree_on_the_first_is_taken_though_another_is_surer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cedit_engine.decoder.SURE", 1.0)
    model = ScriptedModel(
        *(rewritten(SOURCE.replace("1", n)) for n in "2356789"),
        replacing("    return 1", "    return 4"),
    )
    model.spread = 0.1
    task = Task.of(Source.from_bytes(SOURCE.encode()), "do it", "f.py")
    result = edit(Session(model), task, EditOptions(attempts=2))
    (other,) = result.rejected
    assert (result.strategy, other.strategy, other.reason) == ("verify", "anchor", Outvoted())
    assert other.attempt is not None
    assert other.attempt.certainty.total > result.chosen.certainty.total


def test_an_answer_that_is_sure_is_held_against_no_other() -> None:
    result = run(rewritten(SOURCE.replace("1", "2")), strategy="verify", attempts=6)
    assert result.rejected == ()


def test_one_context_has_room_for_every_task() -> None:
    model = ScriptedModel()
    tasks = [
        Task.of(Source.from_bytes(b"x = 1\n" * size), "do it", "f.py") for size in (5, 500, 50)
    ]
    reserve(Session(model), tasks, EditOptions())
    assert model.reserved > 3000 * 2
    assert strategies_of(Session(model), tasks[0], EditOptions()) == ("verify", "anchor")
    assert strategies_of(Session(model), tasks[1], EditOptions()) == ("anchor", "verify")
