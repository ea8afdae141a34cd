"""The report: measured once, resumed, with pictures, through the entry point."""

import json
from pathlib import Path

import pytest

from cedit.commands import bench_paper
from cedit.exits import ExitStatus
from cedit.paper import SAID, Report
from cedit_engine.bench.kernel import KernelOptions
from cedit_engine.source import Source
from cedit_engine.spelling import as_lines
from cedit_engine.task import Task
from tests.cli.conftest import Cedit
from tests.cli.gits import BEFORE, commit

pytest.importorskip("matplotlib")
AFTER = BEFORE.replace(b"two", b"2")


def test_everything_is_measured_once_and_told_in_one_file(
    repo: Cedit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench_paper, "_KERNEL", KernelOptions((8,), 16, 1))
    commit(f=AFTER)
    row = {"before": BEFORE.decode(), "after": AFTER.decode(), "instruction": "Write two as 2."}
    Path("data.jsonl").write_text(f"{json.dumps(row)}\nnonsense\n")
    repo.answers(as_lines(Task.of(Source.from_bytes(BEFORE), "x", "f"), Source.from_bytes(AFTER)))
    asked = ("bench", "paper", "--data", "data.jsonl", "--git", ".", "--out", "out")
    ran = repo(*asked)
    assert ran.status is ExitStatus.DONE, ran.err
    assert ran.out == b"out/report.html\n"
    assert "measuring lossless of data.jsonl" in ran.err
    results = json.loads(Path("out/results.json").read_text())
    by_title: dict[str, list[str]] = {}
    for section in results["sections"]:
        by_title.setdefault(section["figures"]["title"], []).append(section["data"])
    assert set(by_title) == set(SAID)
    assert by_title["tokens an edit"] == ["data.jsonl", "work"]
    assert by_title["known programs, by splice"] == ["data.jsonl"], "nothing was asked in history"
    (untrained,) = [s for s in results["sections"] if "not trained" in s["figures"]["title"]]
    assert untrained["figures"]["rows"] == [{"strategy": "lines", "edits": 1, "exact": 1}]
    (back,) = [
        section["figures"]["rows"]
        for section in results["sections"]
        if section["figures"]["title"] == "edits that come back" and section["data"] == "data.jsonl"
    ]
    assert {row["through"] for row in back} == {"resolver", "decoder"}
    assert all(row["come back"] == row["edits"] == 1 for row in back)
    assert results["left_out"] == {"data.jsonl": {"rows that are no edits": 1}, "work": {}}
    report = Path("out/report.md").read_text()
    assert all(f"The paper: {said}." in report for said in SAID.values())
    assert "- data.jsonl: 1 rows that are no edits" in report
    page = Path("out/report.html").read_text()
    assert page.count("data:image/png;base64,") == 4
    assert "<table>" in page
    ran = repo(*asked)
    assert ran.status is ExitStatus.DONE
    assert "measuring" not in ran.err


def test_nowhere_to_report_to(repo: Cedit) -> None:
    Path("out").write_text("x")
    ran = repo("bench", "paper", "--git", ".", "--out", "out/put")
    assert ran.status is ExitStatus.USAGE
    assert ran.err == "cedit: out/put: Not a directory (name another directory)\n"


def test_what_holds_no_edits_is_told(tmp_path: Path) -> None:
    Report({}, [], {"bare": {}}).write(tmp_path)
    assert "- bare: it holds no edits\n" in (tmp_path / "report.md").read_text()
