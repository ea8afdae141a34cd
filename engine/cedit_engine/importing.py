"""A Python edit with the imports that it uses and does not make.

A small model writes ``x: Any`` or ``logging.info(…)`` into a file that imports neither, and asked
again does no better. Where the standard library has what is missing, there is nothing to decide.
"""

import ast
from collections.abc import Iterator
from importlib import import_module
from typing import NamedTuple

from cedit_engine.guards.edited import Edited
from cedit_engine.guards.names import new_unbound_names
from cedit_engine.oracle import oracle
from cedit_engine.program import Program
from cedit_engine.source import BOM, Source
from cedit_engine.task import Task

# Of what several of them hold, the first is meant: a Counter is a class rather than a type.
_HOLDERS = (
    *("collections", "collections.abc", "dataclasses", "enum", "functools", "pathlib"),
    *("contextlib", "typing"),
)
_MODULES = frozenset(
    (
        *("argparse", "asyncio", "collections", "contextlib", "copy", "csv", "dataclasses"),
        *("enum", "functools", "io", "itertools", "json", "logging", "math", "operator", "os"),
        *("pathlib", "random", "re", "shutil", "statistics", "subprocess", "sys", "tempfile"),
        *("threading", "time", "traceback", "typing", "warnings"),
    )
)


def with_imports(task: Task, after: bytes) -> Program | None:
    """The edit with the imports that its new names need.

    None where none is known to help, and where only some lines of the file may change.
    """
    edited, source = Edited(task, after), Source.from_bytes(after)
    if edited.tree is None or len(task.window) < len(task.source):
        return None
    imports = list(_imports(edited.tree, new_unbound_names(edited)))
    if not imports:
        return None
    place = _place(edited.tree)
    ending = source.common_ending
    unmarked = [source.lines[0].removeprefix(BOM), *source.lines[1:]]
    lines = [*unmarked[: place.line], *[ending] * place.blanks_before]
    lines += (statement.encode() + ending for statement in imports)
    lines += [*[ending] * place.blanks_behind, *unmarked[place.line :]]
    return oracle(task.source, Source.from_bytes(b"".join(lines)))


def _imports(tree: ast.Module, names: list[str]) -> Iterator[str]:
    for name in names:
        if name in _MODULES and _is_used_as(tree, name):
            yield f"import {name}"
        elif holder := next((each for each in _HOLDERS if name in _exports(each)), None):
            yield f"from {holder} import {name}"


def _is_used_as(tree: ast.Module, module: str) -> bool:
    """Whether ``module`` is only used for what is in it."""
    used = {id(node) for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == module}
    held = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and hasattr(import_module(module), node.attr)
    }
    return used <= held


def _exports(module: str) -> list[str]:
    names: list[str] = import_module(module).__all__
    return names


class _Place(NamedTuple):
    """Before which line, counted from 0, and what parts it from its neighbours."""

    line: int
    blanks_before: int = 0
    blanks_behind: int = 0


def _place(tree: ast.Module) -> _Place:
    """Behind the first imports, or behind what documents the module, or at its beginning."""
    body = list(tree.body)
    documented = ast.get_docstring(tree, clean=False) is not None
    first = body.pop(0) if documented else None
    imports = []
    while body and isinstance(body[0], ast.Import | ast.ImportFrom):
        imports.append(body.pop(0))
    if imports:
        return _Place(imports[-1].end_lineno or 0)
    if first:
        return _Place(first.end_lineno or 0, blanks_before=1)
    decorators = getattr(body[0], "decorator_list", [])
    start = min(node.lineno for node in (body[0], *decorators)) - 1
    is_definition = isinstance(body[0], ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    return _Place(start, blanks_behind=2 if is_definition else 1)
