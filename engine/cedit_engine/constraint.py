"""What may be written next: automata over bytes that admit or refuse tokens."""

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from cedit_engine.prefix import common_prefix_length, prefix_step
from cedit_engine.vocabulary import TokenIds, Vocabulary

Tokenize = Callable[[bytes], list[int]]


class Constraint(ABC):
    """A language, and how much of one of its sentences has been written."""

    @property
    @abstractmethod
    def finished(self) -> bool:
        """Whether what was accepted is a whole sentence."""

    @abstractmethod
    def admits(self, tokens: TokenIds) -> list[bool]:
        """For each of ``tokens``, whether it continues a sentence without running past its end."""

    @abstractmethod
    def admissible(self) -> TokenIds:
        """Every token that ``admits`` is true of, in rising order."""

    @abstractmethod
    def accept(self, token: int) -> None:
        """Write ``token``, which must be admitted."""

    def forced(self, tokenize: Tokenize) -> list[int]:
        """The tokens that must come next whatever is chosen; none where that is not known."""
        return []

    def end(self) -> bool:
        """Finish here where that may be, though it is no whole sentence; whether it was done."""
        return False


# Tokenizing every option to find what they share costs more than a call saves beyond this.
_FORCING_LIMIT = 64


class Choice(Constraint):
    """One of finitely many strings, none the beginning of another."""

    def __init__(self, options: Iterable[bytes], vocabulary: Vocabulary) -> None:
        self._rest = sorted(set(options))
        self._vocabulary = vocabulary

    def copy(self) -> "Choice":
        """The same choice with as much of it written."""
        copied = Choice((), self._vocabulary)
        copied._rest = self._rest
        return copied

    @property
    def finished(self) -> bool:
        return self._rest == [b""]

    def admits(self, tokens: TokenIds) -> list[bool]:
        return [self._begins_an_option(self._vocabulary.piece(token)) for token in tokens]

    def _begins_an_option(self, piece: bytes) -> bool:
        at = bisect_left(self._rest, piece)
        return bool(piece) and at < len(self._rest) and self._rest[at].startswith(piece)

    def admissible(self) -> TokenIds:
        found = {token for rest in self._rest for token in self._vocabulary.prefixes_of(rest)}
        return np.array(sorted(found), dtype=np.int32)

    def accept(self, token: int) -> None:
        piece = self._vocabulary.piece(token)
        self._rest = [rest[len(piece) :] for rest in self._rest if rest.startswith(piece)]

    def forced(self, tokenize: Tokenize) -> list[int]:
        if len(self._rest) > _FORCING_LIMIT or self._rest[0][:1] != self._rest[-1][:1]:
            return []
        spelled = [tokenize(rest) for rest in self._rest]
        shared = spelled[0][: common_prefix_length(min(spelled), max(spelled))]
        text = b"".join(map(self._vocabulary.piece, shared))
        # Behind a part of a character, what is left is not UTF-8, and tokens spell it otherwise.
        return shared if all(rest.startswith(text) for rest in self._rest) else []


class FreeText(Constraint):
    """Any valid UTF-8 without NUL up to the first ``closing``, and ``ending`` behind it.

    ``closing`` may begin with the end of ``written``, which stands before the text. A text that
    comes to hold one of ``slips``, which only stand where it has ended, is finished too, and has
    ``slipped``, as one has that was ended without its closing.
    """

    def __init__(
        self,
        closing: bytes,
        vocabulary: Vocabulary,
        ending: bytes = b"\n",
        written: bytes = b"",
        slips: Sequence[bytes] = (),
    ) -> None:
        self.slipped = False
        self._automaton = _ClosingAutomaton(closing, ending)
        self._vocabulary = vocabulary
        self._sentence = closing + ending
        self._slips = slips
        self._end = b""
        self._state = _START
        self._advance(written)

    @property
    def finished(self) -> bool:
        return self.slipped or self._automaton.is_end(self._state)

    def end(self) -> bool:
        is_inside_a_character = bool(self._state[1])
        self.slipped = self.slipped or not is_inside_a_character
        return self.slipped

    def admits(self, tokens: TokenIds) -> list[bool]:
        return [self._admits_piece(self._vocabulary.piece(token)) for token in tokens]

    def _admits_piece(self, piece: bytes) -> bool:
        return bool(piece) and self._automaton.run(self._state, piece) is not None

    def admissible(self) -> TokenIds:
        # There are few states, and going through the whole vocabulary takes half a second.
        known = self._vocabulary.admissible
        if (self._sentence, self._state) not in known:
            pieces = enumerate(self._vocabulary.pieces)
            found = [token for token, piece in pieces if self._admits_piece(piece)]
            known[self._sentence, self._state] = np.array(found, dtype=np.int32)
        return known[self._sentence, self._state]

    def accept(self, token: int) -> None:
        self._advance(self._vocabulary.piece(token))

    def _advance(self, text: bytes) -> None:
        state = self._automaton.run(self._state, text)
        assert state is not None, "accept follows admits"
        self._state = state
        if self._slips:
            self._end = self._end[-max(map(len, self._slips)) :] + text
            self.slipped = any(slip in self._end for slip in self._slips)


# How much of the closing tag has been matched, and which byte ranges must still follow
# to end the present UTF-8 character.
_State = tuple[int, tuple[tuple[int, int], ...]]
_START: _State = (0, ())
_TAIL = (0x80, 0xBF)


class _ClosingAutomaton:
    """The prefix automaton of one closing tag, over bytes that are valid UTF-8."""

    def __init__(self, closing: bytes, ending: bytes) -> None:
        self._closing = closing
        self._sentence = closing + ending

    def is_end(self, state: _State) -> bool:
        return state[0] == len(self._sentence)

    def run(self, state: _State, piece: bytes) -> _State | None:
        """The state after ``piece``, or nothing where it may not come."""
        matched, tail = state
        for byte in piece:
            expected = _next_tail(tail, byte)
            if expected is None:
                return None
            tail = expected
            if matched < len(self._closing):
                matched = prefix_step(self._closing, matched, bytes((byte,)))
            elif self._sentence[matched : matched + 1] == bytes((byte,)):
                matched += 1
            else:
                return None
        return matched, tail


def _next_tail(
    expected: tuple[tuple[int, int], ...], byte: int
) -> tuple[tuple[int, int], ...] | None:
    """The continuation bytes still due after ``byte``; nothing where it is not UTF-8 or NUL.

    The ranges are those of table 3-7 of the Unicode standard.
    """
    if expected:
        low, high = expected[0]
        return expected[1:] if low <= byte <= high else None
    if 0x01 <= byte <= 0x7F:
        return ()
    if 0xC2 <= byte <= 0xDF:
        return (_TAIL,)
    if 0xE0 <= byte <= 0xEF:
        second = {0xE0: (0xA0, 0xBF), 0xED: (0x80, 0x9F)}.get(byte, _TAIL)
        return (second, _TAIL)
    if 0xF0 <= byte <= 0xF4:
        second = {0xF0: (0x90, 0xBF), 0xF4: (0x80, 0x8F)}.get(byte, _TAIL)
        return (second, _TAIL, _TAIL)
    return None
