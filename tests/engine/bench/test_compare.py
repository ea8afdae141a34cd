import pytest

from cedit_engine.bench.compare import Share, compare
from cedit_engine.bench.results import Answer, CaseResult
from cedit_engine.counts import Counts


def results(done: str) -> dict[str, CaseResult]:
    """Cases named by their place; those marked ``x`` are done."""
    answers = {
        str(n): Answer("verify", False, mark == "x", False, False, None, "", Counts(), kept=True)
        for n, mark in enumerate(done)
    }
    return {name: CaseResult(name, (answer,)) for name, answer in answers.items()}


def test_cases_are_paired() -> None:
    comparison = compare(results("xxx..x"), results("x..x."))
    assert comparison.cases == 5, "the sixth is in one run alone"
    assert (comparison.both, comparison.neither) == (1, 1)
    assert (comparison.only_first, comparison.only_second) == (("1", "2"), ("3",))
    assert (comparison.first.hits, comparison.second.hits) == (3, 2)


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [
        ("xxxx", "xxxx", 1.0),
        ("x", ".", 1.0),
        ("x" * 6, "." * 6, 2 / 64),
        ("x" * 8 + ".", "." * 8 + "x", 2 * (1 + 9) / 512),
    ],
)
def test_the_exact_test_of_mcnemar(first: str, second: str, p: float) -> None:
    assert compare(results(first), results(second)).p_value == pytest.approx(p)


@pytest.mark.parametrize(
    ("hits", "total", "low", "high"),
    [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0), (0, 0, 0.0, 1.0)],
)
def test_the_interval_of_wilson(hits: int, total: int, low: float, high: float) -> None:
    share = Share.of(hits, total)
    assert (share.low, share.high) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


def test_what_strays_is_not_done() -> None:
    strayed = Answer("verify", False, True, False, False, None, "", Counts(), kept=False)
    assert not CaseResult("a", (strayed,)).done
