"""An edit in pieces: what it changes in each place, to be taken or left."""

from collections.abc import Iterable
from dataclasses import dataclass

from cedit_engine.oracle import align
from cedit_engine.program import Copy, Gen, Operation, Program
from cedit_engine.source import Source


@dataclass(frozen=True)
class Hunk:
    """Lines ``first`` to ``last``, from 1, give way to ``data``; none do where ``last`` is less."""

    first: int
    last: int
    data: bytes


def hunks_between(before: Source, after: Source) -> list[Hunk]:
    """What turns ``before`` into ``after``, from top to bottom."""
    return [
        Hunk(first + 1, last, b"".join(after.lines[start:stop]))
        for tag, first, last, start, stop in align(before.lines, after.lines)
        if tag != "equal"
    ]


def program_of(hunks: Iterable[Hunk], source: Source) -> Program:
    """The program that makes ``hunks``, in rising order, and copies the rest of ``source``."""
    operations: list[Operation] = []
    following = 1
    for hunk in hunks:
        if hunk.first > following:
            operations.append(Copy(following, hunk.first - 1))
        if hunk.data:
            operations.append(Gen(hunk.data))
        following = hunk.last + 1
    if following <= len(source):
        operations.append(Copy(following, len(source)))
    return Program(tuple(operations))
