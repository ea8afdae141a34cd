"""What the engine asks of a language model, whoever runs it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from cedit_engine.constraint import Constraint
from cedit_engine.vocabulary import Vocabulary

Logits = NDArray[np.float32]


@dataclass(frozen=True)
class Turn:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    text: str


class Model(Protocol):
    """A causal model with a memory that grows at its end and can be cut there."""

    @property
    def name(self) -> str:
        """What reports call it."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The bytes of its tokens."""

    @property
    def trained_context(self) -> int:
        """The longest sequence it was trained on, in tokens."""

    @property
    def batch_limit(self) -> int:
        """The most tokens that one call of ``evaluate`` may take."""

    @property
    def row_limit(self) -> int:
        """The most rows of logits that one call of ``evaluate`` may return."""

    @property
    def prefill_chunk(self) -> int:
        """Tokens of a prompt to evaluate at a time, so that it can be interrupted."""

    @property
    def tokens(self) -> Sequence[int]:
        """What its memory holds."""

    def tokenize(self, text: bytes) -> list[int]:
        """The tokens of plain text; control tokens in it are spelled out."""

    def tokenize_chat(self, turns: Sequence[Turn]) -> list[int]:
        """The conversation in the model's own template, up to where the assistant answers."""

    def reserve(self, context: int) -> None:
        """Make room for ``context`` tokens; the memory may be lost."""

    def evaluate(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        """Append ``tokens`` in one forward call; the logits behind the last ``rows`` of them.

        Shape ``(rows, vocabulary)``, valid until the next call. Raises ``DecodeFailed`` or
        ``Interrupted``.
        """

    def trim(self, length: int) -> None:
        """Keep the first ``length`` tokens of the memory."""

    def repeat(self, parts: Sequence[range]) -> None:
        """Append tokens of the memory to it again, without a forward call.

        ``parts``, which rise and share no token, are joined. They keep the keys and values that
        were computed for them where they stand, turned to their new positions; no logits come
        of it. Raises ``CannotRepeat``.
        """

    @property
    def weights(self) -> Path:
        """The file that the model was loaded from."""

    @property
    def settings(self) -> Mapping[str, object]:
        """All that a state depends on beside weights and tokens, as JSON can hold it."""

    def state(self) -> bytes:
        """The memory as bytes."""

    def restore(self, state: bytes, tokens: Sequence[int]) -> None:
        """Put back what ``state`` returned when the memory held ``tokens``.

        Raises ``StateRefused``; the memory is empty then.
        """

    def grammar(self, gbnf: str) -> Constraint:
        """The constraint that a GBNF grammar's ``root`` describes."""

    def close(self) -> None:
        """Free what the model holds; it is not used afterwards."""
