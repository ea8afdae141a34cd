"""``bench compare``: whether two runs over the same cases differ by more than chance."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import comb, sqrt

from cedit_engine.bench.results import CaseResult

_Z = 1.959964  # two-sided 95 % of the normal distribution


@dataclass(frozen=True)
class Share:
    """``hits`` of ``total``, with the ends of its 95 % interval."""

    hits: int
    total: int
    low: float
    high: float

    @classmethod
    def of(cls, hits: int, total: int) -> "Share":
        """Wilson's score interval (E. B. Wilson, J. Am. Stat. Assoc. 22, 1927)."""
        if not total:
            return cls(0, 0, 0.0, 1.0)
        share, z2 = hits / total, _Z * _Z / total
        middle = (share + z2 / 2) / (1 + z2)
        reach = _Z * sqrt(share * (1 - share) / total + z2 / (4 * total)) / (1 + z2)
        return cls(hits, total, max(0.0, middle - reach), min(1.0, middle + reach))


@dataclass(frozen=True)
class Comparison:
    """The cases that both runs hold, by which of them got each done."""

    both: int
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    neither: int

    @property
    def cases(self) -> int:
        """How many cases were compared."""
        return self.both + self.neither + len(self.only_first) + len(self.only_second)

    @property
    def first(self) -> Share:
        """What the first run got done."""
        return Share.of(self.both + len(self.only_first), self.cases)

    @property
    def second(self) -> Share:
        """What the second run got done."""
        return Share.of(self.both + len(self.only_second), self.cases)

    @property
    def p_value(self) -> float:
        """How likely a split at least this uneven is by chance, by McNemar's exact test.

        Under the null hypothesis each case that only one run got done is a fair coin's toss
        (Q. McNemar, Psychometrika 12, 1947; two-sided binomial form).
        """
        fewer, more = sorted((len(self.only_first), len(self.only_second)))
        tosses = fewer + more
        tail = sum(comb(tosses, k) for k in range(fewer + 1))
        return min(1.0, 2 * tail / (1 << tosses))


def compare(first: Mapping[str, CaseResult], second: Mapping[str, CaseResult]) -> Comparison:
    """Pair the results of two runs by the names of their cases."""
    shared = sorted(first.keys() & second.keys())
    done = {name: (first[name].done, second[name].done) for name in shared}
    return Comparison(
        both=sum(pair == (True, True) for pair in done.values()),
        only_first=tuple(name for name, pair in done.items() if pair == (True, False)),
        only_second=tuple(name for name, pair in done.items() if pair == (False, True)),
        neither=sum(pair == (False, False) for pair in done.values()),
    )
