"""What an edit writes a second time, where it was to move or to change it."""

import ast
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator

from cedit_engine.guards.concerns import Doubled, Repeated
from cedit_engine.guards.edited import Edited
from cedit_engine.guards.python import defined
from cedit_engine.outline import NOT_CODE

SHORTEST_REPEAT = 3
"""Less than so many lines may well stand twice in a row."""


def doubled(edited: Edited) -> Doubled | Repeated | None:
    """A definition, or other code, that is there once too often."""
    return defined_again(edited) or repeated(edited)


def defined_again(edited: Edited) -> Doubled | None:
    """Names that are defined more often in one place than they were, and more than once.

    In Python a place is the module or a class; elsewhere the same line has to begin both,
    unindented.
    """
    if edited.language == "python":
        if edited.old_tree is None or edited.tree is None:
            return None
        before, after = (Counter(_python(tree)) for tree in (edited.old_tree, edited.tree))
    elif edited.language in NOT_CODE:
        return None
    else:
        before, after = (Counter(_heads(lines)) for lines in (edited.old_lines, edited.lines))
    names = tuple(name for name, count in after.items() if count > max(1, before[name]))
    return Doubled(names) if names else None


def _python(tree: ast.Module) -> Iterator[str]:
    """Names of the module and of classes; what is decorated or chosen may be there twice."""
    for each in defined(tree):
        if not (each.in_function or each.is_chosen or each.node.decorator_list):
            yield each.name


def _heads(lines: list[str]) -> Iterator[str]:
    return (line.rstrip(" \t{") for line in lines if _HEAD.match(line))


_HEAD = re.compile(
    r"(?:(?:export|default|public|static|async|pub)\s+)*"
    r"(?:def|class|function\*?|fn|func|struct|enum|interface|trait|type|module)\s+[\w(]"
    r"|[A-Za-z_][\w<>\[\],:*& \t]*\b\w+\([^;]*\)\s*\{\s*$"
)


def repeated(edited: Edited) -> Repeated | None:
    """The first new lines of code that are those right before or behind them once more.

    At least ``SHORTEST_REPEAT`` of them, blank ones not counted. Which of two equal runs is the
    new one nobody can tell: so wherever a change made the file longer by n lines, it is looked for
    n lines in a row that are equal to those n lines further up.
    """
    if edited.language in NOT_CODE:
        return None
    before, after = (_solid(lines) for lines in (edited.old_lines, edited.lines))
    for old, new in edited.changes:
        grown = _count(after, new) - _count(before, old)
        if grown >= SHORTEST_REPEAT:
            first = max(0, bisect_left(after, new.start) - grown)
            around = after[first : bisect_left(after, new.stop) + grown]
            again = _period([edited.lines[number] for number in around], grown)
            if again is not None:
                return Repeated(around[again] + 1, around[again + grown - 1] + 1)
    return None


def _solid(lines: list[str]) -> list[int]:
    """The numbers, from 0, of the lines that are not blank."""
    return [number for number, line in enumerate(lines) if line.strip()]


def _count(numbers: list[int], lines: range) -> int:
    """How many of ``numbers``, which rise, are in ``lines``."""
    return bisect_left(numbers, lines.stop) - bisect_left(numbers, lines.start)


def _period(lines: list[str], length: int) -> int | None:
    """Where ``length`` lines begin that are the ``length`` lines before them."""
    run = 0
    for place in range(length, len(lines)):
        run = run + 1 if lines[place] == lines[place - length] else 0
        if run == length:
            return place - length + 1
    return None
