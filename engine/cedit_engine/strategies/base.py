"""What a strategy is: a way for a model to spell a program."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from cedit_engine.decoder import Decoder
from cedit_engine.model import Turn
from cedit_engine.program import Program
from cedit_engine.splice import FULL, Splice
from cedit_engine.task import Task


@dataclass(frozen=True)
class StrategyOptions:
    """How answers are written.

    ``any_order`` lets ``lines`` copy in any order; ``retries`` bounds those of ``anchor``
    and ``lines``. ``drafts`` lets free text be guessed and checked, which changes no answer
    while ``drift_margin`` is 0: ``verify`` keeps to the source wherever the model prefers
    another token by less than that many nats. ``splice`` is what ``lines`` puts behind a copy;
    with ``tokens`` it may copy tokens of the file too.
    """

    any_order: bool = False
    retries: int = 3
    drafts: bool = True
    drift_margin: float = 0.0
    splice: Splice = FULL
    tokens: bool = False


class Strategy(Protocol):
    """A prompt, and a way to write the answer to it."""

    def turns(self, task: Task) -> Sequence[Turn]:
        """The conversation that asks for the edit; the last turn begins with ``document``."""

    def document(self, task: Task) -> str:
        """The part of the last turn that stands before the instruction."""

    def further_turn(self, task: Task, seen: str) -> str:
        """Asks for more edits of ``task``'s source, an answer in which ``seen`` was seen."""

    def answer(self, decoder: Decoder, task: Task, options: StrategyOptions) -> Program:
        r"""What the model wrote, as a program whose text is UTF-8 with ``\n`` endings."""

    def copied_text(self, task: Task) -> str:
        """What the answer may repeat of the source beside what it is asked to write."""

    def grammar(self, task: Task) -> str:
        """The GBNF of the answers that this strategy can give."""
