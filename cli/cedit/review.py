"""The question before a write: take it, leave it, parts of it, another text, another try."""

import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.prompt import Prompt

from cedit.change import Change
from cedit.environment import Environment
from cedit.failures import Declined, FileProblem, Stopped
from cedit.render import visible
from cedit.showing import show_patch
from cedit_engine.hunks import Hunk, hunks_between, program_of
from cedit_engine.oracle import oracle
from cedit_engine.resolver import resolve
from cedit_engine.source import Source


@dataclass(frozen=True)
class Retry:
    """The user wants another answer, to ``instruction``."""

    instruction: str


@dataclass(frozen=True)
class Review:
    """Asks about one change after another; ``can_retry`` where a model can be asked again."""

    environment: Environment
    can_retry: bool

    def outcome(self, change: Change) -> Change | Retry:
        """What is to be written of ``change``; raises ``Declined`` and ``Stopped``."""
        while True:
            match self._key(f"Write {visible(change.target.name)}?", self._keys):
                case "y":
                    return change
                case "n":
                    raise Declined(change.target.name)
                case "q":
                    raise Stopped(change.target.name)
                case "h":
                    return self._hunk_by_hunk(change)
                case "e":
                    change = self._edited(change)
                    show_patch(change.patch, self.environment)
                case _:
                    instruction = self._line("Instruction")
                    if instruction:
                        return Retry(instruction)

    @property
    def _keys(self) -> dict[str, str]:
        keys = {"y": "yes", "n": "no", "h": "hunk by hunk", "e": "edit"}
        if self.can_retry:
            keys["r"] = "retry with another instruction"
        return {**keys, "q": "quit"}

    def _hunk_by_hunk(self, change: Change) -> Change:
        """The change without the hunks that are not wanted: those lines are copied instead."""
        source = change.target.source
        hunks = hunks_between(source, Source.from_bytes(change.after))
        kept = self._wanted(change, hunks)
        if not kept:
            raise Declined(change.target.name)
        program = program_of(kept, source)
        return replace(change, program=program, after=resolve(program, source))

    def _wanted(self, change: Change, hunks: Sequence[Hunk]) -> list[Hunk]:
        kept: list[Hunk] = []
        for number, hunk in enumerate(hunks, start=1):
            alone = program_of([hunk], change.target.source)
            shown = replace(change, after=resolve(alone, change.target.source))
            show_patch(shown.patch, self.environment)
            match self._key(f"Take this hunk, {number} of {len(hunks)}?", _HUNK_KEYS):
                case "y":
                    kept.append(hunk)
                case "a":
                    return [*kept, *hunks[number - 1 :]]
                case "d":
                    return kept
                case "q":
                    raise Stopped(change.target.name)
        return kept

    def _edited(self, change: Change) -> Change:
        """The change as the user's editor leaves it; raises ``FileProblem``."""
        variables = self.environment.variables
        editor = variables.get("VISUAL") or variables.get("EDITOR") or "vi"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, Path(change.target.name).name)
            path.write_bytes(change.after)
            try:
                subprocess.run([*shlex.split(editor), str(path)], check=True)
                after = path.read_bytes()
            except (OSError, ValueError, subprocess.CalledProcessError) as error:
                raise FileProblem(
                    change.target.name,
                    f"the editor {editor!r} failed: {error}",
                    "name another one: EDITOR=…",
                ) from None
        program = oracle(change.target.source, Source.from_bytes(after))
        return replace(change, program=program, after=after)

    def _key(self, question: str, keys: dict[str, str]) -> str:
        offered = ", ".join(f"\\[{key}]{_behind(key, word)}" for key, word in keys.items())
        answer = self._line(f"{question} {offered}", choices=list(keys))
        return answer or "q"

    def _line(self, question: str, choices: list[str] | None = None) -> str:
        """What is typed; nothing at the end of the input."""
        try:
            return Prompt.ask(
                question,
                console=self.environment.err,
                choices=choices,
                show_choices=False,
                case_sensitive=False,
            )
        except EOFError:
            return ""


_HUNK_KEYS = {"y": "yes", "n": "no", "a": "all from here", "d": "done, no more", "q": "quit"}


def _behind(key: str, word: str) -> str:
    """``word`` behind the key that it begins with."""
    return word.removeprefix(key)
