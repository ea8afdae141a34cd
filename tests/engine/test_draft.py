from hypothesis import given
from hypothesis import strategies as st

from cedit_engine.draft import Drafter, Expected, NoDraft, RunLength, SourceDrafter
from cedit_engine.suffix import SuffixAutomaton

SOURCE = [ord(char) for char in "def f(x):\n    return x + 1\n\ndef g(y):\n    return y * 2\n"]


def calls(drafter: Drafter, text: list[int], limit: int = 16) -> int:
    """How many calls it takes to write ``text`` when each checks a draft of ``limit``."""
    at, count = 0, 0
    while at < len(text):
        count += 1
        draft = list(drafter.propose(limit))
        right = next((i for i, t in enumerate(draft) if text[at + i : at + i + 1] != [t]), None)
        kept = len(draft) if right is None else right
        for token in text[at : at + kept + 1]:
            drafter.accept(token)
        at += kept + 1
    return count


def following(text: list[int]) -> SourceDrafter:
    return SourceDrafter(SuffixAutomaton(SOURCE), at=0)


def test_a_source_that_is_repeated_is_drafted_throughout() -> None:
    assert calls(following(SOURCE), SOURCE) == -(-len(SOURCE) // 17)
    assert calls(NoDraft(), SOURCE) == len(SOURCE)


def test_the_way_back_is_found_after_a_change_an_insertion_and_a_deletion() -> None:
    text = "".join(map(chr, SOURCE))
    for edited in (
        text.replace("x + 1", "x - 1"),
        text.replace("x + 1", "x + 1000"),
        text.replace("    return x + 1\n", ""),
        text.replace("\ndef g", "\ndef h(z):\n    pass\n\ndef g"),
    ):
        written = [ord(char) for char in edited]
        assert calls(following(SOURCE), written) < len(written) / 3


def test_what_was_written_is_drafted_again() -> None:
    history = SuffixAutomaton(SOURCE)
    new = [ord(char) for char in "something that is nowhere in the source"]
    calls(SourceDrafter(history, 0), new)
    again = SourceDrafter(history, len(history.tokens))
    assert calls(again, new) < len(new) / 3


def test_nothing_is_drafted_past_the_end_of_the_source() -> None:
    drafter = following(SOURCE)
    for token in SOURCE[:-3]:
        drafter.accept(token)
    assert list(drafter.propose(16)) == SOURCE[-3:]


def test_an_expectation_holds_until_it_is_wrong() -> None:
    drafter = Expected([1, 2, 3])
    drafter.accept(1)
    assert list(drafter.propose(5)) == [2, 3]
    drafter.accept(7)
    assert list(drafter.propose(5)) == []


@given(st.lists(st.booleans(), max_size=20), st.integers(1, 100))
def test_a_run_grows_with_what_is_right_and_stays_in_bounds(
    outcomes: list[bool], longest: int
) -> None:
    run = RunLength(longest)
    for right in outcomes:
        before = run.tokens
        run.grow() if right else run.shrink()
        assert 1 <= run.tokens <= longest
        assert run.tokens >= before if right else run.tokens <= max(before, 4)
