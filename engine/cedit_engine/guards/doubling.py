"""Definitions that an edit makes a second time, where it was to move or to change them."""

import ast
import re
from collections import Counter
from collections.abc import Iterator

from cedit_engine.guards.concerns import Doubled
from cedit_engine.guards.edited import Edited
from cedit_engine.outline import NOT_CODE


def doubled(edited: Edited) -> Doubled | None:
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


def _heads(lines: list[str]) -> Iterator[str]:
    return (line.rstrip(" \t{") for line in lines if _HEAD.match(line))


_HEAD = re.compile(
    r"(?:(?:export|default|public|static|async|pub)\s+)*"
    r"(?:def|class|function\*?|fn|func|struct|enum|interface|trait|type|module)\s+[\w(]"
    r"|[A-Za-z_][\w<>\[\],:*& \t]*\b\w+\([^;]*\)\s*\{\s*$"
)
