"""``cedit bench guards``: how often guards object to edits that are right."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.table import Table

from cedit.commands.bench_edits import cases
from cedit.environment import Environment
from cedit.exits import ExitStatus
from cedit.progress import counted
from cedit_engine.bench.compare import Share
from cedit_engine.bench.tasks import load_suite
from cedit_engine.guards.check import objections
from cedit_engine.guards.concerns import words_for_concern
from cedit_engine.task import Task


@dataclass(frozen=True)
class RightEdit:
    """The known answer to a task."""

    name: str
    task: Task
    after: bytes


@dataclass(frozen=True)
class FalseAlarm:
    """A guard that objects to the right edit of ``name``, and what it says."""

    data: str
    name: str
    guard: str
    said: str


def run(data: Sequence[Path], limit: int | None, environment: Environment) -> ExitStatus:
    """Print how many right edits guards object to, and on standard error each objection."""
    sets = {"the suite's tasks": list(_of_suite(limit))}
    sets |= {path.name: list(_of_data(path, limit)) for path in data}
    alarms: list[FalseAlarm] = []
    for name, edits in sets.items():
        shown = counted(edits, f"looking at {name}", len(edits), environment.err)
        alarms += (alarm for edit in shown for alarm in _alarms(name, edit))
    for alarm in alarms:
        told = f"cedit: {alarm.name}: {alarm.guard}: the right edit {alarm.said}"
        environment.err.print(told, markup=False)
    rows = {name: _share(len(edits), _of(name, alarms)) for name, edits in sets.items()}
    rows["all"] = _share(sum(map(len, sets.values())), alarms)
    environment.out.print(_table(rows))
    counts = {name: {"edits": row.total, "objected_to": row.hits} for name, row in rows.items()}
    figures = {"sets": counts, "objections": [asdict(alarm) for alarm in alarms]}
    environment.write(json.dumps(figures).encode() + b"\n")
    return ExitStatus.DONE


def _of_suite(limit: int | None) -> Iterator[RightEdit]:
    for task in load_suite().tasks[:limit]:
        yield RightEdit(task.name, task.task, task.reference.encode())


def _of_data(path: Path, limit: int | None) -> Iterator[RightEdit]:
    for row in cases(path, limit):
        yield RightEdit(row.name, row.task, row.after)


def _alarms(data: str, edit: RightEdit) -> Iterator[FalseAlarm]:
    for guard, concern in objections(edit.task, edit.after):
        yield FalseAlarm(data, edit.name, guard, words_for_concern(concern))


def _of(data: str, alarms: Iterable[FalseAlarm]) -> list[FalseAlarm]:
    return [alarm for alarm in alarms if alarm.data == data]


def _share(edits: int, alarms: Iterable[FalseAlarm]) -> Share:
    """The edits that some guard objects to."""
    return Share.of(len({(alarm.data, alarm.name) for alarm in alarms}), edits)


def _table(rows: dict[str, Share]) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in ("right edits", "edits", "objected to", "95 %"):
        table.add_column(heading, justify="left" if heading == "right edits" else "right")
    for name, share in rows.items():
        interval = f"{share.low:.1%} – {share.high:.1%}"
        table.add_row(name, f"{share.total:,}", f"{share.hits:,}", interval)
    return table
