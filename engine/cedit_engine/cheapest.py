"""(before, after) → the program that takes the fewest tokens to write.

An exact dynamic program from the end of the new text, over its units (lines, or tokens of a
tokenizer). ``best[k]`` is the least cost of what follows unit k: a copy of units that stand
somewhere in the old text, moved and repeated ones too, or new text up to a unit that can be
copied. The cost of an operation is the number of tokens of its text form.
"""

from bisect import bisect_right
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from cedit_engine.offsets import TokenOffsets
from cedit_engine.program import Copy, CopyTokens, Gen, Operation, Program, render_operation
from cedit_engine.source import Source

Unit = TypeVar("Unit", bound=Hashable)
CountTokens = Callable[[str], int]

# A text cut out of another, and put between tags, may take a token or two less at each seam.
_SLACK = 3


@dataclass(frozen=True)
class Sides(Generic[Unit]):
    """Two texts in units of one kind.

    ``ends`` holds the byte at which each new unit ends, ``tokens`` how many tokens of the new
    text end there or before.
    """

    old: Sequence[Unit]
    new: Sequence[Unit]
    new_data: bytes
    ends: Sequence[int]
    tokens: Sequence[int]
    copy: type[Copy] | type[CopyTokens]

    @classmethod
    def of_lines(cls, before: Source, after: Source, tokens: TokenOffsets) -> "Sides[bytes]":
        """Two files by their lines; ``tokens`` are those of ``after``."""
        ends = tuple(accumulate(map(len, after.lines)))
        counts = tuple(bisect_right(tokens.ends, end) for end in ends)
        return Sides(before.lines, after.lines, after.data, ends, counts, Copy)

    @classmethod
    def of_tokens(cls, before: TokenOffsets, after: TokenOffsets) -> "Sides[int]":
        """Two files by their tokens."""
        counts = range(1, len(after) + 1)
        return Sides(before.tokens, after.tokens, after.data, after.ends, counts, CopyTokens)

    def text(self, first: int, last: int) -> bytes:
        """The bytes of the new units from ``first`` up to ``last``, counted from 0."""
        return self.new_data[self.ends[first - 1] if first else 0 : self.ends[last - 1]]


def cheapest(sides: Sides[Unit], count_tokens: CountTokens) -> Program:
    """The program of the least cost between ``sides``, which builds the new bytes exactly."""
    return _Search(sides, count_tokens).program()


def most_copied(sides: Sides[Unit]) -> Program:
    """The program that copies every new unit that stands somewhere in the old text.

    A copy goes on as long as it can, and else begins at the first place.
    """
    first: dict[Unit, int] = {unit: at for at, unit in reversed([*enumerate(sides.old)])}
    operations: list[Operation] = []
    at = -1
    for number, unit in enumerate(sides.new):
        goes_on = 0 <= at < len(sides.old) - 1 and sides.old[at + 1] == unit
        at = at + 1 if goes_on else first.get(unit, -1)
        copied = at >= 0
        operations.append(
            sides.copy(at + 1, at + 1) if copied else Gen(sides.text(number, number + 1))
        )
    return Program(tuple(operations)).merged()


