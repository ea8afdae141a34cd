"""Names that are used and bound nowhere, and names that were renamed in part."""

import ast
import re
from collections import defaultdict
from collections.abc import Collection, Iterator

from pyflakes.checker import Checker
from pyflakes.messages import ImportStarUsage, UndefinedName

from cedit_engine.guards.concerns import HalfRenamed, Undefined
from cedit_engine.guards.definitions import lost_definitions
from cedit_engine.guards.edited import Edited


def undefined(edited: Edited) -> Undefined | None:
    """The first Python name that the edit left without a binding."""
    return next(_left_unbound(edited), None)


def new_unbound_names(edited: Edited) -> list[str]:
    """All those that the file did not speak of before."""
    return [each.name for each in _left_unbound(edited) if each.is_new]


def _left_unbound(edited: Edited) -> Iterator[Undefined]:
    before, after = edited.old_tree, edited.tree
    if before is None or after is None:
        return
    known = _unbound(before)
    names = {node.id for node in ast.walk(before) if isinstance(node, ast.Name)}
    names |= {node.arg for node in ast.walk(before) if isinstance(node, ast.arg)}
    for name, (lines, certain) in _unbound(after).items():
        # Behind a star import a name may come from there, unless the file bound it itself.
        if name not in known and (certain or name in names):
            yield Undefined(name, lines, is_new=name not in names)


def _unbound(tree: ast.Module) -> dict[str, tuple[tuple[int, ...], bool]]:
    """Names without a binding: their lines, and whether no star import could bind them."""
    lines: dict[str, list[int]] = defaultdict(list)
    certain: dict[str, bool] = {}
    for message in sorted(Checker(tree).messages, key=lambda each: each.lineno):
        if isinstance(message, UndefinedName | ImportStarUsage):
            name = message.message_args[0]
            lines[name].append(message.lineno)
            certain[name] = isinstance(message, UndefinedName)
    return {name: (tuple(numbers), certain[name]) for name, numbers in lines.items()}


def half_renamed(edited: Edited) -> HalfRenamed | None:
    """The first definition or attribute that is gone and still used."""
    if edited.language == "python":
        return _half_renamed_in_python(edited)
    for name in sorted(lost_definitions(edited)):
        word = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)")
        lines = [n for n, line in enumerate(edited.lines, start=1) if word.search(line)]
        if lines:
            return HalfRenamed(name, tuple(lines))
    return None


def _half_renamed_in_python(edited: Edited) -> HalfRenamed | None:
    """What a class held and does not any more, where lines that the edit left alone use it.

    A class that is gone altogether may be elsewhere now, and a line that was written anew speaks
    of something else.
    """
    before, after = edited.old_tree, edited.tree
    if before is None or after is None:
        return None
    kept = {node.name for node in ast.walk(after) if isinstance(node, ast.ClassDef)}
    gone = set(_attributes_set(before, kept)) - set(_attributes_set(after, kept)) - _BUILT_IN
    new = {number for number, _ in edited.new_lines}
    for name in sorted(gone):
        used = {node.lineno for node in _attributes_read(after) if node.attr == name}
        if used - new:
            return HalfRenamed(name, tuple(sorted(used)))
    return None


# Their use says nothing: the containers and strings of the language have them too.
_BUILT_IN = {name for kind in (str, bytes, list, dict, set, tuple, int) for name in dir(kind)}


def _attributes_set(tree: ast.Module, classes: Collection[str]) -> Iterator[str]:
    """What instances hold: attributes that are assigned, methods and variables of ``classes``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.ClassDef) and node.name in classes:
            yield from _members(node)


def _members(node: ast.ClassDef) -> Iterator[str]:
    for inner in node.body:
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
            yield inner.name
        elif isinstance(inner, ast.AnnAssign) and isinstance(inner.target, ast.Name):
            yield inner.target.id
        elif isinstance(inner, ast.Assign):
            yield from (target.id for target in inner.targets if isinstance(target, ast.Name))


def _attributes_read(tree: ast.Module) -> Iterator[ast.Attribute]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield node
