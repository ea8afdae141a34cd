"""From a task to an edit worth offering: which strategies are tried, and which answer is taken."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, cycle, islice
from typing import NamedTuple

from cedit_engine.confining import confined
from cedit_engine.counts import Counts
from cedit_engine.errors import BudgetExhausted, CeditError, EngineError, PromptTooLong
from cedit_engine.events import Trying
from cedit_engine.feedback import feedback
from cedit_engine.fitting import count_tokens
from cedit_engine.guards.check import concerns_about
from cedit_engine.guards.concerns import Concern, NoChange
from cedit_engine.instruction import adds_check
from cedit_engine.mending import MENDS
from cedit_engine.program import Program
from cedit_engine.resolver import resolve
from cedit_engine.sampling import SamplingOptions
from cedit_engine.session import AnswerOptions, Attempt, Session
from cedit_engine.settle import settle
from cedit_engine.sites import named_heads, sites_of
from cedit_engine.strategies.registry import STRATEGIES
from cedit_engine.task import Span, Task

AUTO = "auto"
STRATEGY_NAMES = (AUTO, *STRATEGIES)


@dataclass(frozen=True)
class EditOptions:
    """``rewrite_tokens`` is the longest file that ``auto`` has rewritten first.

    ``attempts`` is how many answers are asked for at most, sampled ones behind the strategies' own:
    None for four where a test decides, and otherwise for the first good one of the strategies'.
    Without a test the first good one that is sure is taken, or what most came to,
    or where no two agree the first.

    ``guards_off`` names the guards that are not asked; what the others see is sent back to
    the model at most ``repairs`` times an answer.
    """

    strategy: str = AUTO
    rewrite_tokens: int = 2000
    attempts: int | None = None
    guards_off: tuple[str, ...] = ()
    repairs: int = 2
    answer: AnswerOptions = field(default_factory=AnswerOptions)

    @property
    def repeats(self) -> bool:
        """Whether the model must be loaded so that it can repeat what it has read."""
        return self.answer.spelling.splice.moves


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
class Outvoted:
    """Nothing is wrong with the edit, and others agree on another one, or are surer."""


@dataclass(frozen=True)
class Rejected:
    """An answer that was not taken, and why; ``attempt`` is None where there was none."""

    strategy: str
    reason: Concern | FailsTest | SameAgain | Outvoted | BudgetExhausted | PromptTooLong
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

    @property
    def refused(self) -> Rejected | None:
        """The last answer that guards spoke against: a person may still want it.

        None where there was none, or a test decided.
        """
        others = (NoChange, SameAgain, BudgetExhausted, PromptTooLong)
        if any(isinstance(other.reason, FailsTest) for other in self.rejected):
            return None
        seen = [r for r in self.rejected if r.attempt and not isinstance(r.reason, others)]
        return seen[-1] if seen else None


def edit(
    session: Session, task: Task, options: EditOptions, test: Test | None = None
) -> EditResult:
    """Carry out ``task`` by the first good answer of the strategy asked for, or of ``auto``'s.

    What guards see in an answer is sent back. With ``test`` answers are sought until one
    passes it, without until one is good enough: see ``EditOptions``. Raises
    ``NothingAcceptable`` where every answer was rejected and not all for changing nothing,
    and ``Session.attempt``'s errors.
    """
    located = replace(task, sites=sites_of(task))
    return _Search(session, located, options, test).result()


def strategies_of(session: Session, task: Task, options: EditOptions) -> tuple[str, ...]:
    """The strategies that answer greedily, in order."""
    if options.strategy != AUTO:
        return (options.strategy,)
    if task.sites:
        return ("anchor", "verify")
    size = count_tokens(session.model, task.source.data, options.rewrite_tokens)
    return ("verify", "anchor") if size <= options.rewrite_tokens else ("anchor", "verify")


def reserve(session: Session, tasks: Iterable[Task], options: EditOptions) -> None:
    """Make room for the largest of ``tasks``, so that one context serves them all."""
    needed = (
        session.context_needed(task, strategies_of(session, task, options), options.answer)
        for task in tasks
    )
    # Behind an answer there may be more to say of it, and then another one.
    session.model.reserve(max(needed, default=0) + _FAILURE_TOKENS + options.rewrite_tokens)


class _Plan(NamedTuple):
    """One answer to ask for."""

    strategy: str
    answer: AnswerOptions
    task: Task


@dataclass
class _Search:
    """Answers tried one after another until one is taken."""

    session: Session
    task: Task
    options: EditOptions
    test: Test | None
    rejected: list[Rejected] = field(default_factory=list)

    def result(self) -> EditResult:
        clean: list[Attempt] = []
        for plan in self._plans():
            self.session.on_event(Trying(plan.strategy))
            found = self._good_answer(plan)
            if found and (found.certainty.is_sure or not self._compares):
                return self._chosen(found, clean)
            clean += [found] if found else []
        return self._chosen(_agreed(clean), clean) if clean else self._nothing_taken()

    def _plans(self) -> Iterator[_Plan]:
        """Each strategy's own answer, and where several attempts are made, sampled ones behind.

        Answers are looked at while the next plan is not made yet.
        """
        names = strategies_of(self.session, self.task, self.options)
        if self.test and self.options.strategy == AUTO:
            names = _TESTED_ORDER
        most = self.options.attempts or (_TESTED_ATTEMPTS if self.test else None)
        plans = self._own_answers(names)
        return islice(chain(plans, self._sampled_answers(names)), most) if most else plans

    def _own_answers(self, names: tuple[str, ...]) -> Iterator[_Plan]:
        for number, name in enumerate(names):
            if number and self.test is None and self._nothing_changed():
                yield from self._second_looks()
            yield _Plan(name, self.options.answer, self.task)

    def _sampled_answers(self, names: tuple[str, ...]) -> Iterator[_Plan]:
        for number, name in enumerate(cycle(names), start=1):
            yield _Plan(name, self._sampled(number), self.task)

    def _second_looks(self) -> Iterator[_Plan]:
        """The heads of the functions that are named, with nothing else to edit, for a check there.

        Where a whole file is to be looked at, a check of an argument goes anywhere. Asked for
        anything else a model writes the whole function in the place of its head.
        """
        heads = named_heads(self.task)
        if heads and adds_check(self.task.instruction):
            spans = tuple(Span(head, head) for head in heads)
            yield _Plan("anchor", self.options.answer, self.task.confined_to(spans))

    def _nothing_changed(self) -> bool:
        return bool(self.rejected) and isinstance(self.rejected[-1].reason, NoChange)

    @property
    def _compares(self) -> bool:
        """Whether a good answer that is not sure is held against others: where no test decides."""
        return self.test is None and self.options.attempts is not None

    def _chosen(self, attempt: Attempt, clean: list[Attempt]) -> EditResult:
        others = (each for each in clean if each is not attempt)
        outvoted = (Rejected(each.strategy, Outvoted(), each) for each in others)
        return EditResult(attempt, (*self.rejected, *outvoted))

    def _good_answer(self, plan: _Plan) -> Attempt | None:
        """The answer, mended or repaired, in which nothing is seen; None where there is none."""
        attempt = self._attempt(plan)
        while attempt:
            objections = self._objections(attempt)
            if not objections:
                return attempt
            self.rejected.append(Rejected(plan.strategy, objections[0], attempt))
            for mended in self._mended(attempt):
                if not self._objections(mended):
                    return mended
            attempt = self._repaired(attempt, objections, plan.answer)
        return None

    def _sampled(self, number: int) -> AnswerOptions:
        answer = self.options.answer
        given = answer.sampling
        temperature = given.temperature or _TRIAL_SAMPLING.temperature
        top_p = given.top_p if given.temperature else _TRIAL_SAMPLING.top_p
        return replace(answer, sampling=SamplingOptions(temperature, top_p, given.seed + number))

    def _attempt(self, plan: _Plan) -> Attempt | None:
        is_sampled = plan.answer != self.options.answer
        task = self._told_of_failure() if is_sampled else plan.task
        return self._tried(
            plan.strategy, lambda: self.session.attempt(task, plan.strategy, plan.answer)
        )

    def _tried(self, strategy: str, answer: Callable[[], Attempt]) -> Attempt | None:
        try:
            return answer()
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

    def _objections(self, attempt: Attempt) -> tuple[Concern | SameAgain | FailsTest, ...]:
        """What speaks against an answer; the test is asked last, as it may take long."""
        concerns = concerns_about(self.task, attempt.after, self.options.guards_off)
        tried = [other.attempt.after for other in self.rejected if other.attempt]
        if attempt.after in tried and concerns != (NoChange(),):
            return (SameAgain(),)
        if concerns or self.test is None:
            return concerns
        verdict = self.test(attempt.after)
        return () if verdict.passed else (FailsTest(verdict.output),)

    def _mended(self, attempt: Attempt) -> Iterator[Attempt]:
        """The answer with what can be put right without the model, in one or several ways."""
        found = [attempt]
        for mend, put_right in MENDS.items():
            for other in tuple(found):
                program = put_right(self.task, other.after, self.options.guards_off)
                if program:
                    mended = self._with_program(attempt, program)
                    found.append(replace(mended, mends=(*other.mends, mend)))
                    yield found[-1]

    def _with_program(self, attempt: Attempt, program: Program) -> Attempt:
        settled = confined(settle(program, self.task.source), self.task)
        after = resolve(settled, self.task.source)
        counts = Counts(copied_lines=settled.copied_lines)
        return replace(attempt, program=settled, after=after, counts=counts)

    def _repaired(
        self,
        attempt: Attempt,
        objections: tuple[Concern | SameAgain | FailsTest, ...],
        answer: AnswerOptions,
    ) -> Attempt | None:
        """A further answer to what guards saw, where that is worth another try."""
        if attempt.repairs == self.options.repairs:
            return None
        seen: list[Concern] = []
        for objection in objections:
            if isinstance(objection, NoChange | SameAgain | FailsTest):
                return None
            seen.append(objection)
        told = feedback(seen, attempt.after)
        return self._tried(
            attempt.strategy, lambda: self.session.repair(attempt, self.task, told, answer)
        )

    def _nothing_taken(self) -> EditResult:
        reasons = [other.reason for other in self.rejected]
        unchanged = [r.attempt for r in self.rejected if isinstance(r.reason, NoChange)]
        if len(unchanged) == len(reasons) and unchanged[-1]:
            return EditResult(unchanged[-1], tuple(self.rejected[:-1]))
        errors = [reason for reason in reasons if isinstance(reason, CeditError)]
        if len(errors) == len(reasons):
            raise errors[0]
        raise NothingAcceptable(tuple(self.rejected))


def _agreed(clean: Sequence[Attempt]) -> Attempt:
    """What most of the answers came to; of several, what was answered first.

    How sure the model is does not decide: strategies spell an edit in more tokens or fewer.
    """
    votes = Counter(each.after for each in clean)
    return max(clean, key=lambda each: votes[each.after])


_TESTED_ATTEMPTS = 4
_TESTED_ORDER = ("anchor", "verify")
_TRIAL_SAMPLING = SamplingOptions(temperature=0.7, top_p=0.95)
_FAILURE_TOKENS = 1024
_FAILURE = """\
{instruction}

An earlier attempt failed its test. The end of the test's output:
```
{output}
```"""
