"""Several files in one command: when they are written, and where."""

import subprocess
from pathlib import Path

import pytest

from cedit.exits import ExitStatus
from tests.cli.conftest import Cedit
from tests.fakes import ScriptedModel


@pytest.fixture
def three(cedit: Cedit) -> Cedit:
    """Files that hold their number, each to become a letter; the answer for 3 is no edit."""
    for name in ("1", "2", "3"):
        Path(name).write_text(f"{name}\n")

    def answers(asked: str) -> list[str]:
        for number, letter in (("1", "x"), ("2", "y")):
            if f"\n{number}\n" in asked:
                return [f"<old>\n{number}\n</old>\n<new>\n{letter}\n</new>\n<done>"]
        return ["<old>\n3\n</old>\n<new>\n" + "z" * 200]

    cedit.model = ScriptedModel(per_task=answers)
    return cedit


def texts() -> list[str]:
    return [Path(name).read_text() for name in ("1", "2", "3")]


def test_all_edits_are_made_up_before_the_first_is_written(three: Cedit) -> None:
    seen = []
    answers = three.model._per_task

    def looking(asked: str) -> list[str]:
        seen.append(texts())
        return list(answers(asked))

    three.model._per_task = looking
    assert three("1", "2", "-m", "x").status is ExitStatus.DONE
    assert all(found == ["1\n", "2\n", "3\n"] for found in seen)
    assert texts() == ["x\n", "y\n", "3\n"]


def test_one_failure_leaves_the_others(three: Cedit) -> None:
    ran = three("1", "2", "3", "-m", "x", "--max-tokens", "60")
    assert ran.status is ExitStatus.ENGINE
    assert texts() == ["x\n", "y\n", "3\n"]


def test_all_or_nothing(three: Cedit) -> None:
    common = ("-m", "x", "--max-tokens", "60", "--all-or-nothing")
    ran = three("1", "2", "3", *common)
    assert ran.status is ExitStatus.ENGINE
    assert texts() == ["1\n", "2\n", "3\n"]
    assert "left as they were, as not all edits worked: 1, 2" in ran.err
    assert three("1", "2", *common).status is ExitStatus.DONE
    assert texts() == ["x\n", "y\n", "3\n"]


def test_all_or_nothing_takes_back_what_was_written(three: Cedit) -> None:
    Path("2").chmod(0o444)
    ran = three("1", "2", "-m", "x", "--all-or-nothing")
    assert "2: it is read-only" in ran.err
    assert texts() == ["1\n", "2\n", "3\n"]


def test_all_or_nothing_asks_before_it_writes(
    three: Cedit, monkeypatch: pytest.MonkeyPatch
) -> None:
    three.can_ask = True
    replies = iter("yn")
    monkeypatch.setattr("builtins.input", lambda: next(replies))
    assert three("1", "2", "-m", "x", "--all-or-nothing").status is ExitStatus.REFUSED
    assert texts() == ["1\n", "2\n", "3\n"]
    assert three("1", "-m", "x", "-n", "--all-or-nothing").status is ExitStatus.USAGE


def test_what_is_outside_is_written_only_when_asked(three: Cedit) -> None:
    outside = three.folder / "outside"
    outside.write_text("1\n")
    Path("link").symlink_to(outside)
    for name in ("link", str(outside), "../outside"):
        ran = three(name, "-m", "x")
        assert ran.status is ExitStatus.USAGE
        assert f"it is outside of this repository or directory: {outside}" in ran.err
        assert not three.loaded
    assert three("link", "-m", "x", "-n").status is ExitStatus.DONE, "nothing is written"
    assert three("link", "-m", "x", "--outside").status is ExitStatus.DONE
    assert outside.read_text() == "x\n"


def test_inside_is_the_whole_repository(three: Cedit, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    Path("sub").mkdir()
    monkeypatch.chdir("sub")
    assert three("../1", "-m", "x").status is ExitStatus.DONE
