"""Known edits as answers; what comes of them is tried with the decoder in bench/test_gold.py."""

import pytest

from cedit_engine.source import Source
from cedit_engine.spelling import SPELLINGS
from cedit_engine.task import Task

TASK = Task.of(Source.from_bytes(b"one\ntwo\nthree\n"), "x", "f.py")


def spelled(strategy: str, after: bytes) -> str | None:
    return SPELLINGS[strategy](TASK, Source.from_bytes(after))


@pytest.mark.parametrize(
    ("strategy", "answer"),
    [
        (
            "lines",
            '<program>\n<copy lines="1-1"/>\none\n<gen>\n2\n</gen>\n'
            '<copy lines="3-3"/>\nthree\n</program>',
        ),
        ("anchor", "<old>\ntwo\n</old>\n<new>\n2\n</new>\n<done>"),
        ("rewrite", "```python\none\n2\nthree\n```"),
    ],
)
def test_an_edit_in_each_spelling(strategy: str, answer: str) -> None:
    assert spelled(strategy, b"one\n2\nthree\n") == answer


@pytest.mark.parametrize(
    ("strategy", "text"),
    [("lines", b"a </gen> b"), ("anchor", b"</new>"), ("rewrite", b"```"), ("verify", b"```py")],
)
def test_text_that_would_close_itself_has_no_spelling(strategy: str, text: bytes) -> None:
    assert spelled(strategy, b"one\n" + text + b"\nthree\n") is None
    for other in SPELLINGS.keys() - {strategy, "rewrite", "verify"}:
        assert spelled(other, b"one\n" + text + b"\nthree\n")
