"""The model files on this machine."""

import errno
import hashlib
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from filelock import FileLock, Timeout
from platformdirs import user_data_path

from cedit_engine.errors import (
    ModelAbsent,
    ModelCorrupt,
    ModelInUse,
    ModelsFolderUnusable,
    PullFailed,
)
from cedit_engine.fetch import FETCHERS, FetchFailed, size_of
from cedit_engine.registry import KnownModel

OnProgress = Callable[[str, int, int | None], None]
"""Called with what is being done, and the bytes done and due."""

OnFailure = Callable[[str, str], None]
"""Called with a source that did not deliver, and why."""

_CHUNK = 1 << 22


def default_folder() -> Path:
    """Where models are kept: under the user's data directory."""
    return user_data_path("cedit", appauthor=False) / "models"


def ignore_progress(doing: str, done: int, total: int | None) -> None:
    """Tell nobody."""


def ignore_failure(source: str, reason: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class ModelStore:
    """Files under ``folder``, each under its final name only once it has been verified."""

    folder: Path

    def path(self, model: KnownModel) -> Path:
        """Where the model is or would be."""
        return self.folder / model.file

    def has(self, model: KnownModel) -> bool:
        """Whether the model is here."""
        return self.path(model).is_file()

    def require(self, model: KnownModel) -> Path:
        """The model's path; raises ``ModelAbsent`` where it is not here."""
        if not self.has(model):
            raise ModelAbsent(model.id, model.size)
        return self.path(model)

    def remove(self, model: KnownModel) -> int:
        """Delete the model; the bytes freed. Raises ``ModelAbsent``."""
        path = self.require(model)
        size = path.stat().st_size
        path.unlink()
        return size

    def verify(self, model: KnownModel, on_progress: OnProgress = ignore_progress) -> str:
        """The file's SHA-256; raises ``ModelAbsent``, or ``ModelCorrupt`` where it is not right."""
        return _check(self.require(model), model, on_progress)

    def pull(
        self,
        model: KnownModel,
        on_progress: OnProgress = ignore_progress,
        on_failure: OnFailure = ignore_failure,
    ) -> Path:
        """Fetch the model from the first source that delivers it, unless it is here.

        A pull that was killed goes on where it stopped. Raises ``ModelInUse`` where another
        process is at it, ``ModelsFolderUnusable`` and ``PullFailed`` with each source's reason.
        """
        try:
            return self._pull_alone(model, on_progress, on_failure)
        except OSError as error:
            reason = error.strerror or str(error)
            raise ModelsFolderUnusable(self.folder, model.size, reason) from error

    def _pull_alone(
        self, model: KnownModel, on_progress: OnProgress, on_failure: OnFailure
    ) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.folder / f"{model.file}.lock")
        try:
            with lock.acquire(timeout=0):
                if self.has(model):
                    return self.path(model)
                self._require_room(model)
                return self._fetch(model, on_progress, on_failure)
        except Timeout:
            raise ModelInUse(model.id, Path(lock.lock_file)) from None

    def _require_room(self, model: KnownModel) -> None:
        here = size_of(self._staging(model))
        if (model.size or 0) - here > shutil.disk_usage(self.folder).free:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _staging(self, model: KnownModel) -> Path:
        return self.folder / f"{model.file}.partial"

    def _fetch(self, model: KnownModel, on_progress: OnProgress, on_failure: OnFailure) -> Path:
        reasons: dict[str, str] = {}
        for name, fetch in FETCHERS.items():
            staging = self._staging(model) / name.replace(" ", "-")
            try:
                fetched = fetch(model, staging, partial(on_progress, f"from the {name}"))
                _check(fetched, model, on_progress)
            except FetchFailed as error:
                reasons[name] = error.reason
            except ModelCorrupt as error:
                fetched.unlink()
                reasons[name] = f"it delivered {error.found} where {error.expected} was expected"
            else:
                return self._adopt(fetched, model)
            on_failure(name, reasons[name])
        raise PullFailed(model.id, reasons)

    def _adopt(self, fetched: Path, model: KnownModel) -> Path:
        path = fetched.replace(self.path(model))
        shutil.rmtree(self._staging(model))
        return path


def _check(path: Path, model: KnownModel, on_progress: OnProgress) -> str:
    """The SHA-256 of ``path``; raises ``ModelCorrupt`` where size or hash is not the model's."""
    size = path.stat().st_size
    if model.size not in (None, size):
        raise ModelCorrupt(path, f"{model.size} bytes", f"{size} bytes")
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            on_progress("verifying", file.tell(), size)
    if model.sha256 not in (None, digest.hexdigest()):
        raise ModelCorrupt(path, f"SHA-256 {model.sha256}", f"SHA-256 {digest.hexdigest()}")
    return digest.hexdigest()
