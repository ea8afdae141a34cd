"""The likeliest of many strings as a whole.

Token by token, the likeliest first token may lead to nothing likely: in a file most lines
begin with the same indentation, whichever line is meant. So the likeliest beginning found so
far is looked at first, until that is a whole string (best-first search: probabilities only
shrink as strings grow, so no other can be likelier). Where the model is sure, this looks at
what greedy decoding does and nothing else.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cedit_engine.constraint import Choice, Tokenize
from cedit_engine.model import Logits
from cedit_engine.sampling import log_probabilities
from cedit_engine.vocabulary import Vocabulary

Look = Callable[[Sequence[int], int], Logits]
"""Called with tokens that may come next and a number of rows: the logits behind the last."""

Behind = Callable[[bytes], Sequence[int]]
"""Called with a whole string: tokens that are likely to follow it."""


class Found(NamedTuple):
    """A string as tokens; ``chosen`` are the log-probabilities of those that had alternatives."""

    tokens: tuple[int, ...]
    chosen: tuple[float, ...]


@dataclass(frozen=True)
class _Beginning:
    """Tokens, what may follow, and how likely all of them are, in nats."""

    found: Found
    choice: Choice
    score: float = 0.0
    is_seen_whole: bool = False


@dataclass(frozen=True)
class Search:
    """A search with one model: how it spells, and how to look at what it makes of tokens.

    ``row_limit`` bounds the rows of one look, ``draft_length`` the tokens looked at behind a
    whole string. Of the tokens that may follow a beginning the ``width`` likeliest are kept;
    after ``most_looks`` only the likeliest beginning is followed, as greedy decoding does.
    """

    vocabulary: Vocabulary
    tokenize: Tokenize
    look: Look
    row_limit: int
    draft_length: int = 0
    width: int = 4
    most_looks: int = 8

    def likeliest(self, options: Iterable[bytes], expected: Behind) -> Found:
        """The one of ``options``, none the beginning of another, that the model gives most to."""
        order = count()
        queue: list[tuple[float, int, _Beginning]] = []
        heappush(
            queue, (0.0, next(order), _Beginning(Found((), ()), Choice(options, self.vocabulary)))
        )
        for looks in count(1):
            _, _, best = heappop(queue)
            if best.is_seen_whole:
                return best.found
            if looks > self.most_looks:
                queue = [entry for entry in queue if entry[2].is_seen_whole]
            for further in self._further(best, expected):
                heappush(queue, (-further.score, next(order), further))
        raise AssertionError("some option is likeliest")

    def _further(self, beginning: _Beginning, expected: Behind) -> list[_Beginning]:
        """What a beginning leads to: itself seen whole, or longer ones."""
        choice = beginning.choice.copy()
        forced = self._accept_forced(choice)
        tokens = (*beginning.found.tokens, *forced)
        draft: Sequence[int] = ()
        if choice.finished:
            text = b"".join(map(self.vocabulary.piece, tokens))
            # What is weighed must not depend on what is drafted.
            room = max(0, self.row_limit - len(forced) - 1)
            draft = expected(text)[: min(self.draft_length, room)]
        rows = min(len(forced) + 1 + len(draft), self.row_limit)
        likely = [log_probabilities(row) for row in self.look((*tokens, *draft), rows)]
        behind_forced = likely[: len(likely) - len(draft)]
        # Of more forced tokens than there are rows, the last ones are weighed.
        weighed = forced[len(forced) + 1 - len(behind_forced) :]
        score = beginning.score + sum(
            float(row[token]) for row, token in zip(behind_forced, weighed, strict=False)
        )
        found = Found(tokens, beginning.found.chosen)
        if choice.finished:
            return [_Beginning(found, choice, score, is_seen_whole=True)]
        return list(self._longer(_Beginning(found, choice, score), behind_forced[-1]))

    def _accept_forced(self, choice: Choice) -> list[int]:
        forced: list[int] = []
        while not choice.finished and (tokens := choice.forced(self.tokenize)):
            for token in tokens:
                choice.accept(token)
            forced += tokens
        return forced

    def _longer(self, beginning: _Beginning, likely: NDArray[np.float32]) -> Iterable[_Beginning]:
        admitted = beginning.choice.admissible()
        for token in admitted[np.argsort(-likely[admitted], kind="stable")[: self.width]]:
            choice = beginning.choice.copy()
            choice.accept(int(token))
            tokens, chosen = beginning.found
            gain = float(likely[token])
            yield _Beginning(
                Found((*tokens, int(token)), (*chosen, gain)), choice, beginning.score + gain
            )
