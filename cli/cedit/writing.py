"""Writing changes: journalled first, and where a file is not what it was, saved as a patch."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from cedit.change import Change
from cedit.environment import Environment
from cedit.failures import FileChanged, FileProblem
from cedit.journal import Entry
from cedit.worktree import write_target


@dataclass(frozen=True)
class Written:
    """The journal's entries of one change, and what else is to be said of it."""

    entries: tuple[Entry, ...] = ()
    note: str = ""


class Writer(Protocol):
    """Puts changes where they belong."""

    def write(self, change: Change) -> Written:
        """Raises ``FileChanged``, with the edit saved as a patch, and ``FileProblem``."""


@dataclass(frozen=True)
class FileWriter:
    """Writes the files that were named."""

    environment: Environment

    def write(self, change: Change) -> Written:
        return Written((write_file(change, self.environment),))


def write_file(change: Change, environment: Environment, group: str = "") -> Entry:
    """Write ``change`` to its file; raises what ``Writer.write`` raises."""
    target = change.target
    assert target.path is not None
    entry = journalled(change, target.path.resolve(), environment, group=group)
    try:
        write_target(target, change.after)
    except FileChanged:
        raise conflict(change, entry, environment) from None
    except FileProblem:
        environment.journal.forget(entry)
        raise
    return environment.journal.confirm(entry)


def journalled(
    change: Change, path: Path, environment: Environment, *, index_mode: str = "", group: str = ""
) -> Entry:
    """The journal's entry of a write about to happen; raises ``FileProblem``."""
    before = None if change.target.is_new else change.target.source.data
    try:
        return environment.journal.record(
            path, before, change.after, change.origin, index_mode=index_mode, group=group
        )
    except OSError as error:
        raise FileProblem(
            change.target.name,
            f"its edit cannot be journalled, and was not written: {error.strerror}",
            f"make room in {environment.journal.folder}",
        ) from error


def conflict(change: Change, entry: Entry, environment: Environment) -> FileChanged:
    """The error of a write that met another: it was none, and its patch is saved."""
    environment.journal.forget(entry)
    return FileChanged(change.target.name, saved_patch(change.patch, entry.id, environment))


def saved_patch(patch: bytes, name: str, environment: Environment) -> Path | None:
    """Where ``patch`` was saved for later; None where it could not be."""
    path = environment.conflicts / f"{name}.patch"
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_bytes(patch)
    except OSError:
        return None
    return path
