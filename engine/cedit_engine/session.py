"""One answer from task to attempt: prompt, context, program, bytes."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from time import perf_counter

from cedit_engine.confining import confined
from cedit_engine.counts import Counts
from cedit_engine.decoder import CERTAIN, Certainty, Decoder
from cedit_engine.events import Cancellation, OnEvent, ignore
from cedit_engine.feedback import Feedback
from cedit_engine.fitting import Fitted, context_needed, fitted, require_fit, room_for
from cedit_engine.mending import Mend
from cedit_engine.model import Model, Turn
from cedit_engine.oracle import oracle
from cedit_engine.prefix import common_prefix_length
from cedit_engine.program import Copy, Program
from cedit_engine.reading import NoStates, Prompt, States
from cedit_engine.resolver import resolve
from cedit_engine.sampling import Sampler, SamplingOptions
from cedit_engine.settle import settle
from cedit_engine.source import Source
from cedit_engine.strategies.base import StrategyOptions
from cedit_engine.strategies.registry import strategy_for
from cedit_engine.task import Task


@dataclass(frozen=True)
class AnswerOptions:
    """How an answer is written; ``answer_tokens`` bounds what is not copied of it."""

    answer_tokens: int = 2048
    sampling: SamplingOptions = field(default_factory=SamplingOptions)
    spelling: StrategyOptions = field(default_factory=StrategyOptions)


@dataclass(frozen=True)
class Attempt:
    """The program that a model arrived at, the bytes it builds, and what it cost.

    ``turns`` is the conversation that ends with the answer; ``repairs`` counts the answers
    before it that guards sent back, and ``mends`` are what was put right in it since.
    """

    program: Program
    before: bytes
    after: bytes
    strategy: str
    counts: Counts
    certainty: Certainty = CERTAIN
    turns: tuple[Turn, ...] = ()
    repairs: int = 0
    mends: tuple[Mend, ...] = ()


@dataclass(frozen=True)
class Session:
    """A model at work: what it tells, what stops it, and what it remembers of prompts."""

    model: Model
    on_event: OnEvent = ignore
    cancellation: Cancellation = field(default_factory=Cancellation)
    states: States = field(default_factory=NoStates)

    def attempt(self, task: Task, strategy_name: str, options: AnswerOptions) -> Attempt:
        """Have the model carry out ``task``.

        Raises ``PromptTooLong``, ``BudgetExhausted``, ``Interrupted`` and the model's own
        errors.
        """
        started = perf_counter()
        strategy = strategy_for(strategy_name, options.spelling)
        fit = fitted(self.model, strategy, task, options.answer_tokens)
        turns = tuple(strategy.turns(fit.task))
        return self._answer(strategy_name, fit, turns, options, started)

    def repair(
        self, attempt: Attempt, task: Task, seen: Feedback, options: AnswerOptions
    ) -> Attempt:
        """Have the model go on from ``attempt``, an answer to ``task`` in which ``seen`` was seen.

        The new program is between ``task``'s source and the final text. Raises what
        ``attempt`` raises.
        """
        started = perf_counter()
        strategy = strategy_for(attempt.strategy, options.spelling)
        edited = task.over(Source.from_bytes(attempt.after), seen.sites)
        turns = (*attempt.turns, Turn("user", strategy.further_turn(edited, seen.text)))
        tokens = self.model.tokenize_chat(turns)
        prompt = Prompt(tokens, (common_prefix_length(self.model.tokens, tokens),))
        room = room_for(self.model, strategy, edited, options.answer_tokens)
        require_fit(self.model, prompt, room)
        fit = Fitted(edited, prompt, room)
        answer = self._answer(attempt.strategy, fit, turns, options, started)
        whole = settle(oracle(task.source, Source.from_bytes(answer.after)), task.source)
        program = confined(whole, task)
        before = task.source.data
        after = resolve(program, task.source)
        return replace(
            answer, program=program, before=before, after=after, repairs=attempt.repairs + 1
        )

    def _answer(
        self,
        name: str,
        fit: Fitted,
        turns: tuple[Turn, ...],
        options: AnswerOptions,
        started: float,
    ) -> Attempt:
        """What the strategy ``name`` answers to ``turns``, which the prompt of ``fit`` spells."""
        task = fit.task
        self.model.reserve(fit.context)
        decoder = Decoder(
            self.model,
            Sampler(options.sampling),
            fit.room,
            options.spelling.drafts,
            self.on_event,
            self.cancellation,
        )
        decoder.read(fit.prompt, self.states)
        draft = strategy_for(name, options.spelling).answer(decoder, task, options.spelling)
        decoder.drop_draft()
        program = confined(settle(draft, task.source), task)
        after = resolve(program, task.source)
        counts = decoder.counts
        counts.copied_lines = program.copied_lines
        counts.copied_bytes = _copied_bytes(program, task.source)
        elapsed = perf_counter() - started
        counts.other_seconds = elapsed - counts.model_seconds - counts.state_seconds
        turns = (*turns, Turn("assistant", decoder.answer))
        return Attempt(program, task.source.data, after, name, counts, decoder.certainty, turns)

    def context_needed(self, task: Task, strategies: Iterable[str], options: AnswerOptions) -> int:
        """The most tokens that ``task`` takes with any of ``strategies`` that it fits into."""
        spelled = [strategy_for(name, options.spelling) for name in strategies]
        return context_needed(self.model, spelled, task, options.answer_tokens)


def _copied_bytes(program: Program, source: Source) -> int:
    copies = (op for op in program.operations if isinstance(op, Copy))
    return sum(len(line) for op in copies for line in source.lines[op.first - 1 : op.last])
