"""Every write, so that it can be taken back: what a file was, what it became, and by what.

Texts and command lines are kept once each under their SHA-256, entries beside them as JSON,
oldest deleted first where all together outgrow a cap. An entry is made before its file is
written, and open until it was, so that no write goes without one and none is told of that was
not made.
"""

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from cedit.processes import is_running
from cedit_engine.files import sha256_of, write_whole

CAP_BYTES = 500_000_000
_ID_LENGTH = 8
# How the names of entries end.
_OPEN, _DONE = "open", "json"


@dataclass(frozen=True)
class Entry:
    """One write of ``path``, absolute; ``before`` is None where the file did not exist.

    ``before``, ``after`` and ``command`` are SHA-256 in hex, ``time`` is in seconds since 1970.
    ``index_mode`` is git's mode where what was written is the file's entry in the index.
    Entries of one ``group`` are undone together. ``writer`` is the process that made it.
    """

    id: str
    time: float
    path: str
    before: str | None
    after: str
    command: str
    model: str = ""
    program: str = ""
    instruction: str = ""
    undone: bool = False
    index_mode: str = ""
    group: str = ""
    writer: int = 0

    @property
    def texts(self) -> tuple[str | None, ...]:
        """What is kept for this entry."""
        return self.before, self.after, self.command


@dataclass(frozen=True)
class Origin:
    """What made an edit: the command line, the model, the program, and what was asked."""

    command: tuple[str, ...] = ()
    model: str = ""
    program: str = ""
    instruction: str = ""


NOWHERE = Origin()
"""Nothing is known of what made it."""


@dataclass(frozen=True)
class Journal:
    """The writes kept in ``folder``; readable by the user alone."""

    folder: Path
    cap: int = CAP_BYTES
    clock: Callable[[], float] = field(default=time.time)

    def record(
        self,
        path: Path,
        before: bytes | None,
        after: bytes,
        origin: Origin,
        *,
        index_mode: str = "",
        group: str = "",
    ) -> Entry:
        """Keep both texts of a write that is about to happen; raises ``OSError``.

        The entry is open until it is confirmed or forgotten.
        """
        kept = None if before is None else self._keep(before)
        now, new = self.clock(), self._keep(after)
        seed = f"{now}\0{path}\0{kept}\0{new}\0{index_mode}"
        digest = digest_of(seed.encode("utf-8", "surrogateescape"))
        entry = Entry(
            digest[:_ID_LENGTH],
            now,
            str(path),
            kept,
            new,
            # Kept once for all files that it names: thousands, where a shell filled them in.
            **{**vars(origin), "command": self._keep(json.dumps(origin.command).encode())},
            index_mode=index_mode,
            group=group,
            writer=os.getpid(),
        )
        self._save(entry, _OPEN)
        return entry

    def entries(self) -> list[Entry]:
        """All writes, the latest first; what cannot be read as one is passed over."""
        return sorted(self._readable(_DONE), key=lambda entry: entry.time, reverse=True)

    def text(self, digest: str) -> bytes:
        """The text kept under its SHA-256; raises ``OSError``."""
        return (self._objects / digest).read_bytes()

    def command(self, entry: Entry) -> tuple[str, ...]:
        """The command line that made ``entry``; raises ``OSError``."""
        return tuple(json.loads(self.text(entry.command)))

    def mark(self, entry: Entry, undone: bool) -> None:
        """Keep that ``entry`` was taken back, or made again."""
        self._save(replace(entry, undone=undone), _DONE)

    def confirm(self, entry: Entry) -> Entry:
        """Keep that ``entry`` was written, and return it."""
        self._save(entry, _DONE)
        self._entry_file(entry.id, _OPEN).unlink(missing_ok=True)
        return entry

    def tidy(self) -> None:
        """Settle what was left open, and keep under the cap; raises ``OSError``."""
        self.recover()
        self._evict()

    def recover(self) -> None:
        """Settle what runs that were killed left open: whether they wrote, the file tells."""
        for entry in self._readable(_OPEN):
            if not is_running(entry.writer):
                if entry.index_mode or _digest_of_file(Path(entry.path)) == entry.after:
                    self.confirm(entry)
                else:
                    self.forget(entry)

    def forget(self, entry: Entry) -> None:
        """Drop the entry of a write that did not happen, or need not be known any more."""
        for state in (_OPEN, _DONE):
            self._entry_file(entry.id, state).unlink(missing_ok=True)

    @property
    def _objects(self) -> Path:
        return self.folder / "objects"

    def _entry_file(self, name: str, state: str) -> Path:
        return self.folder / "entries" / f"{name}.{state}"

    def _keep(self, text: bytes) -> str:
        digest = digest_of(text)
        path = self._objects / digest
        if not path.exists():
            _write(path, text)
        return digest

    def _save(self, entry: Entry, state: str) -> None:
        _write(self._entry_file(entry.id, state), json.dumps(asdict(entry)).encode())

    def _readable(self, state: str) -> Iterator[Entry]:
        for path in (self.folder / "entries").glob(f"*.{state}"):
            try:
                entry = Entry(**json.loads(path.read_bytes()))
            except (OSError, ValueError, TypeError):
                continue
            if isinstance(entry.command, str):
                yield entry

    def _evict(self) -> None:
        """Delete the oldest entries, and texts that none names, until all fit under the cap.

        The latest stays.
        """
        sizes = {path.name: path.stat().st_size for path in self._objects.iterdir()}
        if sum(sizes.values()) <= self.cap:
            return
        kept, others = self.entries(), [*self._readable(_OPEN)]
        while sum(sizes.values()) > self.cap and len(kept) > 1:
            self.forget(kept.pop())
            named = {text for entry in (*kept, *others) for text in entry.texts}
            for digest in sizes.keys() - named:
                (self._objects / digest).unlink(missing_ok=True)
                del sizes[digest]


def digest_of(text: bytes) -> str:
    """The name that ``text`` is kept under."""
    return hashlib.sha256(text).hexdigest()


def _digest_of_file(path: Path) -> str | None:
    try:
        return sha256_of(path)
    except OSError:
        return None


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_whole(path, data, sync=True)
