"""Common prefixes, and the prefix automaton of a search string."""

from collections.abc import Sequence
from typing import AnyStr


def common_prefix_length(one: Sequence[object], other: Sequence[object]) -> int:
    """The number of leading items that are equal in both."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))


def prefix_step(pattern: AnyStr, matched: int, item: AnyStr) -> int:
    """How much of ``pattern`` is matched once ``item`` follows its first ``matched`` items.

    One step of the automaton of Knuth, Morris and Pratt (1977).
    """
    seen = pattern[:matched] + item
    starts = range(len(seen))
    return next((len(seen) - i for i in starts if pattern.startswith(seen[i:])), 0)
