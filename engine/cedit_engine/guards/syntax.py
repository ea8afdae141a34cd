"""Whether a file still parses, and what that says of an edit.

Python, JSON and TOML are read by the standard library, other languages by tree-sitter's
grammars where the extra ``syntax`` is installed.
"""

import importlib
import importlib.util
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from cedit_engine.guards.concerns import NoLongerParses
from cedit_engine.guards.edited import Edited
from cedit_engine.guards.python import parse_python


def no_longer_parses(edited: Edited) -> NoLongerParses | None:
    """A fault in a file that had none; where errors are counted, more of them than before."""
    parse = _PARSERS.get(edited.language)
    if parse:
        return parse(edited.after) if parse(edited.before) is None else None
    grammar = _GRAMMARS.get(edited.language)
    if not grammar or not _is_installed(grammar[0]):
        return None
    before, after = (_errors(grammar, data) for data in (edited.before, edited.after))
    return NoLongerParses(after[0], "syntax error") if len(after) > len(before) else None


def _python_fault(data: bytes) -> NoLongerParses | None:
    parsed = parse_python(data)
    return parsed if isinstance(parsed, NoLongerParses) else None


def _json_fault(data: bytes) -> NoLongerParses | None:
    try:
        json.loads(data)
    except json.JSONDecodeError as error:
        return NoLongerParses(error.lineno, error.msg)
    except ValueError as error:
        return NoLongerParses(1, str(error))
    return None


def _toml_fault(data: bytes) -> NoLongerParses | None:
    try:
        tomllib.loads(data.decode())
    except ValueError as error:
        line = re.search(r"at line (\d+)", str(error))
        return NoLongerParses(int(line[1]) if line else 1, str(error))
    return None


_PARSERS: Mapping[str, Callable[[bytes], NoLongerParses | None]] = {
    "python": _python_fault,
    "json": _json_fault,
    "toml": _toml_fault,
}

_Grammar = tuple[str, str]
_GRAMMARS: Mapping[str, _Grammar] = {
    "javascript": ("tree_sitter_javascript", "language"),
    "mjs": ("tree_sitter_javascript", "language"),
    "jsx": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "c": ("tree_sitter_c", "language"),
    "h": ("tree_sitter_cpp", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "cc": ("tree_sitter_cpp", "language"),
    "hpp": ("tree_sitter_cpp", "language"),
    "java": ("tree_sitter_java", "language"),
    "rb": ("tree_sitter_ruby", "language"),
    "sh": ("tree_sitter_bash", "language"),
    "bash": ("tree_sitter_bash", "language"),
    "yaml": ("tree_sitter_yaml", "language"),
    "yml": ("tree_sitter_yaml", "language"),
    "html": ("tree_sitter_html", "language"),
    "css": ("tree_sitter_css", "language"),
}


def _is_installed(package: str) -> bool:
    return all(importlib.util.find_spec(name) for name in ("tree_sitter", package))


def _errors(grammar: _Grammar, data: bytes) -> list[int]:
    """The lines, from 1, that tree-sitter finds an error in, or something missing."""
    root = _parser(grammar).parse(data).root_node
    return [node.start_point[0] + 1 for node in _faulty(root)]


@cache
def _parser(grammar: _Grammar) -> Any:
    tree_sitter = importlib.import_module("tree_sitter")
    language = getattr(importlib.import_module(grammar[0]), grammar[1])()
    return tree_sitter.Parser(tree_sitter.Language(language))


def _faulty(root: Any) -> Iterator[Any]:
    stack = [root]
    while stack:
        node = stack.pop()
        if node.is_error or node.is_missing:
            yield node
        if node.has_error:
            stack.extend(reversed(node.children))
