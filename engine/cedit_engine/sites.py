"""Where an instruction has to be carried out, as far as its words and the file tell.

Small models stop after the first of several places. Where an instruction renames something,
every line that names it is a site, and the model is asked for each. Where it speaks of a
parameter, the head of the function that it names is one: they go on to the body and forget it.
"""

import re
from collections.abc import Sequence

from cedit_engine.instruction import renaming
from cedit_engine.outline import definitions
from cedit_engine.task import Task

_NAME = r"[`'\"]?([A-Za-z_$][\w$]*)[`'\"]?(?:\(\))?"
_SCOPE = re.compile(
    rf"\b(?:in|inside|within) (?:the )?(?:function |method |class )?{_NAME}", re.IGNORECASE
)
_PARAMETER = re.compile(r"\b(?:parameter|argument|keyword)s?\b", re.IGNORECASE)


def sites_of(task: Task) -> tuple[int, ...]:
    """The lines, from 1, that the model has to be asked for."""
    return rename_sites(task) or parameter_sites(task)


def parameter_sites(task: Task) -> tuple[int, ...]:
    """The heads of the functions that an instruction about a parameter names."""
    return named_heads(task) if _PARAMETER.search(task.instruction) else ()


def named_heads(task: Task) -> tuple[int, ...]:
    """The heads of the functions that an instruction names."""
    words = set(re.findall(r"[\w$]+", task.instruction))
    lines = task.source.views
    named = {each.lines.start + 1 for each in definitions(lines) if each.name in words}
    return tuple(line for line in sorted(named) if "(" in lines[line - 1] and task.may_change(line))


def rename_sites(task: Task) -> tuple[int, ...]:
    """The lines, from 1, that name what the instruction renames; none where it renames nothing.

    Where it says in which function or class, only the lines of that one.
    """
    renamed = renaming(task.instruction)
    if not renamed:
        return ()
    word = re.compile(rf"(?<!\w){re.escape(renamed.old)}(?!\w)")
    lines = task.source.views
    sites = (number + 1 for number in _scope(task.instruction, lines) if word.search(lines[number]))
    return tuple(filter(task.may_change, sites))


def _scope(instruction: str, lines: Sequence[str]) -> range:
    named = set(_SCOPE.findall(instruction))
    inside = (each.lines for each in definitions(lines) if each.name in named)
    return next(inside, range(len(lines)))
