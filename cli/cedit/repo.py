"""What git knows of a file."""

import importlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any


def name_in_repository(path: Path) -> bytes:
    """How a patch names ``path``: from its repository's root, else from this directory."""
    absolute = path.parent.resolve() / path.name
    root = _root(_repository(absolute.parent)) or Path.cwd().resolve()
    if not absolute.is_relative_to(root):
        return os.fsencode(absolute).lstrip(b"/")
    return os.fsencode(absolute.relative_to(root))


def is_inside(path: Path) -> bool:
    """Whether ``path``, absolute, is in this directory's repository, or else in this directory."""
    here = Path.cwd().resolve()
    if path.is_relative_to(here):
        return True
    root = _root(_repository(here))
    return root is not None and path.is_relative_to(root)


@dataclass(frozen=True)
class WorkTree:
    """The files around a file: a repository's, or else all in a directory."""

    root: Path
    repository: Any = None

    def files(self) -> Iterator[Path]:
        """The names of those that git tracks or does not ignore."""
        if self.repository is None:
            yield from _all_files(self.root)
        else:
            yield from self._listed("--cached", "--others", "--exclude-standard")

    def ignored(self) -> Iterator[Path]:
        """The names of the files that git ignores; of a directory ignored as a whole, its own."""
        if self.repository is not None:
            yield from self._listed("--others", "--ignored", "--exclude-standard", "--directory")

    def _listed(self, *flags: str) -> Iterator[Path]:
        names = self.repository.git.ls_files("-z", *flags).split("\0")
        # A file in a conflict is listed once for each side.
        return (Path(name) for name in dict.fromkeys(names) if name)


def work_tree_of(path: Path) -> WorkTree:
    """The work tree that ``path`` is in: its repository's, else this directory, else its own."""
    repository = _repository(path.parent)
    root = _root(repository)
    if root:
        return WorkTree(root, repository)
    here = Path.cwd().resolve()
    return WorkTree(here if path.is_relative_to(here) else path.parent)


def _all_files(root: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(root):
        yield from (Path(folder, name).relative_to(root) for name in names)


def _root(repository: Any) -> Path | None:
    root = repository.working_tree_dir if repository else None
    return Path(root).resolve() if root else None


def _repository(folder: Path) -> Any:
    """The repository that ``folder`` is in, or None.

    GitPython is imported only here and only when asked: it looks for a git program, and
    most runs need none.
    """
    os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")
    git = importlib.import_module("git")
    try:
        return git.Repo(folder, search_parent_directories=True)
    except (git.GitError, OSError, ValueError):
        return None
