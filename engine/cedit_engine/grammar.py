"""Pieces of GBNF, llama.cpp's grammar notation."""

from collections.abc import Iterator

from cedit_engine.prefix import prefix_step


def literal(text: str) -> str:
    """``text`` as a quoted GBNF string."""
    return '"' + "".join(map(_escape, text)) + '"'


def _escape(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if " " <= char <= "~":
        return char
    return f"\\U{ord(char):08X}"


def line_literal(text: str) -> str:
    """``text`` and the newline behind it, quoted."""
    return literal(text + "\n")


def joined(*groups: list[str]) -> str:
    """A grammar of the rules in ``groups``."""
    return "".join(f"{rule}\n" for rules in groups for rule in rules)


FREE_TEXT = "text-0 " + line_literal("")


def text_until(closing: str) -> list[str]:
    """The rules for any text up to the first ``closing``; ``text-n`` has seen n characters of it.

    One rule a state of the tag's prefix automaton (Knuth, Morris and Pratt, 1977).
    """
    return [_automaton_rule(closing, state) for state in range(len(closing))]


def _automaton_rule(closing: str, state: int) -> str:
    alphabet = sorted(set(closing))
    steps = {char: prefix_step(closing, state, char) for char in alphabet}
    others = "".join(_ESCAPED_IN_SET.get(char, char) for char in alphabet)
    alternatives = [f"[^{others}] text-0"]
    for char, target in steps.items():
        rest = f" text-{target}" if target < len(closing) else ""
        alternatives.append(literal(char) + rest)
    return f"text-{state} ::= " + " | ".join(alternatives)


_ESCAPED_IN_SET = {"\\": "\\\\", "]": "\\]", "\n": "\\n"}


def number_between(low: int, high: int) -> str:
    """An expression for the decimal numbers from ``low`` to ``high``, without leading zeros."""
    alternatives: list[str] = []
    while low <= high:
        top = min(high, 10 ** len(str(low)) - 1)
        alternatives += _same_length(str(low), str(top))
        low = top + 1
    return "(" + " | ".join(alternatives) + ")"


def _same_length(low: str, high: str) -> Iterator[str]:
    """Digit patterns that together match ``low`` to ``high``, two numerals of one length."""
    if len(low) == 1:
        yield f"[{low}-{high}]"
        return
    if low[0] == high[0]:
        yield from (f'"{low[0]}" {rest}' for rest in _same_length(low[1:], high[1:]))
        return
    nines, zeros = "9" * (len(low) - 1), "0" * (len(low) - 1)
    first, last = int(low[0]), int(high[0])
    if low[1:] != zeros:
        yield from (f'"{first}" {rest}' for rest in _same_length(low[1:], nines))
        first += 1
    if high[1:] != nines:
        last -= 1
    if first <= last:
        yield f"[{first}-{last}]" + " [0-9]" * len(zeros)
    if high[1:] != nines:
        yield from (f'"{high[0]}" {rest}' for rest in _same_length(zeros, high[1:]))
