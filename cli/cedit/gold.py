"""Edits with known answers, from data sets and from the history of repositories."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from rich.table import Table

from cedit.console import words_for
from cedit.environment import Environment
from cedit.failures import FileProblem, Misuse
from cedit.past_edits import PastEdit, PastEdits
from cedit.progress import counted
from cedit.render import plural
from cedit_engine.bench.ceiling import Edit, known_edit
from cedit_engine.bench.edits import Row, read_cases
from cedit_engine.errors import BadRow, NoTokenOffsets
from cedit_engine.model import Model
from cedit_engine.offsets import Tokenizer

Measured = TypeVar("Measured")


@dataclass(frozen=True)
class GoldRequest:
    """Where the edits come from, the most of each, and whose tokens are counted."""

    data: tuple[Path, ...]
    repositories: tuple[Path, ...]
    limit: int | None
    model: str


@dataclass(frozen=True)
class GoldSet:
    """The edits of one data set or repository, and how many were left out, by why."""

    name: str
    edits: Sequence[Edit]
    left_out: Counter[str] = field(default_factory=Counter)
    _found: dict[str, list[Any]] = field(default_factory=dict, init=False)

    def once(self, name: str, measure: Callable[[], list[Measured]]) -> list[Measured]:
        """What several tables need of the edits, measured when the first asks for it."""
        if name not in self._found:
            self._found[name] = measure()
        return self._found[name]

    def first(self, count: int) -> "GoldSet":
        """The set's first ``count`` edits."""
        return replace(self, edits=self.edits[:count])


def gold_sets(request: GoldRequest, model: Model, environment: Environment) -> list[GoldSet]:
    """All that was asked for, what holds no edits too.

    Raises ``Misuse`` where that is nothing, and ``FileProblem``, also where none of it holds any.
    """
    if not request.data and not request.repositories:
        raise Misuse("there are no edits to measure", "name some: --data FILE.jsonl or --git PATH")
    tokenizer = Tokenizer(model.tokenize, model.vocabulary)
    sets = [_from_data(path, request.limit, tokenizer, environment) for path in request.data]
    sets += [_from_history(path, request.limit, tokenizer) for path in request.repositories]
    empty = [gold.name for gold in sets if not gold.edits]
    if len(empty) == len(sets):
        raise FileProblem(", ".join(empty), "it holds no edits", "name another")
    for name in empty:
        environment.err.print(f"cedit: {name}: it holds no edits", markup=False)
    return sets


def _from_data(
    path: Path, limit: int | None, tokenizer: Tokenizer, environment: Environment
) -> GoldSet:
    left_out: Counter[str] = Counter()

    def rows() -> Iterator[Row]:
        for row in read_cases(path, limit):
            if isinstance(row, BadRow):
                environment.err.print(words_for(row), markup=False)
                left_out["rows that are no edits"] += 1
            else:
                yield row

    try:
        edits = _tokenized(rows(), tokenizer, left_out)
    except OSError as error:
        raise FileProblem(str(path), error.strerror or str(error), "name another file") from None
    return GoldSet(path.name, edits, left_out)


def _from_history(path: Path, limit: int | None, tokenizer: Tokenizer) -> GoldSet:
    past = PastEdits(path)
    edits = _tokenized(islice(past, limit), tokenizer, past.left_out)
    return GoldSet(path.resolve().name, edits, past.left_out)


def _tokenized(
    rows: Iterable[Row | PastEdit], tokenizer: Tokenizer, left_out: Counter[str]
) -> list[Edit]:
    edits = []
    for row in rows:
        try:
            edits.append(known_edit(row.name, row.before, row.after, tokenizer, row.instruction))
        except NoTokenOffsets:
            left_out["texts that the tokenizer does not give back"] += 1
    return edits


def over_all(
    gold: GoldSet,
    measure: Callable[..., Measured],
    environment: Environment,
    *known: Sequence[Any],
) -> list[Measured]:
    """What ``measure`` says of each edit and of what else is ``known`` of it.

    Progress is shown; Ctrl-C stops between two.
    """
    label, rows = f"measuring {gold.name}", zip(gold.edits, *known, strict=True)
    shown = counted(rows, label, len(gold.edits), environment.err)
    return [measure(*row) for row in shown]


def report(
    gold: GoldSet, title: str, rows: Sequence[Mapping[str, Any]], environment: Environment
) -> None:
    """Print ``rows`` as a table and as a line of JSON, and what was left out on standard error."""
    for reason, count in sorted(gold.left_out.items()):
        environment.err.print(f"cedit: {gold.name}: left out: {count:,} {reason}", markup=False)
    table = Table(title=f"{gold.name}, {plural(len(gold.edits), 'edit')}: {title}", box=None)
    table.title_justify = "left"
    shown = [key for key, value in rows[0].items() if not isinstance(value, Mapping)]
    for key in shown:
        is_text = isinstance(rows[0][key], str)
        table.add_column(key.replace("_", " "), justify="left" if is_text else "right")
    for row in rows:
        table.add_row(*(_shown(row[key]) for key in shown))
    environment.out.print(table)
    figures = {
        "data": gold.name,
        "edits": len(gold.edits),
        "left_out": gold.left_out,
        "measure": title,
        "rows": rows,
    }
    environment.write(json.dumps(figures).encode() + b"\n")


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:,}"