class _Search(Generic[Unit]):
    """The dynamic program's tables, filled from the last unit to the first."""

    def __init__(self, sides: Sides[Unit], count_tokens: CountTokens) -> None:
        self._sides: Sides[Unit] = sides
        self._count_tokens: CountTokens = count_tokens
        size = len(sides.new)
        self._runs: _Runs[Unit] = _Runs(sides.old, sides.new)
        self._copy_costs: _CopyCosts = _CopyCosts(sides.copy, len(sides.old), count_tokens)
        self._tokens: NDArray[np.int64] = np.array(sides.tokens, np.int64)
        self._tags = count_tokens(render_operation(Gen(b"")))
        self._from_copy: NDArray[np.int64] = np.full(size + 1, _NEVER, np.int64)
        """The least cost behind each unit where a copy comes next, or the end."""
        self._best = self._from_copy.copy()
        self._from_copy[size] = self._best[size] = 0
        self._copied: dict[int, tuple[int, int]] = {}
        """The first old unit and the length of the best copy at a unit."""
        self._written: dict[int, int] = {}
        """Where the best new text from a unit ends, where that beats a copy."""

    def program(self) -> Program:
        for unit in range(len(self._sides.new) - 1, -1, -1):
            self._try_copies(unit)
            self._try_text(unit)
        return Program(tuple(self._operations())).merged()

    def _try_copies(self, unit: int) -> None:
        starts = self._runs.starts(unit)
        if not len(starts):
            return
        lengths = np.arange(1, len(starts) + 1)
        costs = self._copy_costs.of(starts, lengths) + self._best[unit + lengths]
        # Of equal ones the longest: it leaves less to go wrong.
        chosen = len(costs) - 1 - int(np.argmin(costs[::-1]))
        self._from_copy[unit] = self._best[unit] = costs[chosen]
        self._copied[unit] = int(starts[chosen]), chosen + 1

    def _try_text(self, unit: int) -> None:
        """Text may begin at the start and behind a copy, and end before one and at the end."""
        if unit and not self._runs.is_copyable(unit - 1):
            return
        at_least = self._text_costs_at_least(unit) + self._from_copy[unit + 1 :]
        for chosen in self._below_best(unit, at_least):
            if at_least[chosen] >= self._best[unit]:
                return
            end = unit + 1 + int(chosen)
            cost = self._text_cost(unit, end) + self._from_copy[end]
            if cost < self._best[unit]:
                self._best[unit] = cost
                self._written[unit] = end

    def _below_best(self, unit: int, at_least: NDArray[np.int64]) -> NDArray[np.intp]:
        """Which texts from ``unit`` on may be the best, the most promising first."""
        promising = np.flatnonzero(at_least < self._best[unit])
        return promising[np.argsort(at_least[promising], kind="stable")]

    def _text_costs_at_least(self, unit: int) -> NDArray[np.int64]:
        """For each end behind ``unit``, the tokens of the text up to there: all but the seams'."""
        before = self._tokens[unit - 1] if unit else 0
        return self._tokens[unit:] - before + self._tags - _SLACK

    def _text_cost(self, first: int, last: int) -> int:
        return self._count_tokens(render_operation(Gen(self._sides.text(first, last))))

    def _operations(self) -> list[Operation]:
        operations: list[Operation] = []
        unit = 0
        while unit < len(self._sides.new):
            # Behind a text comes a copy: two texts would be one.
            if unit in self._written and not (operations and isinstance(operations[-1], Gen)):
                end = self._written[unit]
                operations.append(Gen(self._sides.text(unit, end)))
            else:
                start, length = self._copied[unit]
                end = unit + length
                operations.append(self._sides.copy(start + 1, start + length))
            unit = end
        return operations


_NEVER = np.iinfo(np.int64).max // 4


class _Runs(Generic[Unit]):
    """Where runs of the new text stand in the old one; asked unit by unit, the last one first."""

    def __init__(self, old: Sequence[Unit], new: Sequence[Unit]) -> None:
        ids: dict[Unit, int] = {}
        self._old = np.array([ids.setdefault(unit, len(ids)) for unit in old], np.int64)
        self._new = [ids.get(unit, -1) for unit in new]
        self._known = {*self._old.tolist()}
        self._lengths = np.zeros(len(old) + 1, np.int64)

    def is_copyable(self, unit: int) -> bool:
        """Whether the new unit stands in the old text."""
        return self._new[unit] in self._known

    def starts(self, unit: int) -> NDArray[np.int64]:
        """For each length from 1, the first old unit at which so many from ``unit`` on stand.

        The first is the cheapest: its numbers have the fewest digits.
        """
        following = self._lengths[1:] + 1
        self._lengths[:-1] = np.where(self._old == self._new[unit], following, 0)
        matches = np.flatnonzero(self._lengths)
        if not len(matches):
            return matches
        reached = self._lengths[matches]
        first = np.full(int(reached.max()), len(self._old), np.int64)
        np.minimum.at(first, reached - 1, matches)
        return np.minimum.accumulate(first[::-1])[::-1]


class _CopyCosts:
    """What copies cost, in tokens: that depends on the digits of their two numbers."""

    def __init__(
        self, kind: type[Copy] | type[CopyTokens], largest: int, count_tokens: CountTokens
    ) -> None:
        digits = len(str(max(largest, 1)))
        self._table = np.full((digits, digits), _NEVER, np.int64)
        for first in range(digits):
            for last in range(first, digits):
                copy = kind(10**first, 10**last)
                self._table[first, last] = count_tokens(render_operation(copy))
        self._powers = 10 ** np.arange(1, digits)

    def of(self, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
        """The cost of each copy of ``lengths`` units from ``starts``, counted from 0, on."""
        first = np.searchsorted(self._powers, starts + 1, "right")
        last = np.searchsorted(self._powers, starts + lengths, "right")
        costs: NDArray[np.int64] = self._table[first, last]
        return costs
