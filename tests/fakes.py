"""A model that follows a script, over a vocabulary of bytes and a few longer pieces."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cedit_engine.constraint import Constraint
from cedit_engine.errors import Interrupted, StateRefused
from cedit_engine.model import Logits, Turn
from cedit_engine.vocabulary import Vocabulary
from tests.gbnf import GrammarConstraint

LONGER = (
    b"    ",
    b"return",
    b" + ",
    b"</",
    b"new",
    b"old",
    b">\n",
    b"gen",
    b"e>\n\n",
    "é".encode(),
)
CONTROL = 256 + len(LONGER)
PIECES = (*(bytes((byte,)) for byte in range(256)), *LONGER, b"")
IDS = {piece: token for token, piece in enumerate(PIECES[:CONTROL])}
LONGEST_PIECES = re.compile(
    b"|".join(re.escape(piece) for piece in sorted(IDS, key=len, reverse=True)), re.DOTALL
)


def vocabulary() -> Vocabulary:
    return Vocabulary(len(PIECES), PIECES.__getitem__)


class ScriptedModel:
    """Wants to answer with the first of its scripts that fits what was answered so far.

    ``scripts`` may be a function of the conversation, so that each file gets its own. ``spread`` is
    how many nats less each is liked than the one before.
    """

    name = "scripted"
    batch_limit = 64
    row_limit = 16
    prefill_chunk = 32
    weights = Path(__file__)

    def __init__(
        self,
        *scripts: str,
        per_task: Callable[[str], Sequence[str]] | None = None,
        trained_context: int = 1 << 20,
    ) -> None:
        self.vocabulary = vocabulary()
        self.trained_context = trained_context
        self.reserved = 0
        self.closed = False
        self.calls: list[int] = []
        self.turns: list[Sequence[Turn]] = []
        self.interrupt_after: int | None = None
        self.spread = 100.0
        self._per_task = per_task or (lambda question: scripts)
        self._scripts: dict[tuple[int, ...], list[bytes]] = {}
        self._tokens: list[int] = []

    @property
    def tokens(self) -> Sequence[int]:
        return self._tokens

    @property
    def answer(self) -> bytes:
        """What stands behind the prompt."""
        prompt = len(self._tokens) - self._tokens[::-1].index(CONTROL)
        return b"".join(PIECES[token] for token in self._tokens[prompt:])

    def tokenize(self, text: bytes) -> list[int]:
        return [IDS[piece] for piece in LONGEST_PIECES.findall(text)]

    def tokenize_chat(self, turns: Sequence[Turn]) -> list[int]:
        self.turns.append(turns)
        tokens: list[int] = []
        for turn in turns:
            tokens += [CONTROL, *self.tokenize(turn.text.encode())]
        tokens.append(CONTROL)
        scripts = self._per_task(turns[-1].text)
        self._scripts[tuple(tokens)] = [script.encode() for script in scripts]
        return tokens

    def reserve(self, context: int) -> None:
        self.reserved = max(self.reserved, context)

    def evaluate(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        assert 0 < rows <= len(tokens) <= self.batch_limit
        assert rows <= self.row_limit
        self.calls.append(len(tokens))
        if self.interrupt_after is not None and len(self.calls) > self.interrupt_after:
            raise Interrupted
        self._tokens += tokens
        ends = range(len(self._tokens) - rows + 1, len(self._tokens) + 1)
        return np.stack([self._logits(self._tokens[:end]) for end in ends])

    def _logits(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        logits = np.zeros(len(PIECES), dtype=np.float32)
        prompt = len(tokens) - tokens[::-1].index(CONTROL) if CONTROL in tokens else 0
        answer = b"".join(PIECES[token] for token in tokens[prompt:])
        wish = 1000.0
        for script in self._scripts.get(tuple(tokens[:prompt]), []):
            if script.startswith(answer):
                rest = script[len(answer) :]
                for token, piece in enumerate(PIECES):
                    if piece and rest.startswith(piece):
                        logits[token] = max(logits[token], wish + len(piece))
            wish -= self.spread
        logits[CONTROL] = 500
        return logits

    def repeat(self, parts: Sequence[range]) -> None:
        self._tokens += [self._tokens[at] for part in parts for at in part]

    def trim(self, length: int) -> None:
        del self._tokens[length:]

    @property
    def settings(self) -> Mapping[str, object]:
        return {"scripted": True}

    def state(self) -> bytes:
        return json.dumps(self._tokens).encode()

    def restore(self, state: bytes, tokens: Sequence[int]) -> None:
        self._tokens = []
        if state != json.dumps(list(tokens)).encode():
            raise StateRefused(len(tokens))
        self._tokens = list(tokens)

    def grammar(self, gbnf: str) -> Constraint:
        return GrammarConstraint(gbnf, self.vocabulary)

    def close(self) -> None:
        self.closed = True
