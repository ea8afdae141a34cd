"""Where a text's tokens begin and end in its bytes."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from cedit_engine.errors import NoTokenOffsets
from cedit_engine.vocabulary import Vocabulary

Tokenize = Callable[[bytes], Sequence[int]]


@dataclass(frozen=True)
class TokenOffsets:
    """A text's bytes, its tokens, and where each of them ends in it."""

    data: bytes
    tokens: tuple[int, ...]
    ends: tuple[int, ...]

    @classmethod
    def of(cls, data: bytes, tokenize: Tokenize, vocabulary: Vocabulary) -> "TokenOffsets":
        """Raises ``NoTokenOffsets`` where the tokens of ``data`` do not spell its bytes.

        A tokenizer may fold, add or drop characters: then no token stands at a place of its own.
        Bytes that are no UTF-8, which it would replace, are tokens by themselves.
        """
        tokens = tuple(_tokens_of(data, tokenize, vocabulary))
        pieces = [vocabulary.piece(token) for token in tokens]
        if b"".join(pieces) != data:
            raise NoTokenOffsets(len(data))
        return cls(data, tokens, tuple(accumulate(map(len, pieces))))

    def __len__(self) -> int:
        return len(self.tokens)

    def start(self, token: int) -> int:
        """The byte at which the ``token``-th token begins, counted from 0."""
        return self.ends[token - 1] if token else 0

    def span(self, first: int, last: int) -> bytes:
        """The bytes of the tokens from ``first`` to ``last``, counted from 1, both included."""
        return self.data[self.start(first - 1) : self.ends[last - 1]]


@dataclass(frozen=True)
class Tokenizer:
    """A model's tokenizer, which needs its vocabulary and none of its weights."""

    tokenize: Tokenize
    vocabulary: Vocabulary

    def offsets(self, data: bytes) -> TokenOffsets:
        """Where the tokens of ``data`` are; raises ``NoTokenOffsets``."""
        return TokenOffsets.of(data, self.tokenize, self.vocabulary)

    def count(self, text: str) -> int:
        """The tokens of ``text``."""
        return len(self.tokenize(text.encode()))


def places(tokens: Sequence[int], vocabulary: Vocabulary, parts: Sequence[bytes]) -> list[range]:
    """Which of ``tokens``, counted from 0, each of ``parts`` is in.

    The parts stand one behind the other, and for the last time. A token that two share belongs
    to both. Raises ``ValueError`` where they do not stand there.
    """
    pieces = [vocabulary.piece(token) for token in tokens]
    ends = [*accumulate(map(len, pieces))]
    at = b"".join(pieces).rindex(b"".join(parts))
    found = []
    for part in parts:
        first, last = bisect_right(ends, at), bisect_left(ends, at + len(part))
        found.append(range(first, last + 1))
        at += len(part)
    return found


def all_but_last(parts: Sequence[range], count: int) -> tuple[list[range], list[int]]:
    """``parts`` of a text without their last ``count`` tokens, and those."""
    kept, last = [*parts], list[int]()
    while kept and len(last) < count:
        part = kept.pop()
        cut = max(part.stop - count + len(last), part.start)
        last = [*range(cut, part.stop), *last]
        if cut > part.start:
            kept.append(range(part.start, cut))
    return kept, last


def _tokens_of(data: bytes, tokenize: Tokenize, vocabulary: Vocabulary) -> Iterator[int]:
    for text, is_utf8 in _runs(data):
        if is_utf8:
            yield from tokenize(text)
        else:
            yield from (vocabulary.ids_of.get(bytes((byte,)), (0,))[0] for byte in text)


def _runs(data: bytes) -> Iterator[tuple[bytes, bool]]:
    """``data`` in pieces, each with whether it is UTF-8."""
    while data:
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            yield data[: error.start], True
            yield data[error.start : error.end], False
            data = data[error.end :]
        else:
            yield data, True
            return
