"""(before, after) → a program: the edit that a perfect model would have written."""

from cedit_engine.hunks import hunks_between, program_of
from cedit_engine.program import Program
from cedit_engine.source import Source


def oracle(before: Source, after: Source) -> Program:
    """A line-level program with ``resolve(oracle(before, after), before) == after.data``."""
    return program_of(hunks_between(before, after), before)
