"""What an edit writes a second time, where it was to move or to change it."""

import ast
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator

from cedit_engine.guards.concerns import Doubled, Repeated
from cedit_engine.guards.edited import Edited
from cedit_engine.hunks import align
from cedit_engine.outline import NOT_CODE

SHORTEST_REPEAT = 3
"""Less than so many lines may well stand twice in a row."""


def doubled(edited: Edited) -> Doubled | Repeated | None:
    """A definition, or other code, that is there once too often."""
    return defined_again(edited) or repeated(edited)


def defined_again(edited: Edited) -> Doubled | None:
    """Names that are defined more often in one place than they were, and more than once.

    In Python a place is the module or a class, and what is decorated may be there twice, as may
    what an ``if`` chooses from; elsewhere the same line has to begin both, unindented.
    """
    if edited.language == "python":
        if edited.old_tree is None or edited.tree is None:
            return None
        before, after = (Counter(_python(tree.body, "")) for tree in (edited.old_tree, edited.tree))
    elif edited.language in NOT_CODE:
        return None
    else:
        before, after = (Counter(_heads(lines)) for lines in (edited.old_lines, edited.lines))
    names = tuple(name for name, count in after.items() if count > max(1, before[name]))
    return Doubled(names) if names else None


def _python(body: list[ast.stmt], prefix: str) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.decorator_list:
            yield f"{prefix}{node.name}"
        elif isinstance(node, ast.ClassDef) and not node.decorator_list:
            yield f"{prefix}{node.name}"
            yield from _python(node.body, f"{prefix}{node.name}.")


def repeated(edited: Edited) -> Repeated | None:
    """The first new lines of code that are those right before or behind them once more.

    At least ``SHORTEST_REPEAT`` of them, blank ones not counted. Which of two equal runs is the
    new one nobody can tell: so wherever a piece made the file longer by n lines, it is looked for
    n lines in a row that are equal to those n lines further down.
    """
    if edited.language in NOT_CODE:
        return None
    solid = [number for number, line in enumerate(edited.lines) if line.strip()]
    for tag, first, last, start, stop in align(edited.old_lines, edited.lines):
        new = bisect_left(solid, start), bisect_left(solid, stop)
        grown = new[1] - new[0] - sum(bool(line.strip()) for line in edited.old_lines[first:last])
        if tag == "equal" or grown < SHORTEST_REPEAT:
            continue
        text = [edited.lines[number] for number in solid[max(0, new[0] - grown) : new[1] + grown]]
        again = _period(text, grown)
        if again is not None:
            begin = max(0, new[0] - grown) + again
            return Repeated(solid[begin] + 1, solid[begin + grown - 1] + 1)
    return None


def _period(lines: list[str], length: int) -> int | None:
    """Where ``length`` lines begin that are the ``length`` lines before them."""
    run = 0
    for place in range(length, len(lines)):
        run = run + 1 if lines[place] == lines[place - length] else 0
        if run == length:
            return place - length + 1
    return None


def _heads(lines: list[str]) -> Iterator[str]:
    return (line.rstrip(" \t{") for line in lines if _HEAD.match(line))


_HEAD = re.compile(
    r"(?:(?:export|default|public|static|async|pub)\s+)*"
    r"(?:def|class|function\*?|fn|func|struct|enum|interface|trait|type|module)\s+[\w(]"
    r"|[A-Za-z_][\w<>\[\],:*& \t]*\b\w+\([^;]*\)\s*\{\s*$"
)
