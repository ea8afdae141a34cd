import pytest
from hypothesis import given
from hypothesis import strategies as st

from cedit.render import diff_text, human_size, plural, visible


@given(st.text())
def test_nothing_a_terminal_obeys_is_printed(text: str) -> None:
    shown = visible(text)
    assert not any(ord(char) < 0x20 and char not in "\t\n" for char in shown)
    assert not any(0x7F <= ord(char) < 0xA0 for char in shown)
    shown.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[2Jb", "a^[[2Jb"),
        ("\x7f\x9b", "\\x7f\\x9b"),
        ("\u202eabc", "\\u202eabc"),
        ("\udcff", "\\udcff"),
        ("tab\tand\nnewline", "tab\tand\nnewline"),
    ],
)
def test_what_would_be_obeyed_is_spelled_out(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_diff_shows_changed_carriage_returns() -> None:
    text = diff_text(b"--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+b\n")
    assert text.plain == "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\\r\n+b\n"
    assert {str(span.style) for span in text.spans} >= {"red", "green", "cyan", "bold"}


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (491_400_064, "491.4 MB"),
        (10**16, "10000.0 TB"),
    ],
)
def test_sizes(size: int, shown: str) -> None:
    assert human_size(size) == shown


def test_plurals() -> None:
    assert (plural(1, "line"), plural(1200, "line")) == ("1 line", "1,200 lines")
