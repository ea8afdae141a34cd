"""``cedit apply`` and ``cedit oracle``: programs without a model."""

from dataclasses import replace

from cedit.change import Change, summary
from cedit.delivery import Delivery, Output
from cedit.environment import Environment
from cedit.exits import ExitStatus
from cedit.journal import Origin
from cedit.worktree import read_bytes, read_target
from cedit_engine.errors import ProgramSyntax
from cedit_engine.oracle import oracle
from cedit_engine.program import Program, parse, render
from cedit_engine.resolver import resolve
from cedit_engine.source import Source


def apply(program_file: str, name: str, output: Output, environment: Environment) -> ExitStatus:
    """Expand a saved program over the file that it was made for."""
    # A program says what it does: there is nothing to object to.
    delivery = Delivery(environment, replace(output, force=True))
    program = read_program(program_file, environment)
    target = read_target(name)
    origin = Origin(environment.command, program=render(program))
    shown = delivery.show(Change(target, program, resolve(program, target.source), origin))
    assert isinstance(shown, Change), "there is no model to ask again"
    status = delivery.finish_one(shown)
    delivery.finish(status)
    if not output.quiet:
        environment.err.print(summary(shown), markup=False)
    return status


def read_program(name: str, environment: Environment) -> Program:
    """The program in a file, or on standard input where the name is ``-``."""
    data = environment.stdin.read() if name == "-" else read_bytes(name)
    try:
        return parse(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ProgramSyntax(line, "UTF-8", repr(data[error.start : error.end])) from None


def show_oracle(before: str, after: str, environment: Environment) -> ExitStatus:
    """Print the program between two files of any bytes."""
    sources = (Source.from_bytes(read_bytes(name)) for name in (before, after))
    environment.write(render(oracle(*sources)).encode())
    return ExitStatus.DONE
