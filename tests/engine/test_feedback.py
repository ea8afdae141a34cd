"""What a model is told of its answer, and which lines it is asked for."""

from cedit_engine.feedback import QUOTED_LINES, feedback
from cedit_engine.guards.concerns import (
    DefinitionsGone,
    Elided,
    HalfRenamed,
    Undefined,
)

AFTER = "".join(f"    line {number}\n" for number in range(1, 20)).encode()


def test_lines_are_quoted_and_those_that_use_what_is_gone_asked_for() -> None:
    told = feedback([HalfRenamed("a", (3, 4)), Undefined("b", (2,))], AFTER)
    assert told.sites == (2, 3, 4)
    assert told.text.startswith("Your edit renamed or removed a, which is still used on lines 3, 4")
    assert told.text.endswith("\nLine 2: `line 2`\nLine 3: `line 3`\nLine 4: `line 4`")


def test_a_line_that_brings_in_a_name_may_be_right() -> None:
    told = feedback([Undefined("Any", (2,), is_new=True)], AFTER)
    assert told.sites == ()
    assert "neither defined nor imported it" in told.text
    assert "Line 2: `line 2`" in told.text


def test_what_names_no_line_is_told_alone() -> None:
    assert feedback([DefinitionsGone(("f", "g"))], AFTER).text == "Your edit lost f, g."


def test_of_many_lines_the_first_are_quoted() -> None:
    assert feedback([Elided(tuple(range(1, 20)))], AFTER).text.count("\nLine") == QUOTED_LINES
