"""What an edit tells its caller while it runs, and how the caller stops it."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Loading:
    """A model file is being loaded; ``share`` goes from 0 to 1."""

    share: float


@dataclass(frozen=True)
class Trying:
    """A strategy begins to answer."""

    strategy: str


@dataclass(frozen=True)
class Reading:
    """``done`` of the ``total`` prompt tokens have been evaluated."""

    done: int
    total: int


@dataclass(frozen=True)
class Copying:
    """Lines ``first`` to ``last`` are being copied, or looked at to be replaced."""

    first: int
    last: int


@dataclass(frozen=True)
class Writing:
    """``text`` was added to the answer."""

    text: bytes


Event = Loading | Trying | Reading | Copying | Writing
OnEvent = Callable[[Event], None]


class Cancellation:
    """A flag that a signal handler raises and the engine looks at between steps."""

    def __init__(self) -> None:
        self.requested = False

    def request(self) -> None:
        """Ask the engine to stop at its next step."""
        self.requested = True


def ignore(event: Event) -> None:
    """Tell nobody."""
