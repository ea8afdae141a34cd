"""``cedit --staged`` and ``--since``, with the real git."""

import os
import subprocess
from pathlib import Path

import pytest

from cedit.exits import ExitStatus
from tests.cli.conftest import Cedit, Edits
from tests.cli.gits import BEFORE, STAGED, commit, git, index, stage, status


def test_what_is_staged_in_whole_is_edited_in_both_places(repo: Cedit) -> None:
    stage("f", STAGED)
    ran = repo("--staged", "-m", "x")
    assert ran.status is ExitStatus.DONE, ran.err
    wanted = STAGED.replace(b"two", b"2")
    assert (index(), Path("f").read_bytes()) == (wanted, wanted)
    assert status() == ["M  f"]
    assert "f: the work tree too" in ran.err
    assert git("stash", "list") == b""


def test_what_is_not_staged_stays_so(repo: Cedit) -> None:
    stage("f", STAGED)
    Path("f").write_bytes(STAGED.replace(b"five", b"5"))
    assert repo("--staged", "-m", "x").status is ExitStatus.DONE
    assert index() == STAGED.replace(b"two", b"2")
    assert Path("f").read_bytes() == STAGED.replace(b"two", b"2").replace(b"five", b"5")
    assert [line for line in git("diff").splitlines() if line[:1] in b"+-"][2:] == [b"-five", b"+5"]


def test_where_the_work_tree_stands_against_it_it_stays_as_it_is(repo: Cedit) -> None:
    stage("f", STAGED)
    mine = STAGED.replace(b"two", b"zwei")
    Path("f").write_bytes(mine)
    ran = repo("--staged", "-m", "x")
    assert ran.status is ExitStatus.DONE
    assert "f: the work tree's file stays as it is: the edit meets changes that are not" in ran.err
    assert index() == STAGED.replace(b"two", b"2")
    assert Path("f").read_bytes() == mine


def test_what_is_not_staged_is_not_looked_at(repo: Cedit) -> None:
    commit(g=BEFORE)
    stage("f", STAGED)
    Path("g").write_bytes(STAGED)
    assert repo("--staged", "-m", "x").status is ExitStatus.DONE
    assert (index("g"), Path("g").read_bytes()) == (BEFORE, STAGED)
    ran = repo("--staged", "g", "-m", "x")
    assert ran.status is ExitStatus.UNCHANGED
    assert "g: passed over: it is not staged" in ran.err
    git("reset", "-q", "--hard")
    ran = repo("--staged", "-m", "x")
    assert (ran.status, "nothing is staged" in ran.err) == (ExitStatus.UNCHANGED, True)


@pytest.mark.parametrize("autocrlf", ["true", "input", "false"])
def test_line_endings_are_gits(repo: Cedit, autocrlf: str) -> None:
    git("config", "core.autocrlf", autocrlf)
    ending = b"\r\n" if autocrlf == "true" else b"\n"
    stage("f", STAGED.replace(b"\n", ending))
    assert index() == STAGED
    assert repo("--staged", "-m", "x").status is ExitStatus.DONE
    assert index() == STAGED.replace(b"two", b"2")
    assert Path("f").read_bytes() == STAGED.replace(b"two", b"2").replace(b"\n", ending)
    assert status() == ["M  f"]


def test_attributes_are_honoured(repo: Cedit) -> None:
    Path(".gitattributes").write_text("w eol=crlf\nb binary\nr filter=case\nl filter=lfs\n")
    git("config", "filter.case.clean", "tr A-Z a-z")
    git("config", "filter.case.smudge", "tr a-z A-Z")
    git("add", ".gitattributes")
    stage("w", b"two\r\n")
    stage("b", b"two\n")
    stage("r", b"TWO\n")
    stage("l", b"two\n")
    ran = repo("--staged", "w", "b", "r", "l", "-m", "x")
    assert ran.status is ExitStatus.DONE, ran.err
    assert [index(name) for name in "wbrl"] == [b"2\n", b"two\n", b"2\n", b"two\n"]
    assert Path("w").read_bytes() == b"2\r\n"
    assert Path("r").read_bytes() == b"2\n"
    assert "b: passed over: it is binary by .gitattributes" in ran.err
    assert "l: passed over: git holds a pointer to it" in ran.err
    assert status() == ["A  .gitattributes", "A  b", "A  l", "A  r", "A  w"]


def test_kinds_of_entries(repo: Cedit, tmp_path: Path) -> None:
    Path("x").write_bytes(b"two\n")
    Path("x").chmod(0o755)
    Path("link").symlink_to("f")
    Path("bin").write_bytes(b"two\0\n")
    Path("later").write_bytes(b"two\n")
    git("init", "-q", tmp_path / "other")
    who = ("-c", "user.name=n", "-c", "user.email=e@x")
    git("-C", str(tmp_path / "other"), *who, "commit", "-q", "--allow-empty", "-m", "x")
    git(
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        str(tmp_path / "other"),
        "sub",
    )
    git("mv", "f", "g")
    git("add", "x", "link", "bin")
    git("add", "--intent-to-add", "later")
    ran = repo("--staged", "g", "x", "link", "bin", "sub", "-m", "x")
    assert ran.status is ExitStatus.DONE, ran.err
    assert git("ls-files", "-s", "x").startswith(b"100755 ")
    assert Path("x").stat().st_mode & 0o777 == 0o755
    assert (index("x"), index("g")) == (b"2\n", BEFORE.replace(b"two", b"2"))
    assert "sub: passed over: it is a submodule" in ran.err
    assert "link: passed over: it is a symbolic link" in ran.err
    assert "bin: passed over: it is binary" in ran.err
    assert Path("later").read_bytes() == b"two\n"
    ran = repo("--staged", "later", "-m", "x")
    assert "later: passed over: only the intent to add it is staged" in ran.err


