"""What the words of an instruction ask for."""

import pytest

from cedit_engine.instruction import (
    additions,
    adds_check,
    extracted,
    is_general,
    removed,
    removes,
    renaming,
    reshapes,
)


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


@pytest.mark.parametrize(
    ("instruction", "names"),
    [
        ("Delete merge().", ["merge"]),
        ("Remove the function `describe` and its export.", ["describe"]),
        ("drop the unused class Old, and delete two", ["Old", "two"]),
        ("Inline capitalize into titleCase and remove it.", ["capitalize"]),
        ("Inline capitalize into titleCase.", []),
        ("Remove the parameter factor of order_list.", []),
        ("Remove pad from the exports.", []),
        ("Remove debug prints.", []),
    ],
)
def test_removals(instruction: str, names: list[str]) -> None:
    assert removed(instruction) == names
    assert removes(instruction)


@pytest.mark.parametrize(
    ("instruction", "names"),
    [
        ("Extract the check into a function is_valid(row).", ["is_valid"]),
        ("extract it to a new helper called `step`", ["step"]),
        ("Extract the constant.", []),
        ("Write a function f.", []),
    ],
)
def test_extractions(instruction: str, names: list[str]) -> None:
    assert extracted(instruction) == names


@pytest.mark.parametrize(
    ("instruction", "general"),
    [
        ("Type parse and all other functions.", True),
        ("Double it in f and everywhere.", True),
        ("Update every use of the class.", True),
        ("Log the name of each task in run.", False),
        ("All is lost in f.", False),
    ],
)
def test_what_speaks_of_more_than_it_names(instruction: str, general: bool) -> None:
    assert is_general(instruction) == general


@pytest.mark.parametrize(
    ("instruction", "what"),
    [
        ("Refactor f.", (True, False)),
        ("Rename a to b.", (False, True)),
        ("Use b instead of a.", (False, True)),
        ("Add f.", (False, False)),
    ],
)
def test_what_says_the_same_otherwise_and_what_takes_away(
    instruction: str, what: tuple[bool, bool]
) -> None:
    assert (reshapes(instruction), removes(instruction)) == what


FORMS = ("raised", "thrown", "refused", "rejected", "validated", "checked", "verified", "asserted")


@pytest.mark.parametrize(
    ("instruction", "is_check"),
    [
        ("translate should raise TypeError if pat is not a str.", True),
        ("Reject negative amounts in deposit.", True),
        ("f checks that a is positive.", True),
        *((f"Where a is negative, that should be {word}.", True) for word in FORMS),
        ("Fix the bug in `check_all`.", False),
        ("Double what f returns.", False),
    ],
)
def test_what_speaks_of_a_check(instruction: str, is_check: bool) -> None:
    assert adds_check(instruction) == is_check
