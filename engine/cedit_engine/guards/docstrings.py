"""Docstrings that an edit spoiled: code in them, where it is never run, or before them; or lost."""

import ast
from collections.abc import Iterator
from textwrap import dedent

from cedit_engine.guards.concerns import Displaced, DocstringGone, InDocstring
from cedit_engine.guards.edited import Edited
from cedit_engine.guards.python import defined, parse_python
from cedit_engine.instruction import removes

_Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
# An example in a docstring may well assign or call something, and a sentence can look so.
_CODE = ast.If | ast.Raise | ast.Return | ast.For | ast.While | ast.With | ast.Try


def spoiled_docstring(edited: Edited) -> InDocstring | Displaced | DocstringGone | None:
    """A docstring of Python that holds new statements, stands behind some, or is gone."""
    return code_in_docstring(edited) or code_before_docstring(edited) or docstring_gone(edited)


def code_in_docstring(edited: Edited) -> InDocstring | None:
    """New lines of a Python docstring that are statements and nothing else."""
    new = {number for number, _ in edited.new_lines}
    for first, last in _docstrings(edited.tree):
        added = [number for number in range(first + 1, last) if number in new]
        text = dedent("\n".join(edited.lines[number - 1] for number in added))
        parsed = parse_python(text.encode())
        if isinstance(parsed, ast.Module) and any(isinstance(each, _CODE) for each in parsed.body):
            return InDocstring(tuple(added), last)
    return None


def code_before_docstring(edited: Edited) -> Displaced | None:
    """The first docstring that was one, and is a string behind the first statement now."""
    documented = _documented(edited.old_tree)
    for name, node in _named(edited.tree):
        for statement in node.body[1:]:
            if name in documented and documented[name] == _text(statement):
                return Displaced(name, node.body[0].lineno, *_span(statement))
    return None


def docstring_gone(edited: Edited) -> DocstringGone | None:
    """The first function or class that had one, where the instruction removes nothing."""
    if removes(edited.task.instruction):
        return None
    kept = _documented(edited.tree)
    there = {name for name, _ in _named(edited.tree)}
    lost = (name for name in _documented(edited.old_tree) if name in there and name not in kept)
    return next(map(DocstringGone, lost), None)


def _documented(tree: ast.Module | None) -> dict[str, str]:
    """The docstrings, by the dotted names of what they are of."""
    texts = ((name, _text(node.body[0])) for name, node in _named(tree) if node.body)
    return {name: text for name, text in texts if text is not None}


def _docstrings(tree: ast.Module | None) -> Iterator[tuple[int, int]]:
    """The first and the last line of each, counted from 1."""
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, _Documented) and ast.get_docstring(node, clean=False) is not None:
            yield _span(node.body[0])


def _named(tree: ast.Module | None) -> Iterator[tuple[str, _Documented]]:
    """What may have a docstring; the name of the module is empty."""
    if tree:
        yield "", tree
    yield from ((each.name, each.node) for each in defined(tree))


def _text(statement: ast.stmt) -> str | None:
    """The text of a statement that is nothing but a string."""
    match statement:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return text
    return None


def _span(statement: ast.stmt) -> tuple[int, int]:
    return statement.lineno, statement.end_lineno or statement.lineno
