"""Program × source → the new file, byte for byte, with no model in sight."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Literal

from cedit_engine.errors import SpanOutsideSource, TokensUnknown
from cedit_engine.offsets import TokenOffsets
from cedit_engine.program import Copy, CopyTokens, Gen, Operation, Program
from cedit_engine.source import Source, line_ending


def resolve(program: Program, source: Source, tokens: TokenOffsets | None = None) -> bytes:
    """The bytes that ``program`` builds; ``tokens`` are the source's, for copies of those.

    Raises ``SpanOutsideSource`` for lines and tokens that are not there, and ``TokensUnknown``
    where tokens are copied and none were given.
    """
    return b"".join(_built(operation, source, tokens) for operation in program.operations)


def _built(operation: Operation, source: Source, tokens: TokenOffsets | None) -> bytes:
    match operation:
        case Gen(data):
            return data
        case Copy(first, last):
            _require_inside(first, last, len(source), "line")
            return b"".join(source.lines[first - 1 : last])
        case CopyTokens(first, last):
            if tokens is None:
                raise TokensUnknown(first, last)
            _require_inside(first, last, len(tokens), "token")
            return tokens.span(first, last)


def _require_inside(first: int, last: int, length: int, unit: Literal["line", "token"]) -> None:
    if last > length:
        raise SpanOutsideSource(first, last, length, unit)


def in_lines(program: Program, source: Source, tokens: TokenOffsets) -> Program:
    """The same bytes without copies of tokens: whole lines among them are copied as lines.

    A line of which only a part is copied is text, and so is what goes on with it. Raises
    ``SpanOutsideSource`` for tokens that are not there.
    """
    operations: list[Operation] = []
    is_within_a_line = False
    parts = [*_parts(program, source, tokens)]
    for index, (part, is_open) in enumerate(parts):
        goes_on = is_open and index + 1 < len(parts)
        operations += _as_text(part, source) if is_within_a_line or goes_on else [part]
        is_within_a_line = is_open
    return Program(tuple(operations)).merged()


def _parts(
    program: Program, source: Source, tokens: TokenOffsets
) -> Iterator[tuple[Gen | Copy, bool]]:
    """Copies and texts, and whether each leaves its last line to what follows.

    A copy of lines never does: it stands for whole ones, also where the last has no ending.
    """
    ends = [0, *accumulate(map(len, source.lines))]
    for operation in program.operations:
        match operation:
            case CopyTokens(first, last):
                _require_inside(first, last, len(tokens), "token")
                for start, stop in _cut_at(ends, tokens.start(first - 1), tokens.ends[last - 1]):
                    data = source.data[start:stop]
                    number = bisect_right(ends, start)
                    is_whole = data == source.lines[number - 1]
                    yield Copy(number, number) if is_whole else Gen(data), not line_ending(data)
            case Gen(data) if data:
                yield operation, not line_ending(data)
            case Copy():
                yield operation, False


def _cut_at(ends: Sequence[int], start: int, stop: int) -> Iterator[tuple[int, int]]:
    """From ``start`` to ``stop``, cut wherever a line ends."""
    inside = ends[bisect_right(ends, start) : bisect_left(ends, stop)]
    return pairwise([start, *inside, stop])


def _as_text(part: Gen | Copy, source: Source) -> list[Operation]:
    """``part`` with its first line as text."""
    if isinstance(part, Gen):
        return [part]
    first = Gen(source.lines[part.first - 1])
    return [first, Copy(part.first + 1, part.last)] if part.first < part.last else [first]
