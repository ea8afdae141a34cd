"""What git knows of a file."""

import importlib
import os
from pathlib import Path


def name_in_repository(path: Path) -> bytes:
    """How a patch names ``path``: from its repository's root, else from this directory.

    GitPython is imported only here and only when asked: it looks for a git program, and
    most runs need none.
    """
    absolute = path.parent.resolve() / path.name
    root = _root(absolute.parent)
    if root is None:
        root = Path.cwd().resolve()
    if not absolute.is_relative_to(root):
        return os.fsencode(absolute).lstrip(b"/")
    return os.fsencode(absolute.relative_to(root))


def _root(folder: Path) -> Path | None:
    os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")
    git = importlib.import_module("git")
    try:
        root = git.Repo(folder, search_parent_directories=True).working_tree_dir
    except (git.GitError, OSError, ValueError):
        return None
    return Path(root).resolve() if root else None
