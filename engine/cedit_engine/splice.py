"""How much of what a copy names is put behind it, for the model to go on from."""

from dataclasses import dataclass

from cedit_engine.errors import UnknownSplice
from cedit_engine.task import Span


@dataclass(frozen=True)
class Splice:
    """The last ``tail`` lines of a copied span are evaluated behind the copy; None means all.

    All of them is the Copy-as-Decode paper's; with none the operation speaks for its text. Where
    it ``moves`` them, the keys and values that the prompt's lines have are moved there instead,
    without those of their numbers, and only the last ``fresh`` tokens are evaluated.
    """

    tail: int | None = None
    moves: bool = False
    fresh: int = 1

    @classmethod
    def named(cls, name: str) -> "Splice":
        """``full``, ``none``, ``tail:K`` lines, ``shift`` or ``shift:K`` tokens.

        Raises ``UnknownSplice``.
        """
        match name.split(":"):
            case ["full"]:
                return cls()
            case ["none"]:
                return cls(0)
            case ["tail", lines] if lines.isdecimal():
                return cls(int(lines))
            case ["shift"]:
                return cls(moves=True)
            case ["shift", tokens] if tokens.isdecimal() and int(tokens):
                return cls(moves=True, fresh=int(tokens))
        raise UnknownSplice(name)

    def shown(self, copied: Span) -> Span:
        """The lines of ``copied`` that are evaluated."""
        if self.tail is None:
            return copied
        return Span(max(copied.first, copied.last - self.tail + 1), copied.last)


FULL = Splice()
