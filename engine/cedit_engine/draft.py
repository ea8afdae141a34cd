"""Guesses at what a model will write, so that many tokens can be checked in one call.

A guess never decides anything: what the model would not have written is rolled back.
"""

from collections.abc import Sequence
from typing import Protocol

from cedit_engine.suffix import NO_MATCH, SuffixAutomaton

# A token that leaves the source is looked for among this many of the source's next ones.
_REACH = 8
# What ends in fewer tokens seen before may go on in too many ways to be worth a guess.
_SHORTEST_MATCH = 3
# Where a drafted token costs half a call, as on a CPU, a wrong run must be short to pay, and
# where all is right only a long one does.
_SHORT_RUN = 4
_GROWTH = 4


class Drafter(Protocol):
    """Follows a text as it is written and guesses how it goes on."""

    def propose(self, limit: int) -> Sequence[int]:
        """Up to ``limit`` tokens that are likely to come next."""

    def accept(self, token: int) -> None:
        """Take note that ``token`` was written."""

    @property
    def margin(self) -> float:
        """Nats by which the model must prefer another token for a guess to be wrong."""


class NoDraft:
    """Guesses nothing."""

    margin = 0.0

    def propose(self, limit: int) -> Sequence[int]:
        return ()

    def accept(self, token: int) -> None:
        pass


class Expected:
    """Guesses that ``tokens`` are written, until something else is."""

    margin = 0.0

    def __init__(self, tokens: Sequence[int]) -> None:
        self._rest = tokens

    def propose(self, limit: int) -> Sequence[int]:
        return self._rest[:limit]

    def accept(self, token: int) -> None:
        self._rest = self._rest[1:] if self.propose(1) == [token] else []


class SourceDrafter:
    """Guesses that the source goes on, and finds its way back to it after every change.

    ``history`` holds the source and what was written so far; the guess starts at index
    ``at`` of it. Where another token is written, the guess goes on behind the longest run
    that ends there and occurred before, or, where that is short, behind the token's next
    place in the source.
    """

    def __init__(self, history: SuffixAutomaton, at: int, margin: float = 0.0) -> None:
        self.margin = margin
        self._history = history
        self._source_end = len(history.tokens)
        self._at = at
        self._is_lost = False
        self._match = NO_MATCH

    def propose(self, limit: int) -> Sequence[int]:
        if self._is_lost:
            return ()
        end = self._at + limit
        # What was written behind the source does not continue it.
        end = min(end, self._source_end) if self._at < self._source_end else end
        return self._history.tokens[self._at : end]

    def accept(self, token: int) -> None:
        self._match = self._history.step(self._match, token)
        near = self._history.tokens[self._at : min(self._at + _REACH, self._source_end)]
        if self.propose(1) == [token]:
            self._at += 1
        elif self._match.length >= _SHORTEST_MATCH:
            self._at, self._is_lost = self._history.end_of(self._match), False
        elif token in near:
            self._at, self._is_lost = self._at + near.index(token) + 1, False
        else:
            self._is_lost = True
        self._history.extend([token])


class RunLength:
    """How many tokens to guess at a time: few after a wrong guess, more after right ones."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self.tokens = min(_SHORT_RUN, longest)

    def grow(self) -> None:
        """A whole draft was right."""
        self.tokens = min(_GROWTH * self.tokens, self._longest)

    def shrink(self) -> None:
        """A draft was wrong."""
        self.tokens = min(_SHORT_RUN, self._longest)
