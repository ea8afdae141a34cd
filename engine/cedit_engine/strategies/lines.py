"""``lines``: the Copy-as-Decode paper's spelling, copies by line number.

The grammar confines line numbers to what may still be copied. It is narrowed operation
by operation: the second number of a copy depends on the first, and a copy on the one
before it, which one context-free grammar of a usable size cannot say.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

from cedit_engine.decoder import Decoder, Mark
from cedit_engine.draft import Drafter, NoDraft, SourceDrafter
from cedit_engine.examples import Example, example_named
from cedit_engine.grammar import (
    FREE_TEXT,
    joined,
    line_literal,
    literal,
    number_between,
    text_until,
)
from cedit_engine.model import Turn
from cedit_engine.offsets import TokenOffsets
from cedit_engine.program import Copy, CopyTokens, Gen, Operation, Program
from cedit_engine.prompt import (
    context_files,
    line_places,
    lines_answer,
    numbered_file,
    span_text,
)
from cedit_engine.resolver import in_lines
from cedit_engine.splice import FULL, Splice
from cedit_engine.strategies.base import StrategyOptions
from cedit_engine.suffix import SuffixAutomaton
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
Lines that are neither copied nor rewritten are deleted. Copy every line that does not change.
To change a line, copy the lines before it, write it anew, and go on copying behind it: \
the line itself is not copied."""

# For models that were trained on such programs: nothing shows where a token is.
_TOKENS = """
<copy tokens="i-j"/> copies tokens i to j of the file, counted through the whole of it."""

# A small model is drawn to the numbers and the indentation of the last example, so that is a
# change deep inside a function with the rest copied behind it. And it goes on from the last
# number it sees: with numbers in the copied text it copies the line it has just rewritten.
EXAMPLES = ("store.py", "intervals.py")

_OPENING = b"<program>\n"
_ENDING = b"</program>"
_COPY = b'<copy lines="'
_COPY_TOKENS = b'<copy tokens="'


@dataclass(frozen=True)
class Lines:
    """The strategy; ``splice`` is how much its examples and its answers show of a copy.

    With ``tokens`` it may copy tokens of the file beside lines.
    """

    splice: Splice = FULL
    tokens: bool = False

    def turns(self, task: Task) -> Sequence[Turn]:
        system = SYSTEM.format(tags=task.tags) + (_TOKENS if self.tokens else "")
        turns = [Turn("system", system)]
        for example in map(example_named, EXAMPLES):
            turns.append(Turn("user", _question(example.task)))
            turns.append(Turn("assistant", self._answer_to(task, example)))
        return [*turns, Turn("user", _question(task))]

    def _answer_to(self, task: Task, example: Example) -> str:
        return lines_answer(task.tags, example.task, example.operations, self.splice)

    def document(self, task: Task) -> str:
        return _document(task)

    def further_turn(self, task: Task, seen: str) -> str:
        return f"{seen}\nThe edited file:\n{numbered_file(task)}\nWrite a program that corrects it."

    def answer(self, decoder: Decoder, task: Task, options: StrategyOptions) -> Program:
        return _Answer(decoder, task, options, self).program()

    def copied_text(self, task: Task) -> str:
        return span_text(task, task.view)

    def grammar(self, task: Task) -> str:
        return lines_grammar(task)


def _document(task: Task) -> str:
    return f"{context_files(task)}File:\n{numbered_file(task)}\n"


def _question(task: Task) -> str:
    return f"{_document(task)}Instruction: {task.instruction}"


