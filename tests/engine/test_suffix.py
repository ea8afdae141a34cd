from hypothesis import given
from hypothesis import strategies as st

from cedit_engine.suffix import NO_MATCH, SuffixAutomaton

tokens = st.lists(st.integers(0, 3), max_size=40)


def longest_run(text: list[int], history: list[int]) -> int:
    """How many last items of ``text`` stand together in ``history``, found by looking."""
    for length in range(len(text), 0, -1):
        run = text[-length:]
        if any(history[i : i + length] == run for i in range(len(history))):
            return length
    return 0


@given(tokens, tokens)
def test_the_longest_run_that_occurred_is_found_and_where_it_ends(
    history: list[int], text: list[int]
) -> None:
    automaton, match = SuffixAutomaton(history), NO_MATCH
    for count, token in enumerate(text, start=1):
        match = automaton.step(match, token)
        assert match.length == longest_run(text[:count], history)
        end = automaton.end_of(match)
        assert history[end - match.length : end] == text[count - match.length : count]


@given(tokens)
def test_a_match_stays_right_while_the_sequence_grows(text: list[int]) -> None:
    automaton, match = SuffixAutomaton(), NO_MATCH
    for count, token in enumerate(text, start=1):
        match = automaton.step(match, token)
        assert match.length == longest_run(text[:count], text[: count - 1])
        automaton.extend([token])
    assert automaton.tokens == text
