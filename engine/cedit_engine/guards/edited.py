"""A file before and after an edit, as guards look at it."""

import ast
import re
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from cedit_engine.guards.python import parse_python
from cedit_engine.hunks import Hunk, align, hunks_between
from cedit_engine.source import Source
from cedit_engine.task import Task


class Change(NamedTuple):
    """The old lines that gave way to the new ones, counted from 0."""

    old: range
    new: range


@dataclass(frozen=True)
class Edited:
    """``after`` as an answer to ``task``; text that is not UTF-8 is looked at as far as it is."""

    task: Task
    after: bytes

    @property
    def before(self) -> bytes:
        """The file as it was."""
        return self.task.source.data

    @property
    def language(self) -> str:
        """The file's language, as its name tells it."""
        return self.task.language

    @cached_property
    def old_tree(self) -> ast.Module | None:
        """The syntax tree of the file as it was, if that is Python and parses."""
        return self._tree(self.before)

    @cached_property
    def tree(self) -> ast.Module | None:
        """The syntax tree of the edited file, if that is Python and parses."""
        return self._tree(self.after)

    def _tree(self, data: bytes) -> ast.Module | None:
        parsed = parse_python(data) if self.language == "python" else None
        return parsed if isinstance(parsed, ast.Module) else None

    @cached_property
    def old_lines(self) -> list[str]:
        """The lines of the file as it was."""
        return _lines(self.before)

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the edited file."""
        return _lines(self.after)

    @cached_property
    def hunks(self) -> list[Hunk]:
        """What the edit changes, in pieces."""
        return hunks_between(self.task.source, Source.from_bytes(self.after))

    @cached_property
    def changes(self) -> list[Change]:
        """Where the lines differ, but for what ends them, from top to bottom."""
        return [
            Change(range(first, last), range(start, stop))
            for tag, first, last, start, stop in align(self.old_lines, self.lines)
            if tag != "equal"
        ]

    @cached_property
    def new_lines(self) -> list[tuple[int, str]]:
        """The lines that the edit brought in, with their numbers from 1."""
        return [(n + 1, self.lines[n]) for change in self.changes for n in change.new]


def mentions(instruction: str, name: str) -> bool:
    """Whether ``name`` stands in ``instruction`` as a word."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", instruction) is not None


def _lines(data: bytes) -> list[str]:
    text = data.decode("utf-8", "replace")
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
