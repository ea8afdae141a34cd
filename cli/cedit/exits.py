"""What an exit status means."""

from enum import IntEnum


class ExitStatus(IntEnum):
    """The statuses that ``cedit`` ends with."""

    DONE = 0
    UNCHANGED = 1
    WOULD_CHANGE = 1
    USAGE = 2
    ENGINE = 3
    CONFLICT = 4
    REFUSED = 5
    REJECTED = 6
    BUG = 70
    INTERRUPTED = 130
    PIPE_CLOSED = 141


MEANINGS = {
    ExitStatus.DONE: "done",
    ExitStatus.UNCHANGED: "nothing changed; of run --check: something would",
    ExitStatus.USAGE: "the command line or a file it names cannot be used",
    ExitStatus.ENGINE: "the model, the engine or git could not run",
    ExitStatus.CONFLICT: (
        "the file changed underneath; it was left alone, and the edit saved as a patch; "
        "or the edit was written and could not be committed"
    ),
    ExitStatus.REFUSED: "refused: by you, by a guard, or in the middle of a merge",
    ExitStatus.REJECTED: "there was no answer to write, or none that passed the test",
    ExitStatus.BUG: "a bug; a report was saved and its path printed",
    ExitStatus.INTERRUPTED: "interrupted; files are as they were",
    ExitStatus.PIPE_CLOSED: "the reader of standard output went away",
}
"""Each status in words."""


def worst(statuses: list[ExitStatus]) -> ExitStatus:
    """The status of a run over several files: the first failure, else done if any was."""
    failures = [status for status in statuses if status not in _SUCCESSES]
    if failures:
        return failures[0]
    return ExitStatus.DONE if ExitStatus.DONE in statuses else ExitStatus.UNCHANGED


_SUCCESSES = (ExitStatus.DONE, ExitStatus.UNCHANGED)
