"""One edit to be made: the file, what is asked, and what the model may see and change."""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from pathlib import PurePath

from cedit_engine.errors import EmptyInstruction, LinesOutsideFile
from cedit_engine.source import Source


@dataclass(frozen=True)
class Span:
    """Lines ``first`` to ``last``, counted from 1; empty where ``last`` is before ``first``."""

    first: int
    last: int

    def __len__(self) -> int:
        return max(0, self.last - self.first + 1)

    def __contains__(self, line: int) -> bool:
        return self.first <= line <= self.last

    def clipped(self, around: "Span", reach: int) -> "Span":
        """``around`` and up to ``reach`` lines on either side, no further than this span."""
        return Span(max(self.first, around.first - reach), min(self.last, around.last + reach))


@dataclass(frozen=True)
class ContextFile:
    """A further file that the model may read and not change."""

    name: str
    source: Source


@dataclass(frozen=True)
class Task:
    """An instruction for one source.

    ``window`` holds the lines that may change, of which only those in ``spans`` do where there
    are any; ``view`` holds those the model is shown. ``sites`` are lines that a strategy which
    can ask for single lines asks for first.
    """

    source: Source
    instruction: str
    name: str
    window: Span
    view: Span
    context: tuple[ContextFile, ...] = ()
    sites: tuple[int, ...] = ()
    spans: tuple[Span, ...] = ()

    @classmethod
    def of(
        cls,
        source: Source,
        instruction: str,
        name: str = "",
        lines: tuple[int, int] | None = None,
        context: tuple[ContextFile, ...] = (),
    ) -> "Task":
        """A task that shows the whole file and lets ``lines``, or all of it, change.

        Raises ``EmptyInstruction``, and ``LinesOutsideFile`` where ``lines`` are not in it.
        """
        if not instruction.strip():
            raise EmptyInstruction
        whole = Span(1, len(source))
        window = Span(*lines) if lines else whole
        if lines and not (1 <= window.first <= window.last <= whole.last):
            raise LinesOutsideFile(window.first, window.last, whole.last)
        return cls(source, instruction.strip(), name, window, whole, context)

    def confined_to(self, spans: tuple[Span, ...]) -> "Task":
        """The same task in which only the lines of ``spans``, rising and not empty, may change."""
        return replace(self, window=Span(spans[0].first, spans[-1].last), spans=spans)

    def may_change(self, line: int) -> bool:
        """Whether an edit may replace ``line``."""
        return line in self.window and (not self.spans or any(line in each for each in self.spans))

    def showing(self, reach: int) -> "Task":
        """The same task with only ``reach`` lines shown around those that may change."""
        return replace(self, view=Span(1, len(self.source)).clipped(self.window, reach))

    def over(self, source: Source, sites: tuple[int, ...]) -> "Task":
        """The same task on ``source``, an answer to it: what may change grew with the file.

        Where the spans are in it is not known: what is changed outside of them is for the
        caller to put back.
        """
        grown = len(source) - len(self.source)
        spans = (Span(span.first, span.last + grown) for span in (self.window, self.view))
        window, view = next(spans), next(spans)
        return replace(self, source=source, window=window, view=view, sites=sites, spans=())

    @cached_property
    def tags(self) -> "Tags":
        """Tags that occur nowhere in what the model is shown."""
        texts = (self.instruction, *self.source.views)
        texts += tuple(line for file in self.context for line in file.source.views)
        shown = "\n".join(texts)
        return next(tags for tags in map(Tags, count(1)) if not tags.occur_in(shown))

    @property
    def language(self) -> str:
        """What stands behind the opening code fence: the name's ending, at a guess."""
        name = PurePath(self.name).name.lower()
        suffix = name if name in _NAMES else PurePath(name).suffix.removeprefix(".")
        return _FENCE_NAMES.get(suffix, suffix if suffix.isalnum() else "")


_NAMES = {"makefile", "dockerfile"}
_FENCE_NAMES = {
    "py": "python",
    "js": "javascript",
    "ts": "typescript",
    "rs": "rust",
    "md": "markdown",
    "ipynb": "json",
}


@dataclass(frozen=True)
class Tags:
    """The tags of free text and of anchors; a number sets them apart from the file's own."""

    number: int = 1

    def _name(self, word: str) -> str:
        return word if self.number == 1 else f"{word}{self.number}"

    @property
    def old(self) -> str:
        """Opens the lines that an anchor edit replaces."""
        return f"<{self._name('old')}>"

    @property
    def end_old(self) -> str:
        """Closes them."""
        return f"</{self._name('old')}>"

    @property
    def new(self) -> str:
        """Opens the lines that take their place."""
        return f"<{self._name('new')}>"

    @property
    def end_new(self) -> str:
        """Closes them."""
        return f"</{self._name('new')}>"

    @property
    def done(self) -> str:
        """Ends the edits."""
        return f"<{self._name('done')}>"

    @property
    def gen(self) -> str:
        """Opens generated text in a program."""
        return f"<{self._name('gen')}>"

    @property
    def open_gen(self) -> str:
        """Opens generated text that ends in the middle of a line."""
        return f'<{self._name("gen")} open="yes">'

    @property
    def end_gen(self) -> str:
        """Closes it."""
        return f"</{self._name('gen')}>"

    def occur_in(self, text: str) -> bool:
        """Whether ``text`` holds a tag whose place could be mistaken."""
        return any(
            tag in text
            for tag in (
                self.old,
                self.end_old,
                self.new,
                self.end_new,
                self.done,
                self.gen,
                self.end_gen,
            )
        )
