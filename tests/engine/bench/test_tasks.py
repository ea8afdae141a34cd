"""The suite is what it says: every reference passes, every source fails, nothing strays."""

from collections import Counter, defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cedit_engine.bench.tasks import (
    KINDS,
    PROBES,
    Freedom,
    SuiteTask,
    draw_holdout,
    holdout,
    keeps_the_rest,
    load_suite,
)
from cedit_engine.blocks import block_at

SUITE = load_suite()


def named(name: str) -> SuiteTask:
    return next(task for task in SUITE.tasks if task.name == name)


def test_there_are_enough_tasks_of_every_kind_and_size() -> None:
    assert len(SUITE.tasks) + len(SUITE.unfit) >= 100
    names = [task.name for task in SUITE.tasks]
    assert len(set(names)) == len(names)
    kinds = Counter(task.kind for task in SUITE.tasks)
    assert set(kinds) == set(KINDS)
    assert min(kinds.values()) >= 5
    sizes = [task.before.count("\n") for task in SUITE.tasks]
    assert min(sizes) <= 8
    assert max(sizes) >= 480
    endings = {task.file_name.rpartition(".")[2] for task in SUITE.tasks}
    assert {"py", "js", "ts", "go", "rs", "c", "cpp", "java", "rb", "md", "yaml", "json"} <= endings
    assert {"toml", "ini", "Dockerfile", "Makefile", "sh", "sql", "html", "css"} <= endings


def test_the_holdout_is_the_half_that_was_drawn() -> None:
    names: dict[str, list[str]] = defaultdict(list)
    for task in SUITE.tasks:
        names[task.kind].append(task.name)
    if not SUITE.unfit:
        assert holdout() == draw_holdout(names)
    assert not holdout() & set(PROBES)
    assert abs(2 * len(holdout()) - len(SUITE.tasks) - len(SUITE.unfit)) <= len(KINDS)


@pytest.mark.parametrize("task", SUITE.tasks, ids=lambda task: task.name)
def test_a_reference_is_right_and_the_source_is_not(task: SuiteTask) -> None:
    reference = task.reference.encode()
    judgement = task.judge(reference)
    assert judgement.exact
    assert judgement.kept
    assert not judgement.unparsed
    assert not judgement.disaster
    if not task.can_check:
        pytest.skip("what its check needs is not on this machine")
    passes, fails = task.outcome(reference), task.outcome(task.before.encode())
    assert passes.passed, passes.output
    assert not fails.passed


def test_what_strays_and_what_is_a_disaster() -> None:
    task = named("fix-withdraw-all")
    strayed = task.reference.replace("DAILY_LIMIT = 1000", "DAILY_LIMIT = 2000")
    judgement = task.judge(strayed.encode())
    assert (judgement.kept, judgement.disaster) == (False, False)
    without = task.reference[: task.reference.index("def richest")]
    judgement = task.judge(without.encode())
    assert (judgement.kept, judgement.disaster) == (False, True)
    assert not task.judge(task.before.encode()).disaster
    renamed = named("rename-class")
    assert not renamed.judge(renamed.reference.encode()).disaster


LINES = st.lists(st.sampled_from("abc"), max_size=6)


@given(LINES, st.data())
def test_changes_in_free_places_stray_nowhere(before: list[str], data: st.DataObject) -> None:
    numbers = st.integers(0, len(before))
    lines = data.draw(st.frozensets(numbers)) - {len(before)}
    gaps = data.draw(st.frozensets(numbers))
    freedom = Freedom(lines, gaps)
    after: list[str] = []
    for number in range(len(before) + 1):
        if number in gaps:
            after += data.draw(LINES)
        if number in lines:
            after += data.draw(LINES)
        elif number < len(before):
            after.append(before[number])
    assert keeps_the_rest(before, after, freedom)


@given(LINES, LINES)
def test_where_nothing_is_free_only_the_same_lines_keep_them(
    before: list[str], after: list[str]
) -> None:
    freedom = Freedom(frozenset(), frozenset())
    assert keeps_the_rest(before, after, freedom) == (before == after or not before)


def test_lines_may_be_added_only_in_free_gaps() -> None:
    freedom = Freedom(frozenset({1}), frozenset({3}))
    before = ["a", "b", "c"]
    assert keeps_the_rest(before, ["a", "x", "y", "c", "z"], freedom)
    assert keeps_the_rest(before, ["a", "c"], freedom)
    assert not keeps_the_rest(before, ["x", "a", "b", "c"], freedom)
    assert not keeps_the_rest(before, ["a", "b"], freedom)


@pytest.mark.parametrize(
    ("text", "start", "expected"),
    [
        ("def f():\n    a\n\n    b\n\nc\n", "def f", range(0, 4)),
        ("x\nfunc f() {\n\ta\n}\n\ny\n", "func f", range(1, 4)),
        ("class A\n  def f\n    a\n  end\n\n  def g\n  end\nend\n", "def f", range(1, 4)),
        ("def f(\n    a,\n):\n    b\nc\n", "def f", range(0, 4)),
        ("a = 1\nb = 2\n", "a", range(0, 1)),
    ],
)
def test_blocks(text: str, start: str, expected: range) -> None:
    assert block_at(text.splitlines(), start) == expected
    assert block_at(text.splitlines(), "nowhere") is None
