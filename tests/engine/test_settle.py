r"""Golden cases as files, and laws.

A case is a folder in tests/data/settle: ``source``, ``draft`` (a program as a model wrote
it, with ``\n`` endings) and ``after``, the bytes that must come out.
"""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cedit_engine.oracle import oracle
from cedit_engine.program import Copy, Gen, Operation, Program, parse
from cedit_engine.resolver import resolve
from cedit_engine.settle import settle
from cedit_engine.source import BOM, Source

CASES = sorted((Path(__file__).parents[1] / "data" / "settle").iterdir())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_golden(case: Path) -> None:
    source = Source.from_bytes((case / "source").read_bytes())
    draft = parse((case / "draft").read_bytes().decode())
    program = settle(draft, source)
    assert resolve(program, source) == (case / "after").read_bytes()
    assert program.merged() == program


endings = st.sampled_from([b"\n", b"\r\n"])
words = st.sampled_from([b"a", b"b", b"", b"\xff", b"\x0c", b"\tx"])
whole_lines = st.lists(st.tuples(words, endings).map(b"".join), max_size=6).map(b"".join)
files = st.tuples(st.sampled_from([b"", BOM]), whole_lines, words).map(b"".join)


@given(files)
def test_copying_everything_changes_nothing(data: bytes) -> None:
    source = Source.from_bytes(data)
    operations = (Copy(1, len(source)),) if len(source) else ()
    assert resolve(settle(Program(operations), source), source) == data


@given(files)
def test_rewriting_every_line_as_the_model_saw_it_changes_nothing(data: bytes) -> None:
    source = Source.from_bytes(data)
    rewritten = "".join(f"{view}\n" for view in source.views).encode()
    program = settle(Program((Gen(rewritten),)), source)
    assert resolve(program, source) == data
    assert program.copied_lines == len(source)


@given(files, st.lists(st.sampled_from(["new", "", "b"]), max_size=4), st.data())
def test_an_edit_touches_only_the_lines_it_replaces(
    data: bytes, text: list[str], draw: st.DataObject
) -> None:
    source = Source.from_bytes(data)
    first = draw.draw(st.integers(0, len(source)))
    last = draw.draw(st.integers(first, len(source)))
    head: list[Operation] = [Copy(1, first)] if first else []
    tail: list[Operation] = [Copy(last + 1, len(source))] if last < len(source) else []
    new = Gen("".join(f"{line}\n" for line in text).encode())
    after = resolve(settle(Program((*head, new, *tail)), source), source)
    if tail:
        kept = b"".join(source.lines[last:])
        assert after.endswith(kept.removeprefix(BOM) if last == 0 else kept)
    if first and (tail or text or not source.ends_open or first < len(source)):
        assert after.startswith(b"".join(source.lines[: first - 1]))
    assert after.count(BOM) == data.count(BOM) or not after
    assert b"\r\r\n" not in after


@given(files, files)
def test_settling_a_finished_program_keeps_its_text(before: bytes, after: bytes) -> None:
    r"""Up to endings and the byte order mark, which settling decides."""
    source = Source.from_bytes(before)
    program = oracle(source, Source.from_bytes(after))
    settled = resolve(settle(program, source), source)
    assert _plain(settled) == _plain(after)


def _plain(data: bytes) -> list[str]:
    views = list(Source.from_bytes(data.replace(BOM, b"")).views)
    while views and views[-1] == "":  # the last of them is there or not by its ending alone
        views.pop()
    return views
