"""Edits that were made: the files that each commit of a repository changed."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from cedit.failures import FileProblem
from cedit.git import Repository, repository_at

MOST_FILES = 200
"""What a commit may change: one of more was made by a program, or imports another's work."""
LARGEST_BYTES = 200_000
_REGULAR = ("100644", "100755")


@dataclass(frozen=True)
class PastEdit:
    """A file that a commit changed."""

    commit: str
    path: str
    before: bytes
    after: bytes
    instruction: str = ""

    @property
    def name(self) -> str:
        """The commit, shortened, and the file."""
        return f"{self.commit[:10]}:{self.path}"


@dataclass
class PastEdits:
    """The edits in the history of the repository at ``path``; and why others were left out.

    Of a repository that is shallow, the history that is there. Merges are passed over: what
    they bring was committed before. With ``alone``, only commits that change no other file.
    Raises ``FileProblem`` where there is no repository.
    """

    path: Path
    alone: bool = False
    left_out: Counter[str] = field(default_factory=Counter)

    def __iter__(self) -> Iterator[PastEdit]:
        repository = self.repository()
        if repository.run("rev-parse", "--is-shallow-repository").strip() == b"true":
            self.left_out["commits before those that a shallow repository holds"] += 1
        for commit, changes in groupby(_changes(repository), key=lambda change: change.commit):
            yield from self._edits(repository, commit, [*changes])

    def repository(self) -> Repository:
        """Where the edits are from; raises ``FileProblem``."""
        repository = repository_at(self.path, bare=True) if self.path.exists() else None
        if repository is None:
            raise FileProblem(str(self.path), "it is in no repository", "name a repository")
        return repository

    def _edits(
        self, repository: Repository, commit: str, changes: list["_Change"]
    ) -> Iterator[PastEdit]:
        edits = [change for change in changes if change.is_edit]
        if not edits:
            return
        if len(changes) > MOST_FILES:
            self.left_out[f"files of commits that change more than {MOST_FILES}"] += len(edits)
            return
        if self.alone and len(changes) > 1:
            self.left_out["edits in commits that change several files"] += len(edits)
            return
        for change in edits:
            edit = self._edit(repository, change)
            if edit:
                yield edit

    def _edit(self, repository: Repository, change: "_Change") -> PastEdit | None:
        if change.modes[0] not in _REGULAR or change.modes[1] not in _REGULAR:
            self.left_out["links and submodules"] += 1
            return None
        before, after = (repository.run("cat-file", "blob", blob) for blob in change.blobs)
        if b"\0" in before or b"\0" in after:
            self.left_out["binary files"] += 1
        elif max(len(before), len(after)) > LARGEST_BYTES:
            self.left_out[f"files of more than {LARGEST_BYTES:,} bytes"] += 1
        elif before == after:
            self.left_out["files of which only the name or the mode changed"] += 1
        else:
            return PastEdit(change.commit, change.path, before, after)
        return None


@dataclass(frozen=True)
class _Change:
    commit: str
    path: str
    status: str
    modes: tuple[str, str]
    blobs: tuple[str, str]

    @property
    def is_edit(self) -> bool:
        """Whether the file was there before and is there after."""
        return self.status[0] in "MR"


def _changes(repository: Repository) -> Iterator[_Change]:
    """Every file that a commit changed, the latest commits first."""
    commits = repository.run("rev-list", "--no-merges", "HEAD")
    flags = ("--stdin", "-r", "-M", "-z")
    parts = repository.names("diff-tree", *flags, data=commits)
    commit = ""
    for part in parts:
        if not part.startswith(":"):
            commit = part.strip()
            continue
        old_mode, new_mode, old_blob, new_blob, status = part.removeprefix(":").split()
        path = next(parts)
        if status.startswith("R"):
            path = next(parts)
        yield _Change(commit, path, status, (old_mode, new_mode), (old_blob, new_blob))