def test_a_file_that_is_not_checked_out_is_edited_in_the_index_alone(repo: Cedit) -> None:
    stage("f", STAGED)
    git("update-index", "--skip-worktree", "f")
    Path("f").unlink()
    ran = repo("--staged", "-m", "x")
    assert ran.status is ExitStatus.DONE
    assert index() == STAGED.replace(b"two", b"2")
    assert not Path("f").exists()
    assert git("ls-files", "-v") == b"S f\n"
    assert "f: the work tree's file stays as it is: there is none" in ran.err


def test_a_sparse_checkout(repo: Cedit) -> None:
    Path("in").mkdir()
    Path("out").mkdir()
    for name in ("in/f", "out/f"):
        stage(name, BEFORE)
    git("commit", "-q", "-m", "x")
    for name in ("in/f", "out/f"):
        stage(name, STAGED)
    git("sparse-checkout", "set", "--cone", "in")
    assert not Path("out/f").exists()
    ran = repo("--staged", "-m", "x")
    assert ran.status is ExitStatus.DONE, ran.err
    after = STAGED.replace(b"two", b"2")
    assert (index("in/f"), index("out/f"), Path("in/f").read_bytes()) == (after, after, after)
    assert not Path("out/f").exists()
    assert "out/f: the work tree's file stays as it is: there is none" in ran.err
    assert repo("undo").status is repo("undo").status is ExitStatus.DONE
    assert (index("in/f"), index("out/f"), Path("in/f").read_bytes()) == (STAGED,) * 3
    assert git("ls-files", "-v", "out/f") == b"S out/f\n"


