import pytest
from hypothesis import given
from hypothesis import strategies as st

from cedit_engine.errors import ProgramSyntax
from cedit_engine.program import Copy, CopyTokens, Gen, Operation, Program, parse, render

spans = st.tuples(st.integers(1, 99), st.integers(0, 99)).map(lambda p: Copy(p[0], p[0] + p[1]))
words = [b"</gen>", b"</gen2>", b"<gen>", b"\n", b"\r", b"x", b"\xff", b"<program>", b"</program>"]
texts = st.one_of(st.binary(), st.lists(st.sampled_from(words)).map(b"".join))
token_spans = spans.map(lambda copy: CopyTokens(copy.first, copy.last))
programs = st.lists(st.one_of(spans, token_spans, texts.map(Gen))).map(
    lambda ops: Program(tuple(ops))
)


@given(programs)
def test_the_text_form_round_trips_any_bytes(program: Program) -> None:
    assert parse(render(program)) == program
    render(program).encode("utf-8")


def test_the_text_form_is_the_papers() -> None:
    program = Program((Copy(1, 14), Gen(b"    x = 1\n"), Copy(16, 16)))
    assert render(program) == (
        '<program>\n<copy lines="1-14"/>\n<gen>\n    x = 1\n</gen>\n'
        '<copy lines="16-16"/>\n</program>\n'
    )


@pytest.mark.parametrize(
    ("data", "first_line"),
    [
        (b"x", '<gen open="yes">'),
        (b"</gen>\n", "<gen2>"),
        (b"</gen>\n</gen2>\n", "<gen3>"),
        (b"a</gen>\n", "<gen>"),
        (b"\xff", '<gen encoding="base64">'),
    ],
)
def test_what_a_block_needs_is_said_at_its_start(data: bytes, first_line: str) -> None:
    assert render(Program((Gen(data),))).split("\n")[1] == first_line


def test_a_single_line_may_be_named_alone() -> None:
    assert parse('<program>\n<copy lines="7"/>\n</program>') == Program((Copy(7, 7),))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("<program>\n", 1),
        ('<program>\n<copy lines="2-1"/>\n</program>', 2),
        ('<program>\n<copy lines="0-1"/>\n</program>', 2),
        ('<program>\n<copy tokens="2-1"/>\n</program>', 2),
        ("<program>\n<gen>\nx\n</program>\n", 2),
        ("<program>\nx\n</program>\n", 2),
        ("<program>\n</program>\nx\n", 3),
        ('<program>\n<gen encoding="base64">\n!\n</gen>\n</program>', 2),
    ],
)
def test_what_is_no_program_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(ProgramSyntax) as caught:
        parse(text)
    assert caught.value.line == line


@given(programs)
def test_merging_keeps_what_is_built(program: Program) -> None:
    def units(op: Operation) -> list[tuple[type, int] | bytes]:
        if isinstance(op, Gen):
            return [op.data]
        return [(type(op), at) for at in range(op.first, op.last + 1)]

    def flat(p: Program) -> list[tuple[type, int] | bytes]:
        items: list[tuple[type, int] | bytes] = []
        for op in p.operations:
            for item in units(op):
                if isinstance(item, bytes) and items and isinstance(items[-1], bytes):
                    items[-1] += item
                elif item != b"":
                    items.append(item)
        return items

    merged = program.merged()
    assert flat(merged) == flat(program)
    assert merged.merged() == merged
    assert len(merged.operations) <= len(program.operations)


def test_a_span_must_be_one() -> None:
    with pytest.raises(ValueError, match="3-2"):
        Copy(3, 2)
