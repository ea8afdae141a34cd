"""Where an instruction has to be carried out, as far as its words and the file tell.

Small models stop after the first of several places. Where an instruction renames something,
every line that names it is a site, and the model is asked for each.
"""

import re
from collections.abc import Iterator, Sequence

from cedit_engine.blocks import block_at
from cedit_engine.instruction import renaming
from cedit_engine.task import Task

_NAME = r"[`'\"]?([A-Za-z_$][\w$]*)[`'\"]?(?:\(\))?"
_SCOPE = re.compile(
    rf"\b(?:in|inside|within) (?:the )?(?:function |method |class )?{_NAME}", re.IGNORECASE
)
_HEADS = ("def", "async def", "class", "function", "func", "fn", "pub fn", "void", "int", "struct")


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
    blocks = (
        block_at(lines, head) for name in _SCOPE.findall(instruction) for head in _heads(name)
    )
    return next(filter(None, blocks), range(len(lines)))


def _heads(name: str) -> Iterator[str]:
    return (f"{head} {name}" for head in _HEADS)
