"""Edits of known size with known answers, over this project's own sources."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_SOURCES = Path(__file__).parent.parent


@dataclass(frozen=True)
class Work:
    """A file of ``size`` lines in which ``lines`` lines change at each of ``places``."""

    size: int
    lines: int
    places: int
    before: str
    after: str
    instruction: str

    @property
    def name(self) -> str:
        """How tables call it."""
        return f"{self.size} lines, {self.lines} in {self.places}"


def work(size: int, lines: int, places: int, seed: int) -> Work:
    """The edit that ``seed`` draws; the same one every time for the same sources."""
    draw = random.Random(f"{size} {lines} {places} {seed}")
    before = _file(size, draw)
    starts = _places(before, lines, places, draw)
    after, asked = list(before), []
    for start in starts:
        old = before[start : start + lines]
        new = [_changed(line) for line in old]
        after[start : start + lines] = new
        asked += _asked(old, new)
    return Work(size, lines, places, _joined(before), _joined(after), _instruction(asked))


def same_edits(sizes: Sequence[int], lines: int, count: int, seed: int) -> list[Work]:
    """``count`` edits, each in files of all ``sizes``: the longer go on behind the shorter.

    All edits of one file stand together, so that it is read once.
    """
    longest = work(max(sizes), lines, 1, seed)
    draw = random.Random(f"{lines} {seed}")
    before = longest.before.splitlines()
    starts = _places(before, lines, count, draw, within=min(sizes))
    return [_edit_of_head(before[:size], start, lines) for size in sizes for start in starts]


def _edit_of_head(head: list[str], start: int, lines: int) -> Work:
    old = head[start : start + lines]
    new = [_changed(line) for line in old]
    edited = [*head[:start], *new, *head[start + lines :]]
    instruction = _instruction(_asked(old, new))
    return Work(len(head), lines, 1, _joined(head), _joined(edited), instruction)


def _asked(old: Sequence[str], new: Sequence[str]) -> list[str]:
    return [f"`{a.strip()}` becomes `{b.strip()}`" for a, b in zip(old, new, strict=True)]


def _instruction(asked: Sequence[str]) -> str:
    if len(asked) == 1:
        return f"Change one line: {asked[0]}."
    return "Change these lines:\n" + "\n".join(f"- {each}" for each in asked)


def _joined(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _file(size: int, draw: random.Random) -> list[str]:
    """``size`` lines of whole definitions, in an order of their own."""
    blocks = list(_definitions())
    draw.shuffle(blocks)
    lines: list[str] = []
    while len(lines) < size:
        for block in blocks:
            lines += block
    return [*lines[: size - 1], lines[size - 1] or "# the end"]


def _definitions() -> Iterator[list[str]]:
    for path in sorted(_SOURCES.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for block in re.split(r"\n{3,}(?=\S)", text):
            if block.startswith(("def ", "class ")):
                yield [*block.rstrip("\n").split("\n"), "", ""]


def _places(
    lines: Sequence[str], length: int, count: int, draw: random.Random, within: int | None = None
) -> list[int]:
    """Starts of ``count`` blocks of ``length`` lines that can change, apart from each other.

    All end ``within`` so many lines; a line that can change stands once in all of ``lines``.
    """
    head = lines[:within]
    can_change = [_changed(line) != line and lines.count(line) == 1 for line in head]
    fits = [
        start for start in range(len(head) - length + 1) if all(can_change[start : start + length])
    ]
    drawn: list[int] = []
    while fits and len(drawn) < count:
        start = draw.choice(fits)
        drawn.append(start)
        fits = [other for other in fits if abs(other - start) > length]
    return sorted(drawn)


_LAST_WORD = re.compile(r"([a-z_]{3,})([^a-zA-Z_]*)$")


def _changed(line: str) -> str:
    """The line with its last word renamed; a line without one stays as it is."""
    return _LAST_WORD.sub(r"\1_2\2", line)
