"""What an edit may not touch is put back."""

import pytest

from cedit_engine.confining import confined
from cedit_engine.oracle import oracle
from cedit_engine.resolver import resolve
from cedit_engine.source import Source
from cedit_engine.task import Span, Task

BEFORE = b"1\n2\n3\n4\n5\n"


def after(wanted: bytes, *spans: Span) -> bytes:
    source = Source.from_bytes(BEFORE)
    task = Task.of(source, "x").confined_to(spans)
    program = confined(oracle(source, Source.from_bytes(wanted)), task)
    return resolve(program, source)


@pytest.mark.parametrize(
    ("wanted", "kept"),
    [
        (b"x\n2\ny\n4\nz\n", b"1\n2\ny\n4\n5\n"),
        (b"1\na\nb\nc\n5\n", b"1\n2\nb\n4\n5\n"),
        (b"1\n2\n4\n5\n", b"1\n2\n4\n5\n"),
        (b"1\n2\n5\n", BEFORE),
        (b"1\n2\nnew\n3\nnew\n4\nnew\n5\n", b"1\n2\nnew\n3\nnew\n4\n5\n"),
        (b"1\n2\n3\n4\n5\nend\n", BEFORE),
    ],
)
def test_only_what_is_within_the_spans_is_kept(wanted: bytes, kept: bytes) -> None:
    assert after(wanted, Span(3, 3)) == kept


def test_spans_are_apart() -> None:
    wanted = b"a\nb\nc\nd\ne\n"
    assert after(wanted, Span(1, 1), Span(4, 5)) == b"a\n2\n3\nd\ne\n"


def test_without_spans_an_edit_stays_as_it_is() -> None:
    source = Source.from_bytes(BEFORE)
    program = oracle(source, Source.from_bytes(b""))
    assert confined(program, Task.of(source, "x")) is program
