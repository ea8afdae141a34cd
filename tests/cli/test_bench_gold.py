"""The benches over known edits, through the entry point, with the real git."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from cedit.exits import ExitStatus
from cedit.past_edits import MOST_FILES
from tests.cli.conftest import Cedit, Ran
from tests.cli.gits import BEFORE, commit, git

ROW = {"before": "a\nb\nc\n", "after": "a\nB\nc\n", "instruction": "x"}


def rows_of(ran: Ran) -> list[dict[str, Any]]:
    assert ran.status is ExitStatus.DONE, ran.err
    return [json.loads(line) for line in ran.out.splitlines() if line.startswith(b"{")]


@pytest.fixture
def data() -> str:
    lines = [json.dumps(ROW), '{"before": "a"}', "nonsense", json.dumps({**ROW, "after": "é\n"})]
    Path("data.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return "data.jsonl"


@pytest.mark.parametrize("measure", ["ceiling", "formats", "lossless", "sensitivity", "splice"])
def test_rows_that_are_no_edits_are_left_out_and_told_of(
    cedit: Cedit, data: str, measure: str
) -> None:
    ran = cedit("bench", measure, "--data", data)
    (found,) = rows_of(ran)
    assert (found["edits"], found["left_out"]) == (2, {"rows that are no edits": 2})
    assert "data.jsonl: row 2 is not an edit: no field 'after'" in ran.err
    assert "data.jsonl: row 3 is not an edit" in ran.err
    assert "left out: 2 rows that are no edits" in ran.err
    assert b"data.jsonl, 2 edits: " in ran.out


def test_the_bound_comes_from_a_measured_kernel(cedit: Cedit, data: str) -> None:
    points = [
        {"context": 512, "tokens": n, "prefill_seconds": 1 + n, "decode_seconds": 9.0 * n}
        for n in (1, 2, 4)
    ]
    Path("kernel.json").write_text(json.dumps({"model": "m", "points": points}))
    _, bounds = rows_of(cedit("bench", "ceiling", "--data", data, "--kernel", "kernel.json"))
    (row,) = [row for row in bounds["rows"] if row["program"] == "lines, by diff"]
    # Spans of 2 and 2 tokens are copied, "B\n" and "é\n" written.
    assert row["closed form"] == round(8 * 9 / (3 + 3 + 4 * 9), 2)
    Path("kernel.json").write_text("{}")
    ran = cedit("bench", "ceiling", "--data", data, "--kernel", "kernel.json")
    assert "kernel.json: it holds no points of a kernel" in ran.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "there are no edits to measure (name some: --data FILE.jsonl or --git PATH)"),
        (("--data", "missing"), "missing: No such file or directory"),
        (("--data", "empty"), "empty: it holds no edits"),
        (("--git", "nowhere"), "nowhere: it is in no repository"),
    ],
)
def test_what_cannot_be_measured(cedit: Cedit, arguments: tuple[str, ...], words: str) -> None:
    Path("empty").touch()
    ran = cedit("bench", "formats", *arguments)
    assert (ran.status, ran.err.count("\n")) == (ExitStatus.USAGE, 1)
    assert words in ran.err


@pytest.mark.parametrize("measure", ["ceiling", "formats", "lossless", "sensitivity"])
def test_a_history_without_edits_holds_up_nothing(repo: Cedit, data: str, measure: str) -> None:
    ran = repo("bench", measure, "--git", ".")
    assert (ran.status, ran.err) == (
        ExitStatus.USAGE,
        "cedit: work: it holds no edits (name another)\n",
    )
    ran = repo("bench", measure, "--git", ".", "--data", data)
    (found,) = rows_of(ran)
    assert found["data"] == "data.jsonl"
    assert "cedit: work: it holds no edits\n" in ran.err


def test_the_edits_of_a_history(repo: Cedit) -> None:
    commit(f=BEFORE.replace(b"two", b"2"), binary=b"\0")
    commit(binary=b"\0\0", big=b"x\n" * 150_000)
    git("mv", "f", "g")
    commit(g=BEFORE.replace(b"two", b"2").replace(b"six", b"6"), big=b"y\n" * 150_000)
    many = {f"m{number}": b"1\n" for number in range(MOST_FILES + 1)}
    commit(**many)
    commit(**dict.fromkeys(many, b"2\n"))
    Path("x").write_bytes(b"1\n")
    os.symlink("f", "link")
    git("add", "x", "link")
    git("commit", "-q", "-m", "x")
    Path("link").unlink()
    os.symlink("g", "link")
    git("add", "link")
    git("update-index", "--chmod=+x", "x")
    git("commit", "-q", "-m", "x")
    (found,) = rows_of(repo("bench", "lossless", "--git", "."))
    assert found["edits"] == 2
    assert all(row["come back"] == row["edits"] for row in found["rows"])
    assert found["left_out"] == {
        "binary files": 1,
        "files of more than 200,000 bytes": 1,
        f"files of commits that change more than {MOST_FILES}": MOST_FILES + 1,
        "links and submodules": 1,
        "files of which only the name or the mode changed": 1,
    }


def test_bare_and_shallow_repositories(repo: Cedit) -> None:
    for text in (b"2", b"zwei", b"deux"):
        commit(f=BEFORE.replace(b"two", text))
    git("clone", "-q", "--bare", ".", "bare")
    git("clone", "-q", "--depth", "2", f"file://{Path.cwd()}", "shallow")
    (bare,) = rows_of(repo("bench", "formats", "--git", "bare"))
    assert bare["edits"] == 3
    (shallow,) = rows_of(repo("bench", "formats", "--git", "shallow", "--limit", "9"))
    assert shallow["edits"] == 1
    assert shallow["left_out"] == {"commits before those that a shallow repository holds": 1}
