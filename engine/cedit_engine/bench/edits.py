"""``bench edits``: how often a strategy's edit is the right one, and what it costs."""

import ast
import json
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal

from cedit_engine.bench import execute
from cedit_engine.counts import Counts
from cedit_engine.errors import BadRow, BudgetExhausted, CeditError, PromptTooLong
from cedit_engine.events import Cancellation
from cedit_engine.model import Model
from cedit_engine.session import EditOptions, edit
from cedit_engine.source import Source
from cedit_engine.task import Task

Language = Literal["python", "javascript", "other"]


@dataclass(frozen=True)
class Case:
    """An edit with a known answer; ``test`` is code that runs behind the edited file."""

    name: str
    language: Language
    before: bytes
    after: bytes
    instruction: str
    test: str | None = None

    @property
    def file_name(self) -> str:
        """The name that the model is told the file has."""
        return {"python": "file.py", "javascript": "file.js", "other": "file.txt"}[self.language]


def load_cases(path: Path, limit: int | None = None) -> list[Case]:
    """The first ``limit`` rows of a JSON Lines file; raises ``BadRow``, or ``OSError``.

    A row is one of HumanEvalPack, or holds ``before``, ``after`` and ``instruction``, and
    optionally ``name`` (of the file), which tells the language.
    """
    with path.open("rb") as file:
        rows = enumerate((line for line in file if line.strip()), start=1)
        return [_case(path, number, line) for number, line in rows if not limit or number <= limit]


def _case(path: Path, number: int, line: bytes) -> Case:
    try:
        row = json.loads(line)
        if "buggy_solution" in row:
            return _humaneval_case(row)
        suffix = Path(row.get("name", "")).suffix
        languages: Mapping[str, Language] = {".py": "python", ".js": "javascript"}
        return Case(
            str(row.get("id", number)),
            languages.get(suffix, "other"),
            row["before"].encode(),
            row["after"].encode(),
            row["instruction"],
        )
    except (ValueError, TypeError, AttributeError) as error:
        raise BadRow(path, number, str(error)) from error
    except KeyError as error:
        raise BadRow(path, number, f"no field {error}") from error


def _humaneval_case(row: Mapping[str, str]) -> Case:
    language, _, _ = row["task_id"].partition("/")
    return Case(
        row["task_id"],
        "python" if language == "Python" else "javascript" if language == "JavaScript" else "other",
        (row["prompt"] + row["buggy_solution"]).encode(),
        (row["prompt"] + row["canonical_solution"]).encode(),
        f"Fix the bug in `{row['entry_point']}`.",
        row["test"],
    )


@dataclass(frozen=True)
class CaseResult:
    """What became of one case; ``passed`` is None where its tests were not run."""

    name: str
    exact: bool
    passed: bool | None
    unparsed: bool
    no_change: bool
    error: str | None
    after: str
    counts: Counts

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> "CaseResult":
        """The inverse of ``as_json``."""
        return cls(**{**row, "counts": Counts(**row["counts"])})

    def as_json(self) -> dict[str, Any]:
        """A JSON object with every field."""
        return asdict(self)


def run_case(
    model: Model,
    case: Case,
    options: EditOptions,
    run_tests: bool,
    cancellation: Cancellation | None = None,
) -> CaseResult:
    """Edit ``case`` and judge the result; a case that could not be edited has an ``error``."""
    task = Task.of(Source.from_bytes(case.before), case.instruction, case.file_name)
    try:
        result = edit(model, task, options, cancellation=cancellation)
    except PromptTooLong as error:
        return _failed(case, run_tests, error, Counts())
    except BudgetExhausted as error:
        return _failed(case, run_tests, error, error.counts)
    return CaseResult(
        name=case.name,
        exact=result.after == case.after,
        passed=_passes(case, result.after) if run_tests else None,
        unparsed=_parses(case.language, case.before) and not _parses(case.language, result.after),
        no_change=not result.changed,
        error=None,
        after=result.after.decode("utf-8", "replace"),
        counts=result.counts,
    )


def _failed(case: Case, run_tests: bool, error: CeditError, counts: Counts) -> CaseResult:
    return CaseResult(
        name=case.name,
        exact=False,
        passed=False if run_tests and case.test is not None else None,
        unparsed=False,
        no_change=True,
        error=type(error).__name__,
        after="",
        counts=counts,
    )


def _passes(case: Case, after: bytes) -> bool | None:
    if case.test is None:
        return None
    program = after + b"\n" + case.test.encode()
    if case.language == "python":
        return execute.python_passes(program)
    return execute.javascript_passes(program) if execute.node() else None


def _parses(language: Language, text: bytes) -> bool:
    if language == "javascript" and execute.node():
        return execute.javascript_parses(text)
    if language != "python":
        return True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def summarise(
    results: Iterable[CaseResult], options: EditOptions, model_name: str
) -> dict[str, Any]:
    """The totals, under the keys that ``bench edits`` prints."""
    done = list(results)
    judged = [result.passed for result in done if result.passed is not None]
    totals = dict(_totals(result.counts for result in done))
    summary: dict[str, Any] = {
        "cases": len(done),
        "em": sum(result.exact for result in done),
        "passed": sum(judged),
        "unparsed": sum(result.unparsed for result in done),
        "no_change": sum(result.no_change for result in done),
        **totals,
        "errors": sum(result.error is not None for result in done),
        "strategy": options.strategy,
        "model": model_name,
    }
    if not judged:
        del summary["passed"]
    return summary


def _totals(counts: Iterable[Counts]) -> Iterator[tuple[str, float]]:
    every = list(counts)
    for field in fields(Counts):
        total = sum(getattr(count, field.name) for count in every)
        yield field.name, round(total, 3) if isinstance(total, float) else total
