"""Definitions, imports and keys: which there were, and which are gone."""

import ast
import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from cedit_engine.guards.concerns import DefinitionsGone, ImportsGone, KeysGone
from cedit_engine.guards.edited import Edited, mentions
from cedit_engine.guards.python import defined
from cedit_engine.instruction import removes
from cedit_engine.outline import NOT_CODE, heads


def definitions_gone(edited: Edited) -> DefinitionsGone | None:
    """Functions, classes and the like that are gone, in Python methods too."""
    names = _unasked(edited, lost_definitions(edited))
    return DefinitionsGone(names) if names else None


def imports_gone(edited: Edited) -> ImportsGone | None:
    """Python imports that are gone though nothing about their use has changed."""
    before, after = edited.old_tree, edited.tree
    if before is None or after is None:
        return None
    imported = _imported(before)
    gone = {
        name for name in imported - _imported(after) if _uses(before, name) == _uses(after, name)
    }
    names = _unasked(edited, gone, imported)
    return ImportsGone(names) if names else None


def keys_gone(edited: Edited) -> KeysGone | None:
    """Keys of JSON and TOML, sections, headings, rules and targets that are gone."""
    find = _KEYS.get(edited.language)
    if not find:
        return None
    before, after = find(edited.before), find(edited.after)
    names = _unasked(edited, _lost(before, after), before or ())
    return KeysGone(names) if names else None


def _lost(before: set[str] | None, after: set[str] | None) -> set[str]:
    """What is gone; of a file that does not parse nobody knows."""
    return set() if before is None or after is None else before - after


def _unasked(edited: Edited, gone: set[str], known: Collection[str] = ()) -> tuple[str, ...]:
    """Those of ``gone``, with dots inside, that the instruction does not ask to lose.

    ``known`` is what it can name beside definitions and what is spelled as no word is.
    """
    asked: set[str] = set()
    if gone and removes(edited.task.instruction):
        named = {name for name in gone if _is_named(edited, name)}
        asked = named if named or _names_any(edited, known) else gone
    held = tuple(f"{name}." for name in asked)
    return tuple(sorted(name for name in gone - asked if not name.startswith(held)))


def _is_named(edited: Edited, name: str) -> bool:
    """Whether the instruction speaks of ``name``, with what it is part of or without."""
    return any(mentions(edited.task.instruction, each) for each in (name, _last_part(name)))


def _names_any(edited: Edited, known: Collection[str]) -> bool:
    """Whether the instruction names anything that the file holds."""
    words = set(re.findall(r"\w+", edited.task.instruction))
    return bool(words & _nameable(edited)) or any(
        _is_named(edited, name) for name in known if _last_part(name) not in _PARTICLES
    )


# Workflows have a key `on`, steps a key `with`; "the job on a branch" names neither.
_PARTICLES = {
    *("a", "an", "the", "it", "is", "and", "or", "not", "so", "if", "then", "when"),
    *("as", "at", "by", "for", "from", "in", "of", "on", "to", "with"),
}


def _last_part(name: str) -> str:
    """What stands behind the last dot; a heading may end with one."""
    return name.rpartition(".")[2] or name


def _nameable(edited: Edited) -> set[str]:
    """What an instruction can name: definitions, and identifiers that are no common words."""
    text = "\n".join(edited.old_lines)
    identifiers = re.findall(r"[A-Za-z_]\w*", text)
    return heads(text) | {name for name in identifiers if not name.islower() or "_" in name}


def lost_definitions(edited: Edited) -> set[str]:
    """The names that the file defined and does not any more; of Python, dotted."""
    if edited.language == "python":
        old, new = (_python_names(tree) for tree in (edited.old_tree, edited.tree))
        lost = _lost(old, new)
        return {name for name in lost if not _is_moved(edited, name, old or (), new or ())}
    if not edited.language or edited.language in NOT_CODE:
        return set()
    texts = (data.decode("utf-8", "replace") for data in (edited.before, edited.after))
    return _lost(*map(heads, texts))


def _is_moved(edited: Edited, name: str, *names: Collection[str]) -> bool:
    """Whether as many are called ``name`` after as before, of whatever class they are part of.

    What calls a function does not find it as a method, so it has to be asked for by its name.
    """
    owner, _, called = name.rpartition(".")
    before, after = ([n for n in side if _last_part(n) == called] for side in names)
    return len(after) >= len(before) and bool(owner or mentions(edited.task.instruction, called))


def _python_names(tree: ast.Module | None) -> set[str] | None:
    """Functions and classes, and the methods of classes; nothing inside a function."""
    return {each.name for each in defined(tree) if not each.in_function} if tree else None


def _imported(tree: ast.Module) -> set[str]:
    return {
        (alias.asname or alias.name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }


def _uses(tree: ast.Module, name: str) -> int:
    return sum(isinstance(node, ast.Name) and node.id == name for node in ast.walk(tree))


def _json_keys(data: bytes) -> set[str] | None:
    try:
        return set(_paths(json.loads(data), ""))
    except ValueError:
        return None


def _toml_keys(data: bytes) -> set[str] | None:
    try:
        return set(_paths(tomllib.loads(data.decode("utf-8", "replace")), ""))
    except ValueError:
        return None


def _paths(value: Any, prefix: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield f"{prefix}{key}"
            yield from _paths(inner, f"{prefix}{key}.")


def _matched(pattern: str) -> Callable[[bytes], set[str]]:
    compiled = re.compile(pattern, re.MULTILINE)
    return lambda data: set(compiled.findall(data.decode("utf-8", "replace")))


_KEYS: Mapping[str, Callable[[bytes], set[str] | None]] = {
    "json": _json_keys,
    "toml": _toml_keys,
    "yaml": _matched(r"^(?:  )?([\w-]+):"),
    "yml": _matched(r"^(?:  )?([\w-]+):"),
    "ini": _matched(r"^\[?([\w.: -]+?)(?:\]|[ \t]*=)"),
    "cfg": _matched(r"^\[([^\]]+)\]"),
    "markdown": _matched(r"^#+ +(.+?) *$"),
    "css": _matched(r"^([^\s{}@/][^{}\n]*?) *\{"),
    "sql": _matched(r"(?i)^create +(?:table|view|index|function) +(?:if not exists +)?(\w+)"),
    "makefile": _matched(r"^([\w.-]+):(?!=)"),
}
