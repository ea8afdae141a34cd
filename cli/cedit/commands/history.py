"""``cedit log``, ``undo`` and ``redo``: writes that were made, taken back, made again."""

import hashlib
from datetime import datetime
from pathlib import Path

from rich.table import Table

from cedit.delivery import saved_patch, show_patch
from cedit.environment import Environment
from cedit.exits import ExitStatus
from cedit.failures import FileChanged, FileProblem, Misuse
from cedit.journal import Entry
from cedit.patch import PatchedFile, git_patch
from cedit.render import changed_lines, visible
from cedit.repo import name_in_repository
from cedit.worktree import new_file_mode, read_bytes, read_target, write_target
from cedit_engine.source import Source


def show_log(environment: Environment) -> ExitStatus:
    """Print every write in the journal, the latest first."""
    table = Table(box=None, pad_edge=False)
    for heading in ("id", "time", "file", "lines", "", "command"):
        table.add_column(heading, no_wrap=heading in ("id", "time", "lines"))
    for entry in environment.journal.entries():
        added, removed = changed_lines(_patch(entry, environment))
        table.add_row(
            entry.id,
            f"{datetime.fromtimestamp(entry.time):%Y-%m-%d %H:%M}",
            visible(_short(entry.path)),
            f"+{added} -{removed}",
            "undone" if entry.undone else "",
            visible(" ".join(entry.command[1:])),
        )
    environment.out.print(table)
    return ExitStatus.DONE


def show_entry(name: str, environment: Environment) -> ExitStatus:
    """Print the diff of one write."""
    show_patch(_patch(_entry(name, environment), environment), environment)
    return ExitStatus.DONE


def undo(name: str | None, environment: Environment) -> ExitStatus:
    """Put back what a file was before a write; raises ``FileChanged`` where it changed since."""
    entry = _named_or_latest(name, environment, undone=False)
    if entry.undone:
        raise Misuse(f"{entry.id} is undone already", f"make it again: cedit redo {entry.id}")
    _turn(entry, entry.after, entry.before, environment)
    return _marked(entry, environment, undone=True)


def redo(name: str | None, environment: Environment) -> ExitStatus:
    """Make again what was undone; raises ``FileChanged`` where the file changed since."""
    entry = _named_or_latest(name, environment, undone=True)
    if not entry.undone:
        raise Misuse(f"{entry.id} is not undone", f"take it back: cedit undo {entry.id}")
    _turn(entry, entry.before, entry.after, environment)
    return _marked(entry, environment, undone=False)


def _named_or_latest(name: str | None, environment: Environment, undone: bool) -> Entry:
    """The entry ``name``, or the latest that is ``undone`` or is not."""
    if name is not None:
        return _entry(name, environment)
    for entry in environment.journal.entries():
        if entry.undone == undone:
            return entry
    what = "redo" if undone else "undo"
    raise Misuse(f"there is nothing to {what}", "see what was written: cedit log")


def _marked(entry: Entry, environment: Environment, undone: bool) -> ExitStatus:
    environment.journal.mark(entry, undone)
    did = "undid" if undone else "redid"
    environment.err.print(f"{visible(_short(entry.path))}: {did} {entry.id}", markup=False)
    return ExitStatus.DONE


def _entry(name: str, environment: Environment) -> Entry:
    found = [entry for entry in environment.journal.entries() if entry.id.startswith(name)]
    if len(found) != 1:
        many = "more than one write" if found else "no write"
        raise Misuse(f"there is {many} {name!r}", "see their ids: cedit log")
    return found[0]


def _turn(entry: Entry, found: str | None, wanted: str | None, environment: Environment) -> None:
    """Make the file the text ``wanted``, given that it is the text ``found``."""
    path = Path(entry.path)
    current = read_bytes(entry.path) if path.exists() else None
    if _digest(current) != found:
        patch = _patch_between(entry.path, found, wanted, environment)
        raise FileChanged(entry.path, saved_patch(patch, f"undo-{entry.id}", environment))
    if wanted is None:
        _remove(path)
        return
    target = read_target(entry.path, create=True)
    write_target(target, environment.journal.text(wanted))


def _remove(path: Path) -> None:
    try:
        path.unlink()
    except OSError as error:
        raise FileProblem(
            str(path), f"it cannot be removed: {error.strerror}", "remove it yourself"
        ) from error


def _digest(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()


def _patch(entry: Entry, environment: Environment) -> bytes:
    return _patch_between(entry.path, entry.before, entry.after, environment)


def _patch_between(
    name: str, before: str | None, after: str | None, environment: Environment
) -> bytes:
    """A patch from one text of the journal to another; no text stands for no file."""
    old, new = (_source(digest, environment) for digest in (before, after))
    mode = new_file_mode() if before is None else None
    return git_patch(PatchedFile(name_in_repository(Path(name)), old, new, mode))


def _source(digest: str | None, environment: Environment) -> Source:
    return Source.from_bytes(environment.journal.text(digest) if digest else b"")


def _short(path: str) -> str:
    """``path`` from here where it is below this directory."""
    here = Path.cwd()
    return str(Path(path).relative_to(here)) if Path(path).is_relative_to(here) else path
