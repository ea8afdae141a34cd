import pytest
from hypothesis import given
from hypothesis import strategies as st

from cedit_engine.errors import BinarySource
from cedit_engine.source import BOM, Source, split_lines

lines = st.lists(
    st.sampled_from([b"a", b"\n", b"\r", b"\r\n", b"\x0c", b"\xff", b"\xe2\x80\xa8", BOM])
)
any_bytes = st.one_of(st.binary(), lines.map(b"".join))


@given(any_bytes)
def test_lines_join_to_the_file(data: bytes) -> None:
    assert b"".join(split_lines(data)) == data
    assert Source.from_bytes(data).data == data


@given(any_bytes)
def test_a_line_ends_at_a_newline_and_nowhere_else(data: bytes) -> None:
    assert len(split_lines(data)) == data.count(b"\n") + (not data.endswith(b"\n") and data != b"")
    assert all(b"\n" not in line[:-1] for line in split_lines(data))


@given(any_bytes)
def test_views_are_valid_text_without_endings(data: bytes) -> None:
    source = Source.from_bytes(data)
    assert len(source.views) == len(source)
    for view in source.views:
        assert "\n" not in view
        view.encode("utf-8")


def test_a_view_shows_neither_mark_nor_ending() -> None:
    source = Source.from_bytes(BOM + b"a\r\nb\rc\x0c\xe2\x80\xa8d\n\xff")
    assert source.views == ("a", "b\rc\x0c\u2028d", "�")
    assert source.has_bom
    assert source.ends_open


@pytest.mark.parametrize(
    ("data", "ending"), [(b"", b"\n"), (b"a\r\nb\n", b"\n"), (b"a\r\nb\r\nc\n", b"\r\n")]
)
def test_the_common_ending(data: bytes, ending: bytes) -> None:
    assert Source.from_bytes(data).common_ending == ending


def test_a_nul_byte_makes_a_file_binary() -> None:
    with pytest.raises(BinarySource) as caught:
        Source.from_text_file(b"ab\0")
    assert caught.value.offset == 2
