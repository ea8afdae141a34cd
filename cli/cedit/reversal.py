"""Taking writes back, and making them again, where nothing has changed since."""

from pathlib import Path

from cedit.environment import Environment
from cedit.failures import FileChanged, FileProblem
from cedit.git import repository_at
from cedit.journal import Entry, digest_of
from cedit.patch import PatchedFile, git_patch
from cedit.repo import name_in_repository
from cedit.staging import StagedFile, restage
from cedit.worktree import new_file_mode, read_bytes, read_target, remove_leftovers, write_target
from cedit.writing import saved_patch
from cedit_engine.source import Source


def take_back(entry: Entry, environment: Environment) -> None:
    """Put back what was before a write; raises ``FileChanged`` where that changed since."""
    _turn(entry, entry.after, entry.before, environment)
    environment.journal.mark(entry, undone=True)


def make_again(entry: Entry, environment: Environment) -> None:
    """Write again what was taken back; raises ``FileChanged`` where that changed since."""
    _turn(entry, entry.before, entry.after, environment)
    environment.journal.mark(entry, undone=False)


def patch_of(entry: Entry, environment: Environment) -> bytes:
    """What a write changed."""
    return _patch_between(entry.path, entry.before, entry.after, environment)


def _turn(entry: Entry, found: str | None, wanted: str | None, environment: Environment) -> None:
    """Put the text ``wanted`` where, and only where, the text ``found`` is."""
    turn = _turn_index if entry.index_mode else _turn_file
    if not turn(entry, found, wanted, environment):
        patch = _patch_between(entry.path, found, wanted, environment)
        raise FileChanged(entry.path, saved_patch(patch, f"undo-{entry.id}", environment))


def _turn_file(
    entry: Entry, found: str | None, wanted: str | None, environment: Environment
) -> bool:
    path = Path(entry.path)
    current = read_bytes(entry.path) if path.exists() else None
    if (None if current is None else digest_of(current)) != found:
        return False
    if wanted is None:
        _remove(path)
    else:
        target = read_target(entry.path, create=True)
        remove_leftovers(path.parent)
        write_target(target, environment.journal.text(wanted))
    return True


def _turn_index(
    entry: Entry, found: str | None, wanted: str | None, environment: Environment
) -> bool:
    path = Path(entry.path)
    repository = repository_at(path.parent)
    if repository is None or found is None or wanted is None:
        return False
    texts = (environment.journal.text(digest) for digest in (found, wanted))
    name = str(path.relative_to(repository.root))
    return restage(repository, StagedFile(name, entry.index_mode, next(texts)), next(texts))


def _remove(path: Path) -> None:
    try:
        path.unlink()
    except OSError as error:
        raise FileProblem(
            str(path), f"it cannot be removed: {error.strerror}", "remove it yourself"
        ) from error


def _patch_between(
    name: str, before: str | None, after: str | None, environment: Environment
) -> bytes:
    """A patch from one text of the journal to another; no text stands for no file."""
    old, new = (_source(digest, environment) for digest in (before, after))
    mode = new_file_mode() if before is None else None
    return git_patch(PatchedFile(name_in_repository(Path(name)), old, new, mode))


def _source(digest: str | None, environment: Environment) -> Source:
    return Source.from_bytes(environment.journal.text(digest) if digest else b"")
