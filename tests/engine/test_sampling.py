import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cedit_engine.constraint import Constraint
from cedit_engine.sampling import Sampler, SamplingOptions
from cedit_engine.vocabulary import TokenIds

SIZE = 2000


class Only(Constraint):
    """Admits a fixed set of tokens."""

    def __init__(self, allowed: set[int]) -> None:
        self.allowed = allowed

    @property
    def finished(self) -> bool:
        return False

    def admits(self, tokens: TokenIds) -> list[bool]:
        return [int(token) in self.allowed for token in tokens]

    def admissible(self) -> TokenIds:
        return np.array(sorted(self.allowed), dtype=np.int32)

    def accept(self, token: int) -> None:
        raise NotImplementedError


allowed_sets = st.sets(st.integers(0, SIZE - 1), min_size=1, max_size=5)


@given(allowed_sets, st.integers(0, 99), st.booleans())
def test_greedy_is_the_arg_max_over_what_is_admitted(
    allowed: set[int], seed: int, ties: bool
) -> None:
    logits = np.random.default_rng(seed).normal(size=SIZE).astype(np.float32)
    logits = np.round(logits) if ties else logits
    tokens = np.array(sorted(allowed))
    best = tokens[np.argmax(logits[tokens])]
    picked = Sampler(SamplingOptions()).pick(logits, Only(allowed))
    assert logits[picked] == logits[best]
    assert picked in allowed


@given(allowed_sets, st.integers(0, 99))
def test_chance_stays_within_the_constraint_and_repeats_with_its_seed(
    allowed: set[int], seed: int
) -> None:
    logits = np.random.default_rng(seed).normal(size=SIZE).astype(np.float32)
    options = SamplingOptions(temperature=1.5, top_p=0.9, seed=seed)
    draws = [
        [s.pick(logits, Only(allowed)) for _ in range(5)]
        for s in (Sampler(options), Sampler(options))
    ]
    assert draws[0] == draws[1]
    assert set(draws[0]) <= allowed


@pytest.mark.parametrize(
    ("temperature", "top_p", "shares"),
    [(1.0, 1.0, (0.6, 0.3, 0.1)), (0.5, 1.0, (0.783, 0.196, 0.022)), (1.0, 0.8, (0.667, 0.333, 0))],
)
def test_draws_follow_the_softmax(
    temperature: float, top_p: float, shares: tuple[float, ...]
) -> None:
    logits = np.log(np.array([0.6, 0.3, 0.1, 5.0], dtype=np.float32))
    sampler = Sampler(SamplingOptions(temperature, top_p, seed=1))
    drawn = [sampler.pick(logits, Only({0, 1, 2})) for _ in range(4000)]
    counted = np.bincount(drawn, minlength=3) / len(drawn)
    assert counted == pytest.approx(shares, abs=0.03)
