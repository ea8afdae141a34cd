"""What an edit makes of a file, and how it is told."""

import base64
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from cedit.journal import NOWHERE, Origin
from cedit.patch import PatchedFile, git_patch
from cedit.render import changed_lines, plural, visible
from cedit.repo import name_in_repository
from cedit.worktree import Target, new_file_mode
from cedit_engine.program import Program, render
from cedit_engine.source import Source


@dataclass(frozen=True)
class Change:
    """A target's new content and the program that made it."""

    target: Target
    program: Program
    after: bytes
    origin: Origin = NOWHERE

    @property
    def is_change(self) -> bool:
        """Whether the file would differ; an empty new file does."""
        return self.after != self.target.source.data or self.target.is_new

    @cached_property
    def patch(self) -> bytes:
        """The change as a git patch."""
        path = self.target.path or Path(self.target.name)
        mode = new_file_mode() if self.target.is_new else None
        name = name_in_repository(path)
        return git_patch(PatchedFile(name, self.target.source, Source.from_bytes(self.after), mode))


def change_as_json(change: Change) -> dict[str, Any]:
    """The program and the diff of a change, for ``--json``."""
    patch = change.patch if change.is_change else b""
    row: dict[str, Any] = {
        "program": render(change.program),
        "diff": patch.decode("utf-8", "replace"),
    }
    try:
        patch.decode("utf-8")
    except UnicodeDecodeError:
        row["diff_base64"] = base64.b64encode(patch).decode("ascii")
    return row


def summary(change: Change) -> str:
    """What happened to the lines of one file."""
    name, source = visible(change.target.name), change.target.source
    if not change.is_change:
        return f"{name}: no change"
    added, removed = changed_lines(change.patch)
    copied = change.program.copied_lines
    return (
        f"{name}: {plural(added, 'line')} added, {removed:,} removed, "
        f"{copied:,} of {len(source):,} copied"
    )
