"""``bench tasks``: the edits that people ask for, each with a check of its own.

A task lies in ``suite/KIND.toml``: a source (a file in ``suite/sources`` or, as ``std:NAME``,
a module of the running Python), an instruction, a check, and a reference edit as blocks of
whole lines, old and new. Old lines that the reference touches may change, and new lines may
stand where it puts some. ``allow`` frees further blocks, each named by the beginning of its
first line; ``gaps`` frees places for new lines: ``top``, ``end``, and ``blanks``, beside
blank lines.
"""

import re
import shutil
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

from cedit_engine.bench import execute
from cedit_engine.bench.results import Judgement
from cedit_engine.blocks import block_at
from cedit_engine.editing import Verdict
from cedit_engine.guards.edited import Edited
from cedit_engine.guards.syntax import no_longer_parses
from cedit_engine.hunks import align
from cedit_engine.outline import NOT_CODE, heads
from cedit_engine.source import Source
from cedit_engine.task import Task

KINDS = (
    "fix",
    "change",
    "add",
    "insert",
    "rename",
    "parameter",
    "delete",
    "annotate",
    "extract",
    "reorder",
    "several",
    "documents",
)
HOLDOUT_SEED = 20261130
PROBES = ("add-filterfalse", "add-translate-type", "rename-keyfunc", "hints-insort-left")
"""These were looked at before anything was drawn, so they are held out from nothing."""
LOST_LINES = 3
"""So many unrelated lines gone are a disaster."""


@dataclass(frozen=True)
class Freedom:
    """Where a source may change: ``lines`` from 0, ``gaps`` before the line of that number."""

    lines: frozenset[int]
    gaps: frozenset[int]


@dataclass(frozen=True)
class SuiteTask:
    """One task of the suite."""

    name: str
    kind: str
    file_name: str
    before: str
    reference: str
    instruction: str
    check: str
    freedom: Freedom

    @cached_property
    def task(self) -> Task:
        """What the model is asked."""
        source = Source.from_bytes(self.before.encode())
        return Task.of(source, self.instruction, self.file_name)

    def judge(self, after: bytes) -> Judgement:
        """Whether an answer kept to the lines that may change, and what it lost."""
        text = after.decode("utf-8", "replace")
        return Judgement(
            exact=text == self.reference,
            unparsed=no_longer_parses(Edited(self.task, after)) is not None,
            kept=keeps_the_rest(self.before.splitlines(), text.splitlines(), self.freedom),
            disaster=self._is_disaster(text),
        )

    def _is_disaster(self, text: str) -> bool:
        lost = Counter(map(str.strip, self._rest)) - Counter(map(str.strip, text.splitlines()))
        del lost[""]
        words = set(re.findall(r"\w+", "\n".join(self._rest)))
        gone = heads(self.reference) - heads(text) if self.task.language not in NOT_CODE else set()
        return lost.total() >= LOST_LINES or bool(gone & words)

    @cached_property
    def _rest(self) -> list[str]:
        """The lines that may not change."""
        lines = enumerate(self.before.splitlines())
        return [line for number, line in lines if number not in self.freedom.lines]

    @property
    def can_check(self) -> bool:
        """Whether this machine has what the check needs."""
        return all(map(shutil.which, self._tools))

    @property
    def _tools(self) -> list[str]:
        return [tool for word, tool in _TOOLS.items() if word in self.check]

    def outcome(self, after: bytes) -> Verdict:
        """What the check says of an answer."""
        text = after.decode("utf-8", "replace")
        program = (
            "from cedit_engine.bench.checking import run\n"
            f"run({self.before!r}, {text!r}, {self.check!r})\n"
        )
        passed, output = execute.python_outcome(program.encode(), limit_memory=not self._tools)
        return Verdict(passed, output)


# Node.js and Java reserve more address space than a limit on it could allow.
_TOOLS = {"node(": "node", "compiled_c(": "cc", "compiled_cpp(": "c++", "java(": "javac"}


def keeps_the_rest(before: Sequence[str], after: Sequence[str], freedom: Freedom) -> bool:
    """Whether ``after`` is ``before`` but for free lines and what stands in free gaps."""
    runs = list(_kept_runs(before, freedom))
    start, end = 0, len(after)
    if runs and not _is_free(0, freedom):
        first = runs.pop(0)
        if list(after[: len(first)]) != first:
            return False
        start = len(first)
        if not runs and not _is_free(len(before), freedom):
            return start == end
    if runs and not _is_free(len(before), freedom):
        last = runs.pop()
        end -= len(last)
        if end < start or list(after[end:]) != last:
            return False
    for run in runs:
        found = _find(after[:end], run, start)
        if found is None:
            return False
        start = found + len(run)
    return True


