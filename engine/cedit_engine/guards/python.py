"""Python, parsed without a word."""

import ast
import warnings

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
