"""Program × source → the new file, byte for byte, with no model in sight."""

from cedit_engine.errors import SpanOutsideSource
from cedit_engine.program import Copy, Program
from cedit_engine.source import Source


def resolve(program: Program, source: Source) -> bytes:
    """The bytes that ``program`` builds; raises ``SpanOutsideSource`` for lines not there."""
    parts: list[bytes] = []
    for operation in program.operations:
        if isinstance(operation, Copy):
            if operation.last > len(source):
                raise SpanOutsideSource(operation.first, operation.last, len(source))
            parts.extend(source.lines[operation.first - 1 : operation.last])
        else:
            parts.append(operation.data)
    return b"".join(parts)
