"""What a text defines, by what definitions begin with in most languages."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cedit_engine.blocks import block_from

NOT_CODE = frozenset(
    (
        *("md", "markdown", "txt", "rst", "html", "css", "json", "toml", "yaml", "yml", "ini"),
        *("cfg", "sql", "csv", "xml", "makefile", "dockerfile"),
    )
)
"""Languages without definitions, or none that a head could tell."""

# What begins a definition in the languages that are written in braces, and in most others.
_DEFINITION = re.compile(
    r"^[ \t]*(?:(?:export|default|public|private|protected|static|async|abstract|final"
    r"|pub(?:\([a-z]+\))?)[ \t]+)*"
    r"(?:def|class|function\*?|fn|func(?:[ \t]+\([^)]*\))?|struct|enum|interface|trait|type|module)"
    r"[ \t]+(?:self\.)?([A-Za-z_$][\w$]*)"
    r"|^(?:export[ \t]+)?(?:const|let|var)[ \t]+([A-Za-z_$][\w$]*)",
    re.MULTILINE,
)
# A function of C, or a method, by its head: words, a name, parameters, an opening brace.
_HEAD = re.compile(
    r"^[ \t]*(?:[\w<>\[\],:~]+[ \t*&]+)*([A-Za-z_]\w*)\([^;{}]*\)[^;{}=\n]*\{[ \t]*$", re.MULTILINE
)
_NO_NAMES = {"if", "for", "while", "switch", "catch", "function", "return", "match", "else"}


class Definition(NamedTuple):
    """A name, and the lines, counted from 0, of what defines it."""

    name: str
    lines: range


def heads(text: str) -> set[str]:
    """The names that ``text`` defines."""
    return {match[match.lastindex or 0] for match in _heads(text)}


def definitions(lines: Sequence[str]) -> list[Definition]:
    """What ``lines`` define, from top to bottom, what is inside something else too."""
    text = "\n".join(lines)
    found = set()
    for match in _heads(text):
        name = match.lastindex or 0
        first = text.count("\n", 0, match.start(name))
        found.add(Definition(match[name], block_from(lines, first)))
    return sorted(found, key=lambda each: each.lines.start)


def _heads(text: str) -> Iterator[re.Match[str]]:
    yield from _DEFINITION.finditer(text)
    yield from (match for match in _HEAD.finditer(text) if match[1] not in _NO_NAMES)
