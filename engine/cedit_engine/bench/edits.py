"""``bench edits``: how often a strategy's edit is the right one, and what it costs."""

import ast
import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from cedit_engine.bench import execute
from cedit_engine.counts import Counts
from cedit_engine.editing import (
    EditOptions,
    NothingAcceptable,
    Rejected,
    Test,
    Verdict,
    edit,
)
from cedit_engine.errors import BadRow, BudgetExhausted, PromptTooLong
from cedit_engine.session import Attempt, Session
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
class Answer:
    """One answer to a case; ``rejected`` names why it was not taken, and is None where it was.

    ``passed`` is None where its tests were not run.
    """

    strategy: str
    exact: bool
    passed: bool | None
    unparsed: bool
    no_change: bool
    rejected: str | None
    after: str
    counts: Counts

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> "Answer":
        """The inverse of ``dataclasses.asdict``."""
        return cls(**{**row, "counts": Counts(**row["counts"])})


@dataclass(frozen=True)
class CaseResult:
    """What became of one case: the answer taken, if any, behind those that were not."""

    name: str
    answers: tuple[Answer, ...]

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> "CaseResult":
        """The inverse of ``as_json``."""
        return cls(row["name"], tuple(map(Answer.from_json, row["answers"])))

    def as_json(self) -> dict[str, Any]:
        """A JSON object with every field."""
        return asdict(self)

    @property
    def taken(self) -> Answer | None:
        """The answer that an edit would have offered."""
        last = self.answers[-1]
        return last if last.rejected is None else None

    @property
    def error(self) -> str | None:
        """Why no answer was taken."""
        return None if self.taken else self.answers[-1].rejected

    @property
    def counts(self) -> Counts:
        """What all answers cost together."""
        return sum((answer.counts for answer in self.answers), Counts())


@dataclass(frozen=True)
class Judging:
    """``execute`` runs each case's tests; ``choose`` lets them choose among answers."""

    execute: bool = False
    choose: bool = False


def run_case(session: Session, case: Case, options: EditOptions, judging: Judging) -> CaseResult:
    """Edit ``case`` and judge every answer that was written on the way."""
    task = Task.of(Source.from_bytes(case.before), case.instruction, case.file_name)
    test = _test_of(case) if judging.choose else None
    try:
        result = edit(session, task, options, test)
    except NothingAcceptable as error:
        rejected = error.rejected
        return CaseResult(case.name, tuple(_rejected(case, r, judging) for r in rejected))
    except PromptTooLong as error:
        return CaseResult(case.name, (_unanswered(options.strategy, error, Counts()),))
    except BudgetExhausted as error:
        return CaseResult(case.name, (_unanswered(options.strategy, error, error.counts),))
    taken = _answer(case, result.chosen, judging, None)
    others = tuple(_rejected(case, rejected, judging) for rejected in result.rejected)
    return CaseResult(case.name, (*others, taken))


def _test_of(case: Case) -> Test | None:
    if case.test is None:
        return None

    def test(after: bytes) -> Verdict:
        passed, output = _run_test(case, after)
        return Verdict(passed, output)

    return test


def _rejected(case: Case, rejected: Rejected, judging: Judging) -> Answer:
    if rejected.attempt is None:
        return _unanswered(rejected.strategy, rejected.reason, rejected.counts)
    return _answer(case, rejected.attempt, judging, type(rejected.reason).__name__)


def _answer(case: Case, attempt: Attempt, judging: Judging, rejected: str | None) -> Answer:
    parsed = _parses(case.language, case.before)
    return Answer(
        strategy=attempt.strategy,
        exact=attempt.after == case.after,
        passed=_passes(case, attempt.after) if judging.execute else None,
        unparsed=parsed and not _parses(case.language, attempt.after),
        no_change=attempt.after == case.before,
        rejected=rejected,
        after=attempt.after.decode("utf-8", "replace"),
        counts=attempt.counts,
    )


def _unanswered(strategy: str, reason: object, counts: Counts) -> Answer:
    name = type(reason).__name__
    return Answer(strategy, False, False, False, True, name, "", counts)


def _passes(case: Case, after: bytes) -> bool | None:
    if case.test is None or (case.language == "javascript" and not execute.node()):
        return None
    return _run_test(case, after)[0]


def _run_test(case: Case, after: bytes) -> tuple[bool, str]:
    """Whether the edited file passes the case's tests, and the end of what they print."""
    program = after + b"\n" + (case.test or "").encode()
    run = execute.python_outcome if case.language == "python" else execute.javascript_outcome
    return run(program)


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
    taken = [result.taken for result in done if result.taken]
    every = [answer for result in done for answer in result.answers]
    strategies = dict.fromkeys(answer.strategy for answer in every)
    return {
        "cases": len(done),
        **_outcomes(taken, judged=any(answer.passed is not None for answer in every)),
        **_totals(result.counts for result in done),
        "errors": len(done) - len(taken),
        "strategy": options.strategy,
        "model": model_name,
        "answers": {name: _of_strategy(name, every) for name in strategies},
    }


def _outcomes(answers: Sequence[Answer], judged: bool) -> dict[str, int]:
    outcomes = {
        "em": sum(answer.exact for answer in answers),
        "passed": sum(bool(answer.passed) for answer in answers),
        "unparsed": sum(answer.unparsed for answer in answers),
        "no_change": sum(answer.no_change for answer in answers),
    }
    if not judged:
        del outcomes["passed"]
    return outcomes


def _of_strategy(name: str, answers: Iterable[Answer]) -> dict[str, Any]:
    """The totals of one strategy's answers, whether taken or not."""
    own = [answer for answer in answers if answer.strategy == name]
    judged = any(answer.passed is not None for answer in own)
    return {
        "answers": len(own),
        "taken": sum(answer.rejected is None for answer in own),
        **_outcomes(own, judged),
        "forward_calls": sum(answer.counts.forward_calls for answer in own),
    }


def _totals(counts: Iterable[Counts]) -> dict[str, float]:
    return {
        name: round(total, 3) if isinstance(total, float) else total
        for name, total in vars(sum(counts, Counts())).items()
    }