def test_a_linked_work_tree_and_a_directory_in_it(
    repo: Cedit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git("worktree", "add", "-q", str(tmp_path / "linked"))
    monkeypatch.chdir(tmp_path / "linked")
    Path("sub").mkdir()
    stage("sub/g", b"two\n")
    stage("f", STAGED)
    monkeypatch.chdir("sub")
    ran = repo("--staged", ".", "-m", "x")
    assert ran.status is ExitStatus.DONE
    assert Path("g").read_bytes() == b"2\n"
    assert Path("../f").read_bytes() == STAGED
    assert (
        Path("/".join((*tmp_path.parts[:1], *tmp_path.parts[1:], "work", "f"))).read_bytes()
        == BEFORE
    )


def test_a_repository_without_commits(
    repo: Cedit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git("init", "-q", str(tmp_path / "new"))
    monkeypatch.chdir(tmp_path / "new")
    stage("f", BEFORE)
    assert repo("--staged", "--only-changed", "-m", "x").status is ExitStatus.DONE
    assert index() == BEFORE.replace(b"two", b"2")


@pytest.mark.parametrize("how", ["merge", "rebase", "cherry-pick"])
def test_in_the_middle_of_something_it_refuses(repo: Cedit, how: str) -> None:
    git("switch", "-q", "-c", "side")
    commit(f=b"side\n")
    git("switch", "-q", "main")
    commit(f=b"main\n")
    subprocess.run(["git", how, "side"], check=False, capture_output=True)
    ran = repo("--staged", "-m", "x")
    assert ran.status is ExitStatus.REFUSED
    assert f"in the middle of a {how}" in ran.err
    assert not repo.loaded


def test_only_staged_lines_may_change(repo: Cedit) -> None:
    stage("f", BEFORE.replace(b"one", b"1").replace(b"seven", b"7"))
    common = ("--staged", "-m", "x", "--strategy", "rewrite", "--no-guard", "all")
    repo.answers(f"```\n{BEFORE.decode().upper()}```")
    assert repo(*common, "--only-changed").status is ExitStatus.DONE
    assert index() == BEFORE.replace(b"one", b"ONE").replace(b"seven", b"SEVEN")
    git("reset", "-q", "--hard")
    stage("f", BEFORE.replace(b"six\n", b""))
    ran = repo(*common, "--only-changed")
    assert "f: passed over: no line of it was changed" in ran.err


def test_only_lines_changed_since_a_commit_may_change(repo: Cedit) -> None:
    git("tag", "start")
    commit(f=BEFORE.replace(b"seven", b"7"), g=b"g\n")
    commit(f=BEFORE.replace(b"six\nseven", b"6\n7"))
    Path("new").write_bytes(b"two\n")
    for name in ("f", "g"):
        Path(name).write_bytes(Path(name).read_bytes().replace(b"\n", b"!\n", 1))
    git("config", "core.autocrlf", "true")
    repo.model._per_task = lambda asked: [
        "```\nONE!\nTWO\nTHREE\nFOUR\nFIVE\nSIX\nSEVEN\n```" if "one!" in asked else "```\nTWO\n```"
    ]
    common = ("-m", "x", "--strategy", "rewrite", "--no-guard", "all", "-y")
    ran = repo("--since", "start", "f", "new", *common)
    assert ran.status is ExitStatus.DONE, ran.err
    assert Path("f").read_bytes() == b"ONE!\ntwo\nthree\nfour\nfive\nSIX\nSEVEN\n"
    assert Path("new").read_bytes() == b"TWO\n"
    assert Path("g").read_bytes() == b"g!\n"
    assert "no commit 'zz'" in repo("--since", "zz", *common).err


def test_without_files_all_changed_ones_are_edited(
    repo: Cedit, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(g=b"two\n", h=b"two\n")
    Path("f").write_bytes(b"two\n" + BEFORE)
    Path("g").write_bytes(b"two\ntwo\n")
    Path("sub").mkdir()
    monkeypatch.chdir("sub")
    assert repo("--since", "HEAD", "-m", "x").status is ExitStatus.DONE
    assert [Path("..", name).read_bytes() for name in "fgh"] == [
        b"2\n" + BEFORE,
        b"two\n2\n",
        b"two\n",
    ]


def test_an_edit_of_what_is_staged_is_undone_in_both_places(repo: Cedit) -> None:
    stage("f", STAGED)
    repo("--staged", "-m", "x")
    assert b"(staged)" in repo("log").out
    ran = repo("undo")
    assert ran.status is ExitStatus.DONE, ran.err
    assert (index(), Path("f").read_bytes()) == (STAGED, STAGED)
    assert repo("redo").status is ExitStatus.DONE
    wanted = STAGED.replace(b"two", b"2")
    assert (index(), Path("f").read_bytes()) == (wanted, wanted)
    stage("f", BEFORE)
    assert repo("undo").status is ExitStatus.CONFLICT
    assert index() == BEFORE


def test_an_index_that_changed_meanwhile_is_left_alone(repo: Cedit, replacing: Edits) -> None:
    stage("f", STAGED)

    def meddle(question: str) -> list[str]:
        stage("f", BEFORE)
        return [replacing("two", "2")]

    repo.model._per_task = meddle
    ran = repo("--staged", "-m", "x")
    assert ran.status is ExitStatus.CONFLICT
    assert (index(), Path("f").read_bytes()) == (BEFORE, BEFORE)
    (patch,) = (repo.folder / "conflicts").iterdir()
    assert b"-two\n+2\n" in patch.read_bytes()


NAMES = ["a b", "a\nb", "-dash", 'it\'s "q"', "*", ":(top)x", os.fsdecode(b"caf\xe9")]


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_names_are_only_names(repo: Cedit, name: str) -> None:
    stage("plain", b"two\n")
    stage(f"./{name}", b"two\n")
    ran = repo("--staged", "-m", "x", "--", name)
    assert ran.status is ExitStatus.DONE, ran.err
    assert (Path(name).read_bytes(), Path("plain").read_bytes()) == (b"2\n", b"two\n")
    assert len(status()) == 2


def test_what_is_tried_is_what_is_staged(repo: Cedit) -> None:
    stage("f", STAGED)
    stage("other", b"staged\n")
    Path("other").write_bytes(b"not staged\n")
    Path("untracked").write_bytes(b"")
    Path("f").write_bytes(b"something else\n")
    test = "grep -q ^staged other && grep -q ^2 f && grep -q ^7 f && test ! -e untracked"
    ran = repo("--staged", "f", "-m", "x", "--test", test, "--attempts", "1")
    assert ran.status is ExitStatus.DONE, ran.err
    assert index() == STAGED.replace(b"two", b"2")


def test_a_patch_of_what_is_staged_applies_to_the_index(repo: Cedit) -> None:
    stage("f", STAGED)
    Path("f").write_bytes(b"")
    patch = repo("--staged", "-m", "x", "--patch").out
    assert index() == STAGED
    git("apply", "--cached", data=patch)
    assert index() == STAGED.replace(b"two", b"2")


@pytest.mark.parametrize(
    "flags",
    [
        ("--only-changed", "f"),
        ("--staged", "-"),
        ("--staged", "--lines", "1-2"),
        ("--staged", "--stdout"),
        ("--since", "HEAD", "--create"),
        ("--staged", "--only-changed", "--since", "HEAD"),
        ("--staged", "--test", "true", "--in-place-test"),
    ],
)
def test_what_cannot_be_meant(repo: Cedit, flags: tuple[str, ...]) -> None:
    assert repo(*flags, "-m", "x").status is ExitStatus.USAGE


def test_outside_of_a_repository(cedit: Cedit) -> None:
    ran = cedit("--staged", "-m", "x")
    assert (ran.status, "in no git repository" in ran.err) == (ExitStatus.USAGE, True)
