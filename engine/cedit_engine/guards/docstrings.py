"""Code that an edit put where it is never run: inside a docstring."""

import ast
from collections.abc import Iterator
from textwrap import dedent

from cedit_engine.guards.concerns import Unreachable
from cedit_engine.guards.edited import Edited
from cedit_engine.guards.python import parse_python

_DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
# An example in a docstring may well assign or call something, and a sentence can look so.
_CODE = ast.If | ast.Raise | ast.Return | ast.For | ast.While | ast.With | ast.Try


def code_in_docstring(edited: Edited) -> Unreachable | None:
    """New lines of a Python docstring that are statements and nothing else."""
    new = {number for number, _ in edited.new_lines}
    for first, last in _docstrings(edited.tree):
        added = [number for number in range(first + 1, last) if number in new]
        text = dedent("\n".join(edited.lines[number - 1] for number in added))
        parsed = parse_python(text.encode())
        if isinstance(parsed, ast.Module) and any(isinstance(each, _CODE) for each in parsed.body):
            return Unreachable(tuple(added))
    return None


def _docstrings(tree: ast.Module | None) -> Iterator[tuple[int, int]]:
    """The first and the last line of each, counted from 1."""
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            yield node.body[0].lineno, node.body[0].end_lineno or 0
