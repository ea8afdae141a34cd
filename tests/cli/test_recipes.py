"""``cedit run NAME``: recipes on files, on what they name themselves, and on what is staged."""

from pathlib import Path

import pytest

from cedit.exits import ExitStatus
from tests.cli.conftest import Cedit
from tests.cli.gits import BEFORE, STAGED, index, stage, status

RECIPES = """
[tool.cedit.recipes.digits]
instruction = "write numbers as digits"
globs = ["*.txt", "docs/**/f"]
strategy = "anchor"

[tool.cedit.recipes.anything]
instruction = "write numbers as digits"
strategy = "anchor"
"""


@pytest.fixture
def project(repo: Cedit) -> Cedit:
    """A repository with recipes, and a model that turns ``two`` into ``2`` once."""
    Path("pyproject.toml").write_text(RECIPES)
    Path("a.txt").write_bytes(b"two\ntwo\n")
    Path("a.py").write_bytes(b"two\n")
    Path("docs/x").mkdir(parents=True)
    Path("docs/x/f").write_bytes(b"two\n")
    return repo


def texts() -> list[bytes]:
    return [Path(name).read_bytes() for name in ("a.txt", "a.py", "docs/x/f")]


def test_a_recipe_finds_its_files(project: Cedit) -> None:
    project.can_ask = True
    ran = project("run", "digits")
    assert ran.status is ExitStatus.DONE, ran.err
    assert texts() == [b"2\ntwo\n", b"two\n", b"2\n"]


def test_of_the_files_named_it_takes_its_own(project: Cedit) -> None:
    assert project("run", "digits", "a.py", "a.txt").status is ExitStatus.DONE
    assert texts() == [b"2\ntwo\n", b"two\n", b"two\n"]
    assert project("run", "anything", "a.py").status is ExitStatus.DONE
    assert texts()[1] == b"2\n"


def test_it_stops_after_one_pass(project: Cedit) -> None:
    project("run", "digits")
    made = texts()
    loads = len(project.loaded)
    ran = project("run", "digits")
    assert (ran.status, texts(), len(project.loaded)) == (ExitStatus.DONE, made, loads)
    assert "a.txt: passed over: it is what digits made of it" in ran.err
    Path("a.txt").write_bytes(b"two\nother\n")
    assert project("run", "digits").status is ExitStatus.DONE
    assert texts()[0] == b"2\nother\n"


def test_nothing_to_do_is_done(project: Cedit) -> None:
    Path("b.txt").write_bytes(b"two\n")
    project.answers("<done>")
    assert project("run", "digits", "b.txt").status is ExitStatus.DONE
    assert project("run", "digits", "a.py").status is ExitStatus.DONE


def test_a_check_writes_nothing_and_tells(project: Cedit) -> None:
    before = texts()
    ran = project("run", "digits", "a.txt", "--check")
    assert ran.status is ExitStatus.WOULD_CHANGE
    assert b"+2\n" in ran.out
    assert texts() == before
    project.answers("<done>")
    assert project("run", "digits", "a.txt", "--check").status is ExitStatus.DONE


def test_what_is_staged_is_edited_in_the_index(project: Cedit) -> None:
    stage("f", STAGED)
    stage("a.txt", b"two\n")
    ran = project("run", "digits", "--staged")
    assert ran.status is ExitStatus.DONE, ran.err
    assert (index("a.txt"), index()) == (b"2\n", STAGED)
    assert project("run", "anything", "--staged").status is ExitStatus.DONE
    assert index() == STAGED.replace(b"two", b"2")
    assert status()[:2] == ["A  a.txt", "M  f"]
    assert BEFORE != STAGED


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (RECIPES, "there is no recipe 'digit' (did you mean digits?)"),
        ("", "there is no recipe 'digit' (write [tool.cedit.recipes.NAME])"),
        ("[tool.cedit.recipes.digit]\nglobs = []", "the recipe 'digit' has no instruction"),
        ("[tool.cedit.recipes.digit]\ninstruction = 'x'\nglob = []", "did you mean globs?"),
        ("[tool.cedit.recipes.digit]\ninstruction = 'x'\nglobs = 'x'", "is not a list of texts"),
        ("[tool.cedit.recipes]\ndigit = 'x'", "the recipe 'digit' is not a table"),
        ("[tool.cedit.recipes.digit]\ninstruction = 'x'", "names no files"),
        ("[tool.cedit.recipes.digit]\ninstruction = 'x'\nstrategy = 'y'", "no strategy 'y'"),
    ],
)
def test_what_is_wrong_with_a_recipe(project: Cedit, text: str, words: str) -> None:
    Path("pyproject.toml").write_text(text)
    ran = project("run", "digit")
    assert (ran.status, words in ran.err) == (ExitStatus.USAGE, True), ran.err
