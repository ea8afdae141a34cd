"""``cedit bench speed``: every strategy and what else a user could pick, side by side."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from cedit.environment import Environment
from cedit.exits import ExitStatus
from cedit.interrupts import stoppable
from cedit.models import model_path, opened_model
from cedit.plots import plot_speed
from cedit.render import plural
from cedit_engine.bench.speed import OnRun, Row, Run, SpeedOptions, compare, scalings, summarise
from cedit_engine.llama import LoadOptions


@dataclass(frozen=True)
class SpeedRequest:
    """What the command line asks for."""

    options: SpeedOptions
    plot: Path | None
    model: str
    load: LoadOptions


def run(request: SpeedRequest, environment: Environment) -> ExitStatus:
    """Measure, then print the table and every run as JSON, and draw the rows."""
    path = model_path(request.model, environment)
    with (
        opened_model(request.model, request.load, environment, quiet=False) as model,
        _told(environment.err) as on_run,
        stoppable(environment.cancellation),
    ):
        runs = compare(model, path, request.options, on_run)
    rows = summarise(runs)
    environment.out.print(_table(rows))
    if request.options.scaling:
        environment.out.print(_scaling_table(runs, request.options))
    _say_what_is_missing(runs, request.options, environment.err)
    document = {
        "model": request.model,
        "rows": [asdict(row) for row in rows],
        "runs": [run.as_json() for run in runs],
    }
    environment.write(json.dumps(document).encode() + b"\n")
    if request.plot:
        plot_speed(rows, request.model, request.plot)
    return ExitStatus.DONE


@contextmanager
def _told(console: Console) -> Iterator[OnRun]:
    with console.status("measuring") as status:

        def tell(run: Run) -> None:
            line = f"{run.work.name}: {run.system}: {run.outcome}, {run.decode_seconds:.1f} s"
            if console.is_terminal:
                status.update(line)
            else:
                console.print(line, markup=False)

        yield tell


def _say_what_is_missing(runs: list[Run], options: SpeedOptions, console: Console) -> None:
    due = len(options.works()) * len(options.systems)
    if len(runs) < due:
        left_out = plural(due - len(runs), "run")
        console.print(f"cedit: {left_out} of {due} would not have ended in time: --minutes")
    if any(run.projected for run in runs):
        console.print(
            f"cedit: ~ answers cut off after {options.longest} tokens, their whole cost projected"
        )


def _table(rows: list[Row]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("lines", justify="right")
    table.add_column("system")
    for heading in _MEASURES:
        table.add_column(heading, justify="right")
    for row in sorted(rows, key=lambda row: (row.size, row.decode_seconds)):
        about = "~" if row.projected else ""
        table.add_row(
            f"{row.size:,}",
            row.system,
            f"{row.right} of {row.runs}",
            str(row.unapplied or ""),
            f"{about}{row.calls:,.0f}",
            f"{about}{row.tokens:,.0f}",
            f"{row.prompt_seconds:,.1f}",
            f"{about}{row.decode_seconds:,.1f}",
            _ratio(row.to_rewrite),
            _ratio(row.to_best_peer),
            f"{row.to_floor:,.1f}",
        )
    return table


def _scaling_table(runs: list[Run], options: SpeedOptions) -> Table:
    """Forward calls, a line for each edit and system."""
    table = Table(box=None, pad_edge=False, title="Calls for the same edit", title_justify="left")
    table.add_column("edit")
    table.add_column("system")
    for size in options.sizes:
        table.add_column(f"{size:,} lines", justify="right")
    table.add_column("same answer")
    for system in options.systems:
        own = scalings([run for run in runs if run.system == system])
        for number, each in enumerate(own, start=1):
            calls = [
                f"{each.calls[size]:.0f}" if size in each.calls else "" for size in options.sizes
            ]
            table.add_row(str(number), system, *calls, "yes" if each.same_answer else "no")
    return table


_MEASURES = (
    "right",
    "unapplied",
    "calls",
    "tokens",
    "prefill, s",
    "decode, s",
    "to rewrite",
    "to best peer",
    "to floor",
)


def _ratio(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
