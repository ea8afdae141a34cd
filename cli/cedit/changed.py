"""What differs from a commit, in the index or in the work tree: files, and lines of them."""

import os
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


def name_from_root(repository: Repository, name: str) -> str:
    """``name``, from this directory, as git calls the file; raises ``FileProblem``."""
    path = Path(os.path.abspath(name))
    if not path.is_relative_to(repository.root):
        path = path.parent.resolve() / path.name
    if not path.is_relative_to(repository.root):
        raise FileProblem(name, "it is outside of this repository", "name files inside of it")
    return str(path.relative_to(repository.root))


def is_in_commit(repository: Repository, commit: str, name: str) -> bool:
    """Whether ``commit`` holds a file called ``name``, from the root."""
    return repository.succeeds("cat-file", "-e", f"{commit}:{name}")


def is_to_be_added(repository: Repository, name: str) -> bool:
    """Whether all that is staged of the file is the intent to add it."""
    flags = ("--name-only", "--diff-filter=A", "-z")
    return any(repository.names("diff", *flags, "--", literally(name)))


def literally(name: str) -> str:
    """``name``, from the root, as a pathspec without wildcards."""
    return f":(top,literal){name}"


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
    specs = [literally(name_from_root(repository, name)) for name in names]
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


def why_not_edited(file: ChangedFile, attributes: "Attributes") -> str:
    """Why ``file`` is none to edit; nothing where it is one, unless it holds a NUL byte."""
    if file.mode == _SUBMODULE:
        return "it is a submodule"
    if file.mode == _LINK:
        return "it is a symbolic link"
    if attributes.value(file.name, "binary") == "set":
        return "it is binary by .gitattributes"
    if attributes.value(file.name, "filter") == "lfs":
        return "git holds a pointer to it (filter lfs)"
    return ""


@dataclass(frozen=True)
class Attributes:
    """What .gitattributes says of files."""

    values: dict[tuple[str, str], str]

    @classmethod
    def of(cls, repository: Repository, names: Iterable[str]) -> "Attributes":
        """The attributes of the files called ``names``, from the root."""
        asked = b"".join(os.fsencode(name) + b"\0" for name in names)
        parts = repository.names("check-attr", "-z", "--stdin", "binary", "filter", data=asked)
        return cls({(name, key): value for name, key, value in zip(*[parts] * 3, strict=True)})

    def value(self, name: str, key: str) -> str:
        """The value of one, in git's words."""
        return self.values.get((name, key), "unspecified")


def blob(repository: Repository, name: str) -> bytes:
    """A blob as git keeps it."""
    return repository.run("cat-file", "blob", name)


def changed_spans(old: bytes | None, new: Source) -> tuple[Span, ...]:
    """The lines of ``new`` that ``old`` does not have; all where there was nothing.

    Lines that end otherwise are the same: git may have them so in the work tree.
    """
    before = Source.from_bytes(old or b"").views
    return tuple(
        Span(start + 1, stop)
        for tag, _, _, start, stop in align(before, new.views)
        if tag != "equal" and stop > start
    )
