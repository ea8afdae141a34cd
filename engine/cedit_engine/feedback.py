"""What guards saw in an answer, as the model that gave it is told."""

from collections.abc import Sequence

from cedit_engine.guards.concerns import Concern, words_for_concern

QUOTED_LINES = 8


def feedback(concerns: Sequence[Concern], after: bytes) -> str:
    """What was seen, in a sentence, and the lines it was seen on, behind their numbers."""
    seen = "; it ".join(map(words_for_concern, concerns))
    lines = after.decode("utf-8", "replace").split("\n")
    numbers = sorted({number for concern in concerns for number in _lines_of(concern)})
    quoted = [f"\nLine {n}: `{lines[n - 1].strip()}`" for n in numbers if 0 < n <= len(lines)]
    return f"Your edit {seen}.{''.join(quoted[:QUOTED_LINES])}"


def _lines_of(concern: Concern) -> tuple[int, ...]:
    """The lines of the new file that a concern names."""
    line = getattr(concern, "line", None)
    return (line,) if line else getattr(concern, "lines", ())
