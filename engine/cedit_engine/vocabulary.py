"""The bytes that each token stands for, and which tokens a constraint may use."""

from collections import defaultdict
from collections.abc import Callable, Hashable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

TokenIds = NDArray[np.int32]


class Vocabulary:
    """The pieces of a tokenizer, by token id.

    ``piece_of(id)`` gives a token's bytes, empty for control tokens, which no constraint
    admits: markup such as ``<|im_end|>`` is spelled from ordinary tokens or not at all.
    It is asked once a token, and only for those that come up: there are 152,000 of them.
    """

    def __init__(self, size: int, piece_of: Callable[[int], bytes]) -> None:
        self._piece_of = piece_of
        self._known: dict[int, bytes] = {}
        self._size = size
        self.admissible: dict[Hashable, TokenIds] = {}
        """What constraints have worked out for all tokens at once, by constraint and state."""

    def __len__(self) -> int:
        return self._size

    def piece(self, token: int) -> bytes:
        """The bytes that ``token`` stands for."""
        token = int(token)
        if token not in self._known:
            self._known[token] = self._piece_of(token)
        return self._known[token]

    @cached_property
    def pieces(self) -> tuple[bytes, ...]:
        """The bytes of every token."""
        return tuple(self.piece(token) for token in range(self._size))

    @cached_property
    def longest_piece(self) -> int:
        """Bytes in the longest token."""
        return max(map(len, self.pieces))

    @cached_property
    def ids_of(self) -> dict[bytes, list[int]]:
        """The tokens that stand for exactly these bytes."""
        ids: defaultdict[bytes, list[int]] = defaultdict(list)
        for token, piece in enumerate(self.pieces):
            if piece:
                ids[piece].append(token)
        return dict(ids)

    def prefixes_of(self, text: bytes) -> list[int]:
        """Every token whose bytes begin ``text``."""
        longest = min(len(text), self.longest_piece)
        found = (self.ids_of.get(text[:length], ()) for length in range(1, longest + 1))
        return [token for ids in found for token in ids]
