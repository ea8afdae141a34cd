"""Prompts in pieces, so that no piece is read twice.

A prompt is always cut at the same places: what a model computes for a token depends, in
the last bits, on what is evaluated in the same call, and an edit must not depend on what
was read before it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from cedit_engine.model import Model
from cedit_engine.prefix import common_prefix_length


@dataclass(frozen=True)
class Prompt:
    """Tokens, and the ``marks`` among them where a part ends that other prompts begin with."""

    tokens: Sequence[int]
    marks: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.tokens)

    def pieces(self, longest: int) -> list[tuple[int, int]]:
        """Start and stop of each piece: cut at the marks, and wherever it is ``longest``."""
        ends = sorted({0, *self.marks, len(self.tokens)})
        return [
            (start, min(start + longest, stop))
            for begin, stop in pairwise(ends)
            for start in range(begin, stop, longest)
        ]


class States(Protocol):
    """Model memories of earlier prompts."""

    def restore(self, model: Model, tokens: Sequence[int], at_least: int) -> None:
        """Give ``model`` the memory that shares the most leading tokens with ``tokens``.

        Nothing happens where none shares ``at_least`` so many of them.
        """

    def save(self, model: Model) -> None:
        """Keep ``model``'s memory as it is now."""


class NoStates:
    """Keeps nothing."""

    def restore(self, model: Model, tokens: Sequence[int], at_least: int) -> None:
        pass

    def save(self, model: Model) -> None:
        pass


def unread_pieces(model: Model, prompt: Prompt, states: States) -> list[tuple[int, int]]:
    """The pieces of ``prompt`` that ``model`` must still read; its memory holds those before.

    The last piece is always among them: a memory holds no logits.
    """
    pieces = prompt.pieces(model.prefill_chunk)
    first = _first_unread(model, prompt, pieces)
    if first + 1 < len(pieces):
        states.restore(model, prompt.tokens, at_least=pieces[first + 1][0])
        first = _first_unread(model, prompt, pieces)
    model.trim(pieces[first][0])
    return pieces[first:]


def _first_unread(model: Model, prompt: Prompt, pieces: Sequence[tuple[int, int]]) -> int:
    """The index of the last piece that begins within what ``model``'s memory holds."""
    known = common_prefix_length(model.tokens, prompt.tokens)
    return max(index for index, (start, _) in enumerate(pieces) if start <= known)
