"""The git program, run in the repository that a folder is in."""

import importlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cedit.failures import GitFailed


@dataclass(frozen=True)
class Repository:
    """A repository and the root of its work tree, or its own directory where it is bare.

    Names are paths from the root; those that are not UTF-8 come as Python's file names do.
    """

    root: Path
    _program: Any = field(repr=False)

    def run(
        self, *arguments: str, data: bytes = b"", variables: Mapping[str, str] | None = None
    ) -> bytes:
        """What ``git ARGUMENTS`` prints when fed ``data``; raises ``GitFailed``."""
        status, printed, said = self._ended(arguments, data, variables)
        if status:
            raise GitFailed(arguments[0], said)
        return printed

    def succeeds(self, *arguments: str) -> bool:
        """Whether ``git ARGUMENTS`` exits with 0."""
        return self._ended(arguments, b"", None)[0] == 0

    def names(self, *arguments: str, data: bytes = b"") -> Iterator[str]:
        """The parts of what ``git ARGUMENTS``, told to with ``-z``, ends with NUL bytes."""
        parts = self.run(*arguments, data=data).split(b"\0")
        return (os.fsdecode(part) for part in parts[:-1])

    def own_path(self, name: str) -> Path:
        """Where this work tree's repository keeps ``name``, such as ``MERGE_HEAD``."""
        printed = self.run("rev-parse", "--git-path", name)
        return self.root / os.fsdecode(printed.removesuffix(b"\n"))

    def _ended(
        self, arguments: Iterable[str], data: bytes, variables: Mapping[str, str] | None
    ) -> tuple[int, bytes, str]:
        with tempfile.TemporaryFile() as given:
            given.write(data)
            given.seek(0)
            status, printed, said = self._program.execute(
                ["git", *arguments],
                istream=given,
                with_extended_output=True,
                with_exceptions=False,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
                env=variables,
            )
        return status, printed, said if isinstance(said, str) else said.decode("utf-8", "replace")


def repository_at(folder: Path, bare: bool = False) -> Repository | None:
    """The repository that ``folder`` is in, or would be if it existed; or None.

    One without a work tree is found only where ``bare`` ones are asked for.

    GitPython is imported only here and only when asked: it looks for a git program, and
    most runs need none.
    """
    os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")
    git = importlib.import_module("git")
    existing = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
    try:
        found = git.Repo(existing, search_parent_directories=True)
    except (git.GitError, OSError, ValueError):
        return None
    root = found.working_tree_dir or (found.git_dir if bare else None)
    return Repository(Path(root).resolve(), found.git) if root else None
