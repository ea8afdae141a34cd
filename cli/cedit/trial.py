"""``--test CMD``: what a command says of an edited file, tried where nothing can be lost."""

import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import FrameType

from cedit.failures import FileProblem, Misuse
from cedit.repo import WorkTree, work_tree_of
from cedit.worktree import Target
from cedit_engine.editing import Test, Verdict
from cedit_engine.errors import Interrupted
from cedit_engine.events import Cancellation

_LOOK_EVERY = 0.05
_TOLD_BYTES = 1500
_MOST_FILES = 50_000
_GRACE = 2.0


@dataclass(frozen=True)
class TrialOptions:
    """``timeout`` in seconds is how long ``command`` may run; it fails then.

    Where edits are of what is ``staged``, what is tried is the index, not the work tree.
    """

    command: str
    in_place: bool = False
    timeout: float = 300.0
    staged: bool = False

    @classmethod
    def chosen(
        cls, command: str | None, *, in_place: bool, timeout: float, staged: bool
    ) -> "TrialOptions | None":
        """What the flags ask for; raises ``Misuse``."""
        if command is None:
            if in_place:
                raise Misuse("--in-place-test needs a test", "name it: --test CMD")
            return None
        if not command.strip():
            raise Misuse("the test command is empty", "name one: --test CMD")
        return cls(command, in_place, timeout, staged)


@contextmanager
def trial(target: Target, options: TrialOptions, cancellation: Cancellation) -> Iterator[Test]:
    """A test of what ``target``, a file, may become; raises ``FileProblem``."""
    assert target.path is not None
    path = target.path.resolve()
    place = _in_place(path) if options.in_place else _in_copy(path, options.staged)
    with place as (path, folder):
        yield _Trial(path, folder, options, cancellation).test


@dataclass
class _Trial:
    """Edited texts written to ``path``, each tried by a command run in ``folder``."""

    path: Path
    folder: Path
    options: TrialOptions
    cancellation: Cancellation
    _tried: int = field(default=0)

    def test(self, after: bytes) -> Verdict:
        self.path.write_bytes(after)
        # Compiled files are told apart by the second and the size of their source.
        self._tried += 1
        now = time.time() + self._tried
        os.utime(self.path, (now, now))
        with tempfile.TemporaryFile() as output:
            status = self._run(output.fileno())
            output.seek(max(0, output.seek(0, os.SEEK_END) - _TOLD_BYTES))
            told = output.read().decode("utf-8", "replace").strip()
        if status is None:
            told = f"{told}\nIt did not end within {self.options.timeout:g} seconds.".strip()
        return Verdict(status == 0, told)

    def _run(self, output: int) -> int | None:
        """The command's exit status, or nothing where it ran out of time."""
        process = subprocess.Popen(
            self.options.command,
            shell=True,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        try:
            return self._wait(process)
        finally:
            _end_group(process)

    def _wait(self, process: subprocess.Popen[bytes]) -> int | None:
        deadline = time.monotonic() + self.options.timeout
        while time.monotonic() < deadline:
            if self.cancellation.requested:
                raise Interrupted
            with suppress(subprocess.TimeoutExpired):
                return process.wait(_LOOK_EVERY)
        return None


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End the command and all that it started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
            return


@contextmanager
def _in_copy(path: Path, staged: bool) -> Iterator[tuple[Path, Path]]:
    """The file's place in a copy of its work tree, or of what is staged, and this directory's."""
    tree = work_tree_of(path)
    with tempfile.TemporaryDirectory(prefix="cedit-test-") as temporary:
        copy = Path(temporary).resolve() / tree.root.name
        copy.mkdir(parents=True)
        if staged and tree.repository:
            tree.repository.run("checkout-index", "-a", "-f", f"--prefix={copy}/")
        else:
            _copy(tree, copy)
        _link_ignored(tree, copy)
        here = Path.cwd().resolve()
        folder = copy / here.relative_to(tree.root) if here.is_relative_to(tree.root) else copy
        place = copy / path.relative_to(tree.root)
        for needed in (folder, place.parent):
            needed.mkdir(parents=True, exist_ok=True)
        yield place, folder


def _copy(tree: WorkTree, copy: Path) -> None:
    """Copy what git tracks or does not ignore, or without git everything."""
    names = list(islice(tree.files(), _MOST_FILES + 1))
    if len(names) > _MOST_FILES:
        raise FileProblem(
            str(tree.root),
            f"it holds more than {_MOST_FILES:,} files to copy for a test",
            "run the test in the file itself with --in-place-test",
        )
    for name in names:
        _copy_one(tree.root / name, copy / name)


def _link_ignored(tree: WorkTree, copy: Path) -> None:
    """Link to what git ignores, such as virtual environments."""
    for name in tree.ignored():
        link = copy / name
        if name.name != "__pycache__" and not link.exists():
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(tree.root / name)


def _copy_one(path: Path, copy: Path) -> None:
    copy.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir() and not path.is_symlink():
        shutil.copytree(path, copy, symlinks=True, dirs_exist_ok=True)
    elif path.is_symlink() or path.is_file():
        shutil.copy2(path, copy, follow_symlinks=False)


@contextmanager
def _in_place(path: Path) -> Iterator[tuple[Path, Path]]:
    """The file itself and this directory; whatever happens, the file is as before afterwards."""
    existed = path.exists()
    before = path.read_bytes() if existed else b""
    times = path.stat() if existed else None
    with _stopped_by_signals():
        try:
            yield path, Path.cwd()
        finally:
            with _deaf():
                if times is None:
                    path.unlink(missing_ok=True)
                else:
                    path.write_bytes(before)
                    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """Let the signals that end a program end it by way of what must be put back."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise Interrupted

    with _handling({signal.SIGTERM: stop, signal.SIGHUP: stop}):
        yield


@contextmanager
def _deaf() -> Iterator[None]:
    """Do not be interrupted."""
    ignored = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    with _handling(dict.fromkeys(ignored, signal.SIG_IGN)):
        yield


@contextmanager
def _handling(handlers: dict[signal.Signals, object]) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}  # type: ignore[arg-type]
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
