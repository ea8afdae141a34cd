import inspect
from pathlib import Path

import pytest

from cedit import failures
from cedit.console import _WORDS, status_of, words_for
from cedit.exits import ExitStatus, worst
from cedit_engine import editing, errors
from cedit_engine.bench import peers

CONCRETE = [
    error
    for module in (errors, failures, editing, peers)
    for _, error in inspect.getmembers(module, inspect.isclass)
    if error.__module__ == module.__name__
    and issubclass(error, errors.CeditError)
    and error not in (errors.CeditError, errors.InputError, errors.EngineError)
]


@pytest.mark.parametrize("error", CONCRETE, ids=lambda error: error.__name__)
def test_every_error_has_words_and_a_status_that_fits(error: type[errors.CeditError]) -> None:
    status, _ = _WORDS[error]
    if error is editing.NothingAcceptable:
        assert status is ExitStatus.REJECTED
    elif issubclass(error, errors.EngineError):
        assert status is ExitStatus.ENGINE
    if issubclass(error, errors.InputError):
        assert status is ExitStatus.USAGE


def test_words_say_what_happened_to_what_and_what_to_do() -> None:
    error = errors.PromptTooLong(33000, 2048, 32768)
    words = words_for(error, "a\x1bb.py")
    assert words.startswith("cedit: a^[b.py: the prompt takes 33,000 tokens")
    assert "--lines A-B" in words
    assert status_of(error) is ExitStatus.ENGINE
    pull = errors.PullFailed("m", {"hub": "no route", "index": "not found"})
    assert "hub: no route; index: not found" in words_for(pull)
    gpu = errors.NoGpu(5, ("CPU",))
    assert "GGML_CUDA" in words_for(gpu)
    corrupt = errors.ModelCorrupt(Path("m.gguf"), "2 bytes", "1 bytes")
    assert "m.gguf is damaged: it is 1 bytes, not 2 bytes" in words_for(corrupt)


@pytest.mark.parametrize(
    ("statuses", "status"),
    [
        ([ExitStatus.DONE, ExitStatus.UNCHANGED], ExitStatus.DONE),
        ([ExitStatus.UNCHANGED], ExitStatus.UNCHANGED),
        ([ExitStatus.DONE, ExitStatus.CONFLICT, ExitStatus.ENGINE], ExitStatus.CONFLICT),
    ],
)
def test_a_run_ends_with_its_first_failure(statuses: list[ExitStatus], status: ExitStatus) -> None:
    assert worst(statuses) is status


def test_the_readme_lists_every_status() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    for status in ExitStatus:
        assert f"\n| {int(status)} | " in readme
