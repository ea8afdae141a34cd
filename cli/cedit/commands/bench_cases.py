"""What the benches over cases share: running them, keeping results, telling of them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.table import Table

from cedit.environment import Environment
from cedit.failures import FileProblem
from cedit.interrupts import stoppable
from cedit.models import opened_model
from cedit.progress import counted
from cedit_engine.bench import execute
from cedit_engine.bench.results import Case, CaseResult, Judging, run_case
from cedit_engine.editing import EditOptions
from cedit_engine.llama import LoadOptions
from cedit_engine.session import Session
from cedit_engine.states import StateCache


@dataclass(frozen=True)
class CasesRequest:
    """How cases are to be run, as the command line says it."""

    options: EditOptions
    judging: Judging
    resume: Path | None
    model: str
    load: LoadOptions


def run_cases(
    data: str, cases: Sequence[Case], request: CasesRequest, environment: Environment
) -> list[CaseResult]:
    """The results of all ``cases`` of ``data``; those that ``--resume`` holds are not run again."""
    if request.judging.execute:
        environment.err.print(
            f"cedit: this runs code that a model wrote, in a subprocess limited to "
            f"{execute.SECONDS} s and {execute.MEMORY_BYTES >> 20} MiB; it is no sandbox",
            markup=False,
        )
    record = _Record(data, request)
    pending = [case for case in cases if case.name not in record.results]
    if pending:
        _run_pending(pending, request, record, environment)
    return [record.results[case.name] for case in cases]


def _run_pending(
    cases: Sequence[Case], request: CasesRequest, record: "_Record", environment: Environment
) -> None:
    cancellation = environment.cancellation
    with (
        opened_model(request.model, request.load, environment, quiet=False) as model,
        TemporaryDirectory(prefix="cedit-bench-") as states,
        stoppable(cancellation),
    ):
        # One context for all cases: growing it later would lose the shared part of the prompts.
        answer_tokens = request.options.answer.answer_tokens
        model.reserve(min(2 * answer_tokens, model.trained_context))
        # The parts that prompts of several strategies share are read once for each of them.
        session = Session(model, cancellation=cancellation, states=StateCache(Path(states)))
        right = 0
        shown = counted(cases, "editing", len(cases), environment.err, lambda: f", {right} right")
        for case in shown:
            result = run_case(session, case, request.options, request.judging)
            record.add(result)
            right += result.done


class _Record:
    """The results so far, kept in ``--resume FILE`` one a line behind what they are of."""

    def __init__(self, data: str, request: CasesRequest) -> None:
        self.results: dict[str, CaseResult] = {}
        self._path = request.resume
        self._head = {
            "data": data,
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
        except OSError as error:
            raise FileProblem(
                str(path), f"it cannot be written: {error}", "name another"
            ) from error
        head, self.results = read_results(path)
        # What was asked may hold tuples, which JSON does not know.
        if head != json.loads(json.dumps(self._head)):
            raise FileProblem(
                str(path), "it holds results of other data or options", "name another file"
            )

    def add(self, result: CaseResult) -> None:
        """Keep a result."""
        self.results[result.name] = result
        if self._path:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(result.as_json()) + "\n")


def read_results(path: Path) -> tuple[dict[str, Any], dict[str, CaseResult]]:
    """What a file of results is of, and the results by name; raises ``FileProblem``."""
    try:
        head, *rows = _whole_lines(path)
        results = {row["name"]: CaseResult.from_json(row) for row in rows}
    except OSError as error:
        raise FileProblem(str(path), error.strerror or str(error), "name another") from error
    except (ValueError, KeyError, TypeError) as error:
        reason = "it holds no results of a bench"
        raise FileProblem(str(path), reason, "name a file that --resume wrote") from error
    if "data" not in head:
        raise FileProblem(str(path), "it does not say what it holds results of", "name another")
    return head, results


def _whole_lines(path: Path) -> list[dict[str, Any]]:
    """The rows of a file whose last line may have been cut off; what is cut is dropped."""
    text = path.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        path.write_text(whole, encoding="utf-8")
    return [json.loads(line) for line in whole.splitlines()]


def print_summary(summary: Mapping[str, Any], environment: Environment) -> None:
    """The table for people on standard output, and behind it the same as a line of JSON."""
    table = Table("measure", "value", box=None, pad_edge=False)
    for key, value in _flat(summary):
        shown = f"{value:,}" if isinstance(value, int | float) else value
        table.add_row(key.replace("_", " "), shown)
    environment.out.print(table)
    environment.write(json.dumps(summary).encode() + b"\n")


def _flat(summary: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in summary.items():
        if isinstance(value, Mapping):
            yield from ((f"{key}: {inner}", count) for inner, count in _flat(value))
        else:
            yield key, value
