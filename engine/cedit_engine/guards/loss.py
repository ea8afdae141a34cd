"""How much of a file, or of a function in it, an edit has deleted."""

import ast

from cedit_engine.guards.concerns import Deleted, MostlyDeleted
from cedit_engine.guards.edited import Edited, mentions
from cedit_engine.guards.python import defined
from cedit_engine.guards.straying import named_definitions
from cedit_engine.instruction import removes, reshapes

SMALLEST_FILE = 8
SMALLEST_FUNCTION = 6
"""Less than so many lines can be halved without anybody missing them."""
SMALLEST_BLOCK = 3
"""Less than so many lines may have to go wherever something is fixed."""


def deleted(edited: Edited) -> MostlyDeleted | Deleted | None:
    """Most of something that is gone, or lines that nobody spoke of."""
    return mostly_deleted(edited) or block_deleted(edited)


def mostly_deleted(edited: Edited) -> MostlyDeleted | None:
    """More than half of the file, or of a Python function that the instruction does not name."""
    before, after = _solid(edited.old_lines), _solid(edited.lines)
    if before >= SMALLEST_FILE and 2 * after < before:
        return MostlyDeleted("", before, after)
    kept = _functions(edited.tree, edited.lines)
    for name, length in _functions(edited.old_tree, edited.old_lines).items():
        left = kept.get(name, length)
        named = any(mentions(edited.task.instruction, part) for part in name.split("."))
        if length >= SMALLEST_FUNCTION and 2 * left < length and not named:
            return MostlyDeleted(name, length, left)
    return None


def block_deleted(edited: Edited) -> Deleted | None:
    """Lines that are gone together, outside of what is named, where nothing is to be removed.

    At least ``SMALLEST_BLOCK`` of them, none of which stand elsewhere, and less than half as many
    in their place.
    """
    if removes(edited.task.instruction) or reshapes(edited.task.instruction):
        return None
    named = named_definitions(edited)
    kept = {"", *map(str.strip, edited.lines)}
    for old, new in edited.changes:
        if any(_overlap(old, each.lines) for each in named):
            continue
        gone = map(str.strip, edited.old_lines[old.start : old.stop])
        lost = sum(line not in kept for line in gone)
        if lost >= SMALLEST_BLOCK and lost > 2 * _solid(edited.lines[new.start : new.stop]):
            return Deleted(old.start + 1, old.stop)
    return None


def _overlap(one: range, other: range) -> bool:
    return one.start < other.stop and other.start < one.stop


def _solid(lines: list[str]) -> int:
    return sum(bool(line.strip()) for line in lines)


def _functions(tree: ast.Module | None, lines: list[str]) -> dict[str, int]:
    """How many lines that are not blank each Python function has."""
    return {
        each.name: _solid(lines[each.node.lineno - 1 : each.node.end_lineno])
        for each in defined(tree)
        if not each.is_class and not each.in_function
    }
