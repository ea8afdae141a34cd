"""``cedit bench ceiling``, ``formats``, ``lossless``, ``sensitivity``: what known edits tell."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from cedit.environment import Environment
from cedit.exits import ExitStatus
from cedit.failures import FileProblem
from cedit.gold import GoldRequest, GoldSet, gold_sets, over_all, report
from cedit.models import opened_model
from cedit_engine.bench import ceiling, formats, lossless, sensitivity, splices
from cedit_engine.bench.kernel import Point
from cedit_engine.llama import LoadOptions
from cedit_engine.model import Model
from cedit_engine.splice import Splice
from cedit_engine.task import Task

Rows = Sequence[Mapping[str, Any]]
SPLICES = ("full", "tail:1", "tail:8", "none", "shift", "shift:16")
_VOCABULARY = LoadOptions(vocabulary_only=True)


def run_ceiling(
    request: GoldRequest, kernel_file: Path | None, environment: Environment
) -> ExitStatus:
    """Print what copies could cover, and how much faster that could make an edit."""
    kernel = _kernel(kernel_file) if kernel_file else None

    def rows(gold: GoldSet, model: Model) -> Rows:
        tokenizer = ceiling.Tokenizer(model.tokenize, model.vocabulary)
        found = over_all(gold, lambda edit: ceiling.coverages(edit, tokenizer), environment)
        own = {name: [each[name] for each in found if name in each] for name in ceiling.PROGRAMS}
        if kernel:
            spelled = over_all(gold, lambda edit: formats.spelled(edit, model), environment)
            bounds = [*_bounds(own, kernel), _anchor_bound(gold, spelled, kernel)]
            report(gold, "how many times as fast as token by token, at most", bounds, environment)
        return [{"program": name, **ceiling.summary(each)} for name, each in own.items()]

    return _measured(request, _VOCABULARY, "what copies can cover", rows, environment)


def _bounds(
    coverages: Mapping[str, Sequence[ceiling.Coverage]], kernel: ceiling.Kernel
) -> Iterator[Mapping[str, Any]]:
    for name, own in coverages.items():
        closed, whole = (ceiling.bound(own, kernel, operations) for operations in (False, True))
        yield {
            "program": name,
            "closed form": round(closed, 2),
            "with operations": round(whole, 2),
        }


def _anchor_bound(
    gold: GoldSet, spelled: Sequence[Mapping[str, formats.Spelled]], kernel: ceiling.Kernel
) -> Mapping[str, Any]:
    """``anchor`` writes no operations: what it must say to find its lines is all of them."""
    tokens = sum(len(edit.new_tokens) for edit in gold.edits)
    decided = sum(each["anchor"].decided for each in spelled)
    forced = sum(each["anchor"].tokens for each in spelled) - decided
    bound = round(ceiling.anchor_bound(tokens, decided, forced, kernel), 2)
    return {"program": "anchor", "closed form": bound, "with operations": bound}


def _kernel(path: Path) -> ceiling.Kernel:
    """The curve in what ``bench kernel`` printed; raises ``FileProblem``."""
    hint = "name a file that holds what bench kernel printed"
    try:
        last = path.read_text(encoding="utf-8").strip().splitlines()[-1]
        points = json.loads(last)["points"]
        names = ("context", "tokens", "prefill_seconds", "decode_seconds")
        return ceiling.Kernel.fitted([Point(*(each[name] for name in names)) for each in points])
    except OSError as error:
        raise FileProblem(str(path), error.strerror or str(error), hint) from None
    except (ValueError, LookupError, TypeError) as error:
        raise FileProblem(str(path), "it holds no points of a kernel", hint) from error


def run_formats(request: GoldRequest, environment: Environment) -> ExitStatus:
    """Print what the edits take in each format, and whether they can be put back."""

    def rows(gold: GoldSet, model: Model) -> Rows:
        found = over_all(gold, lambda edit: formats.spelled(edit, model), environment)
        return [
            {
                "format": name,
                "tokens": round(fmean(each[name].tokens for each in found), 1),
                "to_decide": round(fmean(each[name].decided for each in found), 1),
                "right, strictly applied": sum(each[name].strict for each in found),
                "right, at the first match": sum(each[name].first for each in found),
            }
            for name in found[0]
        ]

    return _measured(request, _VOCABULARY, "tokens an edit", rows, environment)


def run_lossless(request: GoldRequest, decode: bool, environment: Environment) -> ExitStatus:
    """Print how many edits come back from their programs; fail where one does not."""
    lost = 0

    def rows(gold: GoldSet, model: Model) -> Rows:
        nonlocal lost
        tokenizer = ceiling.Tokenizer(model.tokenize, model.vocabulary)
        measures = [lambda edit: lossless.resolved(edit, tokenizer)]
        if decode:
            measures.append(lambda edit: lossless.decoded(edit, model))
        tables = [over_all(gold, measure, environment) for measure in measures]
        lost += sum(not back for table in tables for each in table for back in each.values())
        return [
            {
                "path": f"{kind}{name}",
                "edits": sum(name in each for each in table),
                "come back": sum(each.get(name, False) for each in table),
            }
            for kind, table in zip(("resolver: ", "decoder: "), tables, strict=False)
            for name in dict.fromkeys(name for each in table for name in each)
        ]

    load = LoadOptions() if decode else _VOCABULARY
    status = _measured(request, load, "edits that come back", rows, environment)
    return ExitStatus.REJECTED if lost else status


def run_sensitivity(request: GoldRequest, seed: int, environment: Environment) -> ExitStatus:
    """Print what becomes of the edits where their addresses are slightly wrong."""

    def rows(gold: GoldSet, model: Model) -> Rows:
        return [vars(outcome) for outcome in sensitivity.measure(gold.edits, seed)]

    return _measured(request, _VOCABULARY, "edits with wrong addresses", rows, environment)


def run_splice(request: GoldRequest, names: Sequence[str], environment: Environment) -> ExitStatus:
    """Print what a model makes of known programs, by how copies are spliced."""
    ways = {name: Splice.named(name) for name in names}

    def rows(gold: GoldSet, model: Model) -> Rows:
        return [
            _splice_row(name, over_all(gold, partial(_score, model, splice), environment))
            for name, splice in ways.items()
        ]

    load = LoadOptions(repeats=any(splice.moves for splice in ways.values()))
    return _measured(request, load, "known programs, by splice", rows, environment)


def _score(model: Model, splice: Splice, edit: ceiling.Edit) -> splices.SpliceScore:
    return splices.score(
        model, Task.of(edit.before, edit.instruction or "Edit.", "file"), edit.after, splice
    )


def _splice_row(name: str, scores: Sequence[splices.SpliceScore]) -> Mapping[str, Any]:
    total = sum(scores, splices.SpliceScore())
    return {
        "splice": name,
        "nats, operation": _each(total.operations.nats, total.operations.tokens),
        "nats, generated": _each(total.generated.nats, total.generated.tokens),
        "preferred, operation": _each(total.operations.preferred, total.operations.tokens),
        "preferred, generated": _each(total.generated.preferred, total.generated.tokens),
        "calls": total.calls,
        "spliced": total.spliced_tokens,
        "seconds": round(total.seconds, 2),
    }


def _each(total: float, tokens: int) -> float:
    return round(total / max(tokens, 1), 3)


def _measured(
    request: GoldRequest,
    load: LoadOptions,
    title: str,
    rows: Callable[[GoldSet, Model], Rows],
    environment: Environment,
) -> ExitStatus:
    with opened_model(request.model, load, environment, quiet=False) as model:
        for gold in gold_sets(request, model, environment):
            report(gold, title, rows(gold, model), environment)
    return ExitStatus.DONE
