"""Known edits: coverage, formats, lossless, sensitivity, over a small tokenizer."""

import random

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from cedit_engine.bench.ceiling import (
    PROGRAMS,
    Coverage,
    Edit,
    Kernel,
    anchor_bound,
    bound,
    coverage,
    known_edit,
    programs,
    summary,
)
from cedit_engine.bench.formats import DICTATED, FORMATS, dictated, spelled
from cedit_engine.bench.kernel import Point
from cedit_engine.bench.lossless import comes_back, decoded
from cedit_engine.bench.sensitivity import measure, shifted_spans, wrong_headers, wrong_lines
from cedit_engine.offsets import Tokenizer
from cedit_engine.spelling import as_anchor
from cedit_engine.task import Task
from tests.fakes import ScriptedModel, vocabulary

MODEL = ScriptedModel()
TOKENIZER = Tokenizer(MODEL.tokenize, vocabulary())
BEFORE = b"one\ntwo\nsame\nthree\nsame\nfour\n"
AFTER = b"one\n2\nsame\nthree\nsame\nplus\nfour\n"

lines = st.lists(
    st.sampled_from([b"a\n", b"b\n", b"\n", b"  c\n", b"<gen>\n", b"d d\n"]), max_size=8
)
texts = lines.map(b"".join)


def edit(before: bytes = BEFORE, after: bytes = AFTER) -> Edit:
    return known_edit("x", before, after, TOKENIZER)


def covered(changed: Edit) -> dict[str, Coverage]:
    found = programs(changed, TOKENIZER)
    return {name: coverage(each, changed, TOKENIZER.count) for name, each in found.items()}


def test_what_copies_cover() -> None:
    found = covered(edit())
    by_diff = found["lines, by diff"]
    assert by_diff.spans == (4, 16, 5)
    assert by_diff.generated == len(b"2\nplus\n")
    assert found["lines, at most"].share == by_diff.share
    assert found["tokens, by diff"].share > by_diff.share
    assert found["lines, cheapest"].written <= by_diff.written
    told = summary([by_diff])
    assert (told["share_pooled"], told["spans_an_edit"]) == (round(25 / 32, 4), 3)
    assert told["span_lengths"] == {"4-7": 2, "16-31": 1}


@given(texts, texts)
def test_every_token_is_copied_or_generated(before: bytes, after: bytes) -> None:
    changed = edit(before, after)
    for found in covered(changed).values():
        assert sum(found.spans) + found.generated == len(changed.new_tokens)


def test_the_bound_is_the_closed_form() -> None:
    points = [Point(512, n, 0.1 + 0.01 * n, 0.2 * n) for n in (1, 2, 4, 8)]
    kernel = Kernel.fitted([*points, Point(4096, 8, 9.0, 9.0)])
    assert (kernel.start, kernel.token, kernel.decode) == pytest.approx((0.1, 0.01, 0.2))
    found = [Coverage((10, 20), 5, 12)]
    whole = 35 * 0.2
    assert bound(found, kernel, operations=False) == pytest.approx(whole / (0.2 + 0.3 + 5 * 0.2))
    assert bound(found, kernel, operations=True) == pytest.approx(whole / (0.2 + 0.3 + 12 * 0.2))
    assert anchor_bound(35, 6, 30, kernel) == pytest.approx(whole / (6 * 0.2 + 30 * 0.01))


def test_the_formats_spell_and_apply() -> None:
    found = spelled(edit(), MODEL)
    # The line to hold on to stands there twice; an addition without context has none.
    assert {name for name, each in found.items() if not each.strict} == {"search/replace"}
    first = {name for name, each in found.items() if not each.first}
    assert first == {"search/replace", "unified diff, no context"}
    assert found["anchor"].decided < found["anchor"].tokens
    assert found["unified diff"].tokens > found["unified diff, no context"].tokens


@given(texts, texts)
def test_what_must_apply_applies(before: bytes, after: bytes) -> None:
    changed = edit(before, after)
    for name in ("whole file", "unified diff", "unified diff, no context", "program"):
        form = FORMATS[name]
        assert form.strict(before, form.spell(changed)) == after, name


@settings(max_examples=150, phases=[Phase.generate])
@given(texts.filter(bytes), texts)
def test_an_anchored_edit_is_decoded_to_itself(before: bytes, after: bytes) -> None:
    changed = edit(before, after)
    spelled_out = as_anchor(Task.of(changed.before, "x", "f"), changed.after)
    if spelled_out is not None and before != after:
        built = dictated(changed, "anchor", MODEL)
        assert built is not None
        assert built.after == after


@given(texts, texts)
def test_programs_come_back(before: bytes, after: bytes) -> None:
    changed = edit(before, after)
    found = programs(changed, TOKENIZER)
    assert [*found] == [name for name in PROGRAMS if name in found]
    assert all(comes_back(changed, program) for program in found.values())


def test_programs_come_back_through_the_decoder() -> None:
    assert decoded(edit(), MODEL) == dict.fromkeys(DICTATED, True)


@settings(max_examples=150, phases=[Phase.generate])
@given(texts, texts)
def test_a_program_is_decoded_to_the_edit(before: bytes, after: bytes) -> None:
    assume(before != after)
    for name in ("lines", "lines, by tokens"):
        built = dictated(edit(before, after), name, MODEL)
        assert built is not None, name
        assert built.after == after, name


def test_spans_off_by_one_are_wrong_and_wrong_headers_noticed() -> None:
    chance = random.Random(0)
    assert shifted_spans(edit(), chance, shift=1, ends="both ends", rate=1.0) != AFTER
    assert shifted_spans(edit(), chance, shift=1, ends="both ends", rate=0.0) == AFTER
    assert wrong_headers(edit(), chance, 1, strict=True) is None
    assert wrong_headers(edit(), chance, 1, strict=False) == AFTER


def test_another_equal_line_is_wrong() -> None:
    changed = edit(b"x\na\nx\nb\n", b"y\na\nx\nb\n")
    assert wrong_lines(changed, random.Random(0), rate=1.0) == b"x\na\ny\nb\n"
    assert wrong_lines(changed, random.Random(0), rate=0.0) == changed.after.data


def test_all_damages_are_measured() -> None:
    outcomes = measure([edit()], seed=0)
    assert all(each.right + each.wrong + each.refused == 1 for each in outcomes)
    assert {each.format for each in outcomes} == {
        "program",
        "anchor",
        "search/replace",
        "unified diff",
    }
