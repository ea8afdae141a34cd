"""The likeliest string as a whole, against every string weighed in full."""

import zlib
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from cedit_engine.model import Logits
from cedit_engine.sampling import log_probabilities
from cedit_engine.search import Search
from tests.fakes import PIECES, ScriptedModel, vocabulary

VOCABULARY = vocabulary()
TOKENIZE = ScriptedModel().tokenize


class Noise:
    """Logits that are a function of what stands before them, and what was looked at."""

    def __init__(self, seed: int, favoured: Sequence[bytes] = ()) -> None:
        self._seed = seed
        self._favoured = favoured
        self.looks: list[int] = []

    def row(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        seed = zlib.crc32(np.array([self._seed, *tokens]).tobytes())
        row = np.random.default_rng(seed).normal(size=len(PIECES)).astype(np.float32) * 3
        written = b"".join(PIECES[token] for token in tokens)
        for favour, text in enumerate(self._favoured, start=1):
            if text.startswith(written):
                for token in TOKENIZE(text[len(written) :])[:1]:
                    row[token] += 40 * favour
        return row

    def look(self, tokens: Sequence[int], rows: int) -> Logits:
        self.looks.append(len(tokens))
        ends = range(len(tokens) - rows + 1, len(tokens) + 1)
        return np.stack([self.row(tokens[:end]) for end in ends])

    def weight(self, tokens: Sequence[int]) -> float:
        rows = (log_probabilities(self.row(tokens[:end])) for end in range(len(tokens)))
        return float(sum(row[token] for row, token in zip(rows, tokens, strict=True)))


lines = st.lists(st.sampled_from("ab "), min_size=1, max_size=4).map(
    lambda letters: f"{''.join(letters)}\n".encode()
)


@given(st.sets(lines, min_size=1, max_size=6), st.integers(0, 999))
def test_it_finds_what_weighing_all_finds(options: set[bytes], seed: int) -> None:
    noise = Noise(seed)
    search = Search(
        VOCABULARY, TOKENIZE, noise.look, row_limit=16, width=len(PIECES), most_looks=1000
    )
    found = search.likeliest(options, lambda _: ())
    assert b"".join(PIECES[token] for token in found.tokens) in options
    # A string may be spelled in several ways; none of them is likelier than what was found.
    assert noise.weight(found.tokens) >= max(map(noise.weight, map(TOKENIZE, options))) - 1e-3
    assert sum(found.chosen) >= noise.weight(found.tokens) - 1e-3


def test_a_likely_beginning_that_leads_nowhere_is_left() -> None:
    options = [b"  ax\n", b"  bx\n", b"    cy\n"]

    class Misleading(Noise):
        def row(self, tokens: Sequence[int]) -> NDArray[np.float32]:
            row = np.zeros(len(PIECES), dtype=np.float32)
            wanted = {b"": b" ", b"    ": b"c", b"    c": b"y", b"    cy": b"\n"}
            written = b"".join(PIECES[token] for token in tokens)
            row[PIECES.index(wanted.get(written, b"?"))] = 20
            if not written:
                row[PIECES.index(b"    ")] = 17
            return row

    noise = Misleading(0)
    found = Search(VOCABULARY, TOKENIZE, noise.look, row_limit=16).likeliest(options, lambda _: ())
    assert b"".join(PIECES[token] for token in found.tokens) == b"    cy\n"


def test_where_the_model_is_sure_it_looks_at_nothing_else() -> None:
    options = [f"{first}{second}-end\n".encode() for first in "abc" for second in "abc"]
    noise = Noise(0, [b"ca-end\n"])
    search = Search(VOCABULARY, TOKENIZE, noise.look, row_limit=16, draft_length=3)
    found = search.likeliest(options, lambda text: TOKENIZE(text[:8]))
    assert b"".join(PIECES[token] for token in found.tokens) == b"ca-end\n"
    # Behind nothing, behind the first letter, and behind the rest with the draft.
    assert noise.looks == [0, 1, len(found.tokens) + 3]


@pytest.mark.parametrize("row_limit", [1, 3])
def test_few_rows_are_enough(row_limit: int) -> None:
    options = [b"a-very-long-line\n", b"b-very-long-line\n"]
    noise = Noise(0, [b"b-very-long-line\n"])
    search = Search(VOCABULARY, TOKENIZE, noise.look, row_limit)
    assert search.likeliest(options, lambda _: ()).tokens == tuple(TOKENIZE(options[1]))


@given(st.sets(lines, min_size=2, max_size=6), st.integers(0, 999), st.integers(1, 6))
def test_drafts_change_nothing(options: set[bytes], seed: int, row_limit: int) -> None:
    found = [
        Search(VOCABULARY, TOKENIZE, Noise(seed).look, row_limit, draft_length).likeliest(
            options, lambda text: TOKENIZE(text + text)
        )
        for draft_length in (0, row_limit - 1)
    ]
    assert found[0] == found[1]


def test_the_number_of_looks_is_bounded() -> None:
    options = [f"{number:08b}\n".encode() for number in range(256)]
    noise = Noise(1)
    found = Search(VOCABULARY, TOKENIZE, noise.look, row_limit=16).likeliest(options, lambda _: ())
    assert b"".join(PIECES[token] for token in found.tokens) in options
    assert len(noise.looks) <= 8 + 9
