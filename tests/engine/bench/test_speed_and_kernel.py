"""What the benchmarks are made of; their times are not looked at."""

from pathlib import Path

import numpy as np
import pytest

from cedit_engine.bench import peers
from cedit_engine.bench.kernel import KernelOptions, measure
from cedit_engine.bench.shapes import Shape, write_random_model
from cedit_engine.bench.speed import QUICK, Run, SpeedOptions, scalings, summarise
from cedit_engine.bench.works import Work, same_edits, work
from cedit_engine.hunks import align
from cedit_engine.llama import Llama
from cedit_engine.source import Source
from cedit_engine.task import Task
from tests.fakes import ScriptedModel


def changes(each: Work) -> list[tuple[int, int]]:
    opcodes = align(each.before.splitlines(), each.after.splitlines())
    return [
        (end - first, stop - start) for tag, first, end, start, stop in opcodes if tag != "equal"
    ]


@pytest.mark.parametrize("size", [20, 100, 1000])
@pytest.mark.parametrize(("lines", "places"), [(1, 1), (3, 1), (1, 3)])
def test_a_work_is_what_it_says_and_the_same_every_time(size: int, lines: int, places: int) -> None:
    each = work(size, lines, places, seed=0)
    assert each == work(size, lines, places, seed=0)
    assert each != work(size, lines, places, seed=1)
    assert each.before.count("\n") == each.after.count("\n") == size
    assert changes(each) == [(lines, lines)] * places
    assert each.instruction.count(" becomes ") == lines * places


def test_edits_in_files_of_several_sizes() -> None:
    first, second, *long = same_edits((100, 300), 3, 2, seed=0)
    assert first.instruction != second.instruction
    assert [each.instruction for each in long] == [first.instruction, second.instruction]
    assert [each.size for each in long] == [300, 300]
    assert long[0].before.startswith(first.before)
    assert changes(first) == changes(long[0]) == [(3, 3)]


def test_what_an_edit_costs_in_files_of_several_sizes() -> None:
    works = same_edits((100, 300), 1, 2, seed=0)
    runs = [
        Run(each, "anchor", "right", calls, 9, 100, 1.0, 1.0, 6, answer=answer)
        for each, calls, answer in zip(works, (7, 8, 7, 9), "abac", strict=True)
    ]
    first, second = scalings(runs)
    assert (first.calls, first.same_answer) == ({100: 7, 300: 7}, True)
    assert (second.calls, second.same_answer) == ({100: 8, 300: 9}, False)


def test_the_shapes_that_are_measured() -> None:
    shapes = {(w.size, w.lines, w.places) for w in SpeedOptions().works()}
    assert {(300, 3, 1), (1000, 10, 3), (20, 1, 3)} <= shapes
    assert (20, 10, 3) not in shapes, "it is longer than the file"
    assert len(QUICK.works()) == 1


def test_prompt_lookup_guesses_what_followed_before() -> None:
    assert peers.prompt_lookup([1, 2, 3, 4, 5, 9, 1, 2, 3]) == [4, 5, 9, 1, 2, 3]
    assert peers.prompt_lookup([7, 8, 1, 9, 8]) == [1, 9, 8]
    assert list(peers.prompt_lookup([1, 2, 3])) == []


@pytest.mark.parametrize("lookup", [peers.no_lookup, peers.prompt_lookup])
def test_a_peer_writes_what_the_model_wants(lookup: peers.Lookup) -> None:
    text = "a = 1\nb = 2\na = 1\nb = 2\n"
    model = ScriptedModel(f"```python\n{text}```")
    task = Task.of(Source.from_bytes(text.encode()), "do it", "f.py")
    asked = peers.rewriting(model, task, longest=200)
    generated = peers.generate(model, asked, lookup)
    assert generated.text + "\n" == text
    assert generated.finished
    assert generated.calls < generated.tokens
    cut = peers.generate(model, peers.rewriting(model, task, longest=5), lookup)
    assert not cut.finished
    assert cut.tokens == 5


BEFORE = "a\nb\nc\nd\n"


@pytest.mark.parametrize(
    ("answer", "after"),
    [
        ("<<<<<<< SEARCH\nb\n=======\nx\n>>>>>>> REPLACE\n", "a\nx\nc\nd\n"),
        ("<<<<<<< SEARCH\nb\nc\n=======\n>>>>>>> REPLACE", "a\nd\n"),
        ("<<<<<<< SEARCH\nz\n=======\nx\n>>>>>>> REPLACE\n", None),
        ("I cannot do that.", None),
    ],
)
def test_search_and_replace_blocks(answer: str, after: str | None) -> None:
    assert peers.apply_blocks(BEFORE, answer) == after


@pytest.mark.parametrize(
    ("answer", "after"),
    [
        ("--- a\n+++ b\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n", "a\nx\nc\nd\n"),
        ("```diff\n@@ -9 +9 @@\n-b\n+x\n```", "a\nx\nc\nd\n"),
        ("@@ -1 +1 @@\n-a\n+x\n@@ -4 +4 @@\n-d\n+y", "x\nb\nc\ny\n"),
        ("@@ -1 +1 @@\n-z\n+x\n", None),
        ("no diff", None),
    ],
)
def test_unified_diffs(answer: str, after: str | None) -> None:
    assert peers.apply_diff(BEFORE, answer) == after


def test_a_model_of_random_weights_runs(tmp_path: Path) -> None:
    path = tmp_path / "random.gguf"
    write_random_model(path, Shape(2, 256, 512, 4, 2, 1000, tied=False))
    model = Llama(path)
    points = measure(model, KernelOptions((32,), longest=4, repeats=1), lambda _: None)
    assert [point.tokens for point in points] == [1, 2, 4]
    assert np.isfinite(model.evaluate([1, 2, 3], 3)).all()
    model.close()


def test_ratios_are_to_rewrite_and_to_the_best_peer_whose_answer_applies() -> None:
    each = work(20, 1, 1, seed=0)

    def run(system: str, outcome: str, seconds: float) -> Run:
        return Run(each, system, outcome, 10, 20, 100, 1.0, seconds, floor=5)

    rows = summarise(
        [
            run("anchor", "right", 1.0),
            run("rewrite", "right", 20.0),
            run("prompt lookup", "wrong", 5.0),
            run("search/replace", "unapplied", 0.5),
        ]
    )
    anchor, _, lookup, replaced = rows
    assert (anchor.to_rewrite, anchor.to_best_peer, anchor.to_floor) == (0.05, 0.2, 2.0)
    assert (anchor.right, lookup.right, replaced.unapplied) == (1, 0, 1)
    assert lookup.to_best_peer == 1.0
