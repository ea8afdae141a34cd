"""Copies of tokens: their places in the bytes, and the program that copies lines instead."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cedit_engine.errors import NoTokenOffsets, SpanOutsideSource, TokensUnknown
from cedit_engine.llama import Llama
from cedit_engine.offsets import TokenOffsets, all_but_last, places
from cedit_engine.program import Copy, CopyTokens, Gen, Operation, Program
from cedit_engine.resolver import in_lines, resolve
from cedit_engine.source import Source
from tests.fakes import ScriptedModel, vocabulary

MODEL = ScriptedModel()


def offsets(data: bytes) -> TokenOffsets:
    return TokenOffsets.of(data, MODEL.tokenize, vocabulary())


@given(st.one_of(st.binary(), st.text().map(str.encode)))
def test_any_bytes_are_their_tokens(data: bytes) -> None:
    tokens = offsets(data)
    assert b"".join(tokens.span(at, at) for at in range(1, len(tokens) + 1)) == data
    if data:
        assert tokens.span(1, len(tokens)) == data


@given(st.lists(st.sampled_from([b"a b\n", b"return x\n", b"\xff\n", b"open"])), st.data())
def test_copies_of_tokens_are_copies_of_lines_and_text(
    lines: list[bytes], data: st.DataObject
) -> None:
    source = Source.from_bytes(b"".join(lines))
    tokens = offsets(source.data)
    spans = st.tuples(st.integers(1, max(len(tokens), 1)), st.integers(1, max(len(tokens), 1)))
    copies = spans.map(lambda span: CopyTokens(min(span), max(span)))
    parts = copies if len(tokens) else st.just(Gen(b"x"))
    program = Program(
        tuple(data.draw(st.lists(st.one_of(parts, st.just(Gen(b"new"))), max_size=4)))
    )
    built = resolve(program, source, tokens)
    by_lines = in_lines(program, source, tokens)
    assert resolve(by_lines, source) == built
    assert not any(isinstance(operation, CopyTokens) for operation in by_lines.operations)


def test_whole_lines_are_copied_as_lines() -> None:
    source = Source.from_bytes(b"a\nb\nc\n")
    program = in_lines(Program((CopyTokens(2, 5),)), source, offsets(source.data))
    assert program == Program((Gen(b"\n"), Copy(2, 2), Gen(b"c")))


@pytest.mark.parametrize(
    ("text", "program", "expected"),
    [
        (b"a\nb\n", (Gen(b"x"), CopyTokens(3, 4)), (Gen(b"xb\n"),)),
        (b"a\nb\n", (Gen(b"x"), Copy(1, 2)), (Gen(b"xa\n"), Copy(2, 2))),
        (b"a\nb", (CopyTokens(3, 3), Gen(b"\nc")), (Gen(b"b\nc"),)),
        (b"a\nb", (CopyTokens(1, 3),), (Copy(1, 2),)),
    ],
)
def test_a_line_that_is_copied_in_part_is_text(
    text: bytes, program: tuple[Operation, ...], expected: tuple[Operation, ...]
) -> None:
    source = Source.from_bytes(text)
    assert in_lines(Program(program), source, offsets(text)).operations == expected


def test_tokens_that_are_not_known_or_not_there() -> None:
    source = Source.from_bytes(b"ab")
    program = Program((CopyTokens(1, 3),))
    with pytest.raises(TokensUnknown):
        resolve(program, source)
    with pytest.raises(SpanOutsideSource) as caught:
        resolve(program, source, offsets(b"ab"))
    assert (caught.value.length, caught.value.unit) == (2, "token")
    with pytest.raises(SpanOutsideSource):
        in_lines(program, source, offsets(b"ab"))


def test_a_tokenizer_that_changes_the_text_is_refused() -> None:
    with pytest.raises(NoTokenOffsets) as caught:
        TokenOffsets.of(b"A", lambda text: MODEL.tokenize(text.lower()), vocabulary())
    assert caught.value.size == 1


@pytest.mark.model
@pytest.mark.parametrize(
    "data",
    [b"\xff\xfe abc\xc3", b"caf\xc3\xa9\r\n\t x", b"\xef\xbb\xbfx\x0c\n", b"\x80" * 5, b"a\0b"],
)
def test_the_real_tokenizer_gives_back_any_bytes(llama_vocabulary: Llama, data: bytes) -> None:
    tokens = TokenOffsets.of(data, llama_vocabulary.tokenize, llama_vocabulary.vocabulary)
    assert tokens.span(1, len(tokens)) == data


def test_where_parts_are_for_the_last_time() -> None:
    text = b"1|a\n2|return\n; 1|a\n2|return\n!"
    tokens = MODEL.tokenize(text)
    parts = [b"1|", b"a\n", b"2|", b"return\n"]
    found = places(tokens, vocabulary(), parts)
    spelled = [b"".join(vocabulary().piece(tokens[at]) for at in part) for part in found]
    assert spelled == parts
    assert found[0].start > len(MODEL.tokenize(b"1|a\n2|return\n"))
    with pytest.raises(ValueError, match="not found"):
        places(tokens, vocabulary(), [b"3|a\n"])


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 4))), st.integers(0, 9))
def test_the_last_tokens_of_parts(steps: list[tuple[int, int]], count: int) -> None:
    parts, at = [], 0
    for gap, length in steps:
        parts.append(range(at + gap, at + gap + length))
        at += gap + length
    kept, last = all_but_last(parts, count)
    flat = [token for part in parts for token in part]
    assert [token for part in kept for token in part] + last == flat
    assert len(last) == min(count, len(flat))
    assert all(kept)
