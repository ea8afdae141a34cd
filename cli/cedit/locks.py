"""Two runs of ``cedit`` on one file: the second waits until the first is done, and says so."""

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout
from rich.console import Console

# Files share locks, so that a run over thousands of them holds no more than so many open.
SHARED_BY_ALL_FILES = 64


@contextmanager
def locked(paths: Iterable[Path], folder: Path, err: Console) -> Iterator[None]:
    """Hold the locks of ``paths``; where locks cannot be kept, there are none.

    They are taken in one order, so that no two runs wait for each other.
    """
    with ExitStack() as held:
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            for number in sorted({_number(path) for path in paths}):
                held.enter_context(_held(FileLock(folder / f"{number}.lock"), err))
        yield


def _number(path: Path) -> int:
    digest = hashlib.sha256(os.fsencode(path.resolve())).digest()
    return int.from_bytes(digest[:4], "big") % SHARED_BY_ALL_FILES


@contextmanager
def _held(lock: FileLock, err: Console) -> Iterator[None]:
    try:
        lock.acquire(timeout=0)
    except Timeout:
        err.print("cedit: waiting for another cedit to be done with a file (Ctrl-C to stop)")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()
