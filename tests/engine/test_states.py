import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from cedit_engine.states import StateCache
from tests.fakes import ScriptedModel


def model_after(text: bytes) -> ScriptedModel:
    model = ScriptedModel()
    for start in range(0, len(text), 64):
        model.evaluate(list(text[start : start + 64]))
    return model


def restored(cache: StateCache, prompt: bytes, at_least: int = 1) -> bytes:
    model = ScriptedModel()
    cache.restore(model, list(prompt), at_least)
    return bytes(model.tokens)


def test_the_state_that_shares_most_is_restored(tmp_path: Path) -> None:
    cache = StateCache(tmp_path)
    for text in (b"system", b"system file one", b"system other"):
        cache.save(model_after(text))
    assert restored(cache, b"system file two") == b"system file one"
    assert restored(cache, b"system") != b""
    assert restored(cache, b"else") == b""
    assert restored(cache, b"system file two", at_least=13) == b""
    assert cache.size()[0] == 3


def test_another_model_or_setting_has_states_of_its_own(tmp_path: Path) -> None:
    cache = StateCache(tmp_path)
    cache.save(model_after(b"text"))

    class Other(ScriptedModel):
        @property
        def settings(self) -> Mapping[str, object]:
            return {"scripted": False}

    other = Other()
    cache.restore(other, list(b"text"), 1)
    assert list(other.tokens) == []
    replaced = ScriptedModel()
    replaced.weights = tmp_path / "weights"
    replaced.weights.write_bytes(b"other weights")
    cache.restore(replaced, list(b"text"), 1)
    assert list(replaced.tokens) == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda data: b"",
        lambda data: b"foreign" + data,
        lambda data: data[:-2] + b"??",
        lambda data: data.replace(b"tokens", b"t0kens"),
        lambda data: data.replace(b'{"tokens"', b'["tokens"'),
    ],
)
def test_a_file_that_is_cut_off_or_foreign_is_deleted_and_made_again(
    tmp_path: Path, damage: object
) -> None:
    cache = StateCache(tmp_path)
    cache.save(model_after(b"some text"))
    (path,) = tmp_path.glob("*/*.state")
    path.write_bytes(damage(path.read_bytes()))  # type: ignore[operator]
    assert restored(cache, b"some text") == b""
    assert not path.exists()
    cache.save(model_after(b"some text"))
    assert restored(cache, b"some text") == b"some text"


def test_what_was_not_used_for_longest_gives_way(tmp_path: Path) -> None:
    texts = [b"a" * 50, b"b" * 50, b"c" * 50]
    cache = StateCache(tmp_path)
    cache.save(model_after(texts[0]))
    size = cache.size()[1]
    small = StateCache(tmp_path, limit=size * 2 + size // 2)
    small.save(model_after(texts[1]))
    for age, path in enumerate(sorted(tmp_path.glob("*/*.state"), key=os.path.getmtime)):
        os.utime(path, (age, age))
    assert restored(small, texts[0]) == texts[0]
    small.save(model_after(texts[2]))
    assert restored(small, texts[1]) == b""
    assert restored(small, texts[0]) == texts[0]
    assert restored(small, texts[2]) == texts[2]
    StateCache(tmp_path, limit=10).save(model_after(b"d" * 50))
    assert restored(small, b"d" * 50) == b""


def test_a_folder_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    cache = StateCache(blocked)
    cache.save(model_after(b"text"))
    assert restored(cache, b"text") == b""
    assert cache.size() == (0, 0)


def test_states_are_for_their_owner_alone_and_clear_deletes_them(tmp_path: Path) -> None:
    cache = StateCache(tmp_path / "states")
    cache.save(model_after(b"secret"))
    assert cache.folder.stat().st_mode & 0o077 == 0
    (path,) = cache.folder.glob("*/*.state")
    assert path.stat().st_mode & 0o077 == 0
    assert sorted(p.suffix for p in cache.folder.iterdir()) == ["", ".sha256"]
    assert cache.clear()[0] == 1
    assert cache.size() == (0, 0)
