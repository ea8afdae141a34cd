"""From a task to an edit worth offering: which strategies are tried, and which answer is taken."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import cycle, islice

from cedit_engine.counts import Counts
from cedit_engine.errors import BudgetExhausted, CeditError, EngineError, PromptTooLong
from cedit_engine.events import Trying
from cedit_engine.guards.check import concerns_about
from cedit_engine.guards.concerns import Concern, NoChange
from cedit_engine.program import Program
from cedit_engine.sampling import SamplingOptions
from cedit_engine.session import AnswerOptions, Attempt, Session
from cedit_engine.strategies.registry import STRATEGIES
from cedit_engine.task import Task

AUTO = "auto"
STRATEGY_NAMES = (AUTO, *STRATEGIES)


@dataclass(frozen=True)
class EditOptions:
    """``rewrite_tokens`` is the longest file that ``auto`` has rewritten first.

    ``guards_off`` names the guards that are not asked.
    """

    strategy: str = AUTO
    rewrite_tokens: int = 2000
    attempts: int = 4
    guards_off: tuple[str, ...] = ()
    answer: AnswerOptions = field(default_factory=AnswerOptions)


@dataclass(frozen=True)
class Verdict:
    """What a test said of an edited file: ``output`` is the end of what it printed."""

    passed: bool
    output: str = ""


Test = Callable[[bytes], Verdict]
"""Called with the edited file's bytes."""


@dataclass(frozen=True)
class FailsTest:
    """The test did not pass."""

    output: str


@dataclass(frozen=True)
class SameAgain:
    """The edit is one that was tried before."""


@dataclass(frozen=True)
class Rejected:
    """An answer that was not taken, and why; ``attempt`` is None where there was none."""

    strategy: str
    reason: Concern | FailsTest | SameAgain | BudgetExhausted | PromptTooLong
    attempt: Attempt | None = None

    @property
    def counts(self) -> Counts:
        """What it cost."""
        if self.attempt:
            return self.attempt.counts
        return self.reason.counts if isinstance(self.reason, BudgetExhausted) else Counts()


@dataclass(frozen=True)
class EditResult:
    """The answer that was taken, after those that were not."""

    chosen: Attempt
    rejected: tuple[Rejected, ...] = ()

    @property
    def program(self) -> Program:
        """What builds the new file."""
        return self.chosen.program

    @property
    def before(self) -> bytes:
        """The old file."""
        return self.chosen.before

    @property
    def after(self) -> bytes:
        """The new file."""
        return self.chosen.after

    @property
    def strategy(self) -> str:
        """The strategy that answered."""
        return self.chosen.strategy

    @property
    def changed(self) -> bool:
        """Whether the new file differs from the old one."""
        return self.before != self.after

    @property
    def counts(self) -> Counts:
        """What all answers cost together."""
        return sum((other.counts for other in self.rejected), self.chosen.counts)


@dataclass(eq=False)
class NothingAcceptable(EngineError):
    """No answer was taken, and not all of them for changing nothing."""

    rejected: tuple[Rejected, ...]


def edit(
    session: Session, task: Task, options: EditOptions, test: Test | None = None
) -> EditResult:
    """Carry out ``task``: by the strategy asked for, or by ``auto``'s first good answer.

    With ``test`` answers are sought until one passes it. Raises ``NothingAcceptable`` where
    every answer was rejected and not all for changing nothing, and ``Session.attempt``'s
    errors.
    """
    if options.strategy != AUTO and test is None:
        return EditResult(session.attempt(task, options.strategy, options.answer))
    return _Search(session, task, options, test).result()


def strategies_of(session: Session, task: Task, options: EditOptions) -> tuple[str, ...]:
    """The strategies that answer greedily, in order."""
    if options.strategy != AUTO:
        return (options.strategy,)
    size = len(session.model.tokenize("\n".join(task.source.views).encode()))
    return ("verify", "anchor") if size <= options.rewrite_tokens else ("anchor", "verify")


