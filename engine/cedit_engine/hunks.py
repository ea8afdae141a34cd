"""An edit in pieces: what it changes in each place, to be taken or left."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TypeVar

from cedit_engine.prefix import common_prefix_length
from cedit_engine.program import Copy, Gen, Operation, Program
from cedit_engine.source import Source

Opcode = tuple[str, int, int, int, int]
Unit = TypeVar("Unit", bytes, str, int)


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


def align(before: Sequence[Unit], after: Sequence[Unit]) -> list[Opcode]:
    """difflib's opcodes between two sequences of lines or tokens, equal ends set aside first.

    The ends are most of an edited file, and difflib's worst case is quadratic.
    """
    head = common_prefix_length(before, after)
    tail = common_prefix_length(before[head:][::-1], after[head:][::-1])
    middle = SequenceMatcher(
        None, before[head : len(before) - tail], after[head : len(after) - tail], autojunk=False
    )
    opcodes: list[Opcode] = [("equal", 0, head, 0, head)] if head else []
    opcodes += [
        (tag, first + head, last + head, start + head, stop + head)
        for tag, first, last, start, stop in middle.get_opcodes()
    ]
    if tail:
        opcodes.append(("equal", len(before) - tail, len(before), len(after) - tail, len(after)))
    return opcodes
