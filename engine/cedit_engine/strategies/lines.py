"""``lines``: the Copy-as-Decode paper's spelling, copies by line number.

The grammar confines line numbers to what may still be copied. It is narrowed operation
by operation: the second number of a copy depends on the first, and a copy on the one
before it, which one context-free grammar of a usable size cannot say.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from cedit_engine.decoder import Decoder
from cedit_engine.grammar import (
    FREE_TEXT,
    joined,
    line_literal,
    literal,
    number_between,
    text_until,
)
from cedit_engine.model import Turn
from cedit_engine.program import Copy, Gen, Operation, Program
from cedit_engine.prompt import (
    INTERVALS,
    STORE,
    context_files,
    lines_answer,
    numbered_file,
    span_text,
)
from cedit_engine.strategies.base import StrategyOptions
from cedit_engine.task import Span, Task

SYSTEM = """\
You are a code editor. You are given a file with numbered lines and an instruction. \
Write an edit program that builds the new file from top to bottom. \
The program is a list of two kinds of operation:
<copy lines="i-j"/> copies lines i to j of the file, unchanged.
{tags.gen}
new text
{tags.end_gen}
writes new lines (without line numbers).
Lines that are neither copied nor rewritten are deleted. Copy every line that does not change."""

# A small model is drawn to the numbers and the indentation of the last example, so that is a
# change deep inside a function with the rest copied behind it. And it goes on from the last
# number it sees: with numbers in the copied text it copies the line it has just rewritten.
EXAMPLES = (STORE, INTERVALS)

_OPENING = b"<program>\n"
_ENDING = b"</program>"
_COPY = b'<copy lines="'


class Lines:
    """The strategy; it keeps no state between answers."""

    def turns(self, task: Task) -> Sequence[Turn]:
        turns = [Turn("system", SYSTEM.format(tags=task.tags))]
        for example in EXAMPLES:
            turns.append(Turn("user", _question(example.task)))
            turns.append(Turn("assistant", lines_answer(task.tags, example)))
        return [*turns, Turn("user", _question(task))]

    def answer(self, decoder: Decoder, task: Task, options: StrategyOptions) -> Program:
        return _Answer(decoder, task, options.any_order).program()

    def spliced_text(self, task: Task) -> str:
        return span_text(task, task.view)

    def grammar(self, task: Task) -> str:
        return lines_grammar(task)


def _question(task: Task) -> str:
    return f"{context_files(task)}File:\n{numbered_file(task)}\nInstruction: {task.instruction}"


@dataclass
class _Answer:
    """One answer being written."""

    decoder: Decoder
    task: Task
    any_order: bool

    def program(self) -> Program:
        window, view = self.task.window, self.task.view
        self.decoder.force(_OPENING)
        before = Span(view.first, window.first - 1)
        if before:
            self.decoder.force(_COPY + f'{before.first}-{before.last}"/>\n'.encode())
            self._splice(before)
        operations = self._operations(open_program=bool(before))
        head = [Copy(1, window.first - 1)] if window.first > 1 else []
        last = len(self.task.source)
        tail = [Copy(window.last + 1, last)] if window.last < last else []
        return Program((*head, *operations, *tail))

    def _operations(self, open_program: bool) -> list[Operation]:
        operations: list[Operation] = []
        following = self.task.window.first
        while True:
            after_gen = bool(operations) and isinstance(operations[-1], Gen)
            may_end = open_program or bool(operations)
            state = OperationState(Span(following, self.task.window.last), after_gen, may_end)
            if state.must_end:
                return operations
            operation = self._operation(state)
            if operation is None:
                return operations
            operations.append(operation)
            if isinstance(operation, Copy) and not self.any_order:
                following = operation.last + 1

    def _operation(self, state: "OperationState") -> Operation | None:
        written = self.decoder.grammar(operation_grammar(self.task, state))
        if written == _ENDING:
            return None
        if not written.startswith(_COPY):
            tags = self.task.tags
            text = written.removeprefix(f"{tags.gen}\n".encode())
            return Gen(text.removesuffix(f"{tags.end_gen}\n".encode()))
        first = int(written.removeprefix(_COPY).removesuffix(b"-"))
        ending = self.decoder.grammar(last_line_grammar(first, state.copyable.last))
        last = int(ending.removesuffix(b'"/>\n'))
        self._splice(Span(first, last))
        return Copy(first, last)

    def _splice(self, span: Span) -> None:
        self.decoder.splice(span_text(self.task, span).encode(), span.first, span.last)


@dataclass(frozen=True)
class OperationState:
    """What the operations so far leave open for the next one."""

    copyable: Span
    after_gen: bool
    may_end: bool

    @property
    def must_end(self) -> bool:
        """Nothing is left to copy and text was just written."""
        return self.after_gen and not self.copyable


def operation_grammar(task: Task, state: OperationState) -> str:
    """GBNF for the next operation; a copy up to the hyphen behind its first number."""
    tags, alternatives, rules = task.tags, [], []
    if state.copyable:
        numbers = number_between(state.copyable.first, state.copyable.last)
        alternatives.append(f"{literal(_COPY.decode())} {numbers} {literal('-')}")
    if not state.after_gen:
        alternatives.append(_gen_expression(task))
        rules = text_until(tags.end_gen)
    if state.may_end:
        alternatives.append(literal(_ENDING.decode()))
    return joined([f"root ::= {' | '.join(alternatives)}"], rules)


def last_line_grammar(first: int, last: int) -> str:
    """GBNF for the rest of a copy whose first line is known."""
    return f"root ::= {number_between(first, last)} {_COPY_END}\n"


_COPY_END = literal('"/>\n')


def _gen_expression(task: Task) -> str:
    return f"{line_literal(task.tags.gen)} {FREE_TEXT}"


def lines_grammar(task: Task) -> str:
    """GBNF for a whole program: every operation's grammar, not yet narrowed by the last one."""
    window, gen = task.window, _gen_expression(task)
    rules = [
        "# While a program is written, the numbers of each copy are narrowed further:",
        "# the second is at least the first, and copies rise unless any order is allowed.",
    ]
    opening, ending = literal(_OPENING.decode()), literal(_ENDING.decode())
    text_rules = text_until(task.tags.end_gen)
    if not window:
        return joined([f"root ::= {opening} {gen} {ending}"], text_rules)
    rules += [
        f"root ::= {opening} (gen copies-end | copy operations)",
        f"operations ::= copy operations | gen copies-end | {ending}",
        f"copies-end ::= copy operations | {ending}",
        f"copy ::= {literal(_COPY.decode())} number {literal('-')} number {_COPY_END}",
        f"gen ::= {gen}",
        f"number ::= {number_between(window.first, window.last)}",
    ]
    return joined(rules, text_rules)