def _is_free(gap: int, freedom: Freedom) -> bool:
    return gap in freedom.gaps or gap in freedom.lines or gap - 1 in freedom.lines


def _kept_runs(before: Sequence[str], freedom: Freedom) -> Iterator[list[str]]:
    """The lines that must stay, in runs that nothing may come between."""
    run: list[str] = []
    for number, line in enumerate(before):
        if run and number in freedom.gaps:
            yield run
            run = []
        if number not in freedom.lines:
            run.append(line)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _find(lines: Sequence[str], run: Sequence[str], start: int) -> int | None:
    places = range(start, len(lines) - len(run) + 1)
    return next((n for n in places if list(lines[n : n + len(run)]) == list(run)), None)


@dataclass(frozen=True)
class Suite:
    """The tasks, and those that the running Python's modules do not fit."""

    tasks: tuple[SuiteTask, ...]
    unfit: tuple[str, ...] = ()


def load_suite() -> Suite:
    """Every task of every kind."""
    tasks, unfit = [], []
    for kind in KINDS:
        text = _folder().joinpath(f"{kind}.toml").read_text(encoding="utf-8")
        for row in tomllib.loads(text)["task"]:
            task = _task(kind, row)
            if task:
                tasks.append(task)
            else:
                unfit.append(row["id"])
    return Suite(tuple(tasks), tuple(unfit))


def holdout() -> frozenset[str]:
    """The names of the half that nothing is tuned on."""
    text = _folder().joinpath("holdout.txt").read_text(encoding="utf-8")
    return frozenset(line for line in text.split("\n") if line and not line.startswith("#"))


def draw_holdout(names: Mapping[str, Sequence[str]]) -> set[str]:
    """Half of each kind's ``names``, by ``HOLDOUT_SEED``; none of ``PROBES``."""
    random = Random(HOLDOUT_SEED)
    drawn: set[str] = set()
    for kind in sorted(names):
        unseen = sorted(set(names[kind]) - set(PROBES))
        drawn.update(random.sample(unseen, len(names[kind]) // 2))
    return drawn


def _folder() -> Traversable:
    return resources.files("cedit_engine.bench").joinpath("suite")


def _task(kind: str, row: Mapping[str, Any]) -> SuiteTask | None:
    name, before = _source(row["source"])
    reference = _reference(before, row["edit"])
    if reference is None:
        return None
    freedom = _freedom(before, reference, row.get("allow", ()), row.get("gaps", ()))
    return SuiteTask(
        row["id"], kind, name, before, reference, row["instruction"], row["check"], freedom
    )


def _source(name: str) -> tuple[str, str]:
    """The file's name and text."""
    if not name.startswith("std:"):
        return name, _folder().joinpath("sources", name).read_text(encoding="utf-8")
    found = find_spec(name.removeprefix("std:"))
    if found is None or found.origin is None:
        return f"{name}.py", ""
    return Path(found.origin).name, Path(found.origin).read_text(encoding="utf-8")


def _reference(before: str, edits: Sequence[Mapping[str, str]]) -> str | None:
    """``before`` with each edit made; None where one does not fit, once and only once."""
    text = before
    for edit in edits:
        if f"\n{text}".count(f"\n{edit['old']}") != 1:
            return None
        text = f"\n{text}".replace(f"\n{edit['old']}", f"\n{edit['new']}")[1:]
    return text


def _freedom(before: str, reference: str, allow: Sequence[str], gaps: Sequence[str]) -> Freedom:
    lines = before.splitlines()
    free_lines: set[int] = set()
    free_gaps: set[int] = set()
    for tag, first, last, _, _ in align(lines, reference.splitlines()):
        if tag != "equal":
            free_lines.update(range(first, last))
            free_gaps.update((first, last))
    for start in allow:
        block = block_at(lines, start)
        if block:
            free_lines.update(block)
            free_gaps.update((block.start, block.stop))
    for name in gaps:
        free_gaps.update(_GAPS[name](lines))
    return Freedom(frozenset(free_lines), frozenset(free_gaps))


def _beside_blanks(lines: Sequence[str]) -> set[int]:
    blanks = [number for number, line in enumerate(lines) if not line.strip()]
    return {gap for number in blanks for gap in (number, number + 1)}


def _top(lines: Sequence[str]) -> set[int]:
    """Before the first line, and around all that stands before the first definition."""
    words = ("def ", "class ", "@", "function ", "func ", "fn ")
    starts = (number for number, line in enumerate(lines) if line.startswith(words))
    return set(range(next(starts, 1) + 1))


_GAPS: Mapping[str, Callable[[Sequence[str]], set[int]]] = {
    "blanks": _beside_blanks,
    "top": _top,
    "end": lambda lines: {len(lines)},
}
