"""A model that wants to write a given text: how a strategy spells a known answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from cedit_engine.constraint import Constraint
from cedit_engine.errors import StateRefused
from cedit_engine.model import Logits, Model, Turn
from cedit_engine.vocabulary import Vocabulary


@dataclass
class Dictated:
    """``model``, with logits that prefer ``text`` behind its prompt.

    Where ``evaluates`` is set, the model's own memory takes every token, in as few calls as can
    be, since what it would prefer plays no part; the last ones are taken by ``flush``. Else only
    its tokenizer is used, so that a vocabulary without weights will do.
    """

    model: Model
    text: bytes
    evaluates: bool = False
    _tokens: list[int] = field(default_factory=list)
    _prompt_length: int = 0
    _places: list[int | None] = field(default_factory=lambda: [0])
    """The byte of ``text`` behind each token of the answer; None behind another one."""

    def __post_init__(self) -> None:
        if self.evaluates:
            self.model.trim(0)

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def vocabulary(self) -> Vocabulary:
        return self.model.vocabulary

    @property
    def trained_context(self) -> int:
        return self.model.trained_context

    @property
    def batch_limit(self) -> int:
        return self.model.batch_limit

    @property
    def row_limit(self) -> int:
        return self.model.row_limit

    @property
    def prefill_chunk(self) -> int:
        return self.model.prefill_chunk

    @property
    def tokens(self) -> Sequence[int]:
        return self._tokens

    @property
    def weights(self) -> Path:
        return self.model.weights

    @property
    def settings(self) -> Mapping[str, object]:
        return {"dictated": True}

    def tokenize(self, text: bytes) -> list[int]:
        return self.model.tokenize(text)

    def tokenize_chat(self, turns: Sequence[Turn]) -> list[int]:
        """The last conversation asked for is the prompt."""
        tokens = self.model.tokenize_chat(turns)
        self._prompt_length = len(tokens)
        self._places = [0]
        return tokens

    def reserve(self, context: int) -> None:
        if self.evaluates:
            self.model.reserve(context)

    def evaluate(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        self._tokens += tokens
        if len(self._tokens) - len(self.model.tokens) > self.batch_limit:
            self.flush()
        ends = range(len(self._tokens) - rows + 1, len(self._tokens) + 1)
        logits = np.zeros((rows, len(self.vocabulary)), np.float32)
        for row, end in zip(logits, ends, strict=True):
            self._prefer(row, self._place(max(end - self._prompt_length, 0)))
        return logits

    def flush(self) -> None:
        """Let the model's memory take what it has not taken yet."""
        step = self.batch_limit
        while self.evaluates and len(self.model.tokens) < len(self._tokens):
            start = len(self.model.tokens)
            self.model.evaluate(self._tokens[start : start + step])

    def _place(self, written: int) -> int | None:
        """Where in ``text`` the first ``written`` tokens of the answer end."""
        while len(self._places) <= written:
            token = self._tokens[self._prompt_length + len(self._places) - 1]
            last, piece = self._places[-1], self.vocabulary.piece(token)
            goes_on = last is not None and self.text.startswith(piece, last)
            self._places.append(last + len(piece) if last is not None and goes_on else None)
        return self._places[written]

    def _prefer(self, logits: Any, place: int | None) -> None:
        """The tokenizer's own token first, then the longest that goes on with the text."""
        if place is None:
            return
        for token in self.vocabulary.prefixes_of(self.text[place:]):
            logits[token] = _LIKELY + len(self.vocabulary.piece(token))
        if place in self._boundaries:
            logits[self._boundaries[place]] = _LIKELIEST

    @cached_property
    def _boundaries(self) -> dict[int, int]:
        """The token that begins at each byte of the text, as the tokenizer splits it."""
        begun, at = {}, 0
        for token in self.model.tokenize(self.text):
            begun[at] = token
            at += len(self.vocabulary.piece(token))
        return begun

    def trim(self, length: int) -> None:
        del self._tokens[length:]
        del self._places[max(length - self._prompt_length, 0) + 1 :]
        if self.evaluates and len(self.model.tokens) > length:
            self.model.trim(length)

    def repeat(self, parts: Sequence[range]) -> None:
        self.flush()
        self._tokens += [self._tokens[at] for part in parts for at in part]
        if self.evaluates:
            self.model.repeat(parts)

    def state(self) -> bytes:
        return b""

    def restore(self, state: bytes, tokens: Sequence[int]) -> None:
        raise StateRefused(len(tokens))

    def grammar(self, gbnf: str) -> Constraint:
        return self.model.grammar(gbnf)

    def close(self) -> None:
        """The model belongs to who opened it."""


_LIKELY, _LIKELIEST = 100.0, 1000.0
