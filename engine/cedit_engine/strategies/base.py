"""What a strategy is: a way for a model to spell a program."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from cedit_engine.decoder import Decoder
from cedit_engine.model import Turn
from cedit_engine.program import Program
from cedit_engine.task import Task


@dataclass(frozen=True)
class StrategyOptions:
    """``any_order`` lets ``lines`` copy in any order; ``retries`` bounds those of ``anchor``."""

    any_order: bool = False
    retries: int = 3


class Strategy(Protocol):
    """A prompt, and a way to write the answer to it."""

    def turns(self, task: Task) -> Sequence[Turn]:
        """The conversation that asks for the edit."""

    def answer(self, decoder: Decoder, task: Task, options: StrategyOptions) -> Program:
        r"""What the model wrote, as a program whose text is UTF-8 with ``\n`` endings."""

    def spliced_text(self, task: Task) -> str:
        """What the answer may put into the context beside what it decides on."""

    def grammar(self, task: Task) -> str:
        """The GBNF of the answers that this strategy can give."""
