"""Changes outside of what the instruction names, beside those inside that carry it out."""

import builtins
import keyword
import re

from cedit_engine.guards.concerns import Straying
from cedit_engine.guards.edited import Edited
from cedit_engine.hunks import Hunk
from cedit_engine.instruction import is_general
from cedit_engine.outline import NOT_CODE, Definition, definitions
from cedit_engine.source import Source

SHORTEST_STEM = 4
"""So many letters of a name, with an ending, are still that name: withdraw, and a withdrawal."""


def straying(edited: Edited) -> Straying | None:
    """Lines changed in definitions that have nothing to do with those that are named."""
    strays = strays_of(edited)
    lines: list[int] = []
    shift = 0
    for hunk in edited.hunks:
        count = hunk.data.count(b"\n")
        first = hunk.first + shift
        shift += count - (hunk.last - hunk.first + 1)
        if hunk in strays:
            lines += range(first, first + max(1, count))
    return Straying(tuple(lines)) if lines else None


def strays_of(edited: Edited) -> list[Hunk]:
    """The pieces of the edit that are outside of what the instruction names.

    None where no piece is inside. A piece outside belongs to those inside where it imports, or
    shares a name with them that the instruction gives or the file did not hold.
    """
    if edited.language in NOT_CODE or is_general(edited.task.instruction):
        return []
    source = edited.task.source
    named = named_definitions(edited)
    inside = [hunk for hunk in edited.hunks if any(_touches(hunk, each.lines) for each in named)]
    if not inside:
        return []
    come_or_gone = _names("\n".join(edited.old_lines)) ^ _names("\n".join(edited.lines))
    changed = _names("".join(_text(hunk, source) for hunk in inside))
    related = come_or_gone & changed - _OF_THE_LANGUAGE
    related |= {each.name for each in named} | _spelled_out(edited.task.instruction)
    outside = (hunk for hunk in edited.hunks if hunk not in inside)
    return [hunk for hunk in outside if not _belongs(hunk, source, related)]


def named_definitions(edited: Edited) -> list[Definition]:
    """The definitions that the instruction names, but for those around others of them."""
    words = _names(edited.task.instruction)
    lines = edited.task.source.views
    found = [_with_head(each, lines) for each in definitions(lines) if _is_named(each.name, words)]
    return [each for each in found if not any(_is_inside(other, each) for other in found)]


def _is_named(name: str, words: set[str]) -> bool:
    if name in words:
        return True
    inflected = re.compile(rf"{re.escape(name)}[a-z]+")
    return len(name) >= SHORTEST_STEM and any(map(inflected.fullmatch, words))


def _with_head(definition: Definition, lines: tuple[str, ...]) -> Definition:
    """With the comments and decorators right above it."""
    start = definition.lines.start
    while start and lines[start - 1].strip().startswith(_ABOVE):
        start -= 1
    return definition._replace(lines=range(start, definition.lines.stop))


_ABOVE = ("@", "#", "//", "/*", "*")


def _is_inside(inner: Definition, outer: Definition) -> bool:
    starts, stops = outer.lines.start < inner.lines.start, inner.lines.stop <= outer.lines.stop
    return starts and stops


def _touches(hunk: Hunk, lines: range) -> bool:
    return hunk.first <= lines.stop + 1 and hunk.last >= lines.start


def _belongs(hunk: Hunk, source: Source, related: set[str]) -> bool:
    """Whether a piece outside of what is named is part of what was asked for all the same."""
    changed = _text(hunk, source)
    code = (line for line in changed.split("\n") if line.strip())
    return all(map(_IMPORT.match, code)) or bool(_names(changed) & related)


_IMPORT = re.compile(r"\s*(?:import|from|#\s*include|use|using|require)\b|.*\brequire\(")


def _text(hunk: Hunk, source: Source) -> str:
    """What gives way, and what comes in its place."""
    old = "".join(f"{line}\n" for line in source.views[hunk.first - 1 : hunk.last])
    return f"{old}{hunk.data.decode('utf-8', 'replace')}\n"


def _names(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_$][\w$]*", text))


def _spelled_out(instruction: str) -> set[str]:
    """Words of the instruction that are spelled as names only are, or quoted."""
    quoted = re.findall(r"[`'\"]([A-Za-z_$][\w$]*)[`'\"]", instruction)
    unlike_words = (n for n in _names(instruction) if "_" in n or n[1:] != n[1:].lower())
    return {*quoted, *unlike_words}


_OF_THE_LANGUAGE = {*dir(builtins), *keyword.kwlist}
