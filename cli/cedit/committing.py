"""``--commit``: a commit of the edits, and of nothing else that is staged or changed."""

import os
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cedit.change import Change
from cedit.changed import blob, literally, name_from_root, require_idle
from cedit.failures import FileProblem, GitFailed, NotCommitted
from cedit.git import Repository
from cedit.staging import StagedFile, merged, restage, stored
from cedit.worktree import Target


@dataclass(frozen=True)
class _Commit:
    """What becomes of one edited file: in the new commit, and in the index.

    ``staged`` is what the index holds now, None where it is not to change; ``is_new`` files
    are in neither.
    """

    name: str
    mode: str
    data: bytes
    staged: StagedFile | None = None
    restaged: bytes = b""
    is_new: bool = False


def require_committable(repository: Repository, targets: Iterable[Target]) -> None:
    """Raise ``RepositoryBusy``, or ``FileProblem`` where one of ``targets`` cannot be committed."""
    require_idle(repository)
    for target in targets:
        if repository.succeeds("check-ignore", "-q", "--", _name(repository, target)):
            raise FileProblem(target.name, "git ignores it", "leave --commit out, or git add -f it")


def _name(repository: Repository, target: Target) -> str:
    """What git calls the file that is written: of a symbolic link, what it points to."""
    assert target.path is not None
    return name_from_root(repository, str(target.path.resolve()))


def commit(repository: Repository, changes: Sequence[Change], message: str, *, staged: bool) -> str:
    """Commit ``changes``, which are written; the new commit's short name.

    Where they were made to what is ``staged`` the index holds them already. What else differs
    from the last commit differs from the new one. Raises ``NotCommitted``.
    """
    try:
        files = [_planned(repository, change, staged) for change in changes]
        _commit_files(repository, files, message)
        for file in files:
            _restage(repository, file)
        return repository.run("rev-parse", "--short", "HEAD").decode().strip()
    except GitFailed as error:
        raise NotCommitted(f"git {error.command} failed: {error.said}") from None


def _planned(repository: Repository, change: Change, staged: bool) -> _Commit:
    path = change.target.path
    assert path is not None
    name = _name(repository, change.target)
    before, after = change.target.source.data, change.after
    if not staged:
        before, after = (_as_git_keeps_it(repository, name, data) for data in (before, after))
    committed = _entry(repository, name, "ls-tree", "-z", "HEAD", "--", name)
    indexed = _entry(repository, name, "ls-files", "--stage", "-z", "--", literally(name))
    if committed is None and indexed is None:
        mode = "100755" if os.access(path, os.X_OK) else "100644"
        return _Commit(name, mode, after, is_new=True)
    base = committed or indexed
    assert base is not None
    data = _merged(repository, name, committed.data, before, after) if committed else after
    if staged or indexed is None:
        return _Commit(name, base.mode, data)
    restaged = _merged(repository, name, indexed.data, before, after)
    return _Commit(name, base.mode, data, indexed, restaged)


def _as_git_keeps_it(repository: Repository, name: str, data: bytes) -> bytes:
    kept = repository.run("hash-object", "-w", "--stdin", f"--path={name}", data=data)
    return blob(repository, kept.decode().strip())


def _entry(repository: Repository, name: str, *command: str) -> StagedFile | None:
    """What a tree or the index holds under ``name``."""
    try:
        printed = repository.run(*command)
    except GitFailed:  # There is no commit yet.
        return None
    if not printed:
        return None
    words = printed.partition(b"\t")[0].decode().split()
    # A tree tells the kind of an entry before its blob, the index its stage behind it.
    found = words[2] if command[0] == "ls-tree" else words[1]
    return StagedFile(name, words[0], blob(repository, found))


def _merged(repository: Repository, name: str, ours: bytes, before: bytes, after: bytes) -> bytes:
    both = merged(repository, ours, before, after)
    if both is None:
        raise NotCommitted(f"the edit of {name} meets changes that are not committed")
    return both


def _commit_files(repository: Repository, files: Sequence[_Commit], message: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        variables = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
        has_commit = repository.succeeds("rev-parse", "--verify", "--quiet", "HEAD")
        repository.run("read-tree", "HEAD" if has_commit else "--empty", variables=variables)
        told = b"".join(_index_line(repository, file) for file in files)
        repository.run("update-index", "-z", "--index-info", data=told, variables=variables)
        repository.run("commit", "-q", "-F", "-", data=message.encode(), variables=variables)


def _index_line(repository: Repository, file: _Commit) -> bytes:
    kept = stored(repository, file.data)
    return f"{file.mode} {kept}\t".encode() + os.fsencode(file.name) + b"\0"


def _restage(repository: Repository, file: _Commit) -> None:
    if file.is_new:
        line = _index_line(repository, file)
        repository.run("update-index", "--add", "-z", "--index-info", data=line)
    elif file.staged and not restage(repository, file.staged, file.restaged):
        raise NotCommitted(f"the commit is made, but {file.name} was staged anew meanwhile")
