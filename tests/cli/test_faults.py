"""Nothing is lost, whenever the power goes: kill -9, a full disk, a directory that is gone."""

import os
import random
import resource
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

from cedit.change import Change
from cedit.delivery import Delivery, Output
from cedit.environment import Environment
from cedit.exits import ExitStatus
from cedit.journal import Journal, Origin
from cedit.worktree import read_target
from cedit_engine.program import Gen, Program
from tests.cli.conftest import Cedit, Edits

OLD, NEW = b"old\n" * 5_000, b"new\n" * 5_000
RUNS = 200


def in_child(action: Callable[[], None]) -> int:
    """The signal that ended a child process which did ``action``, or 0."""
    child = os.fork()
    if not child:
        status = 0
        try:
            action()
        except KeyboardInterrupt:
            status = signal.SIGINT
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def write(path: Path, journal: Journal) -> None:
    change = Change(read_target(str(path)), Program((Gen(NEW),)), NEW, Origin(("cedit",)))
    Delivery(Environment(journal=journal), Output()).finish_one(change)


class Steps:
    """Sends this process ``number`` ``after`` so many calls and returns, of C functions too.

    They are counted from the ``nth`` call of ``stage``, or from the start.
    """

    def __init__(
        self, after: int, stage: object = None, nth: int = 0, number: int = signal.SIGKILL
    ) -> None:
        self.taken = 0
        self._after, self._stage, self._waits = after, stage, nth
        self._number = number

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        if self._waits:
            self._waits -= event == "c_call" and argument is self._stage
        else:
            self.taken += 1
            if self.taken == self._after:
                os.kill(os.getpid(), self._number)


def stepping(steps: Steps, action: Callable[[], None]) -> None:
    sys.setprofile(steps)
    try:
        action()
    finally:
        sys.setprofile(None)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_signal_at_any_step_leaves_the_old_file_or_the_new_one(
    tmp_path: Path, number: signal.Signals
) -> None:
    work, journal = tmp_path / "work", Journal(tmp_path / "journal")
    work.mkdir()
    path = work / "f"

    def once(steps: Steps) -> None:
        path.write_bytes(OLD)
        stepping(steps, lambda: write(path, journal))

    once(Steps(-1))  # What is imported on the way is imported once.
    all_steps = Steps(-1)
    once(all_steps)
    draw = random.Random(0)
    ends = {OLD: 0, NEW: 0}
    while sum(ends.values()) < RUNS:
        # Half of them around the calls that put bytes and names on the disk.
        steps = draw.choice(
            [
                (draw.randint(1, all_steps.taken),),
                (draw.randint(1, 30), draw.choice([os.fsync, os.replace]), draw.randint(1, 6)),
            ]
        )
        if in_child(lambda steps=steps: once(Steps(*steps, number=number))) != number:
            continue  # It was done before.
        found = path.read_bytes()
        assert found in ends, "neither the old file nor the new one"
        ends[found] += 1
        journal.recover()
        if found == NEW:
            assert journal.text(journal.entries()[0].before or "") == OLD, "it can be undone"
    assert min(ends.values()) > RUNS // 10, [*ends.values()]
    once(Steps(-1))
    assert os.listdir(work) == ["f"], "the next run cleans up"
    journal.tidy()
    assert not list((tmp_path / "journal/entries").glob("*.open"))


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(OLD)
    said = tmp_path / "said"

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        for limit in (0, 100, len(NEW) - 1):
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
            try:
                write(path, Journal(tmp_path / "journal"))
            except Exception as error:
                resource.setrlimit(
                    resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
                )
                with said.open("a") as file:
                    file.write(f"{type(error).__name__}\n")

    assert in_child(limited) == 0
    assert said.read_text().split() == ["FileProblem"] * 3
    assert path.read_bytes() == OLD
    assert not list(tmp_path.glob(".f.*"))


def test_a_directory_that_is_gone_meanwhile(cedit: Cedit, replacing: Edits) -> None:
    Path("d").mkdir()
    Path("d/f").write_bytes(b"1\n")

    def remove(question: str) -> list[str]:
        shutil.rmtree("d", ignore_errors=True)
        return [replacing("1", "2")]

    cedit.model._per_task = remove
    ran = cedit("d/f", "-m", "x")
    assert ran.status is ExitStatus.USAGE
    assert "d/f: it cannot be written: No such file or directory (it is as it was)" in ran.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_directory_without_write_permission(cedit: Cedit, replacing: Edits) -> None:
    Path("d").mkdir()
    Path("d/f").write_bytes(b"1\n")
    Path("d").chmod(0o555)
    cedit.answers(replacing("1", "2"))
    ran = cedit("d/f", "-m", "x")
    assert "d/f: it cannot be written: Permission denied (it is as it was)" in ran.err
    assert Path("d/f").read_bytes() == b"1\n"


READ_ONLY = "mount --bind d d && mount -o remount,ro,bind d && "
CAN_MOUNT = (
    shutil.which("unshare") is not None
    and subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode == 0
)


def behind(mounted: str, arguments: str, folder: Path) -> "subprocess.CompletedProcess[bytes]":
    """``cedit`` in ``folder``, where the shell commands ``mounted`` were run before."""
    places = {f"XDG_{kind}_HOME": str(folder / kind.lower()) for kind in ("STATE", "DATA")}
    cedit = f"{shlex.quote(sys.executable)} -m cedit {arguments}"
    return subprocess.run(
        ["unshare", "-rm", "sh", "-c", mounted + cedit],
        cwd=folder,
        env={**os.environ, **places},
        capture_output=True,
        check=False,
    )


@pytest.mark.skipif(not CAN_MOUNT, reason="a read-only file system cannot be made here")
def test_a_read_only_file_system(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d/f").write_bytes(b"1\n")
    (tmp_path / "program").write_text("<program>\n<gen>\n2\n</gen>\n</program>\n")
    ran = behind(READ_ONLY, "apply program d/f -y", tmp_path)
    assert ran.returncode == ExitStatus.USAGE, ran.stderr
    assert b"d/f: it cannot be written: Read-only file system (it is as it was)" in ran.stderr
    assert (tmp_path / "d/f").read_bytes() == b"1\n"


@pytest.mark.skipif(not CAN_MOUNT, reason="a small file system cannot be made here")
@pytest.mark.parametrize("command", ["model pull qwen2.5-coder-0.5b", "f -m x"])
def test_a_full_models_folder(tmp_path: Path, command: str) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "f").write_bytes(b"1\n")
    ran = behind("mount -t tmpfs -o size=1m none data && ", command, tmp_path)
    assert ran.returncode == ExitStatus.ENGINE
    said = ran.stderr.splitlines()[-1]
    assert b"cannot be kept in " in said
    assert b"/cedit/models: No space left on device (make room there, or" in said


def test_a_reader_that_went_away(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"".join(b"%d\n" % number for number in range(100_000)))
    (tmp_path / "b").write_bytes(b"".join(b"x%d\n" % number for number in range(100_000)))
    read_end, write_end = os.pipe()
    os.close(read_end)
    with os.fdopen(write_end, "wb") as gone:
        ran = subprocess.run(
            [sys.executable, "-m", "cedit", "oracle", "a", "b"],
            cwd=tmp_path,
            stdout=gone,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (ran.returncode, ran.stderr) == (ExitStatus.PIPE_CLOSED, b"")
