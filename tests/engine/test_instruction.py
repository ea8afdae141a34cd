"""What the words of an instruction ask for."""

import pytest

from cedit_engine.instruction import additions, renaming


@pytest.mark.parametrize(
    ("instruction", "pair"),
    [
        ("Rename the parameter key of run to name everywhere.", ("key", "name")),
        ("rename `a` into `b`", ("a", "b")),
        ("first must be named second", ("first", "second")),
        ("The file was renamed to first.", None),
        ("first should be called often", None),
    ],
)
def test_renamings(instruction: str, pair: tuple[str, str] | None) -> None:
    assert renaming(instruction) == pair


@pytest.mark.parametrize(
    ("instruction", "names"),
    [
        ("Add a function ends_with(text, suffix).", [("ends_with", True)]),
        ("Add a method Peek that returns the top.", [("Peek", True)]),
        ("Extract it into a new helper function `step`.", [("step", True)]),
        ("Give f a second parameter decimals=1.", [("decimals", False)]),
        ("Write a class called Stack and an option 'fast'.", [("Stack", True), ("fast", False)]),
        ("Add a function that counts.", []),
        ("Add a method I can call.", []),
        ("The function ends_with(text) is wrong.", []),
    ],
)
def test_additions(instruction: str, names: list[tuple[str, bool]]) -> None:
    assert additions(instruction) == names
