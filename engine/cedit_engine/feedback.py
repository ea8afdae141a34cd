"""What guards saw in an answer, as the model that gave it is told."""

from collections.abc import Sequence
from dataclasses import dataclass

from cedit_engine.guards.concerns import Concern, HalfRenamed, Undefined, words_for_concern

QUOTED_LINES = 8


@dataclass(frozen=True)
class Feedback:
    """``text`` for the model; ``sites`` are the lines of its answer that have to change."""

    text: str
    sites: tuple[int, ...] = ()


def feedback(concerns: Sequence[Concern], after: bytes) -> Feedback:
    """What was seen, in a sentence, and the lines it was seen on, behind their numbers."""
    seen = "; it ".join(map(words_for_concern, concerns))
    lines = after.decode("utf-8", "replace").split("\n")
    numbers = sorted({number for concern in concerns for number in _lines_of(concern)})
    quoted = [f"\nLine {n}: `{lines[n - 1].strip()}`" for n in numbers if 0 < n <= len(lines)]
    sites = sorted({number for concern in concerns for number in _sites_of(concern)})
    return Feedback(f"Your edit {seen}.{''.join(quoted[:QUOTED_LINES])}", tuple(sites))


def _sites_of(concern: Concern) -> tuple[int, ...]:
    """The lines that still use a name that is gone; one that is new may be right where it is."""
    is_left = isinstance(concern, HalfRenamed) or (
        isinstance(concern, Undefined) and not concern.is_new
    )
    return _lines_of(concern) if is_left else ()


def _lines_of(concern: Concern) -> tuple[int, ...]:
    """The lines of the new file that a concern names."""
    line = getattr(concern, "line", None)
    return (line,) if line else getattr(concern, "lines", ())
