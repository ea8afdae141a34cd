"""What an edit wrote anew is not there a second time."""

import pytest

from cedit_engine.overlapping import without_overlap, without_rewriting
from cedit_engine.resolver import resolve
from cedit_engine.source import Source
from cedit_engine.task import Task

PYTHON = """\
def before():
    return 0


def total(values):
    result = 0
    for value in values:
        result -= value
    return result


def behind():
    return 2
"""
OLD = PYTHON[PYTHON.index("def total") : PYTHON.index("\n\ndef behind")]
NEW = OLD.replace("-=", "+=")
BODY = OLD.partition("\n")[2]
JAVASCRIPT = """\
function total(values) {
  let result = 0;
  for (const value of values) result -= value;
  return result;
}

const other = 1;
"""


def mended(before: str, after: str, name: str = "f.py", *off: str) -> str | None:
    task = Task.of(Source.from_bytes(before.encode()), "Fix total.", name)
    program = without_overlap(task, after.encode(), off)
    return resolve(program, task.source).decode() if program else None


@pytest.mark.parametrize("lines", range(1, 4))
def test_a_function_written_in_the_place_of_its_first_lines(lines: int) -> None:
    rest = "".join(OLD.splitlines(keepends=True)[lines:])
    wanted = PYTHON.replace(OLD, NEW)
    assert mended(PYTHON, PYTHON.replace(OLD, NEW + rest)) == wanted


def test_a_function_written_twice_as_it_was_is_no_edit() -> None:
    assert mended(PYTHON, PYTHON.replace(OLD, OLD + BODY)) is None
    assert mended(PYTHON, PYTHON.replace(OLD, f"{OLD}\n{BODY}")) is None


def test_lines_in_the_middle_that_stand_twice_take_no_end_with_them() -> None:
    loop = "    for value in values:\n        result -= value\n"
    longer = loop + "        result += 1\n"
    before = PYTHON.replace(loop, longer)
    assert mended(before, before.replace(longer, longer + longer)) is None


def test_a_line_or_two_that_are_never_run_any_more_go() -> None:
    wanted = PYTHON.replace("    return result\n", "    return 7\n")
    early = PYTHON.replace("    return result\n", "    return 7\n    return result\n")
    assert mended(PYTHON, early) == wanted
    in_loop = PYTHON.replace(
        "        result -= value\n", "        return 7\n        result -= value\n"
    )
    assert mended(PYTHON, in_loop) is None, "what is behind the loop is run"


def test_other_languages_by_their_syntax() -> None:
    body = JAVASCRIPT[JAVASCRIPT.index("  let") : JAVASCRIPT.index("\nconst")]
    new = JAVASCRIPT.replace("-=", "+=")
    doubled = new.replace("\nconst", f"{body}\nconst")
    assert mended(JAVASCRIPT, doubled, "f.js") == new


def test_what_is_not_seen_by_a_guard_is_left_alone() -> None:
    doubled = PYTHON.replace(OLD, NEW + BODY)
    assert mended(PYTHON, doubled, "f.py", "doubling", "reach", "syntax") is None
    assert mended(PYTHON, PYTHON.replace(OLD, NEW)) is None


def test_an_old_end_that_nothing_replaces_is_kept() -> None:
    early = PYTHON.replace("    result = 0\n", "    return 0\n    result = 0\n")
    assert mended(PYTHON, early) is None


def test_an_edit_of_two_functions_is_left_alone() -> None:
    doubled = (
        PYTHON.replace(OLD, NEW + BODY)
        .replace("return 2", "return 3")
        .replace("return 0", "return 1")
    )
    assert mended(PYTHON, doubled) is None


CHECK = "total should raise TypeError if values is None."
RAISING = """\
    if values is None:
        raise TypeError("values must not be None")
"""
DOCUMENTED = PYTHON.replace("):\n    result", '):\n    """The sum."""\n\n    result')
HEAD, _, REST = DOCUMENTED[DOCUMENTED.index("def total") :].partition("\n")
LOOP = REST[REST.index("    for") : REST.index("\n\ndef behind")]


def checked(after: str, instruction: str = CHECK, *off: str) -> str | None:
    task = Task.of(Source.from_bytes(DOCUMENTED.encode()), instruction, "f.py")
    program = without_rewriting(task, after.encode(), off)
    return resolve(program, task.source).decode() if program else None


def test_a_check_stays_where_the_old_lines_behind_it_were_written_again() -> None:
    """What the model left out on the way, the docstring and a line, is the old one's."""
    wanted = DOCUMENTED.replace(HEAD, f"{HEAD}\n{RAISING.rstrip()}")
    doubled = DOCUMENTED.replace(HEAD, f"{HEAD}\n{RAISING}{LOOP.rstrip()}")
    assert checked(doubled) == wanted
    assert checked(doubled, "Fix total.") is None
    assert checked(doubled, CHECK, "doubling", "reach", "syntax") is None
    assert checked(wanted) is None


def test_too_little_that_was_written_again_is_not_known_for_it() -> None:
    last = "    return result"
    assert checked(DOCUMENTED.replace(HEAD, f"{HEAD}\n{RAISING}{last}")) is None
