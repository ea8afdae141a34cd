"""What a run of ``cedit`` touches of the world around it, so that tests can hand in another."""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, TextIO

from platformdirs import user_config_path, user_state_path
from rich.console import Console

from cedit.journal import Journal
from cedit_engine.events import Cancellation, OnEvent
from cedit_engine.llama import Llama, LoadOptions
from cedit_engine.model import Model
from cedit_engine.states import StateCache, default_states_folder
from cedit_engine.store import ModelStore, default_folder

LoadModel = Callable[[Path, LoadOptions, OnEvent, Cancellation], Model]


# In a file, lines are as long as they have to be.
_LONGEST_LINE = 10_000


def output_console(stream: TextIO, is_terminal: bool | None = None) -> Console:
    """A console for results, as wide as the terminal, or as the results where it is none."""
    on_terminal = stream.isatty() if is_terminal is None else is_terminal
    width = None if on_terminal else _LONGEST_LINE
    return Console(
        file=stream, highlight=False, soft_wrap=True, force_terminal=is_terminal, width=width
    )


@dataclass(frozen=True)
class Environment:
    """Streams, variables, folders, and the way to load a model."""

    stdin: BinaryIO = field(default_factory=lambda: sys.stdin.buffer)
    stdout: BinaryIO = field(default_factory=lambda: sys.stdout.buffer)
    out: Console = field(default_factory=lambda: output_console(sys.stdout))
    err: Console = field(
        default_factory=lambda: Console(stderr=True, highlight=False, soft_wrap=True)
    )
    command: tuple[str, ...] = field(default_factory=lambda: tuple(sys.argv))
    variables: Mapping[str, str] = field(default_factory=lambda: os.environ)
    store: ModelStore = field(default_factory=lambda: ModelStore(default_folder()))
    reports: Path = field(
        default_factory=lambda: user_state_path("cedit", appauthor=False) / "reports"
    )
    conflicts: Path = field(
        default_factory=lambda: user_state_path("cedit", appauthor=False) / "conflicts"
    )
    settings: Path = field(
        default_factory=lambda: user_config_path("cedit", appauthor=False) / "config.toml"
    )
    locks: Path = field(default_factory=lambda: user_state_path("cedit", appauthor=False) / "locks")
    journal: Journal = field(
        default_factory=lambda: Journal(user_state_path("cedit", appauthor=False) / "journal")
    )
    states: StateCache = field(default_factory=lambda: StateCache(default_states_folder()))
    load_model: LoadModel = Llama
    can_ask: bool = field(default_factory=lambda: sys.stdin.isatty() and sys.stderr.isatty())
    cancellation: Cancellation = field(default_factory=Cancellation)

    @property
    def offline(self) -> bool:
        """Whether the network may not be used."""
        return self.variables.get("CEDIT_OFFLINE", "") not in ("", "0")

    def write(self, data: bytes) -> None:
        """Put ``data`` on standard output as it is."""
        self.stdout.write(data)
        self.stdout.flush()
