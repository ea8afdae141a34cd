import os
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from cedit.journal import Entry, Journal, Origin


def journal(folder: Path, cap: int = 10_000) -> Journal:
    ticks = count(1)
    return Journal(folder, cap, lambda: float(next(ticks)))


def wrote(kept: Journal, name: str, before: bytes | None, after: bytes) -> Entry:
    return kept.confirm(kept.record(Path(name), before, after, Origin()))


def test_both_texts_of_a_write_are_kept(tmp_path: Path) -> None:
    kept = journal(tmp_path)
    origin = Origin(("cedit", "f"), "m", "<copy/>")
    first = kept.confirm(kept.record(Path("/f"), b"1", b"2", origin))
    second = wrote(kept, "/g", None, b"2")
    assert kept.entries() == [second, first]
    assert kept.text(first.after) == b"2" == kept.text(second.after)
    assert first.before is not None
    assert kept.text(first.before) == b"1"
    assert second.before is None
    assert (kept.command(first), first.model, first.program) == (("cedit", "f"), "m", "<copy/>")
    assert len(list((tmp_path / "objects").iterdir())) == 2 + 2, "equal texts are kept once"


def test_what_a_command_names_is_not_kept_again_for_each_file_of_it(tmp_path: Path) -> None:
    kept = journal(tmp_path, cap=1_000_000)
    origin = Origin(("cedit", *map(str, range(10_000))))
    entries = [kept.confirm(kept.record(Path(f"/{name}"), b"1", b"2", origin)) for name in range(9)]
    assert {kept.command(entry) for entry in entries} == {origin.command}
    assert sum(path.stat().st_size for path in tmp_path.rglob("*")) < 2 * len(str(origin))


def test_others_cannot_read_it(tmp_path: Path) -> None:
    kept = journal(tmp_path / "j")
    kept.record(Path("/f"), b"1", b"2", Origin())
    for path in (tmp_path / "j").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0


def test_what_was_taken_back_is_marked(tmp_path: Path) -> None:
    kept = journal(tmp_path)
    entry = wrote(kept, "/f", b"1", b"2")
    kept.mark(entry, undone=True)
    assert kept.entries()[0].undone
    kept.forget(entry)
    assert kept.entries() == []


def test_what_is_no_entry_is_passed_over(tmp_path: Path) -> None:
    kept = journal(tmp_path)
    entry = wrote(kept, "/f", b"1", b"2")
    for name, text in (("a.json", "nonsense"), ("b.json", "{}"), ("c.json", "[1]")):
        (tmp_path / "entries" / name).write_text(text)
    assert kept.entries() == [entry]


@given(st.lists(st.binary(max_size=60), min_size=1, max_size=12))
def test_the_cap_holds_and_every_entry_has_its_texts(texts: list[bytes]) -> None:
    with TemporaryDirectory() as folder:
        kept = journal(Path(folder), cap=100)
        for text in texts:
            latest = wrote(kept, "/f", text, text + b"!")
            kept.tidy()
            entries = kept.entries()
            assert latest in entries
            for entry in entries:
                assert kept.text(entry.after) == kept.text(str(entry.before)) + b"!"
            size = sum(path.stat().st_size for path in (Path(folder) / "objects").iterdir())
            assert size <= 100 or len(entries) == 1


def test_what_a_killed_run_left_open_is_settled_by_what_the_file_holds(tmp_path: Path) -> None:
    kept = journal(tmp_path / "journal")
    for name, text in (("written", b"2"), ("not", b"1")):
        (tmp_path / name).write_bytes(text)
        entry = kept.record(tmp_path / name, b"1", b"2", Origin())
        gone = kept.folder / "entries" / f"{entry.id}.open"
        gone.write_text(gone.read_text().replace(f'"writer": {os.getpid()}', '"writer": 4194304'))
    mine = kept.record(tmp_path / "mine", b"1", b"2", Origin())
    assert kept.entries() == []
    kept.recover()
    assert [entry.path for entry in kept.entries()] == [str(tmp_path / "written")]
    assert len(list((kept.folder / "entries").iterdir())) == 2, "a run that goes on is left alone"
    kept.forget(mine)
