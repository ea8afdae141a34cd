"""Ctrl-C while the engine works: a flag it looks at, since a signal cannot cross llama.cpp."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from cedit_engine.events import Cancellation


@contextmanager
def stoppable(cancellation: Cancellation) -> Iterator[None]:
    """Turn the first SIGINT into a request to stop; a second one ends the program at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(signum: int, frame: FrameType | None) -> None:
        if cancellation.requested:
            raise KeyboardInterrupt
        cancellation.request()

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
