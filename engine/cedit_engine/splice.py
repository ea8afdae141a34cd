"""How much of what a copy names is put behind it, for the model to go on from."""

import re
from dataclasses import dataclass

from cedit_engine.errors import UnknownSplice
from cedit_engine.task import Span


@dataclass(frozen=True)
class Splice:
    """The last ``tail`` lines of a copied span are evaluated behind the copy; None means all.

    All of them is the Copy-as-Decode paper's; with none the operation speaks for its text.
    """

    tail: int | None = None

    @classmethod
    def named(cls, name: str) -> "Splice":
        """``full``, ``none`` or ``tail:K``; raises ``UnknownSplice``."""
        tail = re.fullmatch(r"tail:([0-9]+)", name)
        if name not in ("full", "none") and not tail:
            raise UnknownSplice(name)
        return cls(int(tail[1]) if tail else None if name == "full" else 0)

    def shown(self, copied: Span) -> Span:
        """The lines of ``copied`` that are evaluated."""
        if self.tail is None:
            return copied
        return Span(max(copied.first, copied.last - self.tail + 1), copied.last)


FULL = Splice()
