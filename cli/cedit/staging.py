"""The index: what is staged of a file, and an edit of that."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

from cedit.change import Change
from cedit.changed import literally
from cedit.environment import Environment
from cedit.failures import FileChanged, FileProblem, GitFailed
from cedit.git import Repository
from cedit.journal import Entry
from cedit.worktree import read_target
from cedit.writing import Written, conflict, journalled, write_file
from cedit_engine.oracle import oracle
from cedit_engine.source import Source


@dataclass(frozen=True)
class StagedFile:
    """A file's entry in the index: its name from the root, git's mode, and what it holds."""

    name: str
    mode: str
    data: bytes


@dataclass(frozen=True)
class IndexWriter:
    """Stages edits of staged files, and has the work tree follow where nothing stands against it.

    ``files`` are by the absolute paths of their targets.
    """

    repository: Repository
    files: Mapping[Path, StagedFile]
    environment: Environment

    def write(self, change: Change) -> Written:
        path = change.target.path
        assert path is not None
        file, group = self.files[path], uuid4().hex
        entry = journalled(change, path, self.environment, index_mode=file.mode, group=group)
        try:
            staged = restage(self.repository, file, change.after)
        except GitFailed:
            self.environment.journal.forget(entry)
            raise
        if not staged:
            raise conflict(change, entry, self.environment)
        note, entries = "the work tree too", [self.environment.journal.confirm(entry)]
        try:
            entries += self._follow(file, change, entry)
        except _StaysAsItIs as reason:
            note = f"the work tree's file stays as it is: {reason}"
        return Written(tuple(entries), note)

    def _follow(self, file: StagedFile, change: Change, staged: Entry) -> Iterator[Entry]:
        """Make the same edit in the work tree."""
        path = self.repository.root / file.name
        if path.is_symlink() or not path.is_file():
            raise _StaysAsItIs("there is none")
        try:
            target = read_target(str(path))
            base, wanted = (
                checked_out(self.repository, replace(file, data=data))
                for data in (file.data, change.after)
            )
            after = merged(self.repository, target.source.data, base, wanted)
            if after is None:
                raise _StaysAsItIs("the edit meets changes that are not staged")
            program = oracle(target.source, Source.from_bytes(after))
            followed = Change(target, program, after, change.origin)
            if followed.is_change:
                yield write_file(followed, self.environment, group=staged.group)
        except FileProblem as error:
            raise _StaysAsItIs(error.problem) from None
        except FileChanged as error:
            raise _StaysAsItIs(f"it changed meanwhile; the edit is saved: {error.patch}") from None
        except GitFailed as error:
            raise _StaysAsItIs(f"git {error.command} failed: {error.said}") from None


class _StaysAsItIs(Exception):
    """Why the work tree does not follow."""


def restage(repository: Repository, file: StagedFile, data: bytes) -> bool:
    """Stage ``data`` in place of what ``file`` holds; False where something else is by now.

    What the index remembers of the entry beside its content is kept.
    """
    spec, named = literally(file.name), os.fsencode(file.name) + b"\0"
    old = stored(repository, file.data)
    entry = repository.run("ls-files", "--stage", "-z", "--", spec)
    if entry != f"{file.mode} {old} 0\t".encode() + named:
        return False
    tag = repository.run("ls-files", "-v", "-z", "--", spec)[:1]
    told = f"{file.mode} {stored(repository, data)}\t".encode() + named
    repository.run("update-index", "-z", "--index-info", data=told)
    flags = ["--skip-worktree"] if tag in b"Ss" else []
    flags += ["--assume-unchanged"] if tag.islower() else []
    for flag in flags:
        repository.run("update-index", flag, "-z", "--stdin", data=named)
    return True


def checked_out(repository: Repository, file: StagedFile) -> bytes:
    """``file`` as git would write it to the work tree: line endings and filters as configured."""
    kept = stored(repository, file.data)
    return repository.run("cat-file", "--filters", f"--path={file.name}", kept)


def stored(repository: Repository, data: bytes) -> str:
    """The blob that holds ``data`` as it is."""
    return repository.run("hash-object", "-w", "--stdin", data=data).decode().strip()


def merged(repository: Repository, ours: bytes, base: bytes, theirs: bytes) -> bytes | None:
    """``ours`` with what turns ``base`` into ``theirs``; None where they meet."""
    if ours == base:
        return theirs
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("ours", "base", "theirs")]
        for path, data in zip(paths, (ours, base, theirs), strict=True):
            path.write_bytes(data)
        try:
            return repository.run("merge-file", "-p", "-q", *map(str, paths))
        except GitFailed:
            return None
