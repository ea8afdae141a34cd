from hypothesis import given
from hypothesis import strategies as st

from cedit_engine.reading import NoStates, Prompt, unread_pieces
from tests.fakes import ScriptedModel


@given(st.integers(1, 200), st.sets(st.integers(1, 200), max_size=3), st.integers(1, 64))
def test_pieces_cover_a_prompt_and_end_at_its_marks(
    length: int, marks: set[int], longest: int
) -> None:
    within = {mark for mark in marks if mark <= length}
    pieces = Prompt(range(length), tuple(sorted(within))).pieces(longest)
    assert [n for start, stop in pieces for n in range(start, stop)] == list(range(length))
    assert within <= {stop for _, stop in pieces}
    assert all(0 < stop - start <= longest for start, stop in pieces)


@given(st.integers(0, 100), st.integers(1, 100), st.integers(1, 99))
def test_what_is_left_to_read_begins_where_a_piece_does(held: int, length: int, mark: int) -> None:
    model = ScriptedModel()
    for start in range(0, held, 64):
        model.evaluate([65] * min(64, held - start))
    prompt = Prompt([65] * length, (mark,) if mark < length else ())
    pieces = unread_pieces(model, prompt, NoStates())
    assert pieces == prompt.pieces(model.prefill_chunk)[-len(pieces) :]
    assert len(model.tokens) == pieces[0][0] <= held
