"""Worked edits for the prompts: a bug in one line, and one change in two places."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources

from cedit_engine.hunks import Hunk, hunks_between, program_of
from cedit_engine.program import Operation
from cedit_engine.source import Source
from cedit_engine.task import Task


@dataclass(frozen=True)
class Example:
    """A worked edit: the file, what was asked, and the right answer."""

    name: str
    instruction: str
    before: str
    after: str

    @cached_property
    def task(self) -> Task:
        """The example as a task of its own."""
        return Task.of(Source.from_bytes(self.before.encode()), self.instruction, self.name)

    @cached_property
    def hunks(self) -> Sequence[Hunk]:
        """The right answer, place by place."""
        return hunks_between(self.task.source, Source.from_bytes(self.after.encode()))

    @property
    def operations(self) -> Sequence[Operation]:
        """The right answer as a program."""
        return program_of(self.hunks, self.task.source).operations


def example_named(name: str) -> Example:
    """The example whose file is ``name``; raises ``KeyError``."""
    return _examples()[name]


def examples_for(language: str) -> tuple[Example, ...]:
    """A fix and a change in two places, in ``language`` where there are some, or in Python.

    ``language`` is as in ``Task.language``.
    """
    ending = _ENDINGS.get(language, "py")
    return example_named(f"stats.{ending}"), example_named(f"store.{ending}")


@cache
def _examples() -> Mapping[str, Example]:
    text = resources.files("cedit_engine").joinpath("examples.toml").read_text(encoding="utf-8")
    return {name: Example(name, **row) for name, row in tomllib.loads(text).items()}


# Of other languages' own examples nothing was gained: see ``bench/LOG.md``.
_ENDINGS: Mapping[str, str] = dict.fromkeys(
    ("javascript", "typescript", "jsx", "tsx", "mjs", "cjs"), "js"
)
