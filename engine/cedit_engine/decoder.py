"""The primitives that strategies are written in, and what each of them costs.

A strategy forces, splices, chooses, writes free text and rolls back; it never sees logits.
Tokens that need no decision wait until one does and are then evaluated in one call with
it, so that a forced run or a spliced span costs no call of its own. Behind them the same
call evaluates a draft of what may come next: as long as that is what is chosen, the next
decisions find their logits there, and what is not is dropped. Each token is still chosen
from the model's logits for what stands before it, so drafts change no outcome, greedy or
drawn by chance.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cedit_engine.constraint import Choice, Constraint, FreeText
from cedit_engine.counts import Counts
from cedit_engine.draft import Drafter, Expected, RunLength
from cedit_engine.errors import BudgetExhausted, Interrupted
from cedit_engine.events import Cancellation, Copying, OnEvent, Reading, Writing
from cedit_engine.model import Logits, Model
from cedit_engine.offsets import TokenOffsets, all_but_last, places
from cedit_engine.prefix import common_prefix_length
from cedit_engine.reading import Prompt, States, unread_pieces
from cedit_engine.sampling import Sampler, log_probabilities
from cedit_engine.search import Behind, Found, Search

SURE = -3.0
"""The log-probability, in nats, of all that the model chose in an answer that it was sure of.

