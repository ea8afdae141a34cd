"""``cedit bench ceiling``, ``formats``, ``lossless``, ``sensitivity`` and ``splice``."""

import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from cedit import measures
from cedit.environment import Environment
from cedit.exits import ExitStatus
from cedit.failures import FileProblem
from cedit.gold import GoldRequest, GoldSet, gold_sets, report
from cedit.models import opened_model
from cedit_engine.bench.ceiling import Kernel
from cedit_engine.bench.kernel import Point
from cedit_engine.llama import LoadOptions
from cedit_engine.model import Model
from cedit_engine.splice import Splice

Measure = Callable[[GoldSet, Model, Environment], Iterable[measures.Figures]]
_VOCABULARY = LoadOptions(vocabulary_only=True)


def run_ceiling(
    request: GoldRequest, kernel_file: Path | None, environment: Environment
) -> ExitStatus:
    """Print what copies could cover, and how much faster that could make an edit."""
    kernel = read_kernel(kernel_file) if kernel_file else None
    measure = partial(measures.coverage, kernel=kernel)
    _report(request, _VOCABULARY, measure, environment)
    return ExitStatus.DONE


def read_kernel(path: Path) -> Kernel:
    """The curve in what ``bench kernel`` printed; raises ``FileProblem``."""
    hint = "name a file that holds what bench kernel printed"
    try:
        last = path.read_text(encoding="utf-8").strip().splitlines()[-1]
        names = ("context", "tokens", "prefill_seconds", "decode_seconds")
        points = [Point(*(row[name] for name in names)) for row in json.loads(last)["points"]]
        return Kernel.fitted(points)
    except OSError as error:
        raise FileProblem(str(path), error.strerror or str(error), hint) from None
    except (ValueError, LookupError, TypeError) as error:
        raise FileProblem(str(path), "it holds no points of a kernel", hint) from error


def run_formats(request: GoldRequest, environment: Environment) -> ExitStatus:
    """Print what the edits take in each format, and whether they can be put back."""
    _report(request, _VOCABULARY, measures.tokens_by_format, environment)
    return ExitStatus.DONE


def run_lossless(request: GoldRequest, decode: bool, environment: Environment) -> ExitStatus:
    """Print how many edits come back from their programs; fail where one does not."""
    load = LoadOptions() if decode else _VOCABULARY

    def measure(
        gold: GoldSet, model: Model, environment: Environment
    ) -> Iterable[measures.Figures]:
        return measures.coming_back(gold, model, environment, gold if decode else None)

    found = _report(request, load, measure, environment)
    lost = any(row["come back"] < row["edits"] for figures in found for row in figures.rows)
    return ExitStatus.REJECTED if lost else ExitStatus.DONE


def run_sensitivity(request: GoldRequest, seed: int, environment: Environment) -> ExitStatus:
    """Print what becomes of the edits where their addresses are slightly wrong."""
    _report(
        request, _VOCABULARY, lambda gold, *_: measures.wrong_addresses(gold, seed), environment
    )
    return ExitStatus.DONE


def run_splice(request: GoldRequest, names: Sequence[str], environment: Environment) -> ExitStatus:
    """Print what a model makes of known programs, by how copies are spliced."""
    ways = {name: Splice.named(name) for name in names}
    load = LoadOptions(repeats=any(splice.moves for splice in ways.values()))
    _report(request, load, partial(measures.splicing, ways=ways), environment)
    return ExitStatus.DONE


def _report(
    request: GoldRequest, load: LoadOptions, measure: Measure, environment: Environment
) -> list[measures.Figures]:
    """Measure set by set, and print each table as it is done."""
    all_figures = []
    with opened_model(request.model, load, environment, quiet=False) as model:
        sets = gold_sets(request, model, environment)
        for gold in (gold for gold in sets if gold.edits):
            for figures in measure(gold, model, environment):
                report(gold, figures.title, figures.rows, environment)
                all_figures.append(figures)
    return all_figures
