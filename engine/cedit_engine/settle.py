"""From the program a model wrote to the program a file can take.

A model reads and writes views of lines: no endings, no byte order mark, and U+FFFD for
what is not UTF-8. Settling gives generated lines the endings of their neighbours, turns
those that repeat the lines they replace into copies, so that their bytes are the file's
own, and keeps the byte order mark first and the last line's ending as it was.
"""

from collections.abc import Iterator

from cedit_engine.hunks import align
from cedit_engine.program import Copy, Gen, Operation, Program
from cedit_engine.source import BOM, Source, line_ending, split_lines


def settle(draft: Program, source: Source) -> Program:
    r"""``draft``, whose generated text is UTF-8 with ``\n`` endings, fitted to ``source``."""
    settled = Program(tuple(_fit_generated(draft.merged(), source))).merged()
    closed = Program(tuple(_close_inner_lines(settled, source))).merged()
    kept_open = _keep_last_line_open(closed, source)
    return Program(tuple(_put_bom_first(kept_open, source))).merged()


def _fit_generated(draft: Program, source: Source) -> Iterator[Operation]:
    """Each generated block aligned with the gap between the copies around it."""
    before = 0
    for index, operation in enumerate(draft.operations):
        if not isinstance(operation, Gen):
            before = operation.last if isinstance(operation, Copy) else before
            yield operation
            continue
        following = draft.operations[index + 1 :]
        after = next((op.first for op in following if isinstance(op, Copy)), len(source) + 1)
        yield from _align_block(operation, before, max(before, after - 1), source)


def _align_block(block: Gen, start: int, end: int, source: Source) -> Iterator[Operation]:
    """``block`` in place of the lines after ``start`` up to ``end`` (both from 1)."""
    written = [line.removesuffix(b"\n") for line in split_lines(block.data)]
    views = [line.decode("utf-8", "replace") for line in written]
    for tag, old, old_end, new, new_end in align(source.views[start:end], views):
        if tag == "equal":
            yield Copy(start + old + 1, start + old_end)
            continue
        for offset, line in enumerate(written[new:new_end]):
            replaced = start + min(old + offset, old_end - 1)
            yield Gen(_end_line(line, _neighbour_ending(replaced, source)))


def _neighbour_ending(index: int, source: Source) -> bytes:
    """The ending of line ``index`` (from 0), or of the line before or after it."""
    near = [source.lines[i] for i in (index, index - 1, index + 1) if 0 <= i < len(source)]
    return next((ending for ending in map(line_ending, near) if ending), source.common_ending)


def _end_line(line: bytes, ending: bytes) -> bytes:
    return line.removesuffix(b"\r") + ending if ending == b"\r\n" else line + ending


def _close_inner_lines(program: Program, source: Source) -> Iterator[Operation]:
    """A last line without an ending gets one where something now follows it."""
    if not source.ends_open:
        yield from program.operations
        return
    *inner, final = program.operations or (Gen(b""),)
    for operation in inner:
        yield from _close_open_line(operation, source)
    yield final


def _close_open_line(operation: Operation, source: Source) -> Iterator[Operation]:
    last = len(source)
    if not isinstance(operation, Copy) or operation.last < last:
        yield operation
        return
    if operation.first < last:
        yield Copy(operation.first, last - 1)
    unmarked = source.lines[-1].removeprefix(BOM if last == 1 else b"")
    yield Gen(unmarked + _neighbour_ending(last - 2, source))


def _keep_last_line_open(program: Program, source: Source) -> Program:
    """Generated text at the end has no final newline where the source had none."""
    if not (program.operations and source.ends_open):
        return program
    *body, last = program.operations
    if not isinstance(last, Gen):
        return program
    ending = line_ending(last.data)
    return Program((*body, Gen(last.data[: len(last.data) - len(ending)])))


def _put_bom_first(program: Program, source: Source) -> Iterator[Operation]:
    operations = program.operations
    if not source.has_bom or not operations:
        yield from operations
        return
    first, *rest = operations
    if isinstance(first, Copy) and first.first == 1:
        yield first
    else:
        yield Gen(BOM)
        rest = [first, *rest]
    for operation in rest:
        yield from _without_bom(operation, source)


def _without_bom(operation: Operation, source: Source) -> Iterator[Operation]:
    if not isinstance(operation, Copy) or operation.first > 1:
        yield operation
        return
    yield Gen(source.lines[0].removeprefix(BOM))
    if operation.last > 1:
        yield Copy(2, operation.last)
