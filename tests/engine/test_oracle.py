import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cedit_engine.errors import SpanOutsideSource
from cedit_engine.hunks import align
from cedit_engine.oracle import oracle
from cedit_engine.program import Copy, Gen, Program, parse, render
from cedit_engine.resolver import resolve
from cedit_engine.source import Source

DATA = Path(os.environ.get("CEDIT_DATA", Path(__file__).parents[3] / "shared" / "data"))

pieces = [b"a", b"b", b"\n", b"\r\n", b"\n\n", b"\xff", b"\xef\xbb\xbf", b"    return x\n"]
texts = st.one_of(st.binary(), st.lists(st.sampled_from(pieces)).map(b"".join))


@settings(max_examples=2500)
@given(texts, texts)
def test_resolving_the_oracle_gives_the_new_file(before: bytes, after: bytes) -> None:
    source = Source.from_bytes(before)
    program = oracle(source, Source.from_bytes(after))
    assert resolve(program, source) == after
    assert resolve(parse(render(program)), source) == after


@settings(max_examples=300)
@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abc")))
def test_aligning_covers_both_sides_in_order(before: list[str], after: list[str]) -> None:
    old, new = 0, 0
    for tag, first, last, start, stop in align(before, after):
        assert (first, start) == (old, new)
        assert (before[first:last] == after[start:stop]) == (tag == "equal")
        old, new = last, stop
    assert (old, new) == (len(before), len(after))


def test_an_unchanged_file_is_one_copy() -> None:
    source = Source.from_bytes(b"a\nb\n")
    assert oracle(source, source) == Program((Copy(1, 2),))


def test_one_changed_line() -> None:
    program = oracle(Source.from_bytes(b"a\nb\nc\n"), Source.from_bytes(b"a\nB\nc\n"))
    assert program == Program((Copy(1, 1), Gen(b"B\n"), Copy(3, 3)))


def test_lines_that_are_not_there_cannot_be_copied() -> None:
    with pytest.raises(SpanOutsideSource) as caught:
        resolve(Program((Copy(2, 5),)), Source.from_bytes(b"a\nb\n"))
    assert (caught.value.first, caught.value.last, caught.value.length) == (2, 5, 2)


@pytest.mark.parametrize("name", ["humanevalpack-python.jsonl", "humanevalpack-js.jsonl"])
def test_every_humanevalpack_case_resolves_exactly(name: str) -> None:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{path} is not there: set CEDIT_DATA")
    rows = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert len(rows) == 164
    for row in rows:
        before = Source.from_bytes((row["prompt"] + row["buggy_solution"]).encode())
        after = (row["prompt"] + row["canonical_solution"]).encode()
        program = oracle(before, Source.from_bytes(after))
        assert resolve(parse(render(program)), before) == after, row["task_id"]
