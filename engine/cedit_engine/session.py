"""One answer from task to attempt: prompt, context, program, bytes."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from time import perf_counter

from cedit_engine.confining import confined
from cedit_engine.counts import Counts
from cedit_engine.decoder import CERTAIN, Certainty, Decoder
from cedit_engine.errors import PromptTooLong
from cedit_engine.events import Cancellation, OnEvent, ignore
from cedit_engine.feedback import Feedback
from cedit_engine.model import Model, Turn
from cedit_engine.oracle import oracle
from cedit_engine.prefix import common_prefix_length
from cedit_engine.program import Copy, Program
from cedit_engine.reading import NoStates, Prompt, States
from cedit_engine.resolver import resolve
from cedit_engine.sampling import Sampler, SamplingOptions
from cedit_engine.settle import settle
from cedit_engine.source import Source
from cedit_engine.strategies.base import Strategy, StrategyOptions
from cedit_engine.strategies.registry import STRATEGIES
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
    before it that guards sent back. Of a ``trimmed`` one, what lost code was left out.
    """

    program: Program
    before: bytes
    after: bytes
    strategy: str
    counts: Counts
    certainty: Certainty = CERTAIN
    turns: tuple[Turn, ...] = ()
    repairs: int = 0
    trimmed: bool = False


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
        strategy = STRATEGIES[strategy_name]
        task, prompt, room = _fit(self.model, strategy, task, options.answer_tokens)
        turns = tuple(strategy.turns(task))
        return self._answer(strategy_name, task, turns, prompt, room, options, started)

    def repair(
        self, attempt: Attempt, task: Task, seen: Feedback, options: AnswerOptions
    ) -> Attempt:
        """Have the model go on from ``attempt``, an answer to ``task`` in which ``seen`` was seen.

        The new program is between ``task``'s source and the final text. Raises what
        ``attempt`` raises.
        """
        started = perf_counter()
        strategy = STRATEGIES[attempt.strategy]
        edited = task.over(Source.from_bytes(attempt.after), seen.sites)
        turns = (*attempt.turns, Turn("user", strategy.further_turn(edited, seen.text)))
        tokens = self.model.tokenize_chat(turns)
        prompt = Prompt(tokens, (common_prefix_length(self.model.tokens, tokens),))
        room = _room(self.model, strategy, edited, options.answer_tokens)
        if not _fits(self.model, prompt, room):
            raise PromptTooLong(len(prompt), room, self.model.trained_context)
        name = attempt.strategy
        answer = self._answer(name, edited, turns, prompt, room, options, started)
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
        task: Task,
        turns: tuple[Turn, ...],
        prompt: Prompt,
        room: int,
        options: AnswerOptions,
        started: float,
    ) -> Attempt:
        """What the strategy ``name`` answers to ``turns``, which ``prompt`` spells."""
        self.model.reserve(len(prompt) + room)
        decoder = Decoder(
            self.model,
            Sampler(options.sampling),
            room,
            options.spelling.drafts,
            self.on_event,
            self.cancellation,
        )
        decoder.read(prompt, self.states)
        draft = STRATEGIES[name].answer(decoder, task, options.spelling)
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
        spelled = [STRATEGIES[name] for name in strategies]
        asked = [_prompt(self.model, each, task, options.answer_tokens) for each in spelled]
        fitting = [len(p) + room for p, room in asked if _fits(self.model, p, room)]
        return max(fitting, default=0)


def _copied_bytes(program: Program, source: Source) -> int:
    copies = (op for op in program.operations if isinstance(op, Copy))
    return sum(len(line) for op in copies for line in source.lines[op.first - 1 : op.last])


def _fit(
    model: Model, strategy: Strategy, task: Task, answer_tokens: int
) -> tuple[Task, Prompt, int]:
    """The task, its prompt and the room for an answer; raises ``PromptTooLong``.

    Where only some lines may change, as much around them is shown as there is room for.
    """
    shown = _prompt(model, strategy, task, answer_tokens)
    if _fits(model, *shown):
        return task, *shown
    fitting = None
    low, high = 0, len(task.source) if task.window != task.view else 0
    while low < high:
        reach = (low + high) // 2
        narrowed = task.showing(reach)
        attempt = _prompt(model, strategy, narrowed, answer_tokens)
        if _fits(model, *attempt):
            fitting, low = (narrowed, *attempt), reach + 1
        else:
            high = reach
    if fitting is None:
        prompt, room = shown
        raise PromptTooLong(len(prompt), room, model.trained_context)
    return fitting


def _prompt(model: Model, strategy: Strategy, task: Task, answer_tokens: int) -> tuple[Prompt, int]:
    turns = strategy.turns(task)
    parts = ("", strategy.document(task))
    beginnings = [model.tokenize_chat([*turns[:-1], Turn("user", part)]) for part in parts]
    tokens = model.tokenize_chat(turns)
    marks = {common_prefix_length(tokens, beginning) for beginning in beginnings}
    room = _room(model, strategy, task, answer_tokens)
    return Prompt(tokens, tuple(sorted(marks))), room


def _room(model: Model, strategy: Strategy, task: Task, answer_tokens: int) -> int:
    """The most tokens that an answer takes, with what it may repeat of the source."""
    return answer_tokens + len(model.tokenize(strategy.copied_text(task).encode()))


def _fits(model: Model, prompt: Prompt, room: int) -> bool:
    return len(prompt) + room <= model.trained_context
