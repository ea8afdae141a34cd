"""What the text of new lines gives away: elisions, markup, odd characters, indentation."""

import re
from collections.abc import Iterable

from cedit_engine.guards.concerns import Elided, Marked, MixedIndentation, OddCharacters
from cedit_engine.guards.edited import Edited

_COMMENT = r"^\s*(?:#|//|/\*|\*|<!--|--|;|%)\s*"
_CODE = (
    r"(?:code|file|function|class|method|implementation|program|module|script|document|content"
    r"|page|body|logic|section|functions|methods|classes|lines)"
)
_AS = r"as (?:before|it (?:is|was))"
_SAME = rf"(?:remains?|is|are|stays?) (?:(?:the )?same|unchanged|{_AS})"
# Prose speaks of the rest of something too: what stands for code is a comment of its own.
_ELISION = re.compile(
    rf"{_COMMENT}(?:"
    rf"(?:\.\.\.|…).*\b(?:rest|existing|remaining|other|previous|unchanged|same|omitted)\b"
    rf"|\W*(?:(?:add|keep|insert|include|implement|and|your|the) )*(?:rest|remainder)"
    rf" of (?:the|your|this) {_CODE}(?: (?:goes )?here| {_SAME}| {_AS})?\W*$"
    rf"|.*\b(?:rest|remainder|{_CODE}) {_SAME}\W*$"
    rf"|\W*(?:your |the )?(?:existing|unchanged|other|remaining|previous) {_CODE}(?: here)?\W*$"
    rf"|\W*(?:same as (?:before|above)|{_CODE} omitted)\W*$)",
    re.IGNORECASE,
)


def elided(edited: Edited) -> Elided | None:
    """Comments in the place of code."""
    lines = [number for number, line in edited.new_lines if _ELISION.match(line)]
    return Elided(tuple(lines)) if lines else None


_MARKS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("conflict markers", re.compile(r"^(?:<{7}|>{7})(?: |$)")),
    ("a code fence", re.compile(r"^\s*(?:```|~~~)")),
    ("tags of an answer", re.compile(r"^\s*</?(?:old|new|gen|program|copy|done)\d*\b[^>]*>\s*$")),
    ("chat markup", re.compile(r"<\|\w+\|>")),
)
_FENCED_BY_NATURE = {"markdown", "rst"}
_NUMBERED = re.compile(r"^\s*(\d+)\s?[|:] ?(.*)$")


def marked(edited: Edited) -> Marked | None:
    """Fences, tags, chat markup, conflict markers, line numbers that were not there before."""
    for what, pattern in _MARKS:
        if what == "a code fence" and edited.language in _FENCED_BY_NATURE:
            continue
        if any(map(pattern.search, edited.old_lines)):
            continue
        lines = [number for number, line in edited.new_lines if pattern.search(line)]
        if lines:
            return Marked(what, tuple(lines))
    lines = list(_numbered(edited))
    return Marked("line numbers", tuple(lines)) if lines else None


def _numbered(edited: Edited) -> Iterable[int]:
    """New lines that are a number and, behind it, a line of the file as it was."""
    old = {line.strip() for line in edited.old_lines if line.strip()}
    for number, line in edited.new_lines:
        match = _NUMBERED.match(line)
        if match and match[2].strip() in old:
            yield number


_TYPOGRAPHIC = "\u2018\u2019\u201c\u201d\u201e\u00a0\u202f\u200b\u200c\u200d\u2060\ufeff"


def odd_characters(edited: Edited) -> OddCharacters | None:
    """Typographic quotes, hard blanks and characters of no width that are new to the file."""
    known = set("\n".join(edited.old_lines)) | set(edited.task.instruction)
    odd = set(_TYPOGRAPHIC) - known
    lines = [(number, odd.intersection(line)) for number, line in edited.new_lines]
    seen = [(number, found) for number, found in lines if found]
    if not seen:
        return None
    characters = sorted(set().union(*(found for _, found in seen)))
    return OddCharacters(tuple(characters), tuple(number for number, _ in seen))


def mixed_indentation(edited: Edited) -> MixedIndentation | None:
    """Tabs in a file indented with spaces, spaces in one indented with tabs, both in a line."""
    tabs, spaces = (_indented_with(edited.old_lines, blank) for blank in ("\t", "  "))
    lines = [
        number
        for number, line in edited.new_lines
        if line.strip() and _is_foreign(line, tabs, spaces)
    ]
    return MixedIndentation(tuple(lines)) if lines else None


def _indented_with(lines: Iterable[str], blank: str) -> bool:
    return any(line.startswith(blank) for line in lines)


def _is_foreign(line: str, tabs: bool, spaces: bool) -> bool:
    indent = line[: len(line) - len(line.lstrip())]
    if tabs == spaces:
        return False
    return "\t" in indent if spaces else indent.startswith("  ")
