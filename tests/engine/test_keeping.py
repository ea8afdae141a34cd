"""Definitions that gave way to new ones are put back before them."""

import pytest

from cedit_engine.keeping import with_both
from cedit_engine.resolver import resolve
from cedit_engine.source import Source
from cedit_engine.task import Task

TWO = "def first():\n    return 1\n\n\ndef second():\n    return 2\n"


def both(before: str, after: str, name: str = "f.py", asked: str = "Add one.") -> str | None:
    task = Task.of(Source.from_bytes(before.encode()), asked, name)
    program = with_both(task, after.encode())
    return resolve(program, task.source).decode() if program else None


def test_a_definition_that_gave_way_stands_before_the_new_one() -> None:
    third = "def third():\n    return 3\n"
    first, second = TWO.split("\n\n\n")
    assert both(TWO, f"{third}\n\n{second}") == f"{first}\n\n\n{third}\n\n{second}"
    assert both(TWO, f"{first}\n\n\n{third}") == f"{TWO}\n\n{third}"
    changed = f"import os\n\n{first}\n\n\n{third}"
    assert both(TWO, changed) == f"import os\n\n{TWO}\n\n{third}"


def test_the_last_line_may_be_open() -> None:
    second = TWO.rstrip("\n")
    third = second.replace("second", "third").replace("2", "3")
    assert both(second, third) == f"{second}\n\n\ndef third():\n    return 3"


def test_a_byte_order_mark_stays_first_and_alone() -> None:
    first, second = TWO.split("\n\n\n")
    third = first.replace("first", "third")
    after = both(f"\ufeff{TWO}", f"\ufeff{third}\n\n\n{second}")
    assert after == f"\ufeff{first}\n\n\n{third}\n\n\n{second}"


def test_a_method_and_its_comment() -> None:
    before = "class A {\n  // One.\n  one() {\n    return 1;\n  }\n}\n"
    after = before.replace("one()", "two()").replace("1", "2")
    expected = "  one() {\n    return 1;\n  }\n\n  two() {\n    return 2;\n  }\n"
    assert both(before, after, "f.js") == f"class A {{\n  // One.\n{expected}}}\n"


def test_nothing_is_put_back_where_nothing_is_added() -> None:
    assert both(TWO, TWO.replace("second", "third"), asked="Fix second.") is None


@pytest.mark.parametrize(
    "after",
    [
        TWO,
        TWO.replace("1", "3"),
        TWO.partition("\n\n\n")[2],
        TWO + "\n\ndef third():\n    return 3\n",
        "x = 1\n",
    ],
)
def test_where_nothing_gave_way_to_a_definition_there_is_nothing_to_put_back(after: str) -> None:
    assert both(TWO, after) is None


INVENTORY = """\
class Inventory:
    def get(self):
        return 1


def merge():
    return 2


def order():
    return 3
"""
REMOVE = "    def remove(self):\n        return 4\n"


@pytest.mark.parametrize("ending", ["", "\n"])
def test_what_a_method_at_the_end_took_the_place_of_stands_behind_its_class(ending: str) -> None:
    held = INVENTORY.partition("\n\ndef merge")[0]
    after = f"{held}\n{REMOVE}".rstrip("\n") + ending
    assert both(INVENTORY, after) == INVENTORY.replace(
        "\n\n\ndef merge", f"\n\n{REMOVE}\n\ndef merge"
    )
