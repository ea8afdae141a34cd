"""What is measured over a set of known edits: each a function from the set to tables."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from statistics import fmean
from typing import Any

from cedit.environment import Environment
from cedit.gold import GoldSet, over_all
from cedit_engine.bench import ceiling, formats, lossless, sensitivity, splices
from cedit_engine.model import Model
from cedit_engine.offsets import Tokenizer
from cedit_engine.program import Program
from cedit_engine.splice import Splice
from cedit_engine.task import Task

SPLICES = ("full", "tail:1", "tail:8", "none", "shift", "shift:16")
COVERAGE, BOUND = "what copies can cover", "how many times as fast as token by token, at most"
COMING_BACK, FORMATS = "edits that come back", "tokens an edit"
SENSITIVITY, SPLICING = "edits with wrong addresses", "known programs, by splice"


@dataclass(frozen=True)
class Figures:
    """A table: what it tells of, and its rows, all with the same keys."""

    title: str
    rows: Sequence[Mapping[str, Any]]


def coverage(
    gold: GoldSet, model: Model, environment: Environment, kernel: ceiling.Kernel | None
) -> Iterator[Figures]:
    """What copies cover, and with a ``kernel`` how much faster that can make an edit."""
    count = cache(_tokenizer(model).count)

    def measure(edit: ceiling.Edit, programs: Mapping[str, Program]) -> list[ceiling.Coverage]:
        return [ceiling.coverage(each, edit, count) for each in programs.values()]

    found = over_all(gold, measure, environment, _programs(gold, model, environment))
    own = dict(zip(ceiling.PROGRAMS, zip(*found, strict=True), strict=True))
    rows = [{"program": name, **ceiling.summary(each)} for name, each in own.items()]
    yield Figures(COVERAGE, rows)
    if kernel:
        spelled = _spelled(gold, model, environment)
        yield Figures(BOUND, [*_bounds(own, kernel), _anchor_bound(gold, spelled, kernel)])


def _programs(gold: GoldSet, model: Model, environment: Environment) -> list[Mapping[str, Program]]:
    find = partial(ceiling.programs, tokenizer=_tokenizer(model))
    return gold.once("programs", lambda: over_all(gold, find, environment))


def _spelled(
    gold: GoldSet, model: Model, environment: Environment
) -> list[Mapping[str, formats.Spelled]]:
    spell = partial(formats.spelled, model=model)
    return gold.once("spelled", lambda: over_all(gold, spell, environment))


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


def tokens_by_format(gold: GoldSet, model: Model, environment: Environment) -> Iterator[Figures]:
    """What the edits take in each format, and whether they can be put back."""
    found = _spelled(gold, model, environment)
    rows = [
        {
            "format": name,
            "tokens": round(fmean(each[name].tokens for each in found), 1),
            "to decide": round(fmean(each[name].decided for each in found), 1),
            "right, strictly applied": sum(each[name].strict for each in found),
            "right, at the first match": sum(each[name].first for each in found),
        }
        for name in found[0]
    ]
    yield Figures(FORMATS, rows)


def coming_back(
    gold: GoldSet, model: Model, environment: Environment, decoded: GoldSet | None
) -> Iterator[Figures]:
    """How many edits come back from their programs, and those of ``decoded`` from the decoder."""

    def resolve(edit: ceiling.Edit, programs: Mapping[str, Program]) -> dict[str, bool]:
        return {name: lossless.comes_back(edit, each) for name, each in programs.items()}

    found = over_all(gold, resolve, environment, _programs(gold, model, environment))
    rows = _come_back("resolver", found)
    if decoded:
        through = over_all(decoded, partial(lossless.decoded, model=model), environment)
        rows += _come_back("decoder", through)
    yield Figures(COMING_BACK, rows)


def _come_back(through: str, found: Sequence[Mapping[str, bool]]) -> list[Mapping[str, Any]]:
    return [
        {
            "through": through,
            "program": name,
            "edits": len(found),
            "come back": sum(each[name] for each in found),
        }
        for name in found[0]
    ]


def wrong_addresses(gold: GoldSet, seed: int) -> Iterator[Figures]:
    """What becomes of the edits where their addresses are slightly wrong."""
    yield Figures(SENSITIVITY, [vars(each) for each in sensitivity.measure(gold.edits, seed)])


def splicing(
    gold: GoldSet, model: Model, environment: Environment, ways: Mapping[str, Splice]
) -> Iterator[Figures]:
    """What the model makes of known programs, by how copies are spliced.

    The ways whose examples read alike follow each other, edit by edit: they share the prompt.
    """
    alike: defaultdict[int | None, list[str]] = defaultdict(list)
    for name, splice in ways.items():
        alike[splice.tail].append(name)
    totals: dict[str, splices.SpliceScore] = {}
    for names in alike.values():
        score = partial(_scores, model, [ways[name] for name in names])
        by_way = zip(*over_all(gold, score, environment), strict=True)
        for name, scores in zip(names, by_way, strict=True):
            totals[name] = sum(scores, splices.SpliceScore())
    yield Figures(SPLICING, [_splice_row(name, totals[name]) for name in ways])


def _scores(model: Model, ways: Sequence[Splice], edit: ceiling.Edit) -> list[splices.SpliceScore]:
    task = Task.of(edit.before, edit.instruction or "Edit.", "file")
    return [splices.score(model, task, edit.after, splice) for splice in ways]


def _splice_row(name: str, total: splices.SpliceScore) -> Mapping[str, Any]:
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


def _tokenizer(model: Model) -> Tokenizer:
    return Tokenizer(model.tokenize, model.vocabulary)
