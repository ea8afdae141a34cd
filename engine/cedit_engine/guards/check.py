"""All guards, by name, and what they see in an edit."""

from collections.abc import Callable, Collection, Iterator, Mapping

from cedit_engine.guards.concerns import Concern, NoChange
from cedit_engine.guards.definitions import definitions_gone, imports_gone, keys_gone
from cedit_engine.guards.docstrings import spoiled_docstring
from cedit_engine.guards.doubling import doubled
from cedit_engine.guards.edited import Edited
from cedit_engine.guards.loss import deleted
from cedit_engine.guards.names import half_renamed, undefined
from cedit_engine.guards.reach import unreachable
from cedit_engine.guards.requests import not_done
from cedit_engine.guards.straying import straying
from cedit_engine.guards.syntax import no_longer_parses
from cedit_engine.guards.text import elided, marked, mixed_indentation, odd_characters
from cedit_engine.task import Task

GUARDS: Mapping[str, Callable[[Edited], Concern | None]] = {
    "syntax": no_longer_parses,
    "definitions": definitions_gone,
    "imports": imports_gone,
    "keys": keys_gone,
    "names": undefined,
    "renames": half_renamed,
    "requests": not_done,
    "doubling": doubled,
    "reach": unreachable,
    "docstrings": spoiled_docstring,
    "deletions": deleted,
    "straying": straying,
    "elisions": elided,
    "markup": marked,
    "characters": odd_characters,
    "indentation": mixed_indentation,
}
"""Each guard, under the name it is switched off by, in the order in which they speak."""


def concerns_about(task: Task, after: bytes, off: Collection[str] = ()) -> tuple[Concern, ...]:
    """All that is wrong with ``after`` as an answer to ``task``, but for the guards in ``off``."""
    if after == task.source.data:
        return (NoChange(),)
    return tuple(concern for _, concern in objections(task, after, off))


def objections(
    task: Task, after: bytes, off: Collection[str] = ()
) -> Iterator[tuple[str, Concern]]:
    """The guards that object to ``after`` as an answer to ``task``, and what each of them sees."""
    edited = Edited(task, after)
    for name, guard in GUARDS.items():
        concern = None if name in off else guard(edited)
        if concern:
            yield name, concern
