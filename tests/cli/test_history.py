"""``cedit log``, ``undo`` and ``redo``, through the entry point."""

import os
import subprocess
from pathlib import Path

import pytest

from cedit.exits import ExitStatus
from tests.cli.conftest import Cedit, Edits


@pytest.fixture
def edited(cedit: Cedit, replacing: Edits) -> Cedit:
    """One edit made: ``a`` was 1 and is 2."""
    Path("a").write_bytes(b"1\n")
    cedit.answers(replacing("1", "2"))
    assert cedit("a", "-m", "make it two").status is ExitStatus.DONE
    return cedit


def the_id(cedit: Cedit) -> str:
    return cedit("log").out.decode().splitlines()[1].split()[0]


def test_an_edit_is_undone_and_redone(edited: Cedit) -> None:
    Path("a").chmod(0o640)
    ran = edited("undo")
    assert (ran.status, Path("a").read_bytes()) == (ExitStatus.DONE, b"1\n")
    assert f"a: undid {the_id(edited)}" in ran.err
    assert "undone" in edited("log").out.decode()
    assert edited("undo").status is ExitStatus.USAGE
    assert edited("redo").status is ExitStatus.DONE
    assert Path("a").read_bytes() == b"2\n"
    assert Path("a").stat().st_mode & 0o777 == 0o640
    assert edited("redo").status is ExitStatus.USAGE


def test_the_log_tells_of_every_write(edited: Cedit, replacing: Edits) -> None:
    edited.answers(replacing("2", "3"))
    edited("a", "-m", "and three")
    table = edited("log").out.decode().splitlines()
    assert len(table) == 3
    assert "and three" in table[1]
    assert "make it two" in table[2]
    assert "+1 -1" in table[1]
    short = edited("log", "--last", "1")
    assert len(short.out.splitlines()) == 2
    assert "1 earlier write: cedit log --last 2" in short.err
    shown = edited("log", "--show", the_id(edited)).out
    assert b"-2\n+3\n" in shown


def test_one_of_several_is_undone_by_its_id(edited: Cedit, replacing: Edits) -> None:
    first = the_id(edited)
    Path("b").write_bytes(b"1\n")
    edited.answers(replacing("1", "2"))
    edited("b", "-m", "x")
    assert edited("undo", first).status is ExitStatus.DONE
    assert (Path("a").read_bytes(), Path("b").read_bytes()) == (b"1\n", b"2\n")
    assert "is undone already" in edited("undo", first).err
    assert "no write 'zz'" in edited("undo", "zz").err


def test_what_changed_since_is_left_alone_and_the_patch_is_offered(edited: Cedit) -> None:
    Path("a").write_bytes(b"0\n2\n")
    ran = edited("undo")
    assert ran.status is ExitStatus.CONFLICT
    assert Path("a").read_bytes() == b"0\n2\n"
    (patch,) = (edited.folder / "conflicts").iterdir()
    assert f"git apply {patch}" in ran.err
    Path("a").write_bytes(b"2\n")
    subprocess.run(["git", "apply", patch], check=True)
    assert Path("a").read_bytes() == b"1\n"


def test_a_created_file_is_removed_and_made_again(cedit: Cedit) -> None:
    cedit.answers("<old>\n</old>\n<new>\nhello\n</new>\n")
    cedit("new", "-m", "greet", "--create")
    assert cedit("undo").status is ExitStatus.DONE
    assert not Path("new").exists()
    assert cedit("redo").status is ExitStatus.DONE
    assert Path("new").read_bytes() == b"hello\n"


def test_an_edit_that_met_another_is_saved_as_a_patch(cedit: Cedit, replacing: Edits) -> None:
    Path("a").write_bytes(b"1\n")

    def meddle(question: str) -> list[str]:
        Path("a").write_bytes(b"9\n")
        return [replacing("1", "2")]

    cedit.model._per_task = meddle
    ran = cedit("a", "-m", "x")
    assert ran.status is ExitStatus.CONFLICT
    (patch,) = (cedit.folder / "conflicts").iterdir()
    assert f"git apply {patch}" in ran.err
    assert b"-1\n+2\n" in patch.read_bytes()
    assert "nothing to undo" in cedit("undo").err


def test_nothing_is_written_that_cannot_be_journalled(cedit: Cedit, replacing: Edits) -> None:
    Path("a").write_bytes(b"1\n")
    (cedit.folder / "journal").write_text("in the way")
    cedit.answers(replacing("1", "2"))
    ran = cedit("a", "-m", "x")
    assert ran.status is ExitStatus.USAGE
    assert "cannot be journalled" in ran.err
    assert Path("a").read_bytes() == b"1\n"


def test_programs_are_journalled_too(cedit: Cedit) -> None:
    Path("a").write_bytes(b"1\n2\n")
    ran = cedit("apply", "-", "a", "-y", stdin=b'<program>\n<copy lines="1-1"/>\n</program>\n')
    assert (ran.status, Path("a").read_bytes()) == (ExitStatus.DONE, b"1\n")
    assert cedit("undo").status is ExitStatus.DONE
    assert Path("a").read_bytes() == b"1\n2\n"
    assert os.listdir() == ["a"]
