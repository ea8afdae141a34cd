"""The primitives that strategies are written in, and what each of them costs.

A strategy forces, splices, chooses, writes free text and rolls back; it never sees logits.
Tokens that need no decision wait until one does and are then evaluated in one call with
it, so that a forced run or a spliced span costs no call of its own.
"""

from collections.abc import Iterable, Sequence
from time import perf_counter

from cedit_engine.constraint import Choice, Constraint, FreeText
from cedit_engine.counts import Counts
from cedit_engine.errors import BudgetExhausted, Interrupted
from cedit_engine.events import Cancellation, Copying, OnEvent, Reading, Writing
from cedit_engine.model import Logits, Model
from cedit_engine.prefix import common_prefix_length
from cedit_engine.sampling import Sampler


class Decoder:
    """An answer being written, token by token, by one model."""

    def __init__(
        self,
        model: Model,
        sampler: Sampler,
        budget: int,
        on_event: OnEvent,
        cancellation: Cancellation,
    ) -> None:
        self.counts = Counts()
        self._model = model
        self._sampler = sampler
        self._budget = budget
        self._on_event = on_event
        self._cancellation = cancellation
        self._tokens: list[int] = []
        self._logits: Logits | None = None

    def read(self, prompt: Sequence[int]) -> None:
        """Evaluate ``prompt``; what the model's memory already holds of it is kept."""
        self._tokens = list(prompt)
        self._logits = None
        reused = common_prefix_length(self._model.tokens, prompt)
        self._model.trim(reused)
        self.counts.prompt_tokens = len(prompt)
        self.counts.reused_tokens = reused
        for start in range(reused, len(prompt), self._model.prefill_chunk):
            self._on_event(Reading(start, len(prompt)))
            self._evaluate(prompt[start : start + self._model.prefill_chunk])
            self.counts.prompt_calls += 1
        self._on_event(Reading(len(prompt), len(prompt)))

    def force(self, text: bytes) -> None:
        """Append text that is known without asking the model."""
        tokens = self._model.tokenize(text)
        self.counts.forced_tokens += len(tokens)
        self._append(tokens)
        self._on_event(Writing(text))

    def splice(self, text: bytes, first: int, last: int) -> None:
        """Append the text of lines ``first`` to ``last``: in the context, and not chosen."""
        tokens = self._model.tokenize(text)
        self.counts.spliced_tokens += len(tokens)
        self._append(tokens)
        self._on_event(Copying(first, last))

    def choose(self, options: Iterable[bytes]) -> bytes:
        """The one of ``options``, none the beginning of another, that the model prefers."""
        return self.write(Choice(options, self._model.vocabulary))

    def free_text(self, closing: bytes) -> bytes:
        """What the model writes before ``closing`` and the newline that ends it."""
        text = self.write(FreeText(closing, self._model.vocabulary))
        return text.removesuffix(closing + b"\n")

    def grammar(self, gbnf: str) -> bytes:
        """A sentence of the grammar's ``root``, checked by the engine that runs the model."""
        return self.write(self._model.grammar(gbnf))

    def write(self, constraint: Constraint) -> bytes:
        """The sentence of ``constraint`` that the model prefers, token by token."""
        written: list[int] = []
        while not constraint.finished:
            tokens = constraint.forced(self._model.tokenize)
            if tokens:
                self.counts.forced_tokens += len(tokens)
            else:
                tokens = [self._sampler.pick(self._next_logits(), constraint)]
                self.counts.decoded_tokens += 1
            for token in tokens:
                constraint.accept(token)
            self._append(tokens)
            self._on_event(Writing(self._spell(tokens)))
            written += tokens
        return self._spell(written)

    def mark(self) -> int:
        """A place to roll back to."""
        return len(self._tokens)

    def roll_back(self, mark: int) -> None:
        """Forget what was appended since ``mark``."""
        self.counts.rolled_back_tokens += len(self._tokens) - mark
        del self._tokens[mark:]
        self._logits = None
        self._model.trim(min(mark, len(self._model.tokens)))

    def _spell(self, tokens: Iterable[int]) -> bytes:
        return b"".join(map(self._model.vocabulary.piece, tokens))

    def _append(self, tokens: Sequence[int]) -> None:
        self._tokens += tokens
        self._logits = None
        written = self.counts.decoded_tokens + self.counts.forced_tokens
        if written - self.counts.rolled_back_tokens > self._budget:
            raise BudgetExhausted(self._budget, self.counts)

    def _next_logits(self) -> Logits:
        if self._logits is not None:
            return self._logits
        known = len(self._model.tokens)
        if known == len(self._tokens):
            # A roll-back leaves no logits behind: the last token is evaluated once more.
            known -= 1
            self._model.trim(known)
        for start in range(known, len(self._tokens), self._model.batch_limit):
            self._evaluate(self._tokens[start : start + self._model.batch_limit])
            self.counts.forward_calls += 1
        assert self._logits is not None
        return self._logits

    def _evaluate(self, tokens: Sequence[int]) -> None:
        if self._cancellation.requested:
            raise Interrupted
        started = perf_counter()
        self._logits = self._model.evaluate(tokens)
        self.counts.model_seconds += perf_counter() - started
