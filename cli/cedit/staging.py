"""What is staged: which files differ from a commit, their blobs, and new blobs in their place."""

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cedit.failures import FileProblem, GitFailed, Misuse, RepositoryBusy
from cedit.git import Repository, repository_at
from cedit_engine.hunks import align
from cedit_engine.source import Source
from cedit_engine.task import Span

_SUBMODULE, _LINK = "160000", "120000"
_BUSY = {
    "MERGE_HEAD": "a merge",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
}


@dataclass(frozen=True)
class ChangedFile:
    """A file that differs from a commit: its name from the root, and its blobs then and now.

    ``old`` is None where the commit has no such file. ``new`` is None where the file was
    looked at in the work tree. ``mode`` is git's, in octal.
    """

    name: str
    mode: str
    old: str | None
    new: str | None


@dataclass(frozen=True)
class PassedOver:
    """A file that is not edited, and why."""

    name: str
    why: str


def repository_here() -> Repository:
    """The repository of this directory; raises ``Misuse``."""
    repository = repository_at(Path.cwd())
    if repository is None:
        raise Misuse("this directory is in no git repository", "run this in one, or git init")
    return repository


def require_idle(repository: Repository) -> None:
    """Raise ``RepositoryBusy`` in the middle of a merge, a rebase or the like."""
    for name, what in _BUSY.items():
        if repository.own_path(name).exists():
            raise RepositoryBusy(what)
    if repository.run("ls-files", "--unmerged", "-z"):
        raise RepositoryBusy("a conflict")


def commit_named(repository: Repository, revision: str) -> str:
    """The commit that ``revision`` names; raises ``Misuse``."""
    try:
        found = repository.run(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"
        )
    except GitFailed:
        raise Misuse(f"there is no commit {revision!r}", "see: git log") from None
    return found.decode().strip()


def pathspec(repository: Repository, name: str) -> str:
    """``name``, from this directory, as git finds it from the root and takes it literally."""
    path = Path(os.path.abspath(name))
    if not path.is_relative_to(repository.root):
        path = path.parent.resolve() / path.name
    if not path.is_relative_to(repository.root):
        raise FileProblem(name, "it is outside of this repository", "name files inside of it")
    return f":(top,literal){path.relative_to(repository.root)}"


def changed_files(
    repository: Repository, since: str | None, *, staged: bool, names: Sequence[str] = ()
) -> list[ChangedFile]:
    """What differs from the commit ``since``, or the last one, in the index or the work tree.

    ``names``, from this directory, may name files and directories. What was deleted is left
    out; a file that was renamed is held against what it was called.
    """
    flags = ["--raw", "-z", "--no-abbrev", "-M", "--no-ext-diff", "--ignore-submodules=dirty"]
    flags += ["--cached"] if staged else []
    flags += [since] if since else []
    # Renames are found among all files only.
    parts = repository.names("diff", *flags)
    found = list(_changes(parts, staged))
    if not names:
        return found
    specs = [pathspec(repository, name) for name in names]
    wanted = set(repository.names("ls-files", "-z", "--", *specs))
    return [each for each in found if each.name in wanted]


def _changes(parts: Iterator[str], staged: bool) -> Iterator[ChangedFile]:
    for head in parts:
        _, mode, old, new, status = head.removeprefix(":").split(" ")
        name = next(parts)
        if status[0] in "RC":
            name = next(parts)
        if status[0] != "D":
            was = None if set(old) == {"0"} else old
            yield ChangedFile(name, mode, was, new if staged else None)


def passed_over(repository: Repository, file: ChangedFile, attributes: "Attributes") -> str:
    """Why ``file`` is none to edit; nothing where it is one."""
    if file.mode == _SUBMODULE:
        return "it is a submodule"
    if file.mode == _LINK:
        return "it is a symbolic link"
    if attributes.is_binary(file.name):
        return "it is binary by .gitattributes"
    if attributes.value(file.name, "filter") == "lfs":
        return "git holds a pointer to it (filter lfs)"
    if file.new and b"\0" in blob(repository, file.new):
        return "it is binary"
    return ""


@dataclass(frozen=True)
class Attributes:
    """What .gitattributes says of files."""

    values: dict[tuple[str, str], str]

    @classmethod
    def of(cls, repository: Repository, names: Iterable[str]) -> "Attributes":
        """The attributes of the files called ``names``, from the root."""
        asked = b"".join(os.fsencode(name) + b"\0" for name in names)
        parts = repository.names(
            "check-attr", "-z", "--stdin", "binary", "diff", "filter", data=asked
        )
        return cls({(name, key): value for name, key, value in zip(*[parts] * 3, strict=True)})

    def value(self, name: str, key: str) -> str:
        return self.values.get((name, key), "unspecified")

    def is_binary(self, name: str) -> bool:
        return self.value(name, "binary") == "set"


def blob(repository: Repository, name: str) -> bytes:
    """A blob as git keeps it."""
    return repository.run("cat-file", "blob", name)


def changed_spans(old: bytes | None, new: Source) -> tuple[Span, ...]:
    """The lines of ``new`` that ``old`` does not have; all where there was nothing."""
    before = Source.from_bytes(old or b"").lines
    return tuple(
        Span(start + 1, stop)
        for tag, _, _, start, stop in align(before, new.lines)
        if tag != "equal" and stop > start
    )


@dataclass(frozen=True)
class StagedFile:
    """A file's entry in the index: its name from the root, git's mode, and what it holds."""

    name: str
    mode: str
    data: bytes


def restage(repository: Repository, file: StagedFile, data: bytes) -> bool:
    """Stage ``data`` in place of what ``file`` holds; False where something else is by now.

    What the index remembers of the entry beside its content is kept.
    """
    spec, named = f":(top,literal){file.name}", os.fsencode(file.name) + b"\0"
    old = _stored(repository, file.data)
    entry = repository.run("ls-files", "--stage", "-z", "--", spec)
    if entry != f"{file.mode} {old} 0\t".encode() + named:
        return False
    tag = repository.run("ls-files", "-v", "-z", "--", spec)[:1]
    told = f"{file.mode} {_stored(repository, data)}\t".encode() + named
    repository.run("update-index", "-z", "--index-info", data=told)
    flags = ["--skip-worktree"] if tag in b"Ss" else []
    flags += ["--assume-unchanged"] if tag.islower() else []
    for flag in flags:
        repository.run("update-index", flag, "-z", "--stdin", data=named)
    return True


def checked_out(repository: Repository, file: StagedFile) -> bytes:
    """``file`` as git would write it to the work tree: line endings and filters as configured."""
    stored = _stored(repository, file.data)
    return repository.run("cat-file", "--filters", f"--path={file.name}", stored)


def _stored(repository: Repository, data: bytes) -> str:
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
