"""Settings from flags, variables and files, in that order, and what ``config show`` tells."""

from pathlib import Path

import pytest

from cedit.exits import ExitStatus
from tests.cli.conftest import Cedit, Edits


def shown(cedit: Cedit, *arguments: str) -> dict[str, tuple[str, str]]:
    lines = cedit("config", "show", *arguments).out.decode().splitlines()[1:]
    rows = (line.split(maxsplit=2) for line in lines)
    return {row[0]: (row[1], row[2].strip()) for row in rows}


def test_files_say_what_neither_flag_nor_variable_does(
    cedit: Cedit, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shown(cedit)["strategy"] == ("auto", "default")
    users = cedit.folder / "config.toml"
    users.write_text('strategy = "lines"\nseed = 3\nyes = true\n')
    assert shown(cedit)["strategy"] == ("lines", str(users))
    assert shown(cedit)["yes"] == ("true", str(users))
    Path("pyproject.toml").write_text('[tool.cedit]\nstrategy = "rewrite"\nno-guard = ["loss"]\n')
    Path("sub").mkdir()
    project = str(Path("pyproject.toml").absolute())
    assert shown(cedit, "sub")["strategy"] == ("rewrite", project)
    assert shown(cedit, "sub/f.py")["no-guard"] == ("loss", project)
    assert shown(cedit)["seed"] == ("3", str(users))
    Path("sub/.cedit.toml").write_text('strategy = "verify"\n')
    assert shown(cedit, "sub/f.py")["strategy"][0] == "verify"
    assert shown(cedit)["strategy"][0] == "rewrite"
    monkeypatch.setenv("CEDIT_STRATEGY", "anchor")
    assert shown(cedit, "sub/f.py")["strategy"] == ("anchor", "CEDIT_STRATEGY")


def test_settings_are_used(cedit: Cedit, replacing: Edits) -> None:
    cedit.strategy = ""
    Path("f").write_text("1\n")
    Path(".cedit.toml").write_text('show-program = true\nstrategy = "anchor"\n')
    cedit.answers(replacing("1", "2"))
    ran = cedit("f", "-m", "x")
    assert (ran.status, "(anchor: " in ran.err) == (ExitStatus.DONE, True)
    assert b"<program>" in ran.out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('stratgy = "anchor"', "there is no key 'stratgy' (did you mean strategy?)"),
        ("seed = true", "seed:"),
        ('quiet = "yes"', "quiet: 'yes' is not true or false"),
        ('temperature = "hot"', "temperature:"),
        ("test = 'rm -rf .'", "test is only for your own file"),
        ("model = './mine.gguf'", "a project may only name a model that cedit knows"),
        ("= 3", ".cedit.toml cannot be read"),
        ('strategy = "anchr"', "there is no strategy 'anchr'"),
    ],
)
def test_what_a_file_may_not_say(cedit: Cedit, text: str, words: str) -> None:
    Path("f").write_text("1\n")
    Path(".cedit.toml").write_text(text)
    cedit.strategy = ""
    ran = cedit("f", "-m", "x")
    assert (ran.status, words in ran.err) == (ExitStatus.USAGE, True), ran.err
    assert not cedit.loaded


def test_a_broken_pyproject_can_be_mended(cedit: Cedit, replacing: Edits) -> None:
    Path("pyproject.toml").write_text("[tool.cedit\n")
    cedit.answers(replacing("[tool.cedit", "[tool.cedit]"))
    assert cedit("pyproject.toml", "-m", "close it").status is ExitStatus.DONE
    assert Path("pyproject.toml").read_text() == "[tool.cedit]\n"
