from pathlib import Path

import pytest

from cedit_engine.errors import UnknownModel
from cedit_engine.registry import DEFAULT_MODEL, REGISTRY, KnownModel, find_model


def test_ids_name_registry_rows() -> None:
    assert find_model(DEFAULT_MODEL) is REGISTRY[DEFAULT_MODEL]


def test_hub_names_stand_for_files_on_the_hub() -> None:
    model = find_model("hf:owner/repo/sub/file-q4.gguf")
    assert isinstance(model, KnownModel)
    assert (model.hub.repository, model.hub.file) == ("owner/repo", "sub/file-q4.gguf")
    assert model.file == "owner--repo--sub--file-q4.gguf"
    assert model.sha256 is None


@pytest.mark.parametrize("name", ["./x", "model.gguf", "/models/m"])
def test_paths_are_paths(name: str) -> None:
    assert find_model(name) == Path(name)


def test_an_unknown_id_names_the_near_ones() -> None:
    with pytest.raises(UnknownModel) as caught:
        find_model("qwen2.5-coder-15b")
    assert DEFAULT_MODEL in caught.value.near


def test_every_row_can_be_checked() -> None:
    for row in REGISTRY.values():
        assert row.size
        assert row.sha256
        assert len(row.sha256) == 64
        assert len(row.hub.revision) == 40
