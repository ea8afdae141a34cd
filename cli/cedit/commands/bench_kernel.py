"""``cedit bench kernel``: one prefill of N tokens against N decodes."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from cedit.environment import Environment
from cedit.exits import ExitStatus
from cedit.interrupts import stoppable
from cedit.models import opened_model
from cedit.plots import plot_kernel
from cedit_engine.bench.kernel import KernelOptions, OnPoint, Point, measure
from cedit_engine.bench.shapes import SHAPES, write_random_model
from cedit_engine.llama import LoadOptions


@dataclass(frozen=True)
class KernelRequest:
    """What the command line asks for."""

    options: KernelOptions
    plot: Path | None
    model: str
    shape: str | None
    load: LoadOptions


def run(request: KernelRequest, environment: Environment) -> ExitStatus:
    """Measure, then print the table and the points as JSON, and draw them."""
    with (
        _model_file(request) as file,
        opened_model(file, request.load, environment, quiet=False) as model,
        _told(environment.err) as on_point,
        stoppable(environment.cancellation),
    ):
        points = measure(model, request.options, on_point)
        name = model.name
    environment.out.print(_table(points))
    rows = [{**asdict(point), "ratio": round(point.ratio, 2)} for point in points]
    environment.write(json.dumps({"model": name, "points": rows}).encode() + b"\n")
    if request.plot:
        plot_kernel(points, name, request.plot)
    return ExitStatus.DONE


@contextmanager
def _model_file(request: KernelRequest) -> Iterator[str]:
    """The model asked for: by name, or of random weights in a file that is gone afterwards."""
    if request.shape is None:
        yield request.model
        return
    with TemporaryDirectory(prefix="cedit-bench-") as folder:
        path = Path(folder, f"random-{request.shape}.gguf")
        write_random_model(path, SHAPES[request.shape])
        yield str(path)


@contextmanager
def _told(console: Console) -> Iterator[OnPoint]:
    with console.status("measuring") as status:

        def tell(point: Point) -> None:
            status.update(f"measured {point.tokens} tokens behind {point.context:,}")

        yield tell


def _table(points: list[Point]) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in ("context", "tokens", "one call, ms", "one by one, ms", "ratio"):
        table.add_column(heading, justify="right")
    for point in points:
        table.add_row(
            f"{point.context:,}",
            f"{point.tokens:,}",
            f"{point.prefill_seconds * 1000:,.1f}",
            f"{point.decode_seconds * 1000:,.1f}",
            f"{point.ratio:,.2f}",
        )
    return table
