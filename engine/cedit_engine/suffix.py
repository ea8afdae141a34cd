"""Where the end of a growing sequence occurred before: a suffix automaton.

Built in one pass, extended and followed in amortized constant time a token (Blumer et al.,
"The smallest automaton recognizing the subwords of a text", 1985).
"""

from collections.abc import Iterable
from typing import NamedTuple

_ROOT = 0


class Match(NamedTuple):
    """The longest run of tokens that occurred before: a state, and how long the run is."""

    state: int
    length: int


NO_MATCH = Match(_ROOT, 0)


class SuffixAutomaton:
    """Every run of tokens in a sequence, and where its first occurrence ends."""

    def __init__(self, tokens: Iterable[int] = ()) -> None:
        self.tokens: list[int] = []
        self._next: list[dict[int, int]] = [{}]
        self._link = [-1]
        self._length = [0]
        self._end = [0]
        self._last = _ROOT
        self.extend(tokens)

    def extend(self, tokens: Iterable[int]) -> None:
        """Append ``tokens`` to the sequence."""
        for token in tokens:
            self._append(token)

    def end_of(self, match: Match) -> int:
        """The index behind the first occurrence of ``match``."""
        return self._end[match.state]

    def step(self, match: Match, token: int) -> Match:
        """The longest run that ``match`` followed by ``token`` ends with."""
        state, length = self._narrowed(match)
        while state != _ROOT and token not in self._next[state]:
            state = self._link[state]
            length = self._length[state]
        following = self._next[state].get(token)
        return NO_MATCH if following is None else Match(following, length + 1)

    def _narrowed(self, match: Match) -> Match:
        """The same run after the automaton grew, which may have split its state."""
        state, length = match
        while state != _ROOT and length <= self._length[self._link[state]]:
            state = self._link[state]
        return Match(state, length)

    def _append(self, token: int) -> None:
        self.tokens.append(token)
        length = len(self.tokens)
        state = self._add({}, length, end=length)
        at = self._last
        while at >= 0 and token not in self._next[at]:
            self._next[at][token] = state
            at = self._link[at]
        self._link[state] = _ROOT if at < 0 else self._suffix_behind(at, token)
        self._last = state

    def _suffix_behind(self, at: int, token: int) -> int:
        """The state of the longest run of ``at`` with ``token`` behind it, split off if need be."""
        following = self._next[at][token]
        if self._length[following] == self._length[at] + 1:
            return following
        clone = self._add(dict(self._next[following]), self._length[at] + 1, self._end[following])
        self._link[clone] = self._link[following]
        self._link[following] = clone
        while at >= 0 and self._next[at].get(token) == following:
            self._next[at][token] = clone
            at = self._link[at]
        return clone

    def _add(self, following: dict[int, int], length: int, end: int) -> int:
        self._next.append(following)
        self._link.append(_ROOT)
        self._length.append(length)
        self._end.append(end)
        return len(self._next) - 1
