"""``--test CMD``: real commands over a real work tree."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from cedit.exits import ExitStatus
from cedit.trial import TrialOptions, trial
from cedit.worktree import read_target
from cedit_engine.errors import Interrupted
from cedit_engine.events import Cancellation
from tests.cli.conftest import Cedit, Edits

HOLDS_2 = "grep -q 2 a"


def verdict(command: str, text: bytes, **options: object) -> tuple[bool, str]:
    chosen = TrialOptions(command, **options)  # type: ignore[arg-type]
    with trial(read_target("a"), chosen, Cancellation()) as test:
        seen = test(text)
    return seen.passed, seen.output


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "tree"
    folder.mkdir()
    monkeypatch.chdir(folder)
    Path("a").write_bytes(b"1\n")


@pytest.mark.parametrize("in_place", [False, True])
def test_the_command_sees_the_edited_file_and_the_file_stays(in_place: bool) -> None:
    os.utime("a", (1000, 1000))
    assert verdict(HOLDS_2, b"2\n", in_place=in_place) == (True, "")
    assert verdict(f"{HOLDS_2} || (echo no; exit 1)", b"3\n", in_place=in_place) == (False, "no")
    assert Path("a").read_bytes() == b"1\n"
    assert Path("a").stat().st_mtime == 1000


def test_the_end_of_what_the_command_said_is_kept() -> None:
    passed, output = verdict("seq 1 5000; echo last >&2; exit 3", b"2\n")
    assert not passed
    assert output.endswith("5000\nlast")
    assert len(output) <= 1500


@pytest.mark.parametrize("in_place", [False, True])
def test_a_command_that_does_not_end_fails_and_is_ended_with_its_children(in_place: bool) -> None:
    child = f"sleep 61.{os.getpid()}"
    passed, output = verdict(f"{child} & sleep 60", b"2\n", in_place=in_place, timeout=0.5)
    assert (passed, output) == (False, "It did not end within 0.5 seconds.")
    running = subprocess.run(["ps", "ax"], capture_output=True, text=True, check=True)
    assert child not in running.stdout
    assert Path("a").read_bytes() == b"1\n"


def test_texts_tried_within_a_second_are_compiled_anew() -> None:
    Path("a.py").write_text("x = 1\n")
    command = f"{sys.executable} -c 'import a; print(a.x)'; exit 1"
    for in_place in (False, True):
        options = TrialOptions(command, in_place)
        with trial(read_target("a.py"), options, Cancellation()) as test:
            assert [test(b"x = %d\n" % n).output for n in (2, 3, 4)] == ["2", "3", "4"]


def test_a_repository_is_copied_as_git_sees_it() -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    Path(".gitignore").write_text("built/\n__pycache__/\n*.log\n")
    for name in ("built/tool", "__pycache__/x.pyc", "sub/tracked", "sub/new", "out.log"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(name)
    Path("link").symlink_to("sub/new")
    subprocess.run(["git", "add", "sub/tracked"], check=True)
    os.chdir("sub")
    command = "find -L .. -type f | sort; pwd; test -L ../built"
    options = TrialOptions(command)
    with trial(read_target("../a"), options, Cancellation()) as test:
        seen = test(b"2\n")
    assert seen.passed
    *files, folder = seen.output.splitlines()
    assert files == [
        "../.gitignore", "../a", "../built/tool", "../link", "../out.log",
        "../sub/new", "../sub/tracked",
    ]  # fmt: skip
    assert folder.endswith("/sub")
    assert not folder.startswith(str(Path.cwd()))


@pytest.mark.parametrize("in_place", [False, True])
def test_a_request_to_stop_ends_the_command_and_puts_the_file_back(in_place: bool) -> None:
    cancellation = Cancellation()
    threading.Timer(0.3, cancellation.request).start()
    started = time.monotonic()
    options = TrialOptions("sleep 30", in_place)
    with (
        pytest.raises(Interrupted),
        trial(read_target("a"), options, cancellation) as test,
    ):
        test(b"2\n")
    assert time.monotonic() - started < 10
    assert Path("a").read_bytes() == b"1\n"


def test_a_signal_that_ends_the_program_puts_the_file_back() -> None:
    options = TrialOptions(f"kill -TERM {os.getpid()}; sleep 30", in_place=True)
    with (
        pytest.raises(Interrupted),
        trial(read_target("a"), options, Cancellation()) as test,
    ):
        test(b"2\n")
    assert Path("a").read_bytes() == b"1\n"


def test_a_directory_too_large_to_copy_is_refused(
    cedit: Cedit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cedit.trial._MOST_FILES", 2)
    for name in ("a", "b", "c"):
        Path(name).write_bytes(b"1\n")
    ran = cedit("a", "-m", "x", "--test", "true")
    assert ran.status is ExitStatus.USAGE
    assert "more than 2 files to copy" in ran.err
    assert "--in-place-test" in ran.err


def test_a_new_file_is_gone_after_a_trial() -> None:
    options = TrialOptions("cat new", in_place=True)
    with trial(read_target("new", create=True), options, Cancellation()) as test:
        assert test(b"hello\n").output == "hello"
    assert not Path("new").exists()


def test_the_first_edit_that_passes_is_written(cedit: Cedit, replacing: Edits) -> None:
    Path("a").write_bytes(b"1\n")
    cedit.answers(replacing("1", "3"), "```\n2\n```")
    ran = cedit("a", "-m", "x", "--strategy", "auto", "--test", HOLDS_2)
    assert ran.status is ExitStatus.DONE
    assert Path("a").read_bytes() == b"2\n"
    assert "(verify, as anchor failed the test: " in ran.err


def test_where_none_passes_nothing_is_written(cedit: Cedit, replacing: Edits) -> None:
    Path("a").write_bytes(b"1\n")
    cedit.answers(replacing("1", "3"), "```\n4\n```")
    arguments = ("a", "-m", "x", "--strategy", "auto", "--test", f"echo bad; {HOLDS_2}")
    ran = cedit(*arguments, "--attempts", "3")
    assert ran.status is ExitStatus.REJECTED
    assert Path("a").read_bytes() == b"1\n"
    assert (
        "a: no answer was good enough, and nothing was written: anchor failed the test (bad)"
        in (ran.err)
    )
    assert "--attempts" in ran.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--in-place-test"], "--in-place-test needs a test"),
        (["--test", " "], "the test command is empty"),
        (["--test", "true"], "--test needs a file in a work tree"),
    ],
)
def test_flags_that_cannot_be_meant(cedit: Cedit, arguments: list[str], words: str) -> None:
    Path("a").write_bytes(b"1\n")
    ran = cedit("-" if "true" in arguments else "a", "-m", "x", *arguments)
    assert ran.status is ExitStatus.USAGE
    assert words in ran.err
    assert cedit.loaded == []
