import pytest

from cedit_engine.guards import DefinitionsGone, NoChange, NoLongerParses, concern_about
from cedit_engine.source import Source
from cedit_engine.task import Task

PYTHON = "import os\n\n\ndef first():\n    return 1\n\n\nclass Second:\n    x = 1\n"


def concern(before: str, after: str, name: str = "f.py", instruction: str = "do it") -> object:
    task = Task.of(Source.from_bytes(before.encode()), instruction, name)
    return concern_about(task, after.encode())


def test_an_edit_that_changes_nothing() -> None:
    assert concern(PYTHON, PYTHON) == NoChange()
    assert concern(PYTHON, PYTHON.replace("1", "2")) is None


@pytest.mark.parametrize(
    ("name", "good", "bad", "line"),
    [
        ("f.py", "x = 1\n", "x = 1\ny = (\n", 2),
        ("f.json", '{"a": 1}', '{"a": 1,\n}', 1),
        ("f.toml", "a = 1\n", "a = 1\nb = \n", 2),
    ],
)
def test_a_file_that_no_longer_parses(name: str, good: str, bad: str, line: int) -> None:
    seen = concern(good, bad, name)
    assert isinstance(seen, NoLongerParses)
    assert abs(seen.line - line) <= 1
    assert seen.reason
    assert concern(bad, bad + "\n", name) is None, "it did not parse before"
    assert concern(good, bad, "f.txt") is None


def test_a_definition_that_nobody_asked_to_remove() -> None:
    without = PYTHON.replace("def first", "def other")
    assert concern(PYTHON, without) == DefinitionsGone(("first",))
    assert concern(PYTHON, without, instruction="Rename `first` to other.") is None
    assert concern(PYTHON, without, instruction="Rename firsts.") == DefinitionsGone(("first",))
    assert concern(PYTHON, "x = 1\n") == DefinitionsGone(("Second", "first"))


@pytest.mark.parametrize(
    "line",
    [
        "export default async function gone() {}",
        "pub(crate) fn gone() {}",
        "func gone() {",
        "export const gone = 1;",
        "interface gone {",
        "class gone:",
    ],
)
def test_definitions_of_other_languages(line: str) -> None:
    assert concern(f"{line}\nrest\n", "rest\n", "f.js") == DefinitionsGone(("gone",))


def test_bytes_that_are_no_text_are_no_concern() -> None:
    task = Task.of(Source.from_bytes(b"\xff = 1\n"), "do it", "f.py")
    assert concern_about(task, b"\xff = 2\n") is None
