"""``bench kernel``: one prefill of N tokens against N decodes, the fact that copying rests on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import median
from time import perf_counter

import numpy as np

from cedit_engine.model import Model


@dataclass(frozen=True)
class KernelOptions:
    """Context lengths and run lengths in tokens; ``repeats`` of which the median counts."""

    contexts: tuple[int, ...] = (512, 4096)
    longest: int = 512
    repeats: int = 3

    @property
    def sizes(self) -> tuple[int, ...]:
        """The powers of two up to ``longest``."""
        return tuple(1 << power for power in range(self.longest.bit_length()))


@dataclass(frozen=True)
class Point:
    """Seconds for ``tokens`` tokens behind ``context`` others, in one call and one by one."""

    context: int
    tokens: int
    prefill_seconds: float
    decode_seconds: float

    @property
    def ratio(self) -> float:
        """How many times faster one call is."""
        return self.decode_seconds / self.prefill_seconds


OnPoint = Callable[[Point], None]


def measure(model: Model, options: KernelOptions, on_point: OnPoint) -> list[Point]:
    """Every point, context by context; ``on_point`` is told of each."""
    points = []
    model.reserve(max(options.contexts) + options.longest)
    for context in options.contexts:
        for point in _curve(model, context, options):
            on_point(point)
            points.append(point)
    return points


def _curve(model: Model, context: int, options: KernelOptions) -> list[Point]:
    tokens = _some_tokens(model, context + options.longest)
    _fill(model, tokens[:context])
    following = tokens[context:]
    decodes = [_decode_seconds(model, context, following) for _ in range(options.repeats)]
    points = []
    for size in options.sizes:
        prefills = [_prefill_seconds(model, context, following[:size]) for _ in decodes]
        decoded = median(run[size - 1] for run in decodes)
        points.append(Point(context, size, median(prefills), decoded))
    return points


def _some_tokens(model: Model, count: int) -> list[int]:
    """Arbitrary tokens: what a call costs depends on their number alone."""
    common = min(1000, len(model.vocabulary))
    return [int(token) for token in np.random.default_rng(0).integers(common, size=count)]


def _fill(model: Model, tokens: Sequence[int]) -> None:
    model.trim(0)
    for start in range(0, len(tokens), model.prefill_chunk):
        model.evaluate(tokens[start : start + model.prefill_chunk])


def _prefill_seconds(model: Model, context: int, tokens: Sequence[int]) -> float:
    model.trim(context)
    started = perf_counter()
    model.evaluate(tokens)
    return perf_counter() - started


def _decode_seconds(model: Model, context: int, tokens: Sequence[int]) -> list[float]:
    """Seconds until each of ``tokens`` was evaluated by a call of its own."""
    model.trim(context)
    seconds = []
    for token in tokens:
        started = perf_counter()
        model.evaluate([token])
        seconds.append(perf_counter() - started)
    return list(accumulate(seconds))
