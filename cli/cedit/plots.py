"""Pictures of what was measured; matplotlib comes with the extra ``plot``."""

import importlib
import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from cedit.failures import FileProblem, Misuse
from cedit_engine.bench.kernel import Point
from cedit_engine.bench.speed import Row


def require_plotting(what: str = "--plot", extra: str = "plot") -> None:
    """Raise ``Misuse`` where ``what`` draws and pictures cannot be, before anything is measured."""
    if importlib.util.find_spec("matplotlib") is None:
        raise Misuse(f"{what} needs matplotlib", f"pip install 'cedit[{extra}]'")


def plot_kernel(points: Sequence[Point], model: str, path: Path) -> None:
    """Seconds against tokens, in one call and one by one, a pair of lines a context."""
    with _figure(path) as axes:
        contexts = sorted({point.context for point in points})
        for context, colour in zip(contexts, _COLOURS, strict=False):
            own = [point for point in points if point.context == context]
            sizes = [point.tokens for point in own]
            label = f"behind {context:,} tokens"
            prefill = [point.prefill_seconds for point in own]
            decode = [point.decode_seconds for point in own]
            axes.plot(sizes, prefill, "o-", color=colour, label=f"one call, {label}")
            axes.plot(sizes, decode, "s--", color=colour, label=f"one by one, {label}")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        tokens = sorted({point.tokens for point in points})
        axes.set_xticks(tokens, [f"{size:,}" for size in tokens])
        axes.set_xlabel("tokens")
        axes.set_ylabel("seconds")
        axes.set_title(model)
        axes.legend(frameon=False)


def plot_speed(rows: Sequence[Row], model: str, path: Path) -> None:
    """Seconds of decoding, a group of bars a file size."""
    with _figure(path) as axes:
        sizes = sorted({row.size for row in rows})
        systems = list(dict.fromkeys(row.system for row in rows))
        width = 0.8 / len(systems)
        for index, system in enumerate(systems):
            own = {row.size: row.decode_seconds for row in rows if row.system == system}
            places = [sizes.index(size) + (index - (len(systems) - 1) / 2) * width for size in own]
            axes.bar(places, list(own.values()), width, label=system, color=_COLOURS[index % 10])
        axes.set_xticks(range(len(sizes)), [f"{size:,} lines" for size in sizes])
        axes.set_yscale("log")
        axes.set_ylabel("seconds of decoding")
        axes.set_title(model)
        axes.figure.legend(frameon=False, fontsize="small", loc="outside right center")


Tables = Mapping[str, Sequence[Mapping[str, Any]]]
"""Rows of figures, by the data that they are of."""


def plot_shares(tables: Tables, path: Path) -> None:
    """What copies cover, a group of bars a kind of program and a bar a data set."""
    with _figure(path) as axes:
        _draw_bars(axes, tables, "program", "share_pooled")
        axes.set_ylabel("share of the new tokens copied")


def plot_formats(tables: Tables, path: Path) -> None:
    """Tokens that need a decision, a group of bars a format and a bar a data set."""
    with _figure(path) as axes:
        _draw_bars(axes, tables, "format", "to decide")
        axes.set_yscale("log")
        axes.set_ylim(bottom=1)
        axes.set_ylabel("tokens to decide, an edit")


def _draw_bars(axes: Any, tables: Tables, group: str, value: str) -> None:
    names = list(dict.fromkeys(str(row[group]) for rows in tables.values() for row in rows))
    width = 0.8 / max(len(tables), 1)
    for index, (data, rows) in enumerate(tables.items()):
        shift = (index - (len(tables) - 1) / 2) * width
        places = [names.index(str(row[group])) + shift for row in rows]
        heights = [row[value] for row in rows]
        axes.bar(places, heights, width, label=data, color=_COLOURS[index % 10])
    axes.set_xticks(range(len(names)), names, rotation=20, ha="right")
    axes.figure.legend(frameon=False, ncols=3, loc="outside upper center")


def plot_sensitivity(tables: Tables, path: Path) -> None:
    """The share of edits still right against the share of damaged addresses, a line a kind."""
    with _figure(path) as axes:
        rows = [row for own in tables.values() for row in own]
        rates = sorted({row["rate"] for row in rows})
        kinds = dict.fromkeys((row["format"], row["kind"]) for row in rows if row["rate"] < 1)
        # Lines that coincide stay apart: each is thinner than the one below it.
        for kind, width in zip(kinds, np.linspace(5, 1, len(kinds)), strict=True):
            own = [row for row in rows if (row["format"], row["kind"]) == kind]
            shares = [_share_right([row for row in own if row["rate"] == rate]) for rate in rates]
            axes.plot(rates, shares, ".-", lw=width, ms=width, label=": ".join(kind))
        axes.set_xscale("log")
        axes.set_xticks(rates, [f"{rate:.0%}" for rate in rates])
        axes.minorticks_off()
        axes.set_xlabel("addresses damaged")
        axes.set_ylabel("edits still right")
        axes.figure.legend(frameon=False, fontsize="small", loc="outside right center")


def _share_right(rows: Sequence[Mapping[str, Any]]) -> float:
    right = sum(row["right"] for row in rows)
    return float(right / max(sum(row["right"] + row["wrong"] + row["refused"] for row in rows), 1))


_COLOURS = tuple(f"C{number}" for number in range(10))


@contextmanager
def _figure(path: Path) -> Iterator[Any]:
    """Axes to draw on, written to ``path`` afterwards; raises ``FileProblem``."""
    matplotlib = importlib.import_module("matplotlib")
    matplotlib.use("Agg")
    figure, axes = importlib.import_module("matplotlib.pyplot").subplots(
        figsize=(8, 5), layout="constrained"
    )
    yield axes
    try:
        figure.savefig(path, dpi=150)
    except (OSError, ValueError) as error:
        raise FileProblem(
            str(path), f"the picture cannot be written: {error}", "name a .png or .svg file"
        ) from error
