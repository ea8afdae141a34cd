"""What can go wrong between the engine and the user's files and terminal, as data."""

from dataclasses import dataclass
from pathlib import Path

from cedit_engine.errors import CeditError


@dataclass(eq=False)
class Misuse(CeditError):
    """The command line asks for something that cannot be meant; ``hint`` says what could."""

    problem: str
    hint: str = "see: cedit --help"


@dataclass(eq=False)
class FileProblem(CeditError):
    """A file cannot be used as asked."""

    name: str
    problem: str
    hint: str


@dataclass(eq=False)
class FileChanged(CeditError):
    """The file is no longer what was read; ``patch`` is where the edit was saved, if it was."""

    name: str
    patch: Path | None = None


@dataclass(eq=False)
class Declined(CeditError):
    """The user said no."""

    name: str


@dataclass(eq=False)
class GitFailed(CeditError):
    """``git COMMAND`` ended with a failure; ``said`` is what it printed of it."""

    command: str
    said: str


@dataclass(eq=False)
class RepositoryBusy(CeditError):
    """The repository is in the middle of ``what``."""

    what: str


@dataclass(eq=False)
class NotCommitted(CeditError):
    """The edit is written and no commit of it was made; ``why`` says why."""

    why: str


@dataclass(eq=False)
class Stopped(CeditError):
    """The user wants no more files to be written, ``name`` and those behind it."""

    name: str


@dataclass(eq=False)
class Refused(CeditError):
    """An edit is not written unless that is asked for; ``why`` is what was seen in it."""

    name: str
    why: str
