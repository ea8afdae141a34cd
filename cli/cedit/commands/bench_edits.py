"""``cedit bench edits``: how right edits are, and what they cost."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from cedit.environment import Environment
from cedit.exits import ExitStatus
from cedit.failures import FileProblem
from cedit.interrupts import stoppable
from cedit.models import opened_model
from cedit_engine.bench import execute
from cedit_engine.bench.edits import Case, CaseResult, Judging, load_cases, run_case, summarise
from cedit_engine.editing import EditOptions
from cedit_engine.llama import LoadOptions
from cedit_engine.session import Session
from cedit_engine.states import StateCache


@dataclass(frozen=True)
class BenchRequest:
    """What the command line asks for."""

    data: Path
    limit: int | None
    options: EditOptions
    judging: Judging
    resume: Path | None
    model: str
    load: LoadOptions


def run(request: BenchRequest, environment: Environment) -> ExitStatus:
    """Run every case that ``--resume`` does not hold, then print the table and the totals."""
    cases = _cases(request)
    if request.judging.execute:
        environment.err.print(
            f"cedit: --execute runs code that a model wrote, in a subprocess limited to "
            f"{execute.SECONDS} s and {execute.MEMORY_BYTES >> 20} MiB; it is no sandbox",
            markup=False,
        )
    record = _Record(request)
    pending = [case for case in cases if case.name not in record.results]
    if pending:
        _run_pending(pending, request, record, environment)
    results = [record.results[case.name] for case in cases]
    summary = summarise(results, request.options, request.model)
    environment.out.print(_table(summary))
    environment.write(json.dumps(summary).encode() + b"\n")
    return ExitStatus.DONE


def _cases(request: BenchRequest) -> list[Case]:
    try:
        return load_cases(request.data, request.limit)
    except OSError as error:
        raise FileProblem(
            str(request.data), error.strerror or str(error), "name a JSON Lines file"
        ) from error


def _run_pending(
    cases: list[Case], request: BenchRequest, record: "_Record", environment: Environment
) -> None:
    cancellation = environment.cancellation
    with (
        opened_model(request.model, request.load, environment, quiet=False) as model,
        _bar(environment.err, len(cases)) as advance,
        TemporaryDirectory(prefix="cedit-bench-") as states,
        stoppable(cancellation),
    ):
        # One context for all cases: growing it later would lose the shared part of the prompts.
        answer_tokens = request.options.answer.answer_tokens
        model.reserve(min(2 * answer_tokens, model.trained_context))
        # The parts that prompts of several strategies share are read once for each of them.
        session = Session(model, cancellation=cancellation, states=StateCache(Path(states)))
        for case in cases:
            result = run_case(session, case, request.options, request.judging)
            record.add(result)
            advance(result)


class _Record:
    """The results so far, kept in ``--resume FILE`` one a line behind what they are of."""

    def __init__(self, request: BenchRequest) -> None:
        self.results: dict[str, CaseResult] = {}
        self._path = request.resume
        self._head = {
            "data": request.data.name,
            "model": request.model,
            "options": asdict(request.options),
            "judging": asdict(request.judging),
        }
        if self._path:
            self._open(self._path)

    def _open(self, path: Path) -> None:
        try:
            if not path.exists():
                path.write_text(json.dumps(self._head) + "\n", encoding="utf-8")
            head, *rows = _whole_lines(path)
        except (OSError, ValueError) as error:
            raise FileProblem(str(path), f"it holds no results: {error}", "name another") from error
        if head != self._head:
            raise FileProblem(
                str(path), "it holds results of other data or options", "name another file"
            )
        self.results = {row["name"]: CaseResult.from_json(row) for row in rows}

    def add(self, result: CaseResult) -> None:
        """Keep a result."""
        self.results[result.name] = result
        if self._path:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(result.as_json()) + "\n")


def _whole_lines(path: Path) -> list[dict[str, Any]]:
    """The rows of a file whose last line may have been cut off; what is cut is dropped."""
    text = path.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        path.write_text(whole, encoding="utf-8")
    return [json.loads(line) for line in whole.splitlines()]


@contextmanager
def _bar(console: Console, total: int) -> Iterator[Any]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as progress:
        task = progress.add_task("editing", total=total)
        exact = 0

        def advance(result: CaseResult) -> None:
            nonlocal exact
            exact += bool(result.taken and result.taken.exact)
            progress.update(task, advance=1, description=f"editing, {exact} exact")

        yield advance


def _table(summary: dict[str, Any]) -> Table:
    table = Table("measure", "value", box=None, pad_edge=False)
    for key, value in _flat(summary):
        shown = f"{value:,}" if isinstance(value, int | float) else value
        table.add_row(key.replace("_", " "), shown)
    return table


def _flat(summary: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in summary.items():
        if isinstance(value, dict):
            yield from ((f"{key}: {inner}", count) for inner, count in _flat(value))
        else:
            yield key, value
