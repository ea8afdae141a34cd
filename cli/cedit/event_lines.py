"""Events as lines of JSON, for editors that show an edit while it is made."""

import json
from typing import Any

from cedit.environment import Environment
from cedit.render import visible
from cedit_engine.events import Event, OnEvent


def event_line(kind: str, environment: Environment, **fields: Any) -> None:
    """Write one event."""
    environment.write(json.dumps({"event": kind, **fields}).encode() + b"\n")


def event_lines(name: str, environment: Environment) -> OnEvent:
    """A handler that writes what it is told of the file called ``name``, or of none."""
    of = {"path": visible(name)} if name else {}

    def tell(event: Event) -> None:
        fields = {key: _plain(value) for key, value in vars(event).items()}
        event_line(type(event).__name__.lower(), environment, **of, **fields)

    return tell


def _plain(value: Any) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
