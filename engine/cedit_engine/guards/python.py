"""Python: parsed without a word, and what it defines."""

import ast
import warnings
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cedit_engine.guards.concerns import NoLongerParses


def parse_python(data: bytes) -> ast.Module | NoLongerParses:
    """The syntax tree, or what is wrong."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(data)
    except SyntaxError as error:
        return NoLongerParses(error.lineno or 1, error.msg)
    except ValueError as error:
        return NoLongerParses(1, str(error))


class Defined(NamedTuple):
    """A function or class under its dotted name.

    ``in_function`` says that it is inside a function, ``is_chosen`` that an ``if`` or a ``try``
    chooses it.
    """

    name: str
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    in_function: bool
    is_chosen: bool

    @property
    def is_class(self) -> bool:
        """Whether it is a class."""
        return isinstance(self.node, ast.ClassDef)


def defined(tree: ast.Module | None) -> Iterator[Defined]:
    """All functions and classes, each before what is inside it; none where there is no tree."""
    return _defined(tree.body if tree else (), "", in_function=False, is_chosen=False)


def _defined(
    body: Sequence[ast.stmt], prefix: str, *, in_function: bool, is_chosen: bool
) -> Iterator[Defined]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found = Defined(f"{prefix}{node.name}", node, in_function, is_chosen)
            yield found
            inside = in_function or not found.is_class
            yield from _defined(
                node.body, f"{found.name}.", in_function=inside, is_chosen=is_chosen
            )
        elif isinstance(node, ast.If | ast.Try):
            chosen = [*node.body, *node.orelse]
            yield from _defined(chosen, prefix, in_function=in_function, is_chosen=True)