@dataclass
class _Answer:
    """One answer being written."""

    decoder: Decoder
    task: Task
    options: StrategyOptions
    spelling: Lines
    # Where the end of the first copy was chosen.
    first_end: Mark | None = None

    def program(self) -> Program:
        window, view = self.task.window, self.task.view
        self.decoder.force(_OPENING)
        before = Span(view.first, window.first - 1)
        if before:
            self.decoder.force(_COPY + f'{before.first}-{before.last}"/>\n'.encode())
            self._splice(before)
        operations = self._operations_that_change(open_program=bool(before))
        head = [Copy(1, window.first - 1)] if window.first > 1 else []
        last = len(self.task.source)
        tail = [Copy(window.last + 1, last)] if window.last < last else []
        program = Program((*head, *operations, *tail))
        return in_lines(program, self.task.source, self._tokens) if self._tokens else program

    def _operations_that_change(self, open_program: bool) -> Sequence[Operation]:
        """The operations; where they build what was there, the first copy is ended elsewhere."""
        operations = self._more_operations([], open_program)
        refused: set[int] = set()
        while self._is_idle(operations) and len(refused) < self.options.retries:
            first = operations[0]
            if self.first_end is None or not isinstance(first, Copy):
                break
            refused.add(first.last)
            if len(refused) > self.task.window.last - first.first:
                break
            self.decoder.counts.retries += 1
            self.decoder.roll_back(self.first_end)
            operations = self._more_operations([self._end_copy(first.first, refused)], open_program)
        return operations

    def _is_idle(self, operations: Sequence[Operation]) -> bool:
        built = b""
        for operation in operations:
            if isinstance(operation, Copy):
                built += self._copied(Span(operation.first, operation.last))
            elif isinstance(operation, Gen):
                built += operation.data
            elif self._tokens:
                built += self._tokens.span(operation.first, operation.last)
        return built == self._copied(self.task.window)

    def _copied(self, span: Span) -> bytes:
        return span_text(self.task, span).encode()

    def _more_operations(self, operations: list[Operation], open_program: bool) -> list[Operation]:
        while True:
            after_gen = bool(operations) and isinstance(operations[-1], Gen)
            may_end = open_program or bool(operations)
            state = OperationState(*self._copyable(operations), after_gen, may_end)
            if state.must_end:
                return operations
            operation = self._operation(state, is_first=not operations)
            if operation is None:
                return operations
            operations.append(operation)

    def _copyable(self, operations: Sequence[Operation]) -> tuple[Span, Span]:
        """The lines and the tokens that may still be copied: of the window, and rising."""
        window, ends = self.task.window, self._line_ends
        copies = [op for op in operations if not isinstance(op, Gen)]
        at = ends[window.first - 1]
        if copies and not self.options.any_order:
            at = self._end_of(copies[-1])
        lines = Span(max(window.first, bisect_left(ends, at) + 1), window.last)
        if not self._tokens:
            return lines, Span(1, 0)
        first = bisect_left(self._tokens.ends, at) + 1 if at else 0
        return lines, Span(first + 1, bisect_right(self._tokens.ends, ends[window.last]))

    def _end_of(self, copy: Copy | CopyTokens) -> int:
        """The byte of the file behind what was copied."""
        if isinstance(copy, CopyTokens) and self._tokens:
            return self._tokens.ends[copy.last - 1]
        return self._line_ends[copy.last]

    @cached_property
    def _line_ends(self) -> list[int]:
        """The byte behind each line, and 0 before the first."""
        return [0, *accumulate(map(len, self.task.source.lines))]

    @cached_property
    def _tokens(self) -> TokenOffsets | None:
        """The file's tokens, where they may be copied."""
        return self.decoder.offsets(self.task.source.data) if self.spelling.tokens else None

    def _operation(self, state: "OperationState", is_first: bool) -> Operation | None:
        drafter = NoDraft() if is_first else self._drafter(state)
        written = self.decoder.grammar(operation_grammar(self.task, state), drafter)
        if written == _ENDING:
            return None
        if written.startswith(_COPY_TOKENS):
            return self._end_token_copy(_first_of(written), state.tokens.last)
        if not written.startswith(_COPY):
            return self._text_of(written)
        if is_first:
            self.first_end = self.decoder.mark()
        return self._end_copy(_first_of(written), ())

    def _text_of(self, written: bytes) -> Gen:
        tags = self.task.tags
        opening, _, text = written.partition(b"\n")
        text = text.removesuffix(f"{tags.end_gen}\n".encode())
        return Gen(text.removesuffix(b"\n") if opening == tags.open_gen.encode() else text)

    def _end_token_copy(self, first: int, last: int) -> CopyTokens:
        assert self._tokens
        ending = self.decoder.grammar(last_line_grammar(first, last), NoDraft())
        last = int(ending.removesuffix(b'"/>\n'))
        shown = self.spelling.splice.tail is None or self.spelling.splice.moves
        if shown:
            lines = bisect_left(self._line_ends, self._tokens.ends[last - 1])
            self.decoder.splice(self._tokens.span(first, last), lines, lines)
        return CopyTokens(first, last)

    def _end_copy(self, first: int, refused: Collection[int]) -> Copy:
        grammar = last_line_grammar(first, self.task.window.last, refused)
        ending = self.decoder.grammar(grammar, NoDraft())
        last = int(ending.removesuffix(b'"/>\n'))
        self._splice(Span(first, last))
        return Copy(first, last)

    def _drafter(self, state: "OperationState") -> Drafter:
        """Behind a copy: the line that follows it, written anew."""
        tags, following = self.task.tags, state.copyable.first
        if not self.options.drafts or state.after_gen:
            return NoDraft()
        line = span_text(self.task, Span(following, min(following, self.task.window.last)))
        start = len(self._history.tokens)
        block = f"{tags.gen}\n{line}{tags.end_gen}\n"
        self._history.extend(self.decoder.tokenize(block))
        return SourceDrafter(self._history, start)

    @cached_property
    def _history(self) -> SuffixAutomaton:
        return SuffixAutomaton(self.decoder.tokenize(span_text(self.task, self.task.view)))

    def _splice(self, span: Span) -> None:
        shown = self.spelling.splice.shown(span)
        if self.spelling.splice.moves and span.last in self.task.view:
            self._move(span)
        elif shown:
            self.decoder.splice(self._copied(shown), shown.first, shown.last)

    def _move(self, span: Span) -> None:
        """Splice the prompt's own lines, with what was computed for them there."""
        view = self.task.view
        shown = self._places[span.first - view.first : span.last - view.first + 1]
        self.decoder.repeat(shown, self.spelling.splice.fresh, span.first, span.last)

    @cached_property
    def _places(self) -> list[range]:
        """The tokens of each line in the prompt, without its number's."""
        return line_places(self.task, self.decoder.places)


