"""``bench sensitivity``: what becomes of known edits whose addresses are slightly wrong."""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise, product

from cedit_engine.bench.ceiling import Edit
from cedit_engine.bench.formats import apply_blocks, apply_diff, blocks, diff
from cedit_engine.hunks import Hunk, hunks_between, program_of
from cedit_engine.oracle import oracle
from cedit_engine.program import Copy, Program
from cedit_engine.resolver import resolve
from cedit_engine.spelling import anchored_hunks

RATES = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0)
SHIFTS = (1, 2)
ENDS = ("starts", "ends", "both ends")

Damaged = Callable[[Edit, random.Random], bytes | None]
"""What a damaged edit builds; nothing where that is noticed."""


@dataclass(frozen=True)
class Damage:
    """A kind of damage in a format; ``rate`` is the share of the addresses that it hits."""

    format: str
    kind: str
    rate: float
    apply: Damaged


@dataclass(frozen=True)
class Outcome:
    """Of how many edits the result was right all the same, wrong, or refused."""

    format: str
    kind: str
    rate: float
    right: int
    wrong: int
    refused: int


def measure(edits: Sequence[Edit], seed: int) -> list[Outcome]:
    """Every damage over all ``edits``; chance is drawn from ``seed`` anew for each."""
    return [_outcome(damage, edits, random.Random(seed)) for damage in damages()]


def _outcome(damage: Damage, edits: Sequence[Edit], chance: random.Random) -> Outcome:
    built = [(damage.apply(edit, chance), edit.after.data) for edit in edits]
    right = sum(result == after for result, after in built)
    refused = sum(result is None for result, _ in built)
    wrong = len(built) - right - refused
    return Outcome(damage.format, damage.kind, damage.rate, right, wrong, refused)


def damages() -> Iterator[Damage]:
    """What is measured, format by format."""
    for shift, ends, rate in product(SHIFTS, ENDS, RATES):
        apply = partial(shifted_spans, shift=shift, ends=ends, rate=rate)
        yield Damage("program", f"{ends} of spans off by {shift}", rate, apply)
    for rate in RATES:
        yield Damage("anchor", "another equal line", rate, partial(wrong_lines, rate=rate))
    yield Damage("search/replace", "the first match", 1.0, first_match)
    for shift, strict in product(SHIFTS, (True, False)):
        how = "as it says" if strict else "where it fits first"
        apply = partial(wrong_headers, shift=shift, strict=strict)
        yield Damage("unified diff", f"headers off by {shift}, applied {how}", 1.0, apply)


def shifted_spans(
    edit: Edit, chance: random.Random, shift: int, ends: str, rate: float
) -> bytes | None:
    """The edit's program with ends of its spans ``shift`` lines up or down, inside the file."""
    operations = [
        _shifted(operation, len(edit.before), shift, ends, chance)
        if isinstance(operation, Copy) and chance.random() < rate
        else operation
        for operation in oracle(edit.before, edit.after).operations
    ]
    return resolve(Program(tuple(operations)), edit.before)


def _shifted(copy: Copy, lines: int, shift: int, ends: str, chance: random.Random) -> Copy:
    first, last = copy.first, copy.last
    if ends != "ends":
        first = min(max(first + chance.choice((-shift, shift)), 1), lines)
    if ends != "starts":
        last = min(max(last + chance.choice((-shift, shift)), 1), lines)
    return Copy(min(first, last), max(first, last))


def wrong_lines(edit: Edit, chance: random.Random, rate: float) -> bytes | None:
    """The edits at another line that reads like the first one, where there is one."""
    hunks = anchored_hunks(edit.before, hunks_between(edit.before, edit.after))
    if hunks is None:
        return None
    moved = [_moved(edit, hunk, chance) if chance.random() < rate else hunk for hunk in hunks]
    moved.sort(key=lambda hunk: hunk.first)
    if any(above.last >= below.first for above, below in pairwise(moved)):
        return None
    return resolve(program_of(moved, edit.before), edit.before)


def _moved(edit: Edit, hunk: Hunk, chance: random.Random) -> Hunk:
    views, size = edit.before.views, hunk.last - hunk.first
    wanted = views[hunk.first - 1]
    places = [at for at, line in enumerate(views, start=1) if line == wanted and at != hunk.first]
    places = [at for at in places if at + size <= len(views)]
    if not places:
        return hunk
    first = chance.choice(places)
    return replace(hunk, first=first, last=first + size)


def first_match(edit: Edit, chance: random.Random) -> bytes | None:
    """Search/replace blocks, each in the first place that it fits."""
    return apply_blocks(edit.before.data, blocks(edit), strict=False)


def wrong_headers(edit: Edit, chance: random.Random, shift: int, strict: bool) -> bytes | None:
    """A unified diff whose headers name lines ``shift`` further up or down."""

    def moved(header: re.Match[str]) -> str:
        start = max(int(header[1]) + chance.choice((-shift, shift)), 0)
        return f"@@ -{start}{header[2]}"

    text = re.sub(r"^@@ -(\d+)(.*)", moved, diff(edit, context=3), flags=re.MULTILINE)
    return apply_diff(edit.before.data, text, strict)
