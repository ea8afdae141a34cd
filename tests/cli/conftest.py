"""``cedit`` through its real entry point, in a world of its own."""

import io
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from rich.console import Console

from cedit.app import main
from cedit.environment import Environment, output_console
from cedit.exits import ExitStatus
from cedit.journal import Journal
from cedit_engine.states import StateCache
from cedit_engine.store import ModelStore
from tests.cli.gits import BEFORE, commit, git
from tests.fakes import ScriptedModel


@dataclass(frozen=True)
class Ran:
    """What a run of ``cedit`` ended with and said."""

    status: ExitStatus
    out: bytes
    err: str


@dataclass
class Cedit:
    """Runs ``cedit`` with a model that follows scripts, written for ``strategy``."""

    folder: Path
    model: ScriptedModel = field(default_factory=ScriptedModel)
    variables: Mapping[str, str] = field(default_factory=dict)
    strategy: str = "anchor"
    can_ask: bool = False
    terminal: bool = False
    loaded: list[Path] = field(default_factory=list)

    def __call__(self, *arguments: str, stdin: bytes = b"") -> Ran:
        out, err = io.BytesIO(), io.StringIO()
        text = io.TextIOWrapper(out, "utf-8", write_through=True, newline="")
        environment = Environment(
            stdin=io.BytesIO(stdin),
            stdout=out,
            out=output_console(text, self.terminal),
            err=Console(file=err, highlight=False, soft_wrap=True, width=200),
            variables=self.variables,
            store=ModelStore(self.folder / "models"),
            reports=self.folder / "reports",
            locks=self.folder / "locks",
            settings=self.folder / "config.toml",
            conflicts=self.folder / "conflicts",
            journal=Journal(self.folder / "journal"),
            command=("cedit", *arguments),
            states=StateCache(self.folder / "states"),
            load_model=self._load,
            can_ask=self.can_ask,
        )
        if {"-m", "-F"} & {*arguments} and self.strategy and "--strategy" not in arguments:
            arguments = ("--strategy", self.strategy, *arguments)
        status = main(arguments, environment)
        return Ran(status, out.getvalue(), err.getvalue())

    def _load(self, path: Path, *_: object) -> ScriptedModel:
        self.loaded.append(path)
        return self.model

    def answers(self, *scripts: str) -> None:
        """Have the model want to answer with the first of ``scripts`` that fits."""
        self.model = ScriptedModel(*scripts)


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the user set for ``cedit`` reaches no test."""
    for name in ("CEDIT_MODEL", "CEDIT_OFFLINE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def cedit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cedit:
    """A runner whose working directory is empty and whose default model is there."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    models = tmp_path / "models"
    models.mkdir()
    (models / "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf").touch()
    return Cedit(tmp_path)


Edits = Callable[[str, str], str]


@pytest.fixture
def replacing() -> Edits:
    """The anchor answer that replaces one line by another."""

    def answer(old: str, new: str) -> str:
        return f"<old>\n{old}\n</old>\n<new>\n{new}\n</new>\n<done>"

    return answer


@pytest.fixture
def repo(cedit: Cedit, monkeypatch: pytest.MonkeyPatch, replacing: Edits) -> Cedit:
    """A repository with ``f`` committed, and a model that turns ``two`` into ``2``."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    git("init", "-q", "-b", "main")
    git("config", "user.name", "n")
    git("config", "user.email", "e@x")
    commit(f=BEFORE)
    cedit.answers(replacing("two", "2"))
    return cedit
