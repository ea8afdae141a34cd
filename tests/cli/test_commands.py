"""The other commands, through the entry point."""

import json
import re
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
    for command in ("apply", "oracle", "grammar", "doctor", "model", "cache", "bench"):
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
    common += ("--strategy", "anchor")
    ran = cedit(*common, "--limit", "2")
    assert ran.status is ExitStatus.DONE
    totals = json.loads(ran.out.splitlines()[-1])
    assert (totals["cases"], totals["em"]) == (2, 1)
    other = cedit(*common, "--strategy", "lines")
    assert other.status is ExitStatus.USAGE
    assert "results of other data or options" in other.err
    with Path("done.jsonl").open("a") as file:
        file.write('{"name": "cut off')
    loaded_before = len(cedit.loaded)
    cedit.model.turns.clear()
    ran = cedit(*common)
    totals = json.loads(ran.out.splitlines()[-1])
    assert (totals["cases"], totals["em"], totals["passed"], totals["unparsed"]) == (3, 2, 1, 0)
    assert {turns[0].role for turns in cedit.model.turns} == {"system"}
    assert all("def f" in turns[-1].text or not turns[-1].text for turns in cedit.model.turns)
    assert len(cedit.loaded) == loaded_before + 1
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
    ran = cedit(
        "bench", "edits", "--data", "rows.jsonl", "--max-tokens", "30", "--strategy", "anchor"
    )
    totals = json.loads(ran.out.splitlines()[-1])
    assert (totals["errors"], totals["em"], totals["cases"]) == (1, 0, 1)
    assert totals["decoded_tokens"] > 10


def test_bench_edits_tells_of_every_answer_of_auto(cedit: Cedit) -> None:
    Path("rows.jsonl").write_text(json.dumps(ROWS[2]) + "\n")
    cedit.answers(
        "```python\ndef f():\n    return 1\n```",
        "<old>\n    return 1\n</old>\n<new>\n    return 2\n</new>\n<done>",
    )
    ran = cedit("bench", "edits", "--data", "rows.jsonl", "--execute")
    totals = json.loads(ran.out.splitlines()[-1])
    assert (totals["strategy"], totals["em"], totals["passed"]) == ("auto", 1, 1)
    assert totals["answers"]["verify"]["no_change"] == 1
    assert totals["answers"]["verify"]["taken"] == 0
    assert totals["answers"]["anchor"]["em"] == 1


def test_bench_edits_lets_the_tests_choose(cedit: Cedit) -> None:
    Path("rows.jsonl").write_text(json.dumps(ROWS[2]) + "\n")
    cedit.answers(
        "<old>\n    return 1\n</old>\n<new>\n    return 3\n</new>\n<done>",
        "```python\ndef f():\n    return 2\n```",
    )
    ran = cedit("bench", "edits", "--data", "rows.jsonl", "--test")
    totals = json.loads(ran.out.splitlines()[-1])
    assert (totals["em"], totals["passed"]) == (1, 1)
    assert totals["answers"]["anchor"] | {"forward_calls": 0} == {
        "answers": 1, "taken": 0, "em": 0, "passed": 0, "unparsed": 0, "no_change": 0,
        "forward_calls": 0,
    }  # fmt: skip


def test_bench_kernel_measures_both_ways_of_reading(cedit: Cedit) -> None:
    common = ("bench", "kernel", "--context", "20", "--longest", "4", "--repeats", "1")
    ran = cedit(*common, "--plot", "kernel.svg")
    assert ran.status is ExitStatus.DONE
    points = json.loads(ran.out.splitlines()[-1])["points"]
    assert [(point["context"], point["tokens"]) for point in points] == [(20, 1), (20, 2), (20, 4)]
    assert all(point["prefill_seconds"] > 0 < point["decode_seconds"] for point in points)
    assert Path("kernel.svg").read_text().count("<svg") == 1


def test_bench_speed_compares_systems_on_the_same_edits(cedit: Cedit) -> None:
    cedit.model = ScriptedModel(per_task=_right_answers)
    systems = ("anchor", "verify", "rewrite", "prompt lookup", "search/replace")
    chosen = [part for system in systems for part in ("--system", system)]
    ran = cedit("bench", "speed", "--quick", *chosen, "--plot", "speed.svg")
    assert ran.status is ExitStatus.DONE, ran.err
    document = json.loads(ran.out.splitlines()[-1])
    rows = {row["system"]: row for row in document["rows"]}
    assert set(rows) == set(systems)
    assert rows["anchor"]["right"] == rows["verify"]["right"] == 1
    assert rows["verify"]["calls"] < rows["rewrite"]["calls"] / 2
    assert rows["rewrite"]["to_rewrite"] == 1
    assert Path("speed.svg").exists()


def test_bench_speed_looks_at_edits_in_files_of_several_sizes(cedit: Cedit) -> None:
    cedit.answers("<done>")
    ran = cedit("bench", "speed", "--scaling", "2", "--size", "50", "--size", "100")
    runs = json.loads(ran.out.splitlines()[-1])["runs"]
    assert [(run["size"], run["system"]) for run in runs] == [
        (50, "anchor"), (50, "anchor"), (100, "anchor"), (100, "anchor")
    ]  # fmt: skip
    assert len({run["calls"] for run in runs}) == 1
    assert b"same answer" in ran.out


def _right_answers(question: str) -> list[str]:
    """What a perfect model answers to an edit of ``bench speed``, in each spelling."""
    found = re.search(r"Change one line: `(.*)` becomes `(.*)`\.", question)
    if not found:
        return []
    fenced = re.search(r"^(`{3,})\w*\n(.*?)^\1$", question, re.MULTILINE | re.DOTALL)
    assert fenced
    fence, text = fenced[1], fenced[2]
    old = next(line for line in text.split("\n") if line.strip() == found[1])
    new = old.replace(found[1], found[2])
    return [
        f"<old>\n{old}\n</old>\n<new>\n{new}\n</new>\n<done>",
        f"{fence}python\n{text.replace(old, new).strip(chr(10))}\n{fence}",
        f"<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE",
    ]


def test_a_system_that_is_not_known(cedit: Cedit) -> None:
    ran = cedit("bench", "speed", "--system", "magic")
    assert ran.status is ExitStatus.USAGE
    assert "llama-server ngram-mod" in ran.err


def test_the_cache_tells_its_size_and_is_cleared(cedit: Cedit) -> None:
    assert b"0 states, 0 bytes of 2.0 GB at most" in cedit("cache", "info").out
    Path("a").write_bytes(b"1\n")
    cedit.answers("<done>")
    cedit("a", "-m", "x", "--no-cache")
    assert b"0 states" in cedit("cache", "info").out
    cedit.answers("<done>")
    cedit("a", "-m", "x")
    assert b"2 states" in cedit("cache", "info").out
    assert "2 states deleted" in cedit("cache", "clear").err
    assert b"0 states, 0 bytes" in cedit("cache", "info").out


@pytest.mark.parametrize("group", ["model", "dataset", "bench", "hook"])
def test_a_group_alone_shows_its_help_and_no_error(cedit: Cedit, group: str) -> None:
    ran = cedit(group)
    assert (ran.status, ran.err) == (ExitStatus.USAGE, "")
