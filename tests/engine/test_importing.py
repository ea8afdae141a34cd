"""Imports that an edit uses and does not make."""

import pytest

from cedit_engine.importing import with_imports
from cedit_engine.resolver import resolve
from cedit_engine.source import Source
from cedit_engine.task import Task

BODY = "def f(a):\n    return a\n"


def imported(head: str, body: str, lines: tuple[int, int] | None = None) -> str | None:
    """The edit from ``BODY`` to ``body``, behind ``head``, with its imports."""
    task = Task.of(Source.from_bytes((head + BODY).encode()), "do it", "f.py", lines)
    program = with_imports(task, (head + body).encode())
    return resolve(program, task.source).decode() if program else None


TYPED = BODY.replace("(a)", "(a: Any)")
LOGGED = BODY.replace("    return", "    logging.info(a)\n    return")


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("", "from typing import Any\n\n\n"),
        ("# f\n\n", "# f\n\nfrom typing import Any\n\n\n"),
        ('"""Doc."""\n\n\n', '"""Doc."""\n\nfrom typing import Any\n\n\n'),
        ("import os\n\nos\n", "import os\nfrom typing import Any\n\nos\n"),
        (
            '"""Doc."""\nfrom __future__ import annotations\nx = 1\n',
            '"""Doc."""\nfrom __future__ import annotations\nfrom typing import Any\nx = 1\n',
        ),
        ("x = 1\n", "from typing import Any\n\nx = 1\n"),
        ("@str\n", "from typing import Any\n\n\n@str\n"),
    ],
)
def test_where_an_import_goes(head: str, expected: str) -> None:
    assert imported(head, TYPED) == expected + TYPED


def test_a_module_is_imported_where_it_is_used_as_one() -> None:
    assert imported("", LOGGED) == f"import logging\n\n\n{LOGGED}"
    both = LOGGED.replace("(a):", "(a: Counter):")
    expected = "from collections import Counter\nimport logging\n\n\n"
    assert imported("", both) == expected + both
    assert imported("", LOGGED.replace("logging.info(a)", "logging(a)")) is None
    assert imported("", LOGGED.replace("logging.info(a)", "logging.nothing(a)")) is None


@pytest.mark.parametrize("body", [BODY, "def f(a: Unknown):\n    return a\n", "def f(a:\n"])
def test_where_no_import_helps_there_is_none(body: str) -> None:
    assert imported("", body) is None


def test_lines_that_may_not_change_are_left_alone() -> None:
    assert imported("x = 1\n", TYPED, lines=(2, 3)) is None


def test_line_endings_are_those_of_the_file() -> None:
    task = Task.of(Source.from_bytes(BODY.replace("\n", "\r\n").encode()), "do it", "f.py")
    program = with_imports(task, TYPED.replace("\n", "\r\n").encode())
    assert program is not None
    assert b"from typing import Any\r\n\r\n\r\n" in resolve(program, task.source)
