"""The cheapest program builds the text, and no other program is cheaper."""

from collections.abc import Iterator
from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from cedit_engine.cheapest import Sides, cheapest
from cedit_engine.offsets import TokenOffsets
from cedit_engine.oracle import oracle
from cedit_engine.program import Copy, Gen, Operation, Program, render_operation
from cedit_engine.resolver import resolve
from cedit_engine.source import Source

lines = st.lists(
    st.sampled_from([b"a\n", b"b\n", b"c" * 30 + b"\n", b"d" * 70 + b"\n"]), max_size=7
)
closed = lines.map(lambda some: Source(tuple(some)))


def count(text: str) -> int:
    """Half a token a character: long lines are worth a copy."""
    return len(text) // 2


def sides(before: Source, after: Source) -> Sides[bytes]:
    data = after.data
    ends = range(2, len(data) + 1, 2)
    return Sides.of_lines(before, after, TokenOffsets(data, (0,) * len(ends), tuple(ends)))


def cost(program: Program) -> int:
    return sum(count(render_operation(operation)) for operation in program.operations)


def all_programs(before: Source, after: Source, start: int = 0) -> Iterator[tuple[Operation, ...]]:
    if start == len(after):
        yield ()
    for end in range(start + 1, len(after) + 1):
        part = after.lines[start:end]
        for rest in all_programs(before, after, end):
            if not (rest and isinstance(rest[0], Gen)):
                yield (Gen(b"".join(part)), *rest)
            for first in range(len(before) - len(part) + 1):
                if before.lines[first : first + len(part)] == part:
                    yield (Copy(first + 1, first + len(part)), *rest)


@given(closed, closed)
def test_it_builds_the_text_and_none_is_cheaper(before: Source, after: Source) -> None:
    program = cheapest(sides(before, after), cache(count))
    assert resolve(program, before) == after.data
    least = min(cost(Program(found).merged()) for found in all_programs(before, after))
    assert cost(program) == least


@given(st.lists(st.binary(max_size=9)), st.lists(st.binary(max_size=9)))
def test_any_bytes_at_no_more_than_the_oracle_takes(old: list[bytes], new: list[bytes]) -> None:
    before, after = (Source.from_bytes(b"\n".join(side)) for side in (old, new))
    program = cheapest(sides(before, after), count)
    assert resolve(program, before) == after.data
    assert cost(program) <= cost(oracle(before, after))


def test_a_block_that_moved_is_copied() -> None:
    names = [b"a line that is long enough to copy, number %d\n" % number for number in range(9)]
    before = Source(tuple(names))
    after = Source((*names[5:], *names[:5], *names[:2]))
    assert cheapest(sides(before, after), count).operations == (
        Copy(6, 9),
        Copy(1, 5),
        Copy(1, 2),
    )
