"""Choosing a token from logits under a constraint."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cedit_engine.constraint import Constraint
from cedit_engine.model import Logits
from cedit_engine.vocabulary import TokenIds

# A constraint refuses few of the likeliest tokens: checking this many finds the best
# admitted one nearly always, and checking all takes a hundred times as long.
_SHORTLIST = 512


@dataclass(frozen=True)
class SamplingOptions:
    """How tokens are chosen: greedily at temperature 0, else by chance within the constraint."""

    temperature: float = 0.0
    top_p: float = 1.0
    seed: int = 0


class Sampler:
    """Chooses tokens; two with the same options and inputs choose the same ones."""

    def __init__(self, options: SamplingOptions) -> None:
        self._options = options
        self._random = np.random.default_rng(options.seed)

    @property
    def is_greedy(self) -> bool:
        """Whether nothing is left to chance."""
        return self._options.temperature <= 0

    def pick(self, logits: Logits, constraint: Constraint) -> int:
        """The next token, always one that ``constraint`` admits."""
        if self.is_greedy:
            return _best(logits, constraint)
        return self._draw(logits, constraint.admissible())

    def _draw(self, logits: Logits, tokens: TokenIds) -> int:
        scaled = logits[tokens].astype(np.float64) / self._options.temperature
        order = np.argsort(-scaled, kind="stable")
        weights = np.exp(scaled[order] - scaled[order[0]])
        shares = weights / weights.sum()
        kept = int(np.searchsorted(np.cumsum(shares), self._options.top_p)) + 1
        shares = shares[:kept] / shares[:kept].sum()
        return int(tokens[order[self._random.choice(len(shares), p=shares)]])


def log_probabilities(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """The log-softmax of one row of logits, in nats."""
    shifted = logits - logits.max()
    likely: NDArray[np.float32] = shifted - np.log(np.exp(shifted).sum())
    return likely


def _best(logits: Logits, constraint: Constraint) -> int:
    """The arg-max over the admitted tokens, exactly: the first of the best where they tie."""
    best = np.argmax(logits).astype(np.int32)
    if constraint.admits(best.reshape(1))[0]:
        return int(best)
    shortlist = _shortlist(logits)
    for token, admitted in zip(shortlist, constraint.admits(shortlist), strict=True):
        if admitted:
            return int(token)
    tokens = constraint.admissible()
    return int(tokens[np.argmax(logits[tokens])])


def _shortlist(logits: Logits) -> TokenIds:
    """The likeliest tokens, best first; every token outside is at most as likely."""
    size = min(_SHORTLIST, len(logits))
    likeliest = np.argpartition(-logits, size - 1)[:size]
    return likeliest[np.lexsort((likeliest, -logits[likeliest]))].astype(np.int32)
