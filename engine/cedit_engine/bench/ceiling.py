"""``bench ceiling``: how much of edited files copies can cover, and what that could save."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean, median

import numpy as np

from cedit_engine.bench.kernel import Point
from cedit_engine.cheapest import CountTokens, Sides, cheapest
from cedit_engine.hunks import align
from cedit_engine.offsets import Tokenize, TokenOffsets
from cedit_engine.oracle import oracle
from cedit_engine.program import Copy, CopyTokens, Gen, Operation, Program, render_operation
from cedit_engine.source import Source
from cedit_engine.vocabulary import Vocabulary

LONGEST_EXACT = 4_000
"""Units of a text up to which the cheapest program is looked for: the time is quadratic."""


@dataclass(frozen=True)
class Edit:
    """A text before and after, by lines and by tokens."""

    name: str
    before: Source
    after: Source
    old_tokens: TokenOffsets
    new_tokens: TokenOffsets


@dataclass(frozen=True)
class Coverage:
    """What a program over an edit copies and writes, in tokens.

    ``spans`` are the tokens of the new text that each copy covers, ``generated`` those that no
    copy does, ``written`` the tokens of the operations' text forms.
    """

    spans: tuple[int, ...]
    generated: int
    written: int

    @property
    def share(self) -> float:
        """The part of the new text that is copied, from 0 to 1; 1 of an empty text."""
        total = self.generated + sum(self.spans)
        return sum(self.spans) / total if total else 1.0


@dataclass(frozen=True)
class Tokenizer:
    """A model's tokenizer, and what is known of the texts that it counted."""

    tokenize: Tokenize
    vocabulary: Vocabulary

    def edit(self, name: str, before: bytes, after: bytes) -> Edit:
        """Raises ``NoTokenOffsets``."""
        old, new = (
            TokenOffsets.of(text, self.tokenize, self.vocabulary) for text in (before, after)
        )
        return Edit(name, Source.from_bytes(before), Source.from_bytes(after), old, new)

    def count(self, text: str) -> int:
        """The tokens of ``text``."""
        return len(self.tokenize(text.encode()))


PROGRAMS: Mapping[str, Callable[[Edit, CountTokens], Program]] = {
    "lines, by diff": lambda edit, count: oracle(edit.before, edit.after),
    "lines": lambda edit, count: cheapest(Sides.of_lines(edit.before, edit.after), count),
    "tokens, by diff": lambda edit, count: token_diff(edit.old_tokens, edit.new_tokens),
    "tokens": lambda edit, count: cheapest(
        Sides.of_tokens(edit.old_tokens, edit.new_tokens), count
    ),
}
"""The programs whose coverage is measured: what difflib finds, and the cheapest ones."""


def token_diff(old: TokenOffsets, new: TokenOffsets) -> Program:
    """A token-level program from difflib's matches between the tokens of two texts."""
    operations: list[Operation] = []
    for tag, first, last, start, stop in align(old.tokens, new.tokens):
        if tag == "equal":
            operations.append(CopyTokens(first + 1, last))
        elif start < stop:
            operations.append(Gen(new.span(start + 1, stop)))
    return Program(tuple(operations))


def coverages(edit: Edit, tokenizer: Tokenizer) -> dict[str, Coverage]:
    """What each of ``PROGRAMS`` covers of ``edit``."""
    count = cache(tokenizer.count)
    return {name: coverage(make(edit, count), edit, count) for name, make in PROGRAMS.items()}


def coverage(program: Program, edit: Edit, count: CountTokens) -> Coverage:
    """What ``program`` copies of ``edit``: a token belongs to the operation it begins in."""
    spans, at, generated = [], 0, 0
    for operation in program.operations:
        end = at + _length(operation, edit)
        tokens = _begun(edit.new_tokens, end) - _begun(edit.new_tokens, at)
        if isinstance(operation, Gen):
            generated += tokens
        else:
            spans.append(tokens)
        at = end
    written = sum(count(render_operation(operation)) for operation in program.operations)
    return Coverage(tuple(spans), generated, written)


def _length(operation: Operation, edit: Edit) -> int:
    match operation:
        case Gen(data):
            return len(data)
        case Copy(first, last):
            return sum(map(len, edit.before.lines[first - 1 : last]))
        case CopyTokens(first, last):
            return len(edit.old_tokens.span(first, last))


def _begun(tokens: TokenOffsets, at: int) -> int:
    """How many tokens begin before the byte ``at``."""
    return bisect_left(tokens.ends, at) + 1 if 0 < at <= len(tokens.data) else 0


@dataclass(frozen=True)
class Kernel:
    """Seconds of a call for n tokens, ``start`` + n × ``token``, and of one decode."""

    start: float
    token: float
    decode: float

    @classmethod
    def fitted(cls, points: Sequence[Point]) -> "Kernel":
        """The line through the measured calls that is least off in proportion, and the mean decode.

        Of several contexts the shortest is taken.
        """
        context = min(point.context for point in points)
        own = [point for point in points if point.context == context]
        tokens = np.array([point.tokens for point in own], float)
        seconds = np.array([point.prefill_seconds for point in own])
        token, start = np.polyfit(tokens, seconds, 1, w=1 / seconds)
        longest = max(own, key=lambda point: point.tokens)
        return cls(float(start), float(token), longest.decode_seconds / longest.tokens)

    def call(self, tokens: int) -> float:
        """Seconds of one call for ``tokens`` tokens."""
        return self.start + tokens * self.token


def bound(coverages: Sequence[Coverage], kernel: Kernel, operations: bool) -> float:
    """How many times faster than token by token the edits could be written, at most.

    With N tokens in the new texts, spans of n_1 … n_k of them copied, w tokens decoded, p(n) a
    call for n tokens and d a decode: N·d / (Σ p(n_i) + w·d). After the closed form of the
    Copy-as-Decode paper (arXiv 2604.18170), in which w is the generated text; with
    ``operations`` it is all that the programs take to write, as it is in practice.
    """
    spans = [span for each in coverages for span in each.spans]
    generated = sum(each.generated for each in coverages)
    written = sum(each.written for each in coverages) if operations else generated
    whole = (generated + sum(spans)) * kernel.decode
    return whole / (sum(map(kernel.call, spans)) + written * kernel.decode)


def verify_bound(coverages: Sequence[Coverage], kernel: Kernel) -> float:
    """The same for ``verify``: each copied span a draft read in one call, no operation written.

    Behind each span one row tells that the text departs, so that one decode is saved.
    """
    return bound(coverages, kernel, operations=False)


def summary(coverages: Sequence[Coverage]) -> dict[str, float | int | dict[str, int]]:
    """Of one kind of program over many edits: shares, tokens an edit, and the spans' sizes."""
    spans = sorted(span for each in coverages for span in each.spans)
    covered, generated = sum(spans), sum(each.generated for each in coverages)
    return {
        "share_pooled": round(covered / max(covered + generated, 1), 4),
        "share_mean": round(fmean(each.share for each in coverages), 4),
        "tokens_written": round(fmean(each.written for each in coverages), 1),
        "spans_an_edit": round(fmean(len(each.spans) for each in coverages), 2),
        "span_median": median(spans) if spans else 0,
        "span_lengths": _by_power_of_two(spans),
    }


def _by_power_of_two(lengths: Sequence[int]) -> dict[str, int]:
    counts = Counter(max(length, 1).bit_length() - 1 for length in lengths)
    return {f"{1 << power}-{(2 << power) - 1}": counts[power] for power in sorted(counts)}
