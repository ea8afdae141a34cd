"""What became of benchmark cases: answers, judged, and their totals."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from cedit_engine.counts import Counts
from cedit_engine.decoder import CERTAIN, Certainty
from cedit_engine.editing import (
    EditOptions,
    NothingAcceptable,
    Rejected,
    Verdict,
    edit,
)
from cedit_engine.errors import BudgetExhausted, PromptTooLong
from cedit_engine.mending import Mend
from cedit_engine.session import Attempt, Session
from cedit_engine.task import Task


@dataclass(frozen=True)
class Judgement:
    """What an edited file is worth.

    ``exact`` says that it is the reference, ``unparsed`` that it was well-formed before and is
    not now, ``kept`` that nothing changed outside the lines that may, ``disaster`` that
    unrelated code is gone; ``kept`` is None where a case does not say which lines may change.
    """

    exact: bool
    unparsed: bool = False
    kept: bool | None = None
    disaster: bool = False


class Case(Protocol):
    """An edit to be made and judged."""

    @property
    def name(self) -> str: ...

    @property
    def task(self) -> Task:
        """What the model is asked."""

    def judge(self, after: bytes) -> Judgement:
        """What can be said of an answer without running it."""

    @property
    def can_check(self) -> bool:
        """Whether it has a check, and this machine what that needs."""

    def outcome(self, after: bytes) -> Verdict:
        """What its check says of an answer; asked only where ``can_check``."""


@dataclass(frozen=True)
class Answer:
    """One answer to a case; ``rejected`` names why it was not taken, and is None where it was.

    ``passed`` is None where its check was not run. The rest is as in ``Judgement``.
    """

    strategy: str
    exact: bool
    passed: bool | None
    unparsed: bool
    no_change: bool
    rejected: str | None
    after: str
    counts: Counts
    kept: bool | None = None
    disaster: bool = False
    certainty: Certainty = CERTAIN
    mends: tuple[Mend, ...] = ()
    repairs: int = 0

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> "Answer":
        """The inverse of ``dataclasses.asdict``."""
        certainty = Certainty(**row.get("certainty", {}))
        mends = tuple(map(Mend, row.get("mends", ())))
        counts = Counts(**row["counts"])
        return cls(**{**row, "counts": counts, "certainty": certainty, "mends": mends})

    @property
    def done(self) -> bool:
        """Whether it does what was asked and nothing else, as far as that was looked at."""
        right = self.exact if self.passed is None else self.passed
        return right and self.kept is not False


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
    def done(self) -> bool:
        """Whether the answer taken does what was asked."""
        return self.taken is not None and self.taken.done

    @property
    def counts(self) -> Counts:
        """What all answers cost together."""
        return sum((answer.counts for answer in self.answers), Counts())


@dataclass(frozen=True)
class Judging:
    """``execute`` runs each case's check; ``choose`` lets it choose among answers."""

    execute: bool = False
    choose: bool = False


def run_case(session: Session, case: Case, options: EditOptions, judging: Judging) -> CaseResult:
    """Edit ``case`` and judge every answer that was written on the way."""
    test = case.outcome if judging.choose and case.can_check else None
    try:
        result = edit(session, case.task, options, test)
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


def _rejected(case: Case, rejected: Rejected, judging: Judging) -> Answer:
    if rejected.attempt is None:
        return _unanswered(rejected.strategy, rejected.reason, rejected.counts)
    return _answer(case, rejected.attempt, judging, type(rejected.reason).__name__)


def _answer(case: Case, attempt: Attempt, judging: Judging, rejected: str | None) -> Answer:
    verdict = case.outcome(attempt.after) if judging.execute and case.can_check else None
    return Answer(
        strategy=attempt.strategy,
        passed=verdict.passed if verdict else None,
        no_change=attempt.after == attempt.before,
        rejected=rejected,
        after=attempt.after.decode("utf-8", "replace"),
        counts=attempt.counts,
        certainty=attempt.certainty,
        mends=attempt.mends,
        repairs=attempt.repairs,
        **asdict(case.judge(attempt.after)),
    )


def _unanswered(strategy: str, reason: object, counts: Counts) -> Answer:
    name = type(reason).__name__
    return Answer(strategy, False, False, False, True, name, "", counts)


def summarise(
    results: Iterable[CaseResult], options: EditOptions, model_name: str
) -> dict[str, Any]:
    """The totals of all results, of the answers taken and of each strategy's answers."""
    done = list(results)
    taken = [result.taken for result in done if result.taken]
    every = [answer for result in done for answer in result.answers]
    strategies = dict.fromkeys(answer.strategy for answer in every)
    return {
        "cases": len(done),
        **_outcomes(taken, every),
        **_totals(result.counts for result in done),
        "errors": len(done) - len(taken),
        "strategy": options.strategy,
        "model": model_name,
        "answers": {name: _of_strategy(name, every) for name in strategies},
    }


def _outcomes(answers: Sequence[Answer], every: Sequence[Answer]) -> dict[str, int]:
    """How often each thing was seen; what nobody looked at in ``every`` answer is left out."""
    outcomes = {
        "done": sum(answer.done for answer in answers),
        "em": sum(answer.exact for answer in answers),
        "passed": sum(bool(answer.passed) for answer in answers),
        "unparsed": sum(answer.unparsed for answer in answers),
        "no_change": sum(answer.no_change for answer in answers),
        "disasters": sum(answer.disaster for answer in answers),
    }
    if all(answer.kept is None for answer in every):
        del outcomes["done"], outcomes["disasters"]
    if all(answer.passed is None for answer in every):
        del outcomes["passed"]
    return outcomes


def _of_strategy(name: str, answers: Iterable[Answer]) -> dict[str, Any]:
    """The totals of one strategy's answers, whether taken or not."""
    own = [answer for answer in answers if answer.strategy == name]
    return {
        "answers": len(own),
        "taken": sum(answer.rejected is None for answer in own),
        **_outcomes(own, own),
        "forward_calls": sum(answer.counts.forward_calls for answer in own),
    }


def _totals(counts: Iterable[Counts]) -> dict[str, float]:
    return {
        name: round(total, 3) if isinstance(total, float) else total
        for name, total in vars(sum(counts, Counts())).items()
    }
