import re

from hypothesis import given
from hypothesis import strategies as st

from cedit_engine.grammar import literal, number_between
from tests.gbnf import Grammar


@given(st.integers(0, 4000), st.integers(0, 4000))
def test_numbers_between_are_exactly_those(low: int, more: int) -> None:
    high = low + more
    grammar = Grammar(f"root ::= {number_between(low, high)}")
    near = {low - 1, low, low + 1, (low + high) // 2, high - 1, high, high + 1, high * 10}
    for number in near - {-1}:
        assert grammar.accepts(str(number).encode()) == (low <= number <= high)
    assert not grammar.accepts(b"0" + str(low).encode())


def test_the_size_of_a_range_does_not_grow_with_it() -> None:
    assert len(number_between(17, 98_765).split("|")) < 30


@given(st.text())
def test_a_literal_reads_back_as_its_text(text: str) -> None:
    spelled = literal(text)
    assert re.fullmatch(r'"[ -~]*"', spelled)
    assert Grammar(f"root ::= {spelled}").accepts(text.encode("utf-8", "surrogatepass"))
