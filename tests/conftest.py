"""Shared by all tests: a calm hypothesis, and the real 0.5B model where it can be had."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from cedit_engine.errors import CeditError
from cedit_engine.llama import Llama, LoadOptions
from cedit_engine.registry import REGISTRY, TEST_MODEL
from cedit_engine.store import ModelStore, default_folder

# Times are for benchmarks: a slow machine is no failure.
settings.register_profile("cedit", deadline=None, print_blob=True)
settings.register_profile("ci", settings.get_profile("cedit"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "cedit")

# A shell lets its jobs in the background ignore Ctrl-C, and they every process that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _not_at_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What runs of ``cedit`` keep beside models stays out of the user's folders."""
    with pytest.MonkeyPatch.context() as patch:
        for kind in ("STATE", "CACHE", "CONFIG"):
            patch.setenv(f"XDG_{kind}_HOME", str(tmp_path_factory.mktemp(kind.lower())))
        yield


@pytest.fixture(scope="session")
def model_path() -> Path:
    """The 0.5B model, pulled as a user would pull it; the test is skipped where it can't be."""
    store = ModelStore(default_folder())
    model = REGISTRY[TEST_MODEL]
    try:
        if os.environ.get("CEDIT_OFFLINE", "") not in ("", "0"):
            return store.require(model)
        return store.pull(model)
    except CeditError as error:
        sys.__stderr__.write(f"\ncedit tests: no real model, its tests are skipped: {error}\n")
        pytest.skip(f"the model {TEST_MODEL} cannot be had: {error}")


@pytest.fixture(scope="session")
def llama(model_path: Path) -> Iterator[Llama]:
    """The 0.5B model, loaded once."""
    model = Llama(model_path)
    model.reserve(4096)
    yield model
    model.close()


@pytest.fixture(scope="session")
def llama_vocabulary(model_path: Path) -> Iterator[Llama]:
    """The 0.5B model's vocabulary without its weights."""
    model = Llama(model_path, LoadOptions(vocabulary_only=True))
    yield model
    model.close()
