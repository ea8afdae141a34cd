"""``bench splice``: what a model makes of known programs, by how copies are spliced."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Literal

import numpy as np

from cedit_engine.model import Logits, Model
from cedit_engine.offsets import all_but_last, places
from cedit_engine.oracle import oracle
from cedit_engine.prefix import common_prefix_length
from cedit_engine.program import Copy, Gen, render_operation
from cedit_engine.prompt import closed, line_places, span_text, text_of
from cedit_engine.sampling import log_probabilities
from cedit_engine.source import Source
from cedit_engine.splice import Splice
from cedit_engine.strategies.lines import Lines
from cedit_engine.task import Span, Task

NO_LINES = Span(1, 0)
Kind = Literal["operation", "generated", "spliced"]


@dataclass(frozen=True)
class Piece:
    """A part of a program as it stands in the context; ``span`` holds the lines of a splice."""

    kind: Kind
    text: str
    span: Span = NO_LINES


def pieces(task: Task, after: Source, splice: Splice) -> Iterator[Piece]:
    """The program between ``task``'s source and ``after``; joined, the text of the answer."""
    yield Piece("operation", "<program>\n")
    for operation in oracle(task.source, after).operations:
        if isinstance(operation, Gen):
            yield Piece("operation", f"{task.tags.gen}\n")
            yield Piece("generated", closed(text_of(operation.data)))
            yield Piece("operation", f"{task.tags.end_gen}\n")
        elif isinstance(operation, Copy):
            yield Piece("operation", render_operation(operation))
            shown = splice.shown(Span(operation.first, operation.last))
            if shown:
                yield Piece("spliced", span_text(task, shown), shown)
    yield Piece("operation", "</program>")


@dataclass(frozen=True)
class Scored:
    """Tokens of one kind: how many, the nats they cost, how many are the model's own choice."""

    tokens: int = 0
    nats: float = 0.0
    preferred: int = 0

    def __add__(self, other: "Scored") -> "Scored":
        return Scored(
            self.tokens + other.tokens, self.nats + other.nats, self.preferred + other.preferred
        )


@dataclass(frozen=True)
class SpliceScore:
    """A known program under a model that is made to write it.

    ``calls`` is what writing it token by token takes, ``seconds`` the time of the
    ``spliced_tokens`` alone.
    """

    operations: Scored = Scored()
    generated: Scored = Scored()
    spliced_tokens: int = 0
    seconds: float = 0.0

    @property
    def calls(self) -> int:
        return self.operations.tokens + self.generated.tokens

    def __add__(self, other: "SpliceScore") -> "SpliceScore":
        return SpliceScore(
            self.operations + other.operations,
            self.generated + other.generated,
            self.spliced_tokens + other.spliced_tokens,
            self.seconds + other.seconds,
        )


def score(model: Model, task: Task, after: Source, splice: Splice) -> SpliceScore:
    """What ``model`` makes of the program that turns ``task``'s source into ``after``.

    What its memory holds of the prompt is not read again.
    """
    prompt = model.tokenize_chat(Lines(splice).turns(task))
    answer = [*pieces(task, after, splice)]
    model.reserve(len(prompt) + sum(2 * len(model.tokenize(p.text.encode())) for p in answer))
    held = common_prefix_length(model.tokens, prompt[:-1])
    model.trim(held)
    behind = _read(model, prompt[held:])
    lines = line_places(task, partial(places, prompt, model.vocabulary))
    total = SpliceScore()
    for piece in answer:
        tokens = model.tokenize(piece.text.encode())
        if piece.kind == "spliced":
            started, length = perf_counter(), len(model.tokens)
            behind = _spliced(model, tokens, lines[piece.span.first - 1 : piece.span.last], splice)
            seconds = perf_counter() - started
            total += SpliceScore(spliced_tokens=len(model.tokens) - length, seconds=seconds)
            continue
        scored, behind = _scored(model, tokens, behind)
        is_text = piece.kind == "generated"
        total += SpliceScore(generated=scored) if is_text else SpliceScore(operations=scored)
    return total


def _spliced(model: Model, tokens: Sequence[int], lines: Sequence[range], splice: Splice) -> Logits:
    """The logits behind a span: of ``tokens``, or of those that stand at ``lines``, moved."""
    if not splice.moves:
        return _read(model, tokens)
    moved, evaluated = all_but_last(lines, splice.fresh)
    if moved:
        model.repeat(moved)
    return _read(model, [model.tokens[at] for at in evaluated])


def _read(model: Model, tokens: Sequence[int]) -> Logits:
    """Evaluate ``tokens``; the logits behind the last, shape ``(1, vocabulary)``."""
    for start in range(0, len(tokens), model.batch_limit):
        logits = model.evaluate(tokens[start : start + model.batch_limit])
    return logits.copy()


def _scored(model: Model, tokens: Sequence[int], behind: Logits) -> tuple[Scored, Logits]:
    """What ``tokens`` cost where ``behind`` are the logits before them, and those after them."""
    total = Scored()
    step = min(model.row_limit, model.batch_limit)
    for start in range(0, len(tokens), step):
        part = tokens[start : start + step]
        logits = model.evaluate(part, len(part))
        before = np.concatenate([behind, logits[:-1]])
        total += _score_of(part, before)
        behind = logits[-1:].copy()
    return total, behind


def _score_of(tokens: Sequence[int], before: Logits) -> Scored:
    nats = -sum(
        float(log_probabilities(row)[token]) for row, token in zip(before, tokens, strict=True)
    )
    preferred = int((np.argmax(before, axis=1) == np.array(tokens)).sum())
    return Scored(len(tokens), nats, preferred)
