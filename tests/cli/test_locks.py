import io
import threading
from pathlib import Path

from rich.console import Console

from cedit.locks import SHARED_BY_ALL_FILES, locked


def test_the_second_waits_and_says_so(tmp_path: Path) -> None:
    said, order = io.StringIO(), []
    err = Console(file=said)
    entered = threading.Event()
    file = [tmp_path / "f"]

    def second() -> None:
        entered.set()
        with locked(file, tmp_path / "locks", err):
            order.append("second")

    with locked(file, tmp_path / "locks", err):
        thread = threading.Thread(target=second)
        thread.start()
        entered.wait()
        while "waiting for another cedit" not in said.getvalue():
            pass
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


def test_many_files_share_a_few_locks(tmp_path: Path) -> None:
    files = [tmp_path / str(number) for number in range(10_000)]
    with locked(files, tmp_path / "locks", Console(file=io.StringIO())):
        assert len(list((tmp_path / "locks").iterdir())) <= SHARED_BY_ALL_FILES


def test_where_locks_cannot_be_kept_there_are_none(tmp_path: Path) -> None:
    (tmp_path / "locks").write_text("in the way")
    with locked([tmp_path / "f"], tmp_path / "locks", Console(file=io.StringIO())):
        pass
