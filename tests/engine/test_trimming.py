"""Pieces of an edit that nobody asked for are left out."""

from cedit_engine.resolver import resolve
from cedit_engine.source import Source
from cedit_engine.task import Task
from cedit_engine.trimming import without_losses, without_strays

BEFORE = """\
def first():
    return 1


def middle():
    return 2


def last():
    return 3
"""
DROPPED = BEFORE.replace("def first():\n    return 1\n\n\n", "")
WANTED = DROPPED.replace("return 3", "return 4")


def trimmed(after: str, instruction: str = "Let last return 4.") -> str | None:
    task = Task.of(Source.from_bytes(BEFORE.encode()), instruction, "f.py")
    program = without_losses(task, after.encode(), ())
    return resolve(program, task.source).decode() if program else None


def test_what_is_lost_is_copied_and_what_was_asked_is_done() -> None:
    assert trimmed(WANTED) == BEFORE.replace("return 3", "return 4")


def test_what_was_asked_to_go_goes() -> None:
    assert trimmed(WANTED, "Delete first, and let last return 4.") is None


def test_what_gives_way_to_something_else_is_part_of_the_edit() -> None:
    renamed = BEFORE.replace("middle", "centre").replace("return 3", "return 4")
    assert trimmed(renamed) is None


def test_code_behind_an_elision_is_copied() -> None:
    elided = BEFORE.replace("    return 2\n", "    # ... rest of the code\n")
    assert trimmed(elided.replace("return 3", "return 4")) == BEFORE.replace("return 3", "return 4")


def test_where_nothing_else_changed_there_is_nothing_left() -> None:
    assert trimmed(DROPPED) is None
    assert trimmed(BEFORE) is None


def test_what_was_changed_outside_of_what_is_named_is_copied() -> None:
    task = Task.of(Source.from_bytes(BEFORE.encode()), "Let last return 4.", "f.py")
    wanted = BEFORE.replace("return 3", "return 4")
    strayed = wanted.replace("return 1", "return 5").encode()
    program = without_strays(task, strayed, ())
    assert program
    assert resolve(program, task.source).decode() == wanted
    assert without_strays(task, wanted.encode(), ()) is None
    assert without_strays(task, strayed, ("straying",)) is None
