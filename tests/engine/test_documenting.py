"""Code that spoiled a docstring is put behind it."""

import pytest

from cedit_engine.documenting import with_docstring
from cedit_engine.guards.check import concerns_about
from cedit_engine.resolver import resolve
from cedit_engine.source import Source
from cedit_engine.task import Task

DOCUMENTED = '''\
class A:
    def f(self, a):
        """What f does.

        And how.
        """
        return a


def g():
    """What g does."""
    return 1
'''
CHECK = "        if not a:\n            raise ValueError(a)\n"
RIGHT = DOCUMENTED.replace("        return a\n", f"{CHECK}        return a\n")


def mended(after: str) -> str | None:
    task = Task.of(Source.from_bytes(DOCUMENTED.encode()), "f should raise", "f.py")
    program = with_docstring(task, after.encode())
    return resolve(program, task.source).decode() if program else None


@pytest.mark.parametrize("line", ["    def f(self, a):\n", "does.\n\n", "And how.\n"])
def test_a_check_that_spoiled_a_docstring_stands_behind_it(line: str) -> None:
    spoiled = DOCUMENTED.replace(line, f"{line}{CHECK}", 1)
    task = Task.of(Source.from_bytes(DOCUMENTED.encode()), "f should raise", "f.py")
    assert concerns_about(task, spoiled.encode())
    assert mended(spoiled) == RIGHT


def test_the_docstring_of_a_function_may_be_its_end() -> None:
    assert mended(DOCUMENTED.replace("def g():\n", "def g():\n    a = 1\n")) == DOCUMENTED.replace(
        "    return 1\n", "    a = 1\n    return 1\n"
    )
    ended = DOCUMENTED.replace("    return 1\n", "")
    task = Task.of(Source.from_bytes(ended.encode()), "g", "f.py")
    after = ended.replace("def g():\n", "def g():\n    a = 1\n")
    program = with_docstring(task, after.encode())
    assert program
    assert resolve(program, task.source).decode() == f"{ended}    a = 1\n"


@pytest.mark.parametrize("after", [DOCUMENTED, RIGHT, "", "(", DOCUMENTED.replace("g does", "h")])
def test_where_no_docstring_was_spoiled_there_is_nothing_to_mend(after: str) -> None:
    assert mended(after) is None


def test_an_import_before_the_docstring_of_a_file_stands_behind_it() -> None:
    before, line = '"""A file."""\n\na = 1\n', "import os\n"
    task = Task.of(Source.from_bytes(before.encode()), "import os", "f.py")
    spoiled = (line + before).encode()
    assert [type(each).__name__ for each in concerns_about(task, spoiled)] == ["Displaced"]
    program = with_docstring(task, spoiled)
    assert program
    assert resolve(program, task.source).decode() == before.replace("\n\n", f"\n{line}\n")
