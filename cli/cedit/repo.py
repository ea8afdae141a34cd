"""What git knows of a file."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cedit.git import Repository, repository_at


def name_in_repository(path: Path) -> bytes:
    """How a patch names ``path``: from its repository's root, else from this directory."""
    absolute = path.parent.resolve() / path.name
    repository = repository_at(absolute.parent)
    root = repository.root if repository else Path.cwd().resolve()
    if not absolute.is_relative_to(root):
        return os.fsencode(absolute).lstrip(b"/")
    return os.fsencode(absolute.relative_to(root))


def is_inside(path: Path) -> bool:
    """Whether ``path``, absolute, is in this directory's repository, or else in this directory."""
    here = Path.cwd().resolve()
    if path.is_relative_to(here):
        return True
    repository = repository_at(here)
    return repository is not None and path.is_relative_to(repository.root)


@dataclass(frozen=True)
class WorkTree:
    """The files around a file: a repository's, or else all in a directory."""

    root: Path
    repository: Repository | None = None

    def files(self) -> Iterator[Path]:
        """The names of those that git tracks or does not ignore."""
        if self.repository is None:
            yield from _all_files(self.root)
        else:
            yield from _listed(self.repository, "--cached", "--others", "--exclude-standard")

    def ignored(self) -> Iterator[Path]:
        """The names of the files that git ignores; of a directory ignored as a whole, its own."""
        if self.repository:
            flags = ("--others", "--ignored", "--exclude-standard", "--directory")
            yield from _listed(self.repository, *flags)


def work_tree_of(path: Path) -> WorkTree:
    """The work tree that ``path`` is in: its repository's, else this directory, else its own."""
    repository = repository_at(path.parent)
    if repository:
        return WorkTree(repository.root, repository)
    here = Path.cwd().resolve()
    return WorkTree(here if path.is_relative_to(here) else path.parent)


def _listed(repository: Repository, *flags: str) -> Iterator[Path]:
    # A file in a conflict is listed once for each side.
    return map(Path, dict.fromkeys(repository.names("ls-files", "-z", *flags)))


def _all_files(root: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(root):
        yield from (Path(folder, name).relative_to(root) for name in names)
