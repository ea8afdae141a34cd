"""Code that an edit left where it is never run."""

import ast
from collections import Counter
from collections.abc import Iterator

from cedit_engine.guards.concerns import Unreachable
from cedit_engine.guards.edited import Edited

_WayOut = ast.Return | ast.Raise | ast.Break | ast.Continue


def unreachable(edited: Edited) -> Unreachable | None:
    """The first new Python statement behind a way out of its block, where there are more of them.

    What was never run before may be changed.
    """
    before, after = (list(_never_run(tree)) for tree in (edited.old_tree, edited.tree))
    if len(after) <= len(before):
        return None
    known = Counter(ast.dump(statement) for _, statement in before)
    for way_out, statement in after:
        text = ast.dump(statement)
        if not known[text]:
            return Unreachable(statement.lineno, type(way_out).__name__.lower(), way_out.lineno)
        known[text] -= 1
    return None


def lines_never_run(edited: Edited) -> set[int]:
    """The lines of the edited file, from 1, that statements begin on which are never run."""
    return {statement.lineno for _, statement in _never_run(edited.tree)}


def _never_run(tree: ast.Module | None) -> Iterator[tuple[_WayOut, ast.stmt]]:
    """Statements, each with what leaves their block before them."""
    for block in _blocks(tree):
        way_out = None
        for statement in block:
            if way_out and not _makes_a_generator(statement):
                yield way_out, statement
            elif isinstance(statement, _WayOut):
                way_out = statement


def _blocks(tree: ast.Module | None) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree) if tree else ():
        for _, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                yield value


def _makes_a_generator(statement: ast.stmt) -> bool:
    """Whether this is a ``yield``, which has an effect though it is never run."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Yield)
