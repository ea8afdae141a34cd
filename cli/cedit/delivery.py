"""Where an edit goes: into the file, or out as a diff, a patch, the text, or JSON."""

import json
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path
from typing import Any

from cedit.change import Change
from cedit.environment import Environment
from cedit.event_lines import event_line
from cedit.exits import ExitStatus
from cedit.failures import FileProblem, Misuse, Refused
from cedit.render import changed_lines, visible
from cedit.review import Retry, Review
from cedit.showing import show_patch
from cedit.worktree import Target, remove_leftovers
from cedit.writing import FileWriter, Writer, Written
from cedit_engine.program import render


class Mode(Enum):
    """What happens to an edited text."""

    WRITE = auto()
    PATCH = auto()
    DRY_RUN = auto()
    STDOUT = auto()


@dataclass(frozen=True)
class Output:
    """What the command line asks for.

    More than ``max_deletions`` lines are deleted only where a person says so.
    """

    mode: Mode = Mode.WRITE
    patch_file: Path | None = None
    as_json: bool = False
    yes: bool = False
    quiet: bool = False
    show_program: bool = False
    all_or_nothing: bool = False
    interactive: bool = False
    force: bool = False
    events: bool = False
    max_deletions: int = 100

    @classmethod
    def chosen(
        cls,
        *,
        patch: bool,
        patch_file: Path | None,
        dry_run: bool,
        stdout: bool,
        as_json: bool = False,
        yes: bool,
        quiet: bool = False,
        show_program: bool = False,
    ) -> "Output":
        """The output that the flags name; raises ``Misuse`` where they contradict each other."""
        asked = {
            Mode.PATCH: patch or patch_file is not None,
            Mode.DRY_RUN: dry_run,
            Mode.STDOUT: stdout,
        }
        modes = [mode for mode, flag in asked.items() if flag]
        if len(modes) > 1 or (as_json and modes and modes != [Mode.DRY_RUN]):
            raise Misuse(
                "--patch, --dry-run and --stdout exclude each other, and --json the first and last",
                "give one of them; --json goes with --dry-run",
            )
        mode = modes[0] if modes else Mode.WRITE
        return cls(mode, patch_file, as_json, yes, quiet, show_program)


@dataclass
class Delivery:
    """Delivers changes one by one, and what is only complete at the end.

    ``written`` is what was written so far, by ``writer`` or else to the files.
    Raises ``Misuse`` where what is asked for contradicts itself.
    """

    environment: Environment
    output: Output
    writer: Writer | None = None
    written: list[Written] = field(default_factory=list)
    _cleaned: set[Path] = field(default_factory=set)
    _patches: list[bytes] = field(default_factory=list)
    _reports: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        output = self.output
        if output.interactive and not self.environment.can_ask:
            raise Misuse("-i asks, and there is no terminal to ask on", "leave it out")
        if self._asks and (output.quiet or output.as_json):
            raise Misuse("the diff to ask about is not shown with -q or --json", "add -y")
        if output.all_or_nothing and output.mode is not Mode.WRITE:
            raise Misuse("--all-or-nothing is about writing", "leave it out, or write the files")

    @property
    def _asks(self) -> bool:
        """Whether a person is asked about every write."""
        output = self.output
        asks = output.interactive or (self.environment.can_ask and not output.yes)
        return asks and output.mode is Mode.WRITE

    def show(self, change: Change, objection: str = "", can_retry: bool = False) -> Change | Retry:
        """What is to be written of ``change``, once it was shown and asked about.

        ``objection`` is what a guard has against it. Raises ``Declined``, ``Stopped`` and
        ``Refused``.
        """
        if self.output.show_program:
            self.environment.write(render(change.program).encode())
        if not change.is_change:
            return change
        objection = "" if self.output.force else objection or self._loss(change)
        seen = (Mode.WRITE, Mode.DRY_RUN) if objection else (Mode.WRITE,)
        if self.output.mode in seen and not self.output.quiet:
            self._show_diff(change.patch)
        if not self._asks and not (objection and self._can_ask_all_the_same):
            if objection:
                raise Refused(change.target.name, objection)
            return change
        if objection:
            self.environment.err.print(f"cedit: {visible(objection)}", markup=False)
        return Review(self.environment, can_retry).outcome(change)

    @property
    def _can_ask_all_the_same(self) -> bool:
        can_see = not self.output.quiet and not self.output.as_json
        return self.environment.can_ask and can_see and self.output.mode is Mode.WRITE

    def _loss(self, change: Change) -> str:
        """What is to be said of an edit that deletes much."""
        _, removed = changed_lines(change.patch)
        if removed <= self.output.max_deletions or self.output.mode is not Mode.WRITE:
            return ""
        return f"it deletes {removed:,} lines, more than {self.output.max_deletions:,}"

    def finish_one(self, change: Change) -> ExitStatus:
        """Write, print or collect what was shown; raises what writing raises."""
        match self.output.mode:
            case Mode.STDOUT:
                self.environment.write(change.after)
            case _ if not change.is_change:
                pass
            case Mode.PATCH:
                self._patches.append(change.patch)
            case Mode.DRY_RUN:
                self._show_diff(change.patch)
            case Mode.WRITE:
                self._write(change)
        return ExitStatus.DONE if change.is_change else ExitStatus.UNCHANGED

    def _write(self, change: Change) -> None:
        self._clean_beside(change.target)
        written = (self.writer or FileWriter(self.environment)).write(change)
        self.written.append(written)
        if written.note and not self.output.quiet:
            words = f"{visible(change.target.name)}: {written.note}"
            self.environment.err.print(words, markup=False)

    def _clean_beside(self, target: Target) -> None:
        assert target.path is not None
        folder = target.path.resolve().parent
        if folder not in self._cleaned:
            self._cleaned.add(folder)
            remove_leftovers(folder)

    def _show_diff(self, patch: bytes) -> None:
        if not self.output.as_json:
            show_patch(patch, self.environment)

    def report(self, row: dict[str, Any]) -> None:
        """Keep what ``--json`` says of one file, or write it where events are written."""
        if self.output.events:
            event_line("file", self.environment, **row)
        self._reports.append(row)

    def finish(self, status: ExitStatus) -> None:
        """Print what was collected, and keep the journal in order."""
        if self.written:
            with suppress(OSError):
                self.environment.journal.tidy()
        if self.output.mode is Mode.PATCH:
            self._finish_patch(b"".join(self._patches))
        if self.output.events:
            event_line("end", self.environment, status=int(status))
        elif self.output.as_json:
            text = json.dumps({"status": int(status), "files": self._reports}, indent=2)
            self.environment.write(text.encode() + b"\n")

    def _finish_patch(self, patch: bytes) -> None:
        path = self.output.patch_file
        if path is None or str(path) == "-":
            self.environment.write(patch)
            return
        try:
            path.write_bytes(patch)
        except OSError as error:
            raise FileProblem(
                str(path), f"the patch cannot be written: {error.strerror}", "name another file"
            ) from error
