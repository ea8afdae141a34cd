"""Where an edit goes: into the file, or out as a diff, a patch, the text, or JSON."""

import base64
import json
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import cached_property
from pathlib import Path
from typing import Any

from rich.prompt import Confirm

from cedit.environment import Environment
from cedit.exits import ExitStatus
from cedit.failures import Declined, FileChanged, FileProblem, Misuse
from cedit.journal import NOWHERE, Origin
from cedit.patch import PatchedFile, git_patch
from cedit.render import changed_lines, diff_text, plural, visible
from cedit.repo import name_in_repository
from cedit.worktree import Target, new_file_mode, write_target
from cedit_engine.program import Gen, Program, render
from cedit_engine.source import Source


class Mode(Enum):
    """What happens to an edited text."""

    WRITE = auto()
    PATCH = auto()
    DRY_RUN = auto()
    STDOUT = auto()


@dataclass(frozen=True)
class Output:
    """What the command line asks for."""

    mode: Mode = Mode.WRITE
    patch_file: Path | None = None
    as_json: bool = False
    yes: bool = False
    quiet: bool = False
    show_program: bool = False
    all_or_nothing: bool = False

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


@dataclass(frozen=True)
class Change:
    """A target's new content and the program that made it."""

    target: Target
    program: Program
    after: bytes
    origin: Origin = NOWHERE

    @property
    def is_change(self) -> bool:
        """Whether the file would differ; an empty new file does."""
        return self.after != self.target.source.data or self.target.is_new

    @cached_property
    def patch(self) -> bytes:
        """The change as a git patch."""
        path = self.target.path or Path(self.target.name)
        mode = new_file_mode() if self.target.is_new else None
        name = name_in_repository(path)
        return git_patch(PatchedFile(name, self.target.source, Source.from_bytes(self.after), mode))


def write_journalled(change: Change, environment: Environment) -> None:
    """Write ``change``, with an entry in the journal; raises what writing raises.

    Where the file is not what was read, the edit is saved as a patch.
    """
    target = change.target
    assert target.path is not None
    before = None if target.is_new else target.source.data
    try:
        entry = environment.journal.record(
            target.path.resolve(), before, change.after, change.origin
        )
    except OSError as error:
        raise FileProblem(
            target.name,
            f"its edit cannot be journalled, and was not written: {error.strerror}",
            f"make room in {environment.journal.folder}",
        ) from error
    try:
        write_target(target, change.after)
    except FileChanged:
        environment.journal.forget(entry)
        raise FileChanged(target.name, saved_patch(change.patch, entry.id, environment)) from None
    except FileProblem:
        environment.journal.forget(entry)
        raise


def take_back(change: Change, environment: Environment) -> None:
    """Undo a write that was just made; raises what writing raises."""
    path = change.target.path
    assert path is not None
    if change.target.is_new:
        path.unlink()
        return
    written = replace(change.target, source=Source.from_bytes(change.after))
    nothing = Program((Gen(change.target.source.data),))
    write_journalled(
        Change(written, nothing, change.target.source.data, change.origin), environment
    )


def show_patch(patch: bytes, environment: Environment) -> None:
    """Print a patch: in colours on a terminal, byte for byte elsewhere."""
    if environment.out.is_terminal:
        environment.out.print(diff_text(patch), end="")
    else:
        environment.write(patch)


def saved_patch(patch: bytes, name: str, environment: Environment) -> Path | None:
    """Where ``patch`` was saved for later; None where it could not be."""
    path = environment.conflicts / f"{name}.patch"
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_bytes(patch)
    except OSError:
        return None
    return path


@dataclass
class Delivery:
    """Delivers changes one by one, and what is only complete at the end.

    Raises ``Misuse`` where what is asked for contradicts itself.
    """

    environment: Environment
    output: Output
    _patches: list[bytes] = field(default_factory=list)
    _reports: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        output = self.output
        asks = output.mode is Mode.WRITE and self.environment.can_ask and not output.yes
        if asks and (output.quiet or output.as_json):
            raise Misuse("the diff to ask about is not shown with -q or --json", "add -y")
        if output.all_or_nothing and output.mode is not Mode.WRITE:
            raise Misuse("--all-or-nothing is about writing", "leave it out, or write the files")

    def deliver(self, change: Change) -> ExitStatus:
        """Write, print or collect ``change``; raises ``Declined`` and what writing raises."""
        self.show(change)
        return self.finish_one(change)

    def show(self, change: Change) -> None:
        """Show what is to be seen before a write, and ask; raises ``Declined``."""
        if self.output.show_program:
            self.environment.write(render(change.program).encode())
        if not change.is_change or self.output.mode is not Mode.WRITE:
            return
        if not self.output.quiet:
            self._show_diff(change.patch)
        if not self._may_write(change.target):
            raise Declined(change.target.name)

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
                write_journalled(change, self.environment)
        return ExitStatus.DONE if change.is_change else ExitStatus.UNCHANGED

    def _show_diff(self, patch: bytes) -> None:
        if not self.output.as_json:
            show_patch(patch, self.environment)

    def _may_write(self, target: Target) -> bool:
        if self.output.yes or not self.environment.can_ask:
            return True
        question = f"Write {visible(target.name)}?"
        return Confirm.ask(question, console=self.environment.err, default=False)

    def report(self, row: dict[str, Any]) -> None:
        """Keep what ``--json`` says of one file."""
        self._reports.append(row)

    def finish(self, status: ExitStatus) -> None:
        """Print what was collected."""
        if self.output.mode is Mode.PATCH:
            self._finish_patch(b"".join(self._patches))
        if self.output.as_json:
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


def change_as_json(change: Change) -> dict[str, Any]:
    """The program and the diff of a change, for ``--json``."""
    patch = change.patch if change.is_change else b""
    row: dict[str, Any] = {
        "program": render(change.program),
        "diff": patch.decode("utf-8", "replace"),
    }
    try:
        patch.decode("utf-8")
    except UnicodeDecodeError:
        row["diff_base64"] = base64.b64encode(patch).decode("ascii")
    return row


def summary(change: Change) -> str:
    """What happened to the lines of one file."""
    name, source = visible(change.target.name), change.target.source
    if not change.is_change:
        return f"{name}: no change"
    added, removed = changed_lines(change.patch)
    copied = change.program.copied_lines
    return (
        f"{name}: {plural(added, 'line')} added, {removed:,} removed, "
        f"{copied:,} of {len(source):,} copied"
    )
