"""What guards see: each thing that can be wrong with an edit, and the words for it."""

from dataclasses import dataclass
from functools import singledispatch


@dataclass(frozen=True)
class NoChange:
    """The edit leaves the file as it was."""


@dataclass(frozen=True)
class NoLongerParses:
    """The file was well-formed and is not any more; ``line`` counts from 1."""

    line: int
    reason: str


@dataclass(frozen=True)
class DefinitionsGone:
    """Definitions that nobody asked to remove or rename are gone."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class ImportsGone:
    """Imports are gone that nobody asked to remove, though their use did not change."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class KeysGone:
    """Keys, sections or headings that nobody asked to remove or rename are gone."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class Undefined:
    """``name`` is used on ``lines`` of the new file and bound nowhere; it was not so before.

    ``is_new`` says that the file did not speak of it before.
    """

    name: str
    lines: tuple[int, ...]
    is_new: bool = False


@dataclass(frozen=True)
class HalfRenamed:
    """The definition of ``name`` is gone, and ``lines`` of the new file still use it."""

    name: str
    lines: tuple[int, ...]


@dataclass(frozen=True)
class Missing:
    """No new line holds the names that the instruction asks to add, or to rename to."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class StillThere:
    """Definitions that the instruction asks to remove."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class Unused:
    """What the instruction asks to extract as ``name`` is defined and used nowhere."""

    name: str


@dataclass(frozen=True)
class Doubled:
    """Definitions are there more often than before, in one and the same place."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class Repeated:
    """Lines ``first`` to ``last`` of the new file are those right before them once more."""

    first: int
    last: int


@dataclass(frozen=True)
class Unreachable:
    """``line`` of the new file is never run: ``way_out``, a statement, is on line ``behind``."""

    line: int
    way_out: str
    behind: int


@dataclass(frozen=True)
class InDocstring:
    """New lines are code, and stand in a docstring that ends on line ``last``."""

    lines: tuple[int, ...]
    last: int


@dataclass(frozen=True)
class Displaced:
    """A docstring, lines ``first`` to ``last``, stands behind ``code``, a line.

    It is that of ``name``, or where that is empty of the file.
    """

    name: str
    code: int
    first: int
    last: int


@dataclass(frozen=True)
class DocstringGone:
    """``name``, or where that is empty the file, has no docstring any more."""

    name: str


@dataclass(frozen=True)
class MostlyDeleted:
    """More than half of the lines of ``name``, or of the whole file where it is empty, are gone."""

    name: str
    before: int
    after: int


@dataclass(frozen=True)
class Deleted:
    """Lines ``first`` to ``last`` of the old file are gone, and nobody spoke of them."""

    first: int
    last: int


@dataclass(frozen=True)
class Straying:
    """``lines`` were changed, and are no part of what the instruction names."""

    lines: tuple[int, ...]


@dataclass(frozen=True)
class Elided:
    """New lines stand for code that they leave out."""

    lines: tuple[int, ...]


@dataclass(frozen=True)
class Marked:
    """New lines hold what belongs to an answer and not to a file: ``what`` says which."""

    what: str
    lines: tuple[int, ...]


@dataclass(frozen=True)
class OddCharacters:
    """New lines bring in characters that the file and the instruction do not use."""

    characters: tuple[str, ...]
    lines: tuple[int, ...]


@dataclass(frozen=True)
class MixedIndentation:
    """New lines are indented with what the file does not indent with."""

    lines: tuple[int, ...]


Concern = (
    NoChange
    | NoLongerParses
    | DefinitionsGone
    | ImportsGone
    | KeysGone
    | Undefined
    | HalfRenamed
    | Missing
    | StillThere
    | Unused
    | Doubled
    | Repeated
    | Unreachable
    | InDocstring
    | Displaced
    | DocstringGone
    | MostlyDeleted
    | Deleted
    | Straying
    | Elided
    | Marked
    | OddCharacters
    | MixedIndentation
)


