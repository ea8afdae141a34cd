"""Program × source → the new file, byte for byte, with no model in sight."""

from typing import Literal

from cedit_engine.errors import SpanOutsideSource, TokensUnknown
from cedit_engine.offsets import TokenOffsets
from cedit_engine.program import Copy, CopyTokens, Gen, Operation, Program
from cedit_engine.source import Source


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

    Raises ``SpanOutsideSource`` for tokens that are not there.
    """
    operations: list[Operation] = []
    for operation in program.operations:
        if isinstance(operation, CopyTokens):
            _require_inside(operation.first, operation.last, len(tokens), "token")
            operations += _lines_of(operation, source, tokens)
        else:
            operations.append(operation)
    return Program(tuple(operations)).merged()


def _lines_of(copy: CopyTokens, source: Source, tokens: TokenOffsets) -> list[Operation]:
    start, end = tokens.start(copy.first - 1), tokens.ends[copy.last - 1]
    operations: list[Operation] = []
    at = 0
    for number, line in enumerate(source.lines, start=1):
        inside = line[max(start - at, 0) : max(end - at, 0)]
        if inside:
            operations.append(Copy(number, number) if inside == line else Gen(inside))
        at += len(line)
    return operations
