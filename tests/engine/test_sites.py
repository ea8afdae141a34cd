import pytest

from cedit_engine.sites import rename_sites, sites_of
from cedit_engine.source import Source
from cedit_engine.task import Task

SOURCE = """\
def first(key):
    return key + keys


class Second:
    def run(self, key):
        self.key = key
        return first(key)
"""


@pytest.mark.parametrize(
    ("instruction", "sites"),
    [
        ("Rename first to other.", (1, 8)),
        ("rename the function `first` to `other`, please", (1, 8)),
        ("Rename the parameter key to name in first.", (1, 2)),
        ("In first, rename key to name.", (1, 2)),
        ("Rename the parameter key of run to name everywhere.", (1, 2, 6, 7, 8)),
        ("Rename key into name inside the class Second.", (6, 7, 8)),
        ("Rename first() to other().", (1, 8)),
        ("The function first should be named other.", (1, 8)),
        ("first should be called often.", ()),
        ("Rename nothing to something.", ()),
        ("Fix the name of first.", ()),
        ("The file was renamed to first.", ()),
    ],
)
def test_the_lines_that_a_renaming_is_about(instruction: str, sites: tuple[int, ...]) -> None:
    task = Task.of(Source.from_bytes(SOURCE.encode()), instruction, "f.py")
    assert rename_sites(task) == sites


@pytest.mark.parametrize(
    ("instruction", "sites"),
    [
        ("Add a parameter depth=0 to first.", (1,)),
        ("Give run and first an argument.", (1, 6)),
        ("Remove the parameter key of Second.run.", (6,)),
        ("Let first return more.", ()),
        ("Rename the parameter key to name in first.", (1, 2)),
    ],
)
def test_a_parameter_is_asked_for_in_the_head(instruction: str, sites: tuple[int, ...]) -> None:
    assert sites_of(Task.of(Source.from_bytes(SOURCE.encode()), instruction, "f.py")) == sites


def test_only_lines_that_may_change_are_sites() -> None:
    task = Task.of(Source.from_bytes(SOURCE.encode()), "Rename first to other.", "f.py", (3, 8))
    assert rename_sites(task) == (8,)