@dataclass(frozen=True)
class OperationState:
    """What the operations so far leave open for the next one."""

    copyable: Span
    tokens: Span
    after_gen: bool
    may_end: bool

    @property
    def must_end(self) -> bool:
        """Nothing is left to copy and text was just written."""
        return self.after_gen and not self.copyable and not self.tokens


def operation_grammar(task: Task, state: OperationState) -> str:
    """GBNF for the next operation; a copy up to the hyphen behind its first number."""
    tags, alternatives, rules = task.tags, [], []
    if state.copyable:
        numbers = number_between(state.copyable.first, state.copyable.last)
        alternatives.append(f"{literal(_COPY.decode())} {numbers} {literal('-')}")
    if state.tokens:
        numbers = number_between(state.tokens.first, state.tokens.last)
        alternatives.append(f"{literal(_COPY_TOKENS.decode())} {numbers} {literal('-')}")
    if not state.after_gen:
        alternatives.append(_gen_expression(task))
        if state.tokens:
            alternatives.append(f"{line_literal(tags.open_gen)} {FREE_TEXT}")
        rules = text_until(tags.end_gen)
    if state.may_end:
        alternatives.append(literal(_ENDING.decode()))
    return joined([f"root ::= {' | '.join(alternatives)}"], rules)


def last_line_grammar(first: int, last: int, refused: Collection[int] = ()) -> str:
    """GBNF for the rest of a copy whose first line is known; it ends at none ``refused``."""
    bounds = [first - 1, *sorted(refused), last + 1]
    gaps = [(low + 1, high - 1) for low, high in pairwise(bounds) if low + 1 < high]
    numbers = " | ".join(number_between(low, high) for low, high in gaps)
    return f"root ::= ({numbers}) {_COPY_END}\n"


_COPY_END = literal('"/>\n')


def _first_of(written: bytes) -> int:
    """The first number of a copy that is written up to its hyphen."""
    return int(written.rpartition(b'"')[2].removesuffix(b"-"))


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
