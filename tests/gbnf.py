"""A brute-force reader of the part of GBNF that cedit prints: sets of stacks, byte by byte."""

import re
from itertools import count

import numpy as np

from cedit_engine.constraint import Constraint
from cedit_engine.vocabulary import TokenIds, Vocabulary

Symbol = frozenset[int] | str
Stack = tuple[Symbol, ...]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|[a-zA-Z0-9-]+|[()|]')
_ESCAPE = re.compile(r"\\(U[0-9A-F]{8}|.)", re.DOTALL)


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda match: _meant(match[1]), text)


def _meant(escaped: str) -> str:
    if escaped[0] == "U":
        return chr(int(escaped[1:], 16))
    return "\n" if escaped == "n" else escaped


class Grammar:
    """The rules of a grammar, and the stacks that a state of reading it consists of."""

    def __init__(self, gbnf: str) -> None:
        self._rules: dict[str, list[Stack]] = {}
        self._fresh = count()
        for line in gbnf.splitlines():
            if line and not line.startswith("#"):
                name, _, body = line.partition(" ::= ")
                tokens = _TOKEN.findall(body)
                self._rules[name] = self._alternatives(tokens)
                assert not tokens
        self.start = self._expand((("root",),))

    def _alternatives(self, tokens: list[str]) -> list[Stack]:
        alternatives: list[list[Symbol]] = [[]]
        while tokens and tokens[0] != ")":
            token = tokens.pop(0)
            if token == "|":
                alternatives.append([])
            elif token == "(":
                name = f"group {next(self._fresh)}"
                self._rules[name] = self._alternatives(tokens)
                assert tokens.pop(0) == ")"
                alternatives[-1].append(name)
            elif token[0] == '"':
                text = _unescape(token[1:-1]).encode()
                alternatives[-1] += [frozenset((byte,)) for byte in text]
            elif token[0] == "[":
                alternatives[-1].append(_byte_class(token[1:-1]))
            else:
                alternatives[-1].append(token)
        return [tuple(alternative) for alternative in alternatives]

    def _expand(self, stacks: tuple[Stack, ...]) -> frozenset[Stack]:
        expanded: set[Stack] = set()
        pending = list(stacks)
        while pending:
            stack = pending.pop()
            if stack and isinstance(stack[0], str):
                pending += [body + stack[1:] for body in self._rules[stack[0]]]
            else:
                expanded.add(stack)
        return frozenset(expanded)

    def step(self, state: frozenset[Stack], text: bytes) -> frozenset[Stack]:
        for byte in text:
            state = self._expand(tuple(s[1:] for s in state if s and byte in s[0]))
        return state

    def accepts(self, text: bytes) -> bool:
        return () in self.step(self.start, text)


def _byte_class(body: str) -> frozenset[int]:
    negated = body.startswith("^")
    chars = _unescape(body.removeprefix("^"))
    members: set[int] = set()
    if not negated and re.fullmatch(r".-.", chars):
        members = set(range(ord(chars[0]), ord(chars[2]) + 1))
    else:
        members = set(chars.encode())
    return frozenset(range(1, 256)) - members if negated else frozenset(members)


class GrammarConstraint(Constraint):
    """A grammar as a constraint over a vocabulary, for a model that has no sampler."""

    def __init__(self, gbnf: str, vocabulary: Vocabulary) -> None:
        self._grammar = Grammar(gbnf)
        self._state = self._grammar.start
        self._vocabulary = vocabulary

    @property
    def finished(self) -> bool:
        return () in self._state

    def admits(self, tokens: TokenIds) -> list[bool]:
        pieces = map(self._vocabulary.piece, tokens)
        return [bool(piece and self._grammar.step(self._state, piece)) for piece in pieces]

    def admissible(self) -> TokenIds:
        everything = np.arange(len(self._vocabulary), dtype=np.int32)
        return everything[self.admits(everything)]

    def accept(self, token: int) -> None:
        self._state = self._grammar.step(self._state, self._vocabulary.piece(token))
