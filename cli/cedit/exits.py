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


def worst(statuses: list[ExitStatus]) -> ExitStatus:
    """The status of a run over several files: the first failure, else done if any was."""
    failures = [status for status in statuses if status not in _SUCCESSES]
    if failures:
        return failures[0]
    return ExitStatus.DONE if ExitStatus.DONE in statuses else ExitStatus.UNCHANGED


_SUCCESSES = (ExitStatus.DONE, ExitStatus.UNCHANGED)
