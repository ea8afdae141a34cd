"""A Python edit with a docstring where it belongs, and code where it is run.

A small model that is to check an argument writes the check right below the head of the function,
or below the first line of its docstring. It is meant to stand behind the docstring.
"""

from cedit_engine.guards.docstrings import code_before_docstring, code_in_docstring
from cedit_engine.guards.edited import Edited
from cedit_engine.oracle import oracle
from cedit_engine.program import Program
from cedit_engine.source import Source
from cedit_engine.task import Task


def with_docstring(task: Task, after: bytes) -> Program | None:
    """The edit with the first spoiled docstring made whole; None where there is none."""
    edited, source = Edited(task, after), Source.from_bytes(after)
    lines = list(source.lines)
    inside, before = code_in_docstring(edited), code_before_docstring(edited)
    if inside:
        code = [lines[number - 1] for number in inside.lines]
        lines[inside.last : inside.last] = code
        for number in reversed(inside.lines):
            del lines[number - 1]
    elif before and not (source.ends_open and before.last == len(lines)):
        docstring = lines[before.first - 1 : before.last]
        del lines[before.first - 1 : before.last]
        lines[before.code - 1 : before.code - 1] = docstring
    else:
        return None
    return oracle(task.source, Source.from_bytes(b"".join(lines)))