@singledispatch
def words_for_concern(concern: Concern) -> str:
    """What was seen, in a few words that continue "the edit …"."""
    raise TypeError(concern)


@words_for_concern.register
def _(concern: NoChange) -> str:
    return "changed nothing"


@words_for_concern.register
def _(concern: NoLongerParses) -> str:
    return f"broke the syntax of line {concern.line} ({concern.reason})"


@words_for_concern.register
def _(concern: DefinitionsGone) -> str:
    return f"lost {', '.join(concern.names)}"


@words_for_concern.register
def _(concern: ImportsGone) -> str:
    return f"lost the import of {', '.join(concern.names)}"


@words_for_concern.register
def _(concern: KeysGone) -> str:
    return f"lost {', '.join(concern.names)}"


@words_for_concern.register
def _(concern: Undefined) -> str:
    bound = "neither defined nor imported it" if concern.is_new else "defined it nowhere"
    return f"used {concern.name} on {_lines(concern.lines)} and {bound}"


@words_for_concern.register
def _(concern: HalfRenamed) -> str:
    return f"renamed or removed {concern.name}, which is still used on {_lines(concern.lines)}"


@words_for_concern.register
def _(concern: Missing) -> str:
    return f"added no {', '.join(concern.names)}, which was asked for"


@words_for_concern.register
def _(concern: StillThere) -> str:
    return f"left {', '.join(concern.names)}, which was to be removed"


@words_for_concern.register
def _(concern: Unused) -> str:
    return f"defined {concern.name} and used it nowhere"


@words_for_concern.register
def _(concern: Doubled) -> str:
    return f"defined {', '.join(concern.names)} a second time"


@words_for_concern.register
def _(concern: Repeated) -> str:
    return f"wrote the same twice, on lines {concern.first} to {concern.last} once more"


@words_for_concern.register
def _(concern: Unreachable) -> str:
    way_out = f"the `{concern.way_out}` of line {concern.behind}"
    return f"left line {concern.line} behind {way_out}, where it is never run"


@words_for_concern.register
def _(concern: InDocstring) -> str:
    return f"put code into a docstring, where it is never run, on {_lines(concern.lines)}"


@words_for_concern.register
def _(concern: Displaced) -> str:
    what = concern.name or "the file"
    return f"put code before the docstring of {what}, on line {concern.code}"


@words_for_concern.register
def _(concern: DocstringGone) -> str:
    return f"lost the docstring of {concern.name or 'the file'}"


@words_for_concern.register
def _(concern: MostlyDeleted) -> str:
    what = concern.name or "the file"
    return f"left {concern.after} of the {concern.before} lines of {what}"


@words_for_concern.register
def _(concern: Deleted) -> str:
    return f"deleted lines {concern.first} to {concern.last} of the file"


@words_for_concern.register
def _(concern: Straying) -> str:
    return f"changed more than what was named, on {_lines(concern.lines)}"


@words_for_concern.register
def _(concern: Elided) -> str:
    return f"left code out, with a comment in its place on {_lines(concern.lines)}"


@words_for_concern.register
def _(concern: Marked) -> str:
    return f"wrote {concern.what} into the file, on {_lines(concern.lines)}"


@words_for_concern.register
def _(concern: OddCharacters) -> str:
    named = ", ".join(f"U+{ord(character):04X}" for character in concern.characters)
    return f"brought in the characters {named}, on {_lines(concern.lines)}"


@words_for_concern.register
def _(concern: MixedIndentation) -> str:
    return f"mixed tabs and spaces, on {_lines(concern.lines)}"


_SHOWN = 5


def _lines(numbers: tuple[int, ...]) -> str:
    shown = ", ".join(map(str, numbers[:_SHOWN]))
    more = " and more" if len(numbers) > _SHOWN else ""
    return f"line{'s' if len(numbers) > 1 else ''} {shown}{more}"
