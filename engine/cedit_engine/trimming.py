"""An edit without those of its pieces that nobody asked for.

A model that writes a whole file anew may do what was asked and drop a function on the way, or
better another one. What it did there is a piece of its own, and left out of the edit it is a copy
again.
"""

from collections.abc import Collection

from cedit_engine.guards.check import GUARDS, objections
from cedit_engine.guards.edited import Edited
from cedit_engine.guards.straying import strays_of
from cedit_engine.hunks import Hunk, hunks_between, program_of
from cedit_engine.program import Program
from cedit_engine.resolver import resolve
from cedit_engine.source import Source
from cedit_engine.task import Task

_OF_LOSSES = {"definitions", "imports", "keys", "docstrings", "deletions", "elisions"}


def without_losses(task: Task, after: bytes, off: Collection[str]) -> Program | None:
    """The edit less the pieces that lose something by themselves; None where none or all do."""
    source = task.source
    hunks = hunks_between(source, Source.from_bytes(after))
    others = {*off, *(GUARDS.keys() - _OF_LOSSES)}

    def loses(hunk: Hunk) -> bool:
        alone = resolve(program_of([hunk], source), source)
        guards = {name for name, _ in objections(task, alone, others)}
        # What gives way to other code was meant to, and the rest of the edit may rely on it.
        return bool(guards) and (not hunk.data or "elisions" in guards)

    return _program_of([hunk for hunk in hunks if not loses(hunk)], hunks, source)


def without_strays(task: Task, after: bytes, off: Collection[str]) -> Program | None:
    """The edit less the pieces outside of what the instruction names; None where none is."""
    edited = Edited(task, after)
    strays = [] if "straying" in off else strays_of(edited)
    kept = [hunk for hunk in edited.hunks if hunk not in strays]
    return _program_of(kept, edited.hunks, task.source)


def _program_of(kept: list[Hunk], hunks: list[Hunk], source: Source) -> Program | None:
    return program_of(kept, source) if kept and len(kept) < len(hunks) else None
