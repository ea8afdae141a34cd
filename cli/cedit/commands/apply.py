"""``cedit apply`` and ``cedit oracle``: programs without a model."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from cedit.change import Change, summary
from cedit.delivery import Delivery, Output
from cedit.environment import Environment
from cedit.exits import ExitStatus
from cedit.journal import Origin
from cedit.models import opened_model
from cedit.worktree import read_bytes, read_target
from cedit_engine.cheapest import Sides, cheapest
from cedit_engine.errors import ProgramSyntax
from cedit_engine.llama import LoadOptions
from cedit_engine.offsets import Tokenizer
from cedit_engine.oracle import oracle
from cedit_engine.program import Program, parse, render
from cedit_engine.resolver import in_lines, resolve
from cedit_engine.source import Source


def apply(
    program_file: str, name: str, output: Output, model: str | None, environment: Environment
) -> ExitStatus:
    """Expand a saved program over the file that it was made for.

    Which tokens it copies, the tokenizer of ``model`` says.
    """
    # A program says what it does: there is nothing to object to.
    delivery = Delivery(environment, replace(output, force=True))
    program = read_program(program_file, environment)
    target = read_target(name)
    if model and program.copies_tokens:
        with _tokenizer(model, environment) as tokenizer:
            program = in_lines(program, target.source, tokenizer.offsets(target.source.data))
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


def show_oracle(
    before: str, after: str, granularity: str, model: str, environment: Environment
) -> ExitStatus:
    """Print the program between two files of any bytes.

    By tokens it is the one that takes the fewest tokens of ``model`` to write.
    """
    texts = [read_bytes(name) for name in (before, after)]
    if granularity == "line":
        program = oracle(*map(Source.from_bytes, texts))
    else:
        with _tokenizer(model, environment) as tokenizer:
            old, new = map(tokenizer.offsets, texts)
            program = cheapest(Sides.of_tokens(old, new), tokenizer.count)
    environment.write(render(program).encode())
    return ExitStatus.DONE


@contextmanager
def _tokenizer(model: str, environment: Environment) -> Iterator[Tokenizer]:
    """The tokenizer of the model called ``model``, without its weights."""
    load = LoadOptions(vocabulary_only=True)
    with opened_model(model, load, environment, quiet=True) as opened:
        yield Tokenizer(opened.tokenize, opened.vocabulary)
