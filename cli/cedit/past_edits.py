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

    name: str
    before: bytes
    after: bytes


@dataclass
class PastEdits:
    """The edits in the history of the repository at ``path``; and why others were left out.

    Of a repository that is shallow, the history that is there. Merges are passed over: what
    they bring was committed before. Raises ``FileProblem`` where there is no repository.
    """

    path: Path
    left_out: Counter[str] = field(default_factory=Counter)

    def __iter__(self) -> Iterator[PastEdit]:
        repository = repository_at(self.path, bare=True)
        if repository is None:
            raise FileProblem(str(self.path), "it is in no repository", "name a repository")
        if repository.run("rev-parse", "--is-shallow-repository").strip() == b"true":
            self.left_out["commits before those that a shallow repository holds"] += 1
        for commit, changes in groupby(_changes(repository), key=lambda change: change.commit):
            yield from self._edits(repository, commit, [*changes])

    def _edits(
        self, repository: Repository, commit: str, changes: list["_Change"]
    ) -> Iterator[PastEdit]:
        if len(changes) > MOST_FILES:
            self.left_out[f"files of commits that change more than {MOST_FILES}"] += len(changes)
            return
        for change in changes:
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
            return PastEdit(f"{change.commit[:10]}:{change.name}", before, after)
        return None


@dataclass(frozen=True)
class _Change:
    commit: str
    name: str
    modes: tuple[str, str]
    blobs: tuple[str, str]


def _changes(repository: Repository) -> Iterator[_Change]:
    """Every file that a commit changed and did not add or delete, the latest commits first."""
    commits = repository.run("rev-list", "--no-merges", "HEAD")
    flags = ("--stdin", "-r", "-M", "-z", "--diff-filter=MR")
    parts = repository.names("diff-tree", *flags, data=commits)
    commit = ""
    for part in parts:
        if not part.startswith(":"):
            commit = part.strip()
            continue
        old_mode, new_mode, old_blob, new_blob, status = part.removeprefix(":").split()
        name = next(parts)
        if status.startswith("R"):
            name = next(parts)
        yield _Change(commit, name, (old_mode, new_mode), (old_blob, new_blob))
