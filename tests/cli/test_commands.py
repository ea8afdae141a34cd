"""The other commands, through the entry point."""

import json
from pathlib import Path

import pytest

from cedit.exits import ExitStatus
from cedit_engine.registry import DEFAULT_MODEL, REGISTRY, TEST_MODEL
from tests.cli.conftest import Cedit
from tests.fakes import ScriptedModel
from tests.gbnf import Grammar


def test_help_shows_the_main_job_and_every_command(cedit: Cedit) -> None:
    ran = cedit("--help")
    assert ran.status is ExitStatus.DONE
    for command in ("apply", "oracle", "grammar", "doctor", "model", "bench"):
        assert f"cedit {command}".encode() in ran.out


def test_grammar_prints_what_governs_a_file(cedit: Cedit) -> None:
    Path("f").write_bytes(b"a\n\nb\n")
    anchor = Grammar(cedit("grammar", "f").out.decode())
    assert anchor.accepts(
        b"<old>\na\n\n</old>\n<new>\nx\n</new>\n<old>\nb\n</old>\n<new>\n</new>\n<done>"
    )
    assert not anchor.accepts(b"<old>\n\n</old>\n<new>\n</new>\n<done>")
    lines = Grammar(cedit("grammar", "f", "--strategy", "lines").out.decode())
    assert lines.accepts(b'<program>\n<copy lines="1-2"/>\n<gen>\nx\n</gen>\n</program>')
    assert not lines.accepts(b'<program>\n<copy lines="1-4"/>\n</program>')
    assert not lines.accepts(b"<program>\n</program>")
    narrowed = Grammar(cedit("grammar", "f", "--lines", "3-3").out.decode())
    assert not narrowed.accepts(b"<old>\na\n</old>\n<new>\n</new>\n<done>")


def test_models_are_listed_found_and_removed(cedit: Cedit) -> None:
    listed = cedit("model", "list").out.decode()
    assert all(model in listed for model in REGISTRY)
    path = cedit("model", "path").out.decode().strip()
    assert Path(path) == cedit.folder / "models" / REGISTRY[DEFAULT_MODEL].file
    corrupt = cedit("model", "verify")
    assert corrupt.status is ExitStatus.ENGINE
    assert "it is 0 bytes, not 1117320768 bytes" in corrupt.err
    assert cedit("model", "remove", DEFAULT_MODEL).status is ExitStatus.DONE
    absent = cedit("model", "path")
    assert absent.status is ExitStatus.ENGINE
    assert f"cedit model pull {DEFAULT_MODEL}" in absent.err


def test_pulling_offline_is_refused(cedit: Cedit) -> None:
    cedit.variables = {"CEDIT_OFFLINE": "1"}
    assert cedit("model", "pull", TEST_MODEL).status is ExitStatus.ENGINE
    assert cedit("model", "pull", DEFAULT_MODEL).status is ExitStatus.DONE


@pytest.mark.parametrize("arguments", [("model", "pull", "nope"), ("model", "verify", "./x.gguf")])
def test_only_known_models_are_kept(cedit: Cedit, arguments: tuple[str, ...]) -> None:
    ran = cedit(*arguments)
    assert ran.status is ExitStatus.USAGE
    assert "cedit model list" in ran.err


ROWS = [
    {"before": "a\nb\n", "after": "a\nx\n", "instruction": "x", "name": "f.txt"},
    {"before": "b\n", "after": "y\n", "instruction": "x"},
    {
        "task_id": "Python/0",
        "prompt": "def f():\n",
        "buggy_solution": "    return 1\n",
        "canonical_solution": "    return 2\n",
        "entry_point": "f",
        "test": "assert f() == 2",
    },
]


def test_bench_edits_counts_and_goes_on_where_it_stopped(cedit: Cedit) -> None:
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))

    def answer(question: str) -> list[str]:
        old, new = ("    return 1", "    return 2") if "def f" in question else ("b", "x")
        return [f"<old>\n{old}\n</old>\n<new>\n{new}\n</new>\n<done>"]

    cedit.model = ScriptedModel(per_task=answer)
    common = ("bench", "edits", "--data", "rows.jsonl", "--execute", "--resume", "done.jsonl")
    ran = cedit(*common, "--limit", "2")
    assert ran.status is ExitStatus.DONE
    totals = json.loads(ran.out.splitlines()[-1])
    assert (totals["cases"], totals["em"]) == (2, 1)
    other = cedit(*common, "--strategy", "lines")
    assert other.status is ExitStatus.USAGE
    assert "results of other data or options" in other.err
    with Path("done.jsonl").open("a") as file:
        file.write('{"name": "cut off')
    asked_before = len(cedit.model.turns)
    ran = cedit(*common)
    totals = json.loads(ran.out.splitlines()[-1])
    assert (totals["cases"], totals["em"], totals["passed"], totals["unparsed"]) == (3, 2, 1, 0)
    assert len(cedit.model.turns) == asked_before + 1
    keys = {
        "no_change", "forward_calls", "decoded_tokens", "forced_tokens", "spliced_tokens",
        "prompt_tokens", "reused_tokens", "model_seconds", "other_seconds", "strategy", "model",
    }  # fmt: skip
    assert keys <= set(totals)
    assert "runs code that a model wrote" in ran.err


@pytest.mark.parametrize("row", ["nonsense", '{"before": "a"}', "[1]", '{"buggy_solution": 1}'])
def test_bench_edits_names_the_row_it_cannot_read(cedit: Cedit, row: str) -> None:
    Path("rows.jsonl").write_text(json.dumps(ROWS[0]) + "\n" + row + "\n")
    ran = cedit("bench", "edits", "--data", "rows.jsonl")
    assert ran.status is ExitStatus.USAGE
    assert "rows.jsonl: row 2 is not an edit" in ran.err
    assert ran.err.count("\n") == 1


def test_bench_edits_without_data(cedit: Cedit) -> None:
    assert "No such file" in cedit("bench", "edits", "--data", "nowhere").err


def test_bench_edits_counts_what_an_unfinished_answer_cost(cedit: Cedit) -> None:
    Path("rows.jsonl").write_text(json.dumps(ROWS[0]) + "\n")
    cedit.answers("<old>\nb\n</old>\n<new>\n" + "z" * 99)
    ran = cedit("bench", "edits", "--data", "rows.jsonl", "--max-tokens", "30")
    totals = json.loads(ran.out.splitlines()[-1])
    assert (totals["errors"], totals["em"], totals["cases"]) == (1, 0, 1)
    assert totals["decoded_tokens"] > 10