Of the answers to ``bench tasks`` that no guard objects to, 43 of 56 above it were right, and 13 of
29 below it, on the half that it was chosen on; 34 of 49 and 7 of 13 on the other.
"""


@dataclass(frozen=True)
class Certainty:
    """How sure a model was of what it chose, in nats.

    ``total`` is the log-probability of all tokens that were chosen, ``least`` that of the one
    it was least sure of; both are the model's own, before any constraint.
    """

    total: float = 0.0
    least: float = 0.0

    @property
    def is_sure(self) -> bool:
        """Whether the whole is at least as likely as ``SURE``."""
        return self.total >= SURE

    def and_then(self, chosen: float) -> "Certainty":
        """The certainty of this and of a further token, whose log-probability is ``chosen``."""
        return Certainty(self.total + chosen, min(self.least, chosen))


CERTAIN = Certainty()
"""Nothing was chosen yet."""


class Mark(NamedTuple):
    """A place to roll back to, the calls made until there, and how sure the model was."""

    length: int
    forward_calls: int
    certainty: Certainty


class Decoder:
    """An answer being written, token by token, by one model."""

    def __init__(
        self,
        model: Model,
        sampler: Sampler,
        budget: int,
        drafts: bool,
        on_event: OnEvent,
        cancellation: Cancellation,
    ) -> None:
        self.counts = Counts()
        self.certainty = CERTAIN
        self._model = model
        self._sampler = sampler
        self._budget = budget
        self._drafts = drafts
        self._run = RunLength(model.row_limit - 1)
        self._holds_draft = False
        self._on_event = on_event
        self._cancellation = cancellation
        self._tokens: list[int] = []
        self._prompt_length = 0
        # Logits behind consecutive tokens, the first of which has index _first_row.
        self._rows: Logits = np.empty((0, 0), dtype=np.float32)
        self._first_row = 0

    def read(self, prompt: Prompt, states: States) -> None:
        """Evaluate ``prompt``, but for what the model's memory or ``states`` hold of it."""
        self._tokens = list(prompt.tokens)
        self._prompt_length = len(prompt)
        started = perf_counter()
        pieces = unread_pieces(self._model, prompt, states)
        self.counts.state_seconds += perf_counter() - started
        self.counts.prompt_tokens = len(prompt)
        self.counts.reused_tokens = pieces[0][0]
        for start, stop in pieces:
            self._on_event(Reading(start, len(prompt)))
            self._evaluate(prompt.tokens[start:stop])
            self.counts.prompt_calls += 1
            if stop in prompt.marks:
                started = perf_counter()
                states.save(self._model)
                self.counts.state_seconds += perf_counter() - started
        self.counts.prompt_seconds = self.counts.model_seconds
        self._on_event(Reading(len(prompt), len(prompt)))

    @property
    def answer(self) -> str:
        """All that stands behind the prompt."""
        return self._spell(self._tokens[self._prompt_length :]).decode("utf-8", "replace")

    def tokenize(self, text: str) -> list[int]:
        """The tokens of plain text, to draft with."""
        return self._model.tokenize(text.encode())

    def offsets(self, data: bytes) -> TokenOffsets:
        """Where the model's tokens of ``data`` are in it; raises ``NoTokenOffsets``."""
        return TokenOffsets.of(data, self._model.tokenize, self._model.vocabulary)

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

    def places(self, parts: Sequence[bytes]) -> list[range]:
        """Which tokens of the prompt each of ``parts`` is in, as ``offsets.places`` says."""
        prompt = self._tokens[: self._prompt_length]
        return places(prompt, self._model.vocabulary, parts)

    def repeat(self, parts: Sequence[range], fresh: int, first: int, last: int) -> None:
        """Append tokens of the context again: lines ``first`` to ``last``.

        The last ``fresh`` are evaluated; the others keep what was computed for them where they
        stand, and cost no call. Raises ``CannotRepeat``.
        """
        self.drop_draft()
        pending = self._tokens[len(self._model.tokens) :]
        if pending:
            self._evaluate_in_batches(pending, rows=1)
        moved, evaluated = all_but_last(parts, fresh)
        if moved:
            self._model.repeat(moved)
            self._tokens += self._model.tokens[len(self._tokens) :]
            self._rows = self._rows[:0]
        self.counts.spliced_tokens += sum(map(len, parts))
        self._append([self._tokens[at] for at in evaluated])
        self._on_event(Copying(first, last))

    def choose(self, options: Iterable[bytes], expected: Sequence[int] = ()) -> bytes:
        """The one of ``options``, none the beginning of another, that the model prefers.

        ``expected`` are the tokens that are likely to be written from here on.
        """
        return self.write(Choice(options, self._model.vocabulary), Expected(expected))

    def choose_whole(self, options: Iterable[bytes], expected: Behind) -> bytes:
        """The one of ``options``, none the beginning of another, that is likeliest as a whole.

        ``expected`` gives the tokens that are likely behind it. Where tokens are drawn by
        chance this is ``choose``.
        """
        if not self._sampler.is_greedy:
            return self.choose(options)
        self.drop_draft()
        self._count_right_draft()
        search = Search(
            self._model.vocabulary,
            self._model.tokenize,
            self._look_ahead,
            self._model.row_limit,
            self._run.tokens if self._drafts else 0,
        )
        found = search.likeliest(options, expected)
        self._take(found)
        text = self._spell(found.tokens)
        self._on_event(Writing(text))
        return text

    def free_text(self, closing: bytes, drafter: Drafter, slips: Sequence[bytes] = ()) -> bytes:
        """What the model writes before ``closing`` and the newline that ends it.

        Where it writes one of ``slips`` instead, which come behind ``closing`` only, that is
        taken back and ``closing`` written; as it is where the model ends its answer.
        """
        start, closed = len(self._tokens), closing + b"\n"
        constraint = FreeText(closing, self._model.vocabulary, slips=slips)
        text = self.write(constraint, drafter)
        if not constraint.slipped:
            return text.removesuffix(closed)
        kept = text[: min((at for at in map(text.find, slips) if at >= 0), default=len(text))]
        return self._closed_at(start, kept, closed)

    def _closed_at(self, start: int, kept: bytes, closing: bytes) -> bytes:
        """Have the tokens from ``start`` on spell ``kept``, its lines ended, and ``closing``.

        Returns the lines.
        """
        ended = b"" if not kept or kept.endswith(b"\n") else b"\n"
        length, held = start, b""
        for token in self._tokens[start:]:
            piece = self._model.vocabulary.piece(token)
            if len(held) + len(piece) > len(kept):
                break
            held += piece
            length += 1
        self.roll_back(Mark(length, self.counts.forward_calls, self.certainty))
        self.force(kept[len(held) :] + ended + closing)
        return kept + ended

    def fenced_lines(self, fence: bytes, drafter: Drafter) -> bytes:
        """The lines that the model writes, at the start of one, before one of ``fence``.

        Where it ends its answer without, behind a shorter one, that was meant.
        """
        start, vocabulary = len(self._tokens), self._model.vocabulary
        constraint = FreeText(b"\n" + fence, vocabulary, ending=b"", written=b"\n")
        text = self.write(constraint, drafter)
        if not constraint.slipped:
            return text.removesuffix(fence)
        return self._closed_at(start, _before_shorter_fence(text), fence)

    def grammar(self, gbnf: str, drafter: Drafter) -> bytes:
        """A sentence of the grammar's ``root``, checked by the engine that runs the model."""
        return self.write(self._model.grammar(gbnf), drafter)

    def write(self, constraint: Constraint, drafter: Drafter) -> bytes:
        """The sentence of ``constraint`` that the model prefers, token by token."""
        written: list[int] = []
        while not constraint.finished:
            tokens = constraint.forced(self._model.tokenize)
            if tokens:
                self.counts.forced_tokens += len(tokens)
            else:
                token = self._choose_token(constraint, drafter)
                if token is None:
                    break
                tokens = [token]
            for token in tokens:
                constraint.accept(token)
                drafter.accept(token)
            self._append(tokens)
            self._on_event(Writing(self._spell(tokens)))
            written += tokens
        return self._spell(written)

    def mark(self) -> Mark:
        """A place to roll back to."""
        return Mark(len(self._tokens), self.counts.forward_calls, self.certainty)

    def roll_back(self, mark: Mark) -> None:
        """Forget what was appended since ``mark``."""
        self.drop_draft()
        self.counts.rolled_back_tokens += len(self._tokens) - mark.length
        self.counts.undone_calls += self.counts.forward_calls - mark.forward_calls
        self.certainty = mark.certainty
        del self._tokens[mark.length :]
        self._keep(mark.length)

    def drop_draft(self) -> None:
        """Forget what was drafted and not written."""
        drafted = len(self._model.tokens) - len(self._tokens)
        if drafted > 0:
            self.counts.rejected_tokens += drafted
            self._run.shrink()
            self._holds_draft = False
            self._keep(len(self._tokens))

    def _look_ahead(self, tokens: Sequence[int], rows: int) -> Logits:
        """The logits behind the last ``rows`` of the answer, were ``tokens`` appended to it."""
        ahead = [*self._tokens, *tokens]
        first = len(ahead) - rows
        held = common_prefix_length(self._model.tokens, ahead)
        last_row = self._first_row + len(self._rows)
        if held < len(ahead) or not self._first_row <= first < len(ahead) <= last_row:
            self._keep(min(held, first))
            self._evaluate_in_batches(ahead[len(self._model.tokens) :], rows)
        return self._rows[first - self._first_row : len(ahead) - self._first_row]

    def _take(self, found: Found) -> None:
        """Append what a search found; what it looked at besides is forgotten."""
        for chosen in found.chosen:
            self.certainty = self.certainty.and_then(chosen)
        self.counts.decoded_tokens += len(found.chosen)
        self.counts.forced_tokens += len(found.tokens) - len(found.chosen)
        ahead = [*self._tokens, *found.tokens]
        held = common_prefix_length(self._model.tokens, ahead)
        if held < len(ahead):
            self._keep(held)
        drafted = len(self._model.tokens) - len(ahead)
        self._holds_draft = drafted > 0
        self.counts.drafted_tokens += max(0, drafted)
        self._append(found.tokens)

    def _spell(self, tokens: Iterable[int]) -> bytes:
        return b"".join(map(self._model.vocabulary.piece, tokens))

    def _choose_token(self, constraint: Constraint, drafter: Drafter) -> int | None:
        """The next token; None where the model ends its answer and ``constraint`` lets it."""
        logits = self._next_logits(drafter)
        wants_to_end = not self._model.vocabulary.piece(int(np.argmax(logits)))
        if wants_to_end and constraint.end():
            return None
        token = self._sampler.pick(logits, constraint)
        token = self._favoured(token, logits, constraint, drafter)
        self.certainty = self.certainty.and_then(float(log_probabilities(logits)[token]))
        if self._is_drafted(token):
            self.counts.accepted_tokens += 1
        else:
            self.counts.decoded_tokens += 1
        return token

    def _favoured(
        self, token: int, logits: NDArray[np.float32], constraint: Constraint, drafter: Drafter
    ) -> int:
        """``token``, or the drafter's where the model's preference is weaker than its margin."""
        for guess in drafter.propose(1) if drafter.margin else ():
            preference = logits[token] - logits[guess]
            if preference < drafter.margin and constraint.admits(np.array([guess]))[0]:
                return guess
        return token

    def _is_drafted(self, token: int) -> bool:
        at = len(self._tokens)
        return self._model.tokens[at : at + 1] == [token]

    def _append(self, tokens: Sequence[int]) -> None:
        for token in tokens:
            if not self._is_drafted(token):
                self.drop_draft()
            self._tokens.append(token)
        if len(self._tokens) - self._prompt_length > self._budget:
            raise BudgetExhausted(self._budget, self.counts)

    def _next_logits(self, drafter: Drafter) -> NDArray[np.float32]:
        """The logits behind the last token; shape ``(vocabulary,)``."""
        last = len(self._tokens) - 1
        if not 0 <= last - self._first_row < len(self._rows):
            self._evaluate_pending(drafter)
        row: NDArray[np.float32] = self._rows[last - self._first_row]
        return row

    def _evaluate_pending(self, drafter: Drafter) -> None:
        """Evaluate what the model has not seen, and in the last call a draft behind it."""
        self._count_right_draft()
        # A roll-back leaves no logits behind: the last token is evaluated once more.
        self._keep(min(len(self._model.tokens), len(self._tokens) - 1))
        pending = self._tokens[len(self._model.tokens) :]
        draft = list(drafter.propose(self._run.tokens)) if self._drafts else []
        # No call of its own for a draft.
        draft = draft[: -len(pending) % self._model.batch_limit]
        self._evaluate_in_batches([*pending, *draft], rows=len(draft) + 1)
        self.counts.drafted_tokens += len(draft)
        self._holds_draft = bool(draft)

    def _count_right_draft(self) -> None:
        """What was drafted and is not dropped by now was right."""
        if self._holds_draft:
            self._run.grow()
            self._holds_draft = False

    def _evaluate_in_batches(self, tokens: Sequence[int], rows: int) -> None:
        """Evaluate ``tokens`` in as few calls as they take, the last ``rows`` in one."""
        limit = self._model.batch_limit
        while len(tokens) > limit:
            batch = min(limit, len(tokens) - rows)
            self._evaluate(tokens[:batch])
            self.counts.forward_calls += 1
            tokens = tokens[batch:]
        self._evaluate(tokens, rows)
        self.counts.forward_calls += 1

    def _keep(self, length: int) -> None:
        """Cut the model's memory to ``length`` tokens, and the logits behind later ones."""
        self._model.trim(length)
        self._rows = self._rows[: max(0, length - self._first_row)]

    def _evaluate(self, tokens: Sequence[int], rows: int = 1) -> None:
        if self._cancellation.requested:
            raise Interrupted
        started = perf_counter()
        self._first_row = len(self._model.tokens) + len(tokens) - rows
        self._rows = self._model.evaluate(tokens, rows)
        self.counts.model_seconds += perf_counter() - started


def _before_shorter_fence(text: bytes) -> bytes:
    """``text`` without the line of backticks at its end, where there is no other to open it."""
    fences = [line for line in text.split(b"\n") if line.startswith(b"```")]
    last = text.rstrip(b"\n").rpartition(b"\n")[2]
    if len(fences) % 2 and last.startswith(b"```") and not last.strip(b"` "):
        return text.rstrip(b"\n").removesuffix(last)
    return text