def reserve(session: Session, tasks: Iterable[Task], options: EditOptions) -> None:
    """Make room for the largest of ``tasks``, so that one context serves them all."""
    needed = (
        session.context_needed(task, strategies_of(session, task, options), options.answer)
        for task in tasks
    )
    session.model.reserve(max(needed, default=0) + _FAILURE_TOKENS)


@dataclass
class _Search:
    """Answers tried one after another until one is taken."""

    session: Session
    task: Task
    options: EditOptions
    test: Test | None
    rejected: list[Rejected] = field(default_factory=list)

    def result(self) -> EditResult:
        for strategy, answer in self._plans():
            self.session.on_event(Trying(strategy))
            attempt = self._attempt(strategy, answer)
            if attempt and self._is_taken(attempt):
                return EditResult(attempt, tuple(self.rejected))
        return self._nothing_taken()

    def _plans(self) -> list[tuple[str, AnswerOptions]]:
        """Each strategy's own answer, and where a test decides, sampled ones behind them."""
        own, most = self.options.answer, self.options.attempts
        if self.test is None:
            names = strategies_of(self.session, self.task, self.options)
            return [(name, own) for name in names]
        names = _TESTED_ORDER if self.options.strategy == AUTO else (self.options.strategy,)
        sampled = enumerate(islice(cycle(names), most), start=1)
        plans = [(name, own) for name in names]
        plans += [(name, self._sampled(number)) for number, name in sampled]
        return plans[:most]

    def _sampled(self, number: int) -> AnswerOptions:
        answer = self.options.answer
        given = answer.sampling
        temperature = given.temperature or _TRIAL_SAMPLING.temperature
        top_p = given.top_p if given.temperature else _TRIAL_SAMPLING.top_p
        return replace(answer, sampling=SamplingOptions(temperature, top_p, given.seed + number))

    def _attempt(self, strategy: str, answer: AnswerOptions) -> Attempt | None:
        is_sampled = answer != self.options.answer
        task = self._told_of_failure() if is_sampled else self.task
        try:
            return self.session.attempt(task, strategy, answer)
        except (BudgetExhausted, PromptTooLong) as error:
            self.rejected.append(Rejected(strategy, error))
            return None

    def _told_of_failure(self) -> Task:
        """The task with the end of what the test said of the last answer that failed it."""
        failures = [r.reason for r in self.rejected if isinstance(r.reason, FailsTest)]
        if not failures:
            return self.task
        told = _FAILURE.format(instruction=self.task.instruction, output=failures[-1].output)
        return replace(self.task, instruction=told)

    def _is_taken(self, attempt: Attempt) -> bool:
        reason = self._objection(attempt)
        if reason:
            self.rejected.append(Rejected(attempt.strategy, reason, attempt))
        return reason is None

    def _objection(self, attempt: Attempt) -> Concern | FailsTest | SameAgain | None:
        concerns = concerns_about(self.task, attempt.after, self.options.guards_off)
        if concerns or self.test is None:
            return concerns[0] if concerns else None
        tried = [other.attempt.after for other in self.rejected if other.attempt]
        if attempt.after in tried:
            return SameAgain()
        verdict = self.test(attempt.after)
        return None if verdict.passed else FailsTest(verdict.output)

    def _nothing_taken(self) -> EditResult:
        reasons = [other.reason for other in self.rejected]
        unchanged = [r.attempt for r in self.rejected if isinstance(r.reason, NoChange)]
        if len(unchanged) == len(reasons) and unchanged[-1]:
            return EditResult(unchanged[-1], tuple(self.rejected[:-1]))
        errors = [reason for reason in reasons if isinstance(reason, CeditError)]
        if len(errors) == len(reasons):
            raise errors[0]
        raise NothingAcceptable(tuple(self.rejected))


_TESTED_ORDER = ("anchor", "verify")
_TRIAL_SAMPLING = SamplingOptions(temperature=0.7, top_p=0.95)
_FAILURE_TOKENS = 1024
_FAILURE = """\
{instruction}

An earlier attempt failed its test. The end of the test's output:
```
{output}
```"""
