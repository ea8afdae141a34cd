"""``cedit bench paper``: every measurement of the Copy-as-Decode paper, and a report."""

import json
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from platform import machine, platform, python_version
from typing import Any

from cedit import measures
from cedit.environment import Environment
from cedit.exits import ExitStatus
from cedit.failures import FileProblem
from cedit.gold import GoldRequest, GoldSet, gold_sets, over_all
from cedit.measures import Figures
from cedit.models import opened_model
from cedit.paper import KERNEL, UNTRAINED, Report, Section
from cedit.plots import plot_formats, plot_kernel, plot_sensitivity, plot_shares
from cedit.render import plural
from cedit.version import VERSION
from cedit_engine.bench.ceiling import Edit, Kernel
from cedit_engine.bench.kernel import KernelOptions, Point, measure
from cedit_engine.errors import BudgetExhausted
from cedit_engine.files import sha256_of
from cedit_engine.llama import LoadOptions
from cedit_engine.model import Model
from cedit_engine.session import AnswerOptions, Session
from cedit_engine.splice import Splice
from cedit_engine.task import Task
from cedit_engine.threads import physical_cores

_KERNEL = KernelOptions(contexts=(512,))


@dataclass(frozen=True)
class PaperRequest:
    """Which edits, where the report goes, and on how many edits the model is asked."""

    gold: GoldRequest
    out: Path
    asked: int
    seed: int
    load: LoadOptions


def run(request: PaperRequest, environment: Environment) -> ExitStatus:
    """Measure what ``out`` does not hold yet, then write the report."""
    try:
        request.out.mkdir(parents=True, exist_ok=True)
        with opened_model(request.gold.model, request.load, environment, quiet=False) as model:
            sets = gold_sets(request.gold, model, environment)
            parts = _Parts(request.out / "parts", _facts(request, model, environment), environment)
            held = [gold for gold in sets if gold.edits]
            sections = [*_sections(request, model, held, parts, environment)]
        report = _report(request, sections, sets, parts.facts)
        report.write(request.out)
    except OSError as error:
        name = str(error.filename or request.out)
        raise FileProblem(name, error.strerror or str(error), "name another directory") from error
    environment.write(f"{request.out / 'report.html'}\n".encode())
    return ExitStatus.DONE


def _facts(request: PaperRequest, model: Model, environment: Environment) -> dict[str, str]:
    cores = plural(physical_cores(), "core")
    return {
        "model": f"{model.name}, SHA-256 {sha256_of(model.weights)}",
        "machine": f"{machine()}, {cores}, {platform()}, Python {python_version()}",
        "cedit": VERSION,
        "command": shlex.join(("cedit", *environment.command[1:])),
    }


@dataclass(frozen=True)
class _Parts:
    """What was measured so far, a file each, beside what it was measured of."""

    folder: Path
    facts: dict[str, str]
    environment: Environment

    def get(
        self, name: str, data: str, edits: int, make: Callable[[], Iterable[Figures]]
    ) -> list[Section]:
        """The sections of one step, measured unless a file holds them; raises ``OSError``."""
        path = self.folder / f"{name}-{data or 'model'}.json"
        of = {"facts": self.facts, "edits": edits}
        held = _held(path, of)
        if held is None:
            label = f"{name} of {data}" if data else name
            self.environment.err.print(f"cedit: measuring {label}", markup=False)
            held = [Section(data, edits, figures) for figures in make()]
            path.parent.mkdir(exist_ok=True)
            text = json.dumps({"of": of, "sections": [asdict(section) for section in held]})
            path.write_text(text, encoding="utf-8")
        return held


def _held(path: Path, of: object) -> list[Section] | None:
    try:
        part = json.loads(path.read_text(encoding="utf-8"))
        return [*map(Section.from_json, part["sections"])] if part["of"] == of else None
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _sections(
    request: PaperRequest,
    model: Model,
    sets: Sequence[GoldSet],
    parts: _Parts,
    environment: Environment,
) -> Iterator[Section]:
    """Step by step, the cheap ones first: what was made stays where a run is stopped."""
    kernel = parts.get("kernel", "", 0, lambda: _kernel(model))
    yield from kernel
    curve = Kernel.fitted(_points(kernel))
    steps: dict[str, Callable[[GoldSet], Iterable[Figures]]] = {
        "formats": lambda gold: measures.tokens_by_format(gold, model, environment),
        "sensitivity": lambda gold: measures.wrong_addresses(gold, request.seed),
        "ceiling": lambda gold: measures.coverage(gold, model, environment, curve),
        "lossless": lambda gold: measures.coming_back(
            gold, model, environment, gold.first(request.asked) if _is_asked(gold) else None
        ),
    }
    for name, step in steps.items():
        for gold in sets:
            yield from parts.get(name, gold.name, len(gold.edits), partial(step, gold))
    ways = {name: Splice.named(name) for name in measures.SPLICES}
    for gold in (gold.first(request.asked) for gold in sets if _is_asked(gold)):
        splicing = partial(measures.splicing, gold, model, environment, ways)
        yield from parts.get("splice", gold.name, len(gold.edits), splicing)
        untrained = partial(_untrained, gold, model, environment)
        yield from parts.get("untrained", gold.name, len(gold.edits), untrained)


def _is_asked(gold: GoldSet) -> bool:
    """Whether the model itself is run on a set: only where it says what was asked."""
    return any(edit.instruction for edit in gold.edits)


def _kernel(model: Model) -> Iterator[Figures]:
    points = measure(model, _KERNEL, lambda _: None)
    yield Figures(KERNEL, [{**asdict(point), "ratio": round(point.ratio, 2)} for point in points])


def _points(sections: Sequence[Section]) -> list[Point]:
    rows = (row for section in sections for row in section.figures.rows)
    return [Point(**{key: row[key] for key in row if key != "ratio"}) for row in rows]


def _untrained(gold: GoldSet, model: Model, environment: Environment) -> Iterator[Figures]:
    """Exact matches of the paper's own strategy, by the model as it is."""
    session = Session(model, cancellation=environment.cancellation)

    def is_exact(edit: Edit) -> bool:
        task = Task.of(edit.before, edit.instruction, "file")
        try:
            return session.attempt(task, "lines", AnswerOptions()).after == edit.after.data
        except BudgetExhausted:
            return False

    exact = sum(over_all(gold, is_exact, environment))
    yield Figures(UNTRAINED, [{"strategy": "lines", "edits": len(gold.edits), "exact": exact}])


def _report(
    request: PaperRequest,
    sections: Sequence[Section],
    sets: Sequence[GoldSet],
    facts: dict[str, Any],
) -> Report:
    pictures = {
        title: request.out / f"{name}.png"
        for title, name in (
            (KERNEL, "kernel"),
            (measures.COVERAGE, "ceiling"),
            (measures.SENSITIVITY, "sensitivity"),
            (measures.FORMATS, "formats"),
        )
    }
    own = {
        title: [section for section in sections if section.figures.title == title]
        for title in pictures
    }
    plot_kernel(_points(own[KERNEL]), request.gold.model, pictures[KERNEL])
    for title, draw in (
        (measures.COVERAGE, plot_shares),
        (measures.SENSITIVITY, plot_sensitivity),
        (measures.FORMATS, plot_formats),
    ):
        draw({each.data: each.figures.rows for each in own[title]}, pictures[title])
    today = {**facts, "date": f"{datetime.now(UTC):%Y-%m-%d}"}
    return Report(today, sections, {gold.name: gold.left_out for gold in sets}, pictures)
