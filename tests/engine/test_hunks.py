from hypothesis import given
from hypothesis import strategies as st

from cedit_engine.hunks import Hunk, hunks_between, program_of
from cedit_engine.resolver import resolve
from cedit_engine.source import Source

files = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\r\n", b"\n"]), max_size=8).map(b"".join)


@given(files, files)
def test_all_hunks_make_the_edit_and_none_leave_the_file(before: bytes, after: bytes) -> None:
    old, new = Source.from_bytes(before), Source.from_bytes(after)
    hunks = hunks_between(old, new)
    assert resolve(program_of(hunks, old), old) == after
    assert resolve(program_of([], old), old) == before


@given(files, files, st.data())
def test_each_hunk_stands_alone(before: bytes, after: bytes, data: st.DataObject) -> None:
    old = Source.from_bytes(before)
    hunks = hunks_between(old, Source.from_bytes(after))
    taken = [hunk for hunk in hunks if data.draw(st.booleans())]
    made = resolve(program_of(taken, old), old)
    lines = list(old.lines)
    for hunk in reversed(taken):
        lines[hunk.first - 1 : hunk.last] = [hunk.data]
    assert made == b"".join(lines)


def test_hunks_of_an_edit() -> None:
    old, new = Source.from_bytes(b"a\nb\nc\n"), Source.from_bytes(b"x\nb\nc\nd\n")
    assert hunks_between(old, new) == [Hunk(1, 1, b"x\n"), Hunk(4, 3, b"d\n")]
