"""What an instruction asks for, as far as its words tell."""

import re
from typing import NamedTuple

_QUOTE = r"[`'\"]?"
_NAME = rf"{_QUOTE}([A-Za-z_$][\w$]*)(?:\(\))?{_QUOTE}(?:\(\))?"
_RENAMES = (
    re.compile(
        rf"\brename\b(?: (?!to\b)[\w#.]+)*? {_NAME}(?: (?:of|in|from) [\w.`#]+)?"
        rf" (?:to|into) {_NAME}",
        re.IGNORECASE,
    ),
    re.compile(rf"{_NAME} (?:should|must) be named {_NAME}", re.IGNORECASE),
)
_DEFINITIONS = "function|method|class|helper|property|constant|struct|enum|interface|type"
_ADDS = re.compile(
    rf"\b(?:an?|another|new|second|third)(?: new)? (?:\w+ )?"
    rf"({_DEFINITIONS}|parameter|argument|option|field|attribute|variable)"
    rf"(?: called| named)? ({_QUOTE})([A-Za-z_$][\w$]*)({_QUOTE})(?=([(=])?)",
    re.IGNORECASE,
)

_END = r"(?=\s*(?:[.,;:!]|and\b|$))"
_REMOVES = re.compile(
    rf"\b(?:delete|remove|drop)(?: the)?(?: (?:unused|old|dead|deprecated|obsolete))?"
    rf"(?: (?:{_DEFINITIONS}))? {_NAME}{_END}"
    rf"|\binline(?: the)?(?: (?:{_DEFINITIONS}))? {_NAME} in(?:to)? .*?"
    r"\b(?:delete|remove|drop) it\b",
    re.IGNORECASE,
)
_EXTRACTS = re.compile(
    rf"\bextract\b.*?\b(?:into|to|as) (?:an? )?(?:new )?(?:\w+ )?(?:{_DEFINITIONS})"
    rf"(?: called| named)? {_NAME}",
    re.IGNORECASE,
)
_ADDING = re.compile(
    r"\b(?:add|write|create|define|implement|introduce|insert|append|provide|extract|need)\b",
    re.IGNORECASE,
)
_GENERAL = re.compile(
    r"\b(?:everywhere|throughout|the (?:whole|rest|others?)"
    r"|(?:all|every|each|other) (?:of )?(?:the )?(?:other )?"
    rf"(?:{_DEFINITIONS}|file|module|caller|use|usage|place|occurrence)(?:e?s)?)\b",
    re.IGNORECASE,
)
_CHECKING = re.compile(
    r"\b(?:(?:rais|refus|validat|ensur)(?:e[sd]?|ing)|(?:throw|reject|check|assert)(?:s|ing|ed)?"
    r"|thrown|verif(?:y|ies|ied|ying))\b",
    re.IGNORECASE,
)
_REMOVING = {
    *("delete", "remove", "drop", "clean", "strip", "eliminate", "rid", "unused"),
    *("rename", "move", "replace", "instead", "change", "convert", "turn", "switch", "migrate"),
    *("inline", "merge", "combine", "unify", "collapse", "split", "simplify", "deduplicate"),
}
_RESHAPING = {
    "extract",
    "refactor",
    "restructure",
    "rewrite",
    "shorten",
    "reduce",
    "revert",
    "undo",
}


class Renaming(NamedTuple):
    """What is to be called otherwise, and how."""

    old: str
    new: str


class Addition(NamedTuple):
    """A name to be added; ``defines`` says that it is a definition's."""

    name: str
    defines: bool


def renaming(instruction: str) -> Renaming | None:
    """The first renaming that ``instruction`` asks for."""
    found = next(filter(None, (pattern.search(instruction) for pattern in _RENAMES)), None)
    return Renaming(found[1], found[2]) if found else None


def adds(instruction: str) -> bool:
    """Whether ``instruction`` asks for something that is not there yet."""
    return _ADDING.search(instruction) is not None


def adds_check(instruction: str) -> bool:
    """Whether ``instruction`` asks that something be checked, or refused, and for nothing to go."""
    return _CHECKING.search(instruction) is not None and not removes(instruction)


def removes(instruction: str) -> bool:
    """Whether ``instruction`` asks for something to be gone, or to be called otherwise."""
    return bool(_REMOVING & _words(instruction)) or renaming(instruction) is not None


def removed(instruction: str) -> list[str]:
    """What ``instruction`` asks to remove by its name alone."""
    return [one or other for one, other in _REMOVES.findall(instruction)]


def extracted(instruction: str) -> list[str]:
    """The names of the definitions that ``instruction`` asks to make of a part of others."""
    return _EXTRACTS.findall(instruction)


def is_general(instruction: str) -> bool:
    """Whether ``instruction`` speaks of more than what it names."""
    return _GENERAL.search(instruction) is not None


def reshapes(instruction: str) -> bool:
    """Whether ``instruction`` asks to say the same otherwise."""
    return bool(_RESHAPING & _words(instruction))


def _words(instruction: str) -> set[str]:
    return set(re.findall(r"\w+", instruction.lower()))


def additions(instruction: str) -> list[Addition]:
    """What ``instruction`` asks to add by a name that is no common word.

    Such a name is quoted, called or given a value, or not spelled as words are.
    """
    return [
        Addition(name, kind.lower() in _DEFINITIONS.split("|"))
        for kind, before, name, behind, use in _ADDS.findall(instruction)
        if (before and behind) or use or "_" in name or (not name.islower() and len(name) > 1)
    ]
