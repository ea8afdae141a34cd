"""The scripts in completions/ are what the command prints, and they complete."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cedit.exits import MEANINGS
from cedit_engine.editing import STRATEGY_NAMES

SCRIPTS = Path(__file__).parents[2] / "completions"
RUN = [sys.executable, "-c", "from cedit.app import run; run()"]


def complete(line: str, folder: Path) -> list[str]:
    words = line.split(" ")
    variables = {
        "_CEDIT_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }
    done = subprocess.run(
        RUN, env={**os.environ, **variables}, cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    ("shell", "name"), [("bash", "cedit.bash"), ("zsh", "_cedit"), ("fish", "cedit.fish")]
)
def test_the_scripts_have_not_drifted(shell: str, name: str) -> None:
    done = subprocess.run(
        [*RUN, "--show-completion", shell],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"},
    )
    assert done.stdout.strip() == (SCRIPTS / name).read_text().strip()


def test_files_and_commands_options_and_values_are_completed(tmp_path: Path) -> None:
    (tmp_path / "model_file.py").touch()
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "x").touch()
    (tmp_path / ".hidden").touch()
    assert complete("cedit mod", tmp_path) == ["model", "model_file.py"]
    assert complete("cedit sub/", tmp_path) == ["sub/x"]
    assert complete("cedit x ", tmp_path) == ["model_file.py", "sub/"]
    assert complete("cedit x --strat", tmp_path) == ["--strategy"]
    assert complete("cedit x --strategy ", tmp_path) == [*STRATEGY_NAMES]
    assert complete("cedit model pu", tmp_path) == ["pull"]


def test_the_manual_page_has_not_drifted_and_is_one() -> None:
    printed = subprocess.run([*RUN, "man"], capture_output=True, text=True, check=True).stdout
    assert printed == (SCRIPTS / "cedit.1").read_text()
    assert printed.startswith(".TH CEDIT 1 ")
    assert r".B \-m, \-\-message \fITEXT\fR" in printed
    assert r".SS cedit model pull ID" in printed


def test_the_readme_tells_the_statuses_as_the_manual_does() -> None:
    readme = (SCRIPTS.parent / "README.md").read_text(encoding="utf-8")
    for status, meaning in MEANINGS.items():
        assert f"| {int(status)} | {meaning} |" in readme.replace("`", "")
