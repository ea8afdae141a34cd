"""``--commit``, with the real git: the commit holds the edit and nothing else."""

import subprocess
from pathlib import Path

import pytest

from cedit.exits import ExitStatus
from tests.cli.conftest import Cedit
from tests.cli.gits import BEFORE, STAGED, commit, git, index, stage, status

EDITED = BEFORE.replace(b"two", b"2")


def committed(name: str = "f") -> bytes:
    return git("show", f"HEAD:{name}")


def subject() -> bytes:
    return git("log", "-1", "--format=%B").strip()


def test_the_edit_is_committed(repo: Cedit) -> None:
    ran = repo("f", "-m", "make it a number", "--commit")
    assert ran.status is ExitStatus.DONE, ran.err
    assert (committed(), subject(), status()) == (EDITED, b"make it a number", [])
    assert f"committed as {git('rev-parse', '--short', 'HEAD').decode().strip()}" in ran.err


def test_what_else_was_changed_and_staged_stays_out(repo: Cedit) -> None:
    commit(g=b"g\n")
    stage("g", b"staged\n")
    stage("f", STAGED)
    Path("f").write_bytes(STAGED.replace(b"five", b"5"))
    ran = repo("f", "-m", "x", "--commit=Say it in digits")
    assert ran.status is ExitStatus.DONE, ran.err
    assert (committed(), committed("g")) == (EDITED, b"g\n")
    assert subject() == b"Say it in digits"
    assert index() == STAGED.replace(b"two", b"2")
    assert Path("f").read_bytes() == STAGED.replace(b"two", b"2").replace(b"five", b"5")
    assert status() == ["MM f", "M  g"]


def test_an_edit_of_what_is_staged_is_committed_without_the_rest_of_it(repo: Cedit) -> None:
    stage("f", STAGED)
    ran = repo("--staged", "-m", "x", "--commit")
    assert ran.status is ExitStatus.DONE, ran.err
    assert (committed(), index()) == (EDITED, STAGED.replace(b"two", b"2"))
    assert status() == ["M  f"]


def test_a_new_file_is_committed_whole(repo: Cedit) -> None:
    Path("new").write_bytes(b"two\n")
    Path("new").chmod(0o755)
    assert repo("new", "-m", "x", "--commit").status is ExitStatus.DONE
    assert (committed("new"), status()) == (b"2\n", [])
    assert git("ls-files", "-s", "new").startswith(b"100755")


def test_of_a_symbolic_link_the_file_is_committed(repo: Cedit) -> None:
    Path("link").symlink_to("f")
    git("add", "link")
    git("commit", "-q", "-m", "x")
    assert repo("link", "-m", "x", "--commit").status is ExitStatus.DONE
    assert (committed(), committed("link"), status()) == (EDITED, b"f", [])


def test_before_the_first_commit(
    repo: Cedit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git("init", "-q", str(tmp_path / "first"))
    monkeypatch.chdir(tmp_path / "first")
    git("config", "user.name", "n")
    git("config", "user.email", "e@x")
    Path("f").write_bytes(BEFORE)
    Path("other").write_bytes(BEFORE)
    assert repo("f", "-m", "x", "--commit").status is ExitStatus.DONE
    assert git("ls-tree", "--name-only", "HEAD") == b"f\n"
    assert status() == ["?? other"]


def test_line_endings_of_the_work_tree_are_not_committed(repo: Cedit) -> None:
    git("config", "core.autocrlf", "true")
    Path("f").write_bytes(BEFORE.replace(b"\n", b"\r\n"))
    assert repo("f", "-m", "x", "--commit").status is ExitStatus.DONE
    assert (committed(), status()) == (EDITED, [])


def test_an_edit_of_lines_that_are_not_committed_stays_uncommitted(repo: Cedit) -> None:
    Path("f").write_bytes(BEFORE.replace(b"three", b"drei"))
    ran = repo("f", "-m", "x", "--commit")
    assert ran.status is ExitStatus.CONFLICT
    assert "the edit is written, and was not committed: the edit of f meets changes" in ran.err
    assert (committed(), index()) == (BEFORE, BEFORE)
    assert b"2\ndrei" in Path("f").read_bytes()


def test_a_hook_that_says_no_is_heard(repo: Cedit) -> None:
    hook = Path(".git/hooks/pre-commit")
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho not today >&2\nexit 1\n")
    hook.chmod(0o755)
    ran = repo("f", "-m", "x", "--commit")
    assert ran.status is ExitStatus.CONFLICT
    assert "not today" in ran.err
    assert (committed(), index(), Path("f").read_bytes()) == (BEFORE, BEFORE, EDITED)


def test_nothing_is_asked_of_the_model_that_could_not_be_committed(repo: Cedit) -> None:
    Path(".gitignore").write_text("ignored\n")
    Path("ignored").write_bytes(b"two\n")
    assert "git ignores it" in repo("ignored", "-m", "x", "--commit").err
    assert repo("f", "-m", "x", "--commit", "-n").status is ExitStatus.USAGE
    assert repo("--staged", "-m", "x", "--commit", "-p").status is ExitStatus.USAGE
    assert not repo.loaded


def test_where_nothing_changes_nothing_is_committed(repo: Cedit) -> None:
    before = git("rev-parse", "HEAD")
    repo.answers("<done>")
    ran = repo("f", "-m", "x", "--commit")
    assert ran.status is ExitStatus.UNCHANGED
    assert "nothing was committed" in ran.err
    assert git("rev-parse", "HEAD") == before
    assert subprocess.run(["git", "diff", "--quiet"], check=False).returncode == 0
