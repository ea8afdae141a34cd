"""What is wrong with an edit that can be seen without running the code."""

import ast
import json
import re
import tomllib
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from cedit_engine.task import Task


@dataclass(frozen=True)
class NoChange:
    """The edit leaves the file as it was."""


@dataclass(frozen=True)
class NoLongerParses:
    """The file was well-formed and is not any more; ``line`` counts from 1."""

    line: int
    reason: str


@dataclass(frozen=True)
class DefinitionsGone:
    """Top-level definitions that the instruction does not name are gone."""

    names: tuple[str, ...]


Concern = NoChange | NoLongerParses | DefinitionsGone


def concern_about(task: Task, after: bytes) -> Concern | None:
    """The first thing that is wrong with ``after`` as an answer to ``task``."""
    before = task.source.data
    if after == before:
        return NoChange()
    parse = _PARSERS.get(task.language)
    if parse and parse(before) is None and (fault := parse(after)):
        return fault
    gone = _definitions(task, before) - _definitions(task, after)
    unasked = tuple(sorted(name for name in gone if not _names(task.instruction, name)))
    return DefinitionsGone(unasked) if unasked else None


def _names(instruction: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", instruction) is not None


def _python_fault(data: bytes) -> NoLongerParses | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(data)
    except SyntaxError as error:
        return NoLongerParses(error.lineno or 1, error.msg)
    except ValueError as error:
        return NoLongerParses(1, str(error))
    return None


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


def _definitions(task: Task, data: bytes) -> set[str]:
    """The names that ``data`` defines at its top level."""
    if task.language != "python":
        return set(_unindented_definitions(data.decode("utf-8", "replace")))
    return set(_python_definitions(data)) if _python_fault(data) is None else set()


def _python_definitions(data: bytes) -> Iterator[str]:
    for node in ast.parse(data).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name


# What begins a definition in the languages that are written in braces, and in most others.
_DEFINITION = re.compile(
    r"^(?:(?:export|default|public|private|static|async|abstract|final|pub(?:\([a-z]+\))?)\s+)*"
    r"(?:def|class|function\*?|fn|func|struct|enum|interface|trait|type|module|const|let|var)\s+"
    r"([A-Za-z_$][\w$]*)",
    re.MULTILINE,
)


def _unindented_definitions(text: str) -> Iterator[str]:
    return (match[1] for match in _DEFINITION.finditer(text))
