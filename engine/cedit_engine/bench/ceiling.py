"""``bench ceiling``: how much of edited files copies can cover, and what that could save."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean, median
from typing import Any

import numpy as np

from cedit_engine.bench.kernel import Point
from cedit_engine.cheapest import CountTokens, Sides, cheapest, most_copied
from cedit_engine.hunks import align
from cedit_engine.offsets import Tokenizer, TokenOffsets
from cedit_engine.oracle import oracle
from cedit_engine.program import Copy, CopyTokens, Gen, Operation, Program, render_operation
from cedit_engine.source import Source


@dataclass(frozen=True)
class Edit:
    """A text before and after, by lines and by tokens, and what was asked where that is known."""

    name: str
    before: Source
    after: Source
    old_tokens: TokenOffsets
    new_tokens: TokenOffsets
    instruction: str = ""


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


def known_edit(
    name: str, before: bytes, after: bytes, tokenizer: Tokenizer, instruction: str = ""
) -> Edit:
    """An edit from its two texts; raises ``NoTokenOffsets``."""
    old, new = map(tokenizer.offsets, (before, after))
    return Edit(name, Source.from_bytes(before), Source.from_bytes(after), old, new, instruction)


PROGRAMS = (
    "lines, by diff",
    "lines, cheapest",
    "lines, at most",
    "tokens, by diff",
    "tokens, cheapest",
    "tokens, at most",
)
"""What is measured: what difflib finds, programs of the fewest tokens, and of the most copies."""


def programs(edit: Edit, tokenizer: Tokenizer) -> dict[str, Program]:
    """The program of each name in ``PROGRAMS``."""
    count = cache(tokenizer.count)
    lines = Sides.of_lines(edit.before, edit.after, edit.new_tokens)
    tokens = Sides.of_tokens(edit.old_tokens, edit.new_tokens)
    found = (
        oracle(edit.before, edit.after),
        cheapest(lines, count),
        most_copied(lines),
        token_diff(edit.old_tokens, edit.new_tokens),
        cheapest(tokens, count),
        most_copied(tokens),
    )
    return dict(zip(PROGRAMS, found, strict=True))


def _cost(program: Program, count: CountTokens) -> int:
    return sum(count(render_operation(operation)) for operation in program.operations)


def token_diff(old: TokenOffsets, new: TokenOffsets) -> Program:
    """A token-level program from difflib's matches between the tokens of two texts."""
    operations: list[Operation] = []
    for tag, first, last, start, stop in align(old.tokens, new.tokens):
        if tag == "equal":
            operations.append(CopyTokens(first + 1, last))
        elif start < stop:
            operations.append(Gen(new.span(start + 1, stop)))
    return Program(tuple(operations))


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
    return Coverage(tuple(spans), generated, _cost(program, count))


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
    ``operations`` it is all that the programs take to write, as it is in practice. For ``verify``,
    whose drafts are the copied spans and which writes no operations, the closed form holds too.
    """
    spans = [span for each in coverages for span in each.spans]
    generated = sum(each.generated for each in coverages)
    written = sum(each.written for each in coverages) if operations else generated
    whole = (generated + sum(spans)) * kernel.decode
    return whole / (sum(map(kernel.call, spans)) + written * kernel.decode)


def anchor_bound(tokens: int, decided: int, forced: int, kernel: Kernel) -> float:
    """The bound for ``anchor``: ``decided`` calls for one token, and ``forced`` ones in them.

    ``tokens`` are those of the new texts. What is forced waits for the next decision and adds
    to its call what a token adds.
    """
    return tokens * kernel.decode / (decided * kernel.decode + forced * kernel.token)


def summary(coverages: Sequence[Coverage]) -> dict[str, Any]:
    """Of one kind of program over many edits: shares, tokens an edit, and the spans' sizes."""
    spans = sorted(span for each in coverages for span in each.spans)
    covered, generated = sum(spans), sum(each.generated for each in coverages)
    return {
        "edits": len(coverages),
        "share_pooled": round(covered / max(covered + generated, 1), 4),
        "share_mean": round(_mean(each.share for each in coverages), 4),
        "tokens_written": round(_mean(each.written for each in coverages), 1),
        "spans_an_edit": round(_mean(len(each.spans) for each in coverages), 2),
        "span_median": median(spans) if spans else 0,
        "span_lengths": _by_power_of_two(spans),
    }


def _mean(values: Iterable[float]) -> float:
    held = [*values]
    return fmean(held) if held else 0.0


def _by_power_of_two(lengths: Sequence[int]) -> dict[str, int]:
    counts = Counter(max(length, 1).bit_length() - 1 for length in lengths)
    return {f"{1 << power}-{(2 << power) - 1}": counts[power] for power in sorted(counts)}
