"""``bench tasks`` and ``bench compare``, through the entry point."""

import json
from pathlib import Path

import pytest

from cedit.exits import ExitStatus
from cedit_engine.bench.tasks import holdout, load_suite
from tests.cli.conftest import Cedit

RIGHT = (
    "<old>\n    return (fahrenheit + 32) * 5 / 9\n</old>\n"
    "<new>\n    return (fahrenheit - 32) * 5 / 9\n</new>\n<done>"
)
STRAYING = (
    "<old>\n    return celsius * 9 / 5 + 32\n\n\ndef to_celsius(fahrenheit):\n"
    "    return (fahrenheit + 32) * 5 / 9\n</old>\n"
    "<new>\n    return celsius * 9 / 5 + 32.0\n\n\ndef to_celsius(fahrenheit):\n"
    "    return (fahrenheit - 32) * 5 / 9\n</new>\n<done>"
)
ONE = ("bench", "tasks", "--task", "fix-celsius", "--strategy", "anchor")


def test_a_task_is_done_or_strays(cedit: Cedit) -> None:
    cedit.answers(RIGHT)
    ran = cedit(*ONE, "--resume", "right.jsonl")
    assert ran.status is ExitStatus.DONE
    table, summary = ran.out.decode().split("\n{", 1)
    totals = json.loads("{" + summary)
    assert (totals["cases"], totals["done"], totals["em"], totals["disasters"]) == (1, 1, 1, 0)
    assert "fix" in table
    cedit.answers(STRAYING)
    mended = json.loads(cedit(*ONE, "--resume", "mended.jsonl").out.splitlines()[-1])
    assert mended["done"] == 1, "what strayed is left out"
    unguarded = (*ONE, "--no-guard", "straying", "--resume", "stray.jsonl")
    totals = json.loads(cedit(*unguarded).out.splitlines()[-1])
    assert (totals["done"], totals["passed"], totals["em"]) == (0, 1, 0)
    ran = cedit("bench", "compare", "right.jsonl", "stray.jsonl")
    assert ran.status is ExitStatus.DONE
    compared = json.loads(ran.out.splitlines()[-1])
    assert compared["only_first"] == ["fix-celsius"]
    assert (compared["first"]["hits"], compared["second"]["hits"]) == (1, 0)
    assert compared["p_value"] == 1.0


def test_the_halves(cedit: Cedit) -> None:
    cedit.answers("<done>")
    common = ("bench", "tasks", "--kind", "fix", "--strategy", "anchor", "--no-guard", "all")
    names = {}
    for half in ("development", "holdout", "all"):
        assert cedit(*common, "--half", half, "--resume", half).status is ExitStatus.DONE
        names[half] = {
            json.loads(line).get("name") for line in Path(half).read_text().splitlines()
        } - {None}
    fixes = {task.name for task in load_suite().tasks if task.kind == "fix"}
    assert names["holdout"] == fixes & holdout()
    assert names["development"] | names["holdout"] == names["all"] == fixes
    assert not names["development"] & names["holdout"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("bench", "tasks", "--kind", "nope"), "no kind 'nope'"),
        (("bench", "tasks", "--task", "nope"), "no task 'nope'"),
        (("bench", "tasks", "--half", "nope"), "no half 'nope'"),
        (("bench", "tasks", "--no-guard", "nope"), "no guard 'nope'"),
        (("bench", "compare", "missing", "missing"), "missing"),
    ],
)
def test_what_is_not_there(cedit: Cedit, arguments: tuple[str, ...], said: str) -> None:
    ran = cedit(*arguments)
    assert ran.status is ExitStatus.USAGE
    assert said in ran.err


def test_results_of_other_cases_are_not_compared(cedit: Cedit) -> None:
    cedit.answers(RIGHT)
    cedit(*ONE, "--resume", "a")
    Path("b").write_text(Path("a").read_text().replace("fix-celsius", "other"))
    ran = cedit("bench", "compare", "a", "b")
    assert ran.status is ExitStatus.USAGE
    assert "no results of the same cases" in ran.err


@pytest.mark.parametrize(
    "text", ["", "nonsense\n", '{"name": 1}\n', '{"data": "x"}\n{"name": 1}\n']
)
def test_what_holds_no_results_is_not_compared(cedit: Cedit, text: str) -> None:
    Path("a").write_text(text)
    ran = cedit("bench", "compare", "a", "a")
    assert ran.status is ExitStatus.USAGE
    assert ran.err.startswith("cedit: a: it ")


def test_guards_that_object_to_right_edits_are_counted(cedit: Cedit) -> None:
    before = "def a():\n    return 1\n\n\ndef b():\n    return 2\n"
    rows = [
        {"id": "right", "after": before.replace("1", "3")},
        {"id": "lossy", "after": before.partition("\n\n\n")[0] + "\n"},
    ]
    common = {"name": "f.py", "before": before, "instruction": "Let a return 3."}
    Path("rows.jsonl").write_text("".join(json.dumps({**common, **row}) + "\n" for row in rows))
    ran = cedit("bench", "guards", "--limit", "2", "--data", "rows.jsonl")
    assert ran.status is ExitStatus.DONE
    assert "lossy: definitions: the right edit lost b" in ran.err
    figures = json.loads(ran.out.splitlines()[-1])
    assert figures["sets"]["rows.jsonl"] == {"edits": 2, "objected_to": 1}
    assert figures["sets"]["all"] == {"edits": 4, "objected_to": 1}
    assert [alarm["guard"] for alarm in figures["objections"]] == ["definitions"]
    assert cedit("bench", "guards", "--data", "missing").status is ExitStatus.USAGE
