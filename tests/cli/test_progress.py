"""How long work is told of, on a terminal and elsewhere."""

import io

import pytest
from rich.console import Console

from cedit import progress
from cedit.progress import counted


def test_elsewhere_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    told = io.StringIO()
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", -1.0)
    console = Console(file=told, force_terminal=False)
    assert [*counted("abc", "measuring [x]", 3, console)] == ["a", "b", "c"]
    lines = told.getvalue().splitlines()
    assert lines == [f"cedit: measuring [x]: {done} of 3" for done in range(3)]


@pytest.mark.parametrize(
    ("terminal", "shown"),
    [(False, "cedit: editing: 1 of 2, 1 right\n"), (True, "editing, 2 right")],
)
def test_what_has_come_of_them_is_told_beside_it(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, shown: str
) -> None:
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", -1.0)
    told, right = io.StringIO(), list[str]()
    console = Console(file=told, force_terminal=terminal, width=60)
    for each in counted("ab", "editing", 2, console, lambda: f", {len(right)} right"):
        right.append(each)
    assert shown in told.getvalue()


def test_short_work_says_nothing_elsewhere_and_leaves_no_trace_on_a_terminal() -> None:
    for terminal in (False, True):
        told = io.StringIO()
        console = Console(file=told, force_terminal=terminal, width=60)
        assert [*counted("abc", "measuring", 3, console)] == ["a", "b", "c"]
        assert ("measuring" in told.getvalue()) is terminal
        assert not told.getvalue().endswith("\n")
