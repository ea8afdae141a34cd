import random

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cedit_engine.constraint import Choice, Constraint, FreeText
from cedit_engine.grammar import FREE_TEXT, joined, literal, text_until
from tests.fakes import CONTROL, PIECES, ScriptedModel, vocabulary
from tests.gbnf import GrammarConstraint

VOCABULARY = vocabulary()
EVERYTHING = np.arange(len(VOCABULARY), dtype=np.int32)

line = st.text(st.sampled_from("ab<é "), max_size=5)
options = st.lists(line, min_size=1, max_size=6).map(lambda ls: [f"{x}\n".encode() for x in ls])


def walk(constraint: Constraint, reference: Constraint, steps: random.Random, limit: int) -> None:
    """Both admit the same tokens all along a random sentence."""
    for _ in range(limit):
        assert constraint.finished == reference.finished
        if constraint.finished:
            assert not any(constraint.admits(EVERYTHING))
            return
        admitted = constraint.admits(EVERYTHING)
        assert admitted == reference.admits(EVERYTHING)
        tokens = constraint.admissible()
        assert list(tokens) == [t for t in EVERYTHING if admitted[t]]
        token = int(steps.choice(tokens))
        constraint.accept(token)
        reference.accept(token)


@settings(max_examples=40)
@given(options, st.randoms(use_true_random=False))
def test_a_choice_admits_what_the_grammar_of_its_options_does(
    options: list[bytes], steps: random.Random
) -> None:
    gbnf = "root ::= " + " | ".join(literal(option.decode()) for option in options)
    walk(Choice(options, VOCABULARY), GrammarConstraint(gbnf, VOCABULARY), steps, 40)


class AsciiReference(GrammarConstraint):
    """The byte grammar knows no UTF-8: the walk keeps to tokens that are."""

    def admits(self, tokens):  # type: ignore[no-untyped-def]
        admitted = super().admits(tokens)
        return [ok and bool(_is_text(PIECES[t])) for ok, t in zip(admitted, tokens, strict=True)]


def _is_text(piece: bytes) -> bool:
    try:
        return bool(piece.decode().replace("\0", ""))
    except UnicodeDecodeError:
        return False


class TextOnly(FreeText):
    def admits(self, tokens):  # type: ignore[no-untyped-def]
        admitted = super().admits(tokens)
        return [ok and _is_text(PIECES[t]) for ok, t in zip(admitted, tokens, strict=True)]

    def admissible(self):  # type: ignore[no-untyped-def]
        return np.array([t for t in super().admissible() if _is_text(PIECES[t])], dtype=np.int32)


@pytest.mark.parametrize("closing", ["</new>", "</gen12>", "<<a<<b", "aab"])
@settings(max_examples=15)
@given(steps=st.randoms(use_true_random=False))
def test_free_text_admits_what_its_grammar_does(closing: str, steps: random.Random) -> None:
    gbnf = joined([f"root ::= {FREE_TEXT}"], text_until(closing))
    walk(TextOnly(closing.encode(), VOCABULARY), AsciiReference(gbnf, VOCABULARY), steps, 60)


def accepts(constraint: Constraint, text: bytes) -> bool:
    """Whether ``text`` is a sentence, spelled byte by byte."""
    for byte in text:
        if not constraint.admits(np.array([byte], dtype=np.int32))[0]:
            return False
        constraint.accept(byte)
    return constraint.finished


@given(st.binary(max_size=12))
def test_free_text_is_any_utf8_without_nul_and_without_its_closing_tag(text: bytes) -> None:
    assume(b"</new>" not in text + b"</new"[:-1])
    allowed = _decodes(text) and b"\0" not in text
    assert accepts(FreeText(b"</new>", VOCABULARY), text + b"</new>\n") == allowed


def _decodes(text: bytes) -> bool:
    try:
        return text.decode() is not None
    except UnicodeDecodeError:
        return False


@given(st.text(max_size=8))
def test_free_text_takes_every_character(text: str) -> None:
    assume("\0" not in text)
    assert accepts(FreeText(b"</new>", VOCABULARY), text.encode() + b"</new>\n")


def test_a_partial_tag_is_text() -> None:
    assert accepts(FreeText(b"</new>", VOCABULARY), b"</ne<</new</new>\n")


def test_control_tokens_are_never_admitted() -> None:
    control = np.array([CONTROL], dtype=np.int32)
    assert FreeText(b"</new>", VOCABULARY).admits(control) == [False]
    assert Choice([b"a\n"], VOCABULARY).admits(control) == [False]


def test_a_token_may_not_run_past_the_end() -> None:
    text = FreeText(b"</e>", VOCABULARY)
    for byte in b"</":
        text.accept(byte)
    past_the_end = PIECES.index(b"e>\n\n")
    assert text.admits(np.array([past_the_end], dtype=np.int32)) == [False]


@given(options)
def test_forced_tokens_are_those_that_every_option_begins_with(options: list[bytes]) -> None:
    tokenize = ScriptedModel().tokenize
    forced = Choice(options, VOCABULARY).forced(tokenize)
    spelled = [tokenize(option) for option in set(options)]
    assert all(tokens[: len(forced)] == forced for tokens in spelled)
    following = {tuple(tokens[len(forced) : len(forced) + 1]) for tokens in spelled}
    assert len(following) > 1 or following == {()}


def test_many_options_force_nothing_but_still_choose() -> None:
    choice = Choice([b"x%d\n" % n for n in range(100)], VOCABULARY)
    assert choice.forced(ScriptedModel().tokenize) == []
    assert list(choice.admissible()) == [ord("x")]


def test_what_is_left_of_a_character_forces_no_tokens_that_spell_it_otherwise() -> None:
    first, rest = "é".encode()[:1], "é".encode()[1:]
    choice = Choice(["éa\n".encode()], VOCABULARY)
    choice.accept(PIECES.index(first))

    def as_llama_cpp(text: bytes) -> list[int]:
        return ScriptedModel().tokenize(text.decode("utf-8", "replace").encode())

    assert choice.forced(as_llama_cpp) == []
    choice.accept(PIECES.index(rest))
    assert choice.forced(as_llama_cpp) == [PIECES.index(b"a"), PIECES.index(b"\n")]
