"""Git's own hook and the real pre-commit, with the real 0.5B model where one is asked."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from cedit.exits import ExitStatus
from tests.cli.conftest import Cedit
from tests.cli.gits import git, index, stage

HOOKS = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"
RECIPE = """
[recipes.sum]
instruction = "add must return the sum"
globs = ["*.py"]
"""
WRONG, RIGHT = b"def add(a, b):\n    return a - b\n", b"def add(a, b):\n    return a + b\n"


@pytest.fixture
def project(repo: Cedit) -> Cedit:
    stage(".cedit.toml", RECIPE.encode())
    return repo


def the_hook() -> Path:
    return Path(".git/hooks/pre-commit")


def test_a_hook_is_installed_and_removed(project: Cedit) -> None:
    assert project("hook", "uninstall").status is ExitStatus.UNCHANGED
    assert project("hook", "install", "sum").status is ExitStatus.DONE
    assert os.access(the_hook(), os.X_OK)
    assert project("hook", "install", "sum").status is ExitStatus.DONE
    assert project("hook", "uninstall").status is ExitStatus.DONE
    assert not the_hook().exists()


def test_a_hook_of_somebody_else_is_left_alone(project: Cedit) -> None:
    git("config", "core.hooksPath", "hooks")
    Path("hooks").mkdir()
    mine = Path("hooks/pre-commit")
    mine.write_text("#!/bin/sh\nexit 0\n")
    for command in (("install", "sum"), ("uninstall",)):
        ran = project("hook", *command)
        assert ran.status is ExitStatus.USAGE
        assert "it is a hook that cedit did not write (call cedit from it" in ran.err
    assert mine.read_text() == "#!/bin/sh\nexit 0\n"
    assert "no recipe 'sun' (did you mean sum?)" in project("hook", "install", "sun").err


def test_in_the_middle_of_a_merge_a_recipe_stands_back(project: Cedit) -> None:
    git("commit", "-q", "-m", "x")
    git("switch", "-q", "-c", "side")
    stage("f", b"side\n")
    git("commit", "-q", "-m", "x")
    git("switch", "-q", "main")
    stage("f", b"main\n")
    git("commit", "-q", "-m", "x")
    subprocess.run(["git", "merge", "side"], check=False, capture_output=True)
    ran = project("run", "sum", "--staged")
    assert ran.status is ExitStatus.DONE
    assert "sum: passed over in the middle of a merge" in ran.err


@pytest.fixture
def surroundings(model_path: Path, tmp_path: Path) -> Mapping[str, str]:
    """Variables under which ``cedit`` is found and has the 0.5B model."""
    return {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "CEDIT_MODEL": str(model_path),
        "CEDIT_STRATEGY": "anchor",
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "PRE_COMMIT_HOME": str(tmp_path / "pre-commit"),
    }


def commit(surroundings: Mapping[str, str], *flags: str) -> subprocess.CompletedProcess[str]:
    command = ["git", "commit", "-m", "x", *flags]
    return subprocess.run(command, env=surroundings, capture_output=True, text=True, check=False)


@pytest.mark.model
def test_gits_own_hook_mends_what_is_committed(
    project: Cedit, surroundings: Mapping[str, str]
) -> None:
    project("hook", "install", "sum")
    stage("a.py", WRONG)
    stage("b.txt", WRONG)
    done = commit(surroundings)
    assert done.returncode == 0, done.stderr
    assert git("show", "HEAD:a.py") == RIGHT
    assert (Path("a.py").read_bytes(), index("b.txt")) == (RIGHT, WRONG)
    assert "\x1b" not in done.stdout + done.stderr
    assert git("status", "--porcelain") == b""
    # Here git has the hook see an index of its own.
    Path("a.py").write_bytes(b"# Sums.\n" + WRONG)
    done = commit(surroundings, "-a")
    assert done.returncode == 0, done.stderr
    assert git("show", "HEAD:a.py") == b"# Sums.\n" + RIGHT
    assert git("status", "--porcelain") == b""


@pytest.mark.model
def test_pre_commit_runs_the_hooks(
    project: Cedit, surroundings: Mapping[str, str], tmp_path: Path
) -> None:
    hooks = tmp_path / "hooks"
    git("init", "-q", str(hooks))
    (hooks / HOOKS.name).write_bytes(HOOKS.read_bytes())
    who = ("-C", str(hooks), "-c", "user.name=n", "-c", "user.email=e@x")
    git(*who, "add", HOOKS.name)
    git(*who, "commit", "-q", "-m", "x")
    revision = git("-C", str(hooks), "rev-parse", "HEAD").decode().strip()
    # What is tested is the hooks; pre-commit would install a cedit of its own.
    each = "{{id: cedit-{}, language: system, args: [sum], stages: [{}]}}"
    config = f"""
repos:
  - repo: {hooks}
    rev: {revision}
    hooks: [{each.format("fix", "pre-commit")}, {each.format("check", "manual")}]
"""
    stage(".pre-commit-config.yaml", config.encode())
    subprocess.run(["pre-commit", "install"], env=surroundings, check=True, capture_output=True)
    stage("a.py", WRONG)

    check = ["pre-commit", "run", "--hook-stage", "manual", "cedit-check", "--files", "a.py"]
    checked = subprocess.run(check, env=surroundings, capture_output=True, text=True, check=False)
    assert (checked.returncode, Path("a.py").read_bytes()) == (1, WRONG), checked.stdout
    assert "+    return a + b" in checked.stdout

    first = commit(surroundings)
    assert first.returncode == 1, "pre-commit stops where a hook changed a file"
    assert Path("a.py").read_bytes() == RIGHT
    stage("a.py", RIGHT)
    second = commit(surroundings)
    assert second.returncode == 0, second.stdout + second.stderr
    assert git("show", "HEAD:a.py") == RIGHT
