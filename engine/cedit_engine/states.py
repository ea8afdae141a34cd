"""Model memories on disk, so that a prompt that was read once is not read again.

A state file holds the tokens it is the memory of, and is used for every prompt that begins
as they do: the memory can be cut to what both share. Files lie in a folder of their own for
each model in each setting, are written whole or not at all, and those not used for longest
give way when there is no more room. Nothing that goes wrong here stops an edit.
"""

import hashlib
import json
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from platformdirs import user_cache_path

from cedit_engine.errors import StateRefused
from cedit_engine.files import sha256_of, write_whole
from cedit_engine.model import Model
from cedit_engine.prefix import common_prefix_length

_MAGIC = b"cedit state 1\n"
_TOKEN = np.dtype("<i4")
DEFAULT_LIMIT = 2_000_000_000


def default_states_folder() -> Path:
    """Where states are kept: under the user's cache directory."""
    return user_cache_path("cedit", appauthor=False) / "states"


@dataclass(frozen=True)
class _Header:
    """What a state file says of itself: its tokens, and the length and CRC-32 of the rest."""

    tokens: Sequence[int]
    size: int
    crc: int

    @classmethod
    def read(cls, path: Path) -> "_Header":
        """Raises ``ValueError`` where ``path`` is no whole state file, and ``OSError``."""
        with path.open("rb") as file:
            if file.readline() != _MAGIC:
                raise ValueError("not a state")
            fields = json.loads(file.readline())
            tokens = np.frombuffer(file.read(fields["tokens"] * _TOKEN.itemsize), _TOKEN)
            begin = file.tell()
        header = cls(tokens.tolist(), fields["size"], fields["crc"])
        if len(tokens) != fields["tokens"] or path.stat().st_size != begin + header.size:
            raise ValueError("cut off")
        return header

    def bytes(self) -> bytes:
        """The head of the file."""
        fields = {"tokens": len(self.tokens), "size": self.size, "crc": self.crc}
        tokens = np.asarray(self.tokens, dtype=_TOKEN).tobytes()
        return _MAGIC + json.dumps(fields).encode() + b"\n" + tokens


@dataclass(frozen=True)
class StateCache:
    """State files under ``folder``, at most ``limit`` bytes of them."""

    folder: Path
    limit: int = DEFAULT_LIMIT

    def restore(self, model: Model, tokens: Sequence[int], at_least: int) -> None:
        """See ``States.restore``; a file that is cut off or foreign is deleted."""
        for _, path in self._candidates(model, tokens, at_least):
            if self._restore_from(path, model):
                return

    def _candidates(
        self, model: Model, tokens: Sequence[int], at_least: int
    ) -> list[tuple[int, Path]]:
        """How many leading tokens each file shares with ``tokens``, the most first."""
        found = []
        for path in self._files_of(model):
            try:
                shared = common_prefix_length(_Header.read(path).tokens, tokens)
            except (ValueError, KeyError, TypeError, OSError):
                _delete(path)
                continue
            if shared >= at_least:
                found.append((shared, path))
        return sorted(found, reverse=True)

    def _restore_from(self, path: Path, model: Model) -> bool:
        try:
            header = _Header.read(path)
            with path.open("rb") as file:
                file.seek(-header.size, os.SEEK_END)
                state = file.read()
            if zlib.crc32(state) != header.crc:
                raise ValueError("damaged")
            model.restore(state, header.tokens)
        except (ValueError, KeyError, TypeError, OSError, StateRefused):
            _delete(path)
            return False
        with suppress(OSError):
            os.utime(path)
        return True

    def save(self, model: Model) -> None:
        """See ``States.save``; what cannot be written is not kept."""
        with suppress(OSError):
            self._save(model)

    def _save(self, model: Model) -> None:
        folder = self._folder_of(model)
        name = hashlib.sha256(np.asarray(model.tokens, dtype=_TOKEN).tobytes()).hexdigest()
        path = folder / f"{name}.state"
        if path.exists():
            os.utime(path)
            return
        state = model.state()
        head = _Header(model.tokens, len(state), zlib.crc32(state)).bytes()
        if not self._make_room(len(head) + len(state)):
            return
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(path, head + state)

    def _make_room(self, size: int) -> bool:
        """Delete what was not used for longest until ``size`` more bytes are within the limit."""
        files = sorted((path.stat().st_mtime_ns, path) for path in self._files())
        total = sum(path.stat().st_size for _, path in files)
        for _, path in files:
            if total + size <= self.limit:
                break
            total -= path.stat().st_size
            _delete(path)
        return size <= self.limit

    def size(self) -> tuple[int, int]:
        """How many files there are, and the bytes they take."""
        sizes = [path.stat().st_size for path in self._files()]
        return len(sizes), sum(sizes)

    def clear(self) -> tuple[int, int]:
        """Delete every file; how many there were, and the bytes freed."""
        freed = self.size()
        for path in self._files():
            _delete(path)
        return freed

    def _files(self) -> Iterator[Path]:
        return self.folder.glob("*/*.state")

    def _files_of(self, model: Model) -> Iterator[Path]:
        return self._folder_of(model).glob("*.state")

    def _folder_of(self, model: Model) -> Path:
        key = {**model.settings, "weights": self._digest(model.weights)}
        text = json.dumps(key, sort_keys=True)
        return self.folder / hashlib.sha256(text.encode()).hexdigest()[:16]

    def _digest(self, weights: Path) -> str:
        """The SHA-256 of a model file, computed once as long as size and time stay the same."""
        stat = weights.stat()
        name = f"{weights.resolve()}|{stat.st_size}|{stat.st_mtime_ns}"
        memo = self.folder / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.sha256"
        with suppress(OSError):
            return memo.read_text(encoding="ascii")
        digest = sha256_of(weights)
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(memo, digest.encode())
        return digest


def _delete(path: Path) -> None:
    with suppress(OSError):
        path.unlink()
