"""``cedit config show``: every setting, and where it comes from."""

from collections.abc import Mapping
from typing import Any

from rich.table import Table

from cedit.environment import Environment
from cedit.exits import ExitStatus
from cedit.render import visible


def show(
    values: Mapping[str, Any], origins: Mapping[str, str], environment: Environment
) -> ExitStatus:
    """Print ``values`` by their keys, each with its origin."""
    table = Table(box=None, pad_edge=False)
    for heading in ("setting", "value", "from"):
        table.add_column(heading, overflow="fold")
    for key, origin in origins.items():
        table.add_row(key, _spelled(values[key.replace("-", "_")]), visible(origin))
    environment.out.print(table)
    return ExitStatus.DONE


def _spelled(value: object) -> str:
    """A value as a settings file spells it, or a dash where there is none."""
    match value:
        case None:
            return "-"
        case bool():
            return str(value).lower()
        case list() | tuple():
            return ", ".join(map(_spelled, value)) or "-"
        case _:
            return visible(str(value))
