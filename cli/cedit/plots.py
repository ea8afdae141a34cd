"""Pictures of what was measured; matplotlib comes with the extra ``plot``."""

import importlib
import importlib.util
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cedit.failures import FileProblem, Misuse
from cedit_engine.bench.kernel import Point
from cedit_engine.bench.speed import Row


def require_plotting() -> None:
    """Raise ``Misuse`` where pictures cannot be drawn, before anything is measured."""
    if importlib.util.find_spec("matplotlib") is None:
        raise Misuse("--plot needs matplotlib", "pip install 'cedit[plot]'")


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
