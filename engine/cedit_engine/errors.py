"""Everything that can go wrong, as data: each error carries fields and no prose.

One place, ``cedit.console``, turns them into words and exit statuses.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from cedit_engine.counts import Counts


class CeditError(Exception):
    """The base of every error that a caller is meant to handle."""

    def __str__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({fields})"


class InputError(CeditError):
    """What the caller handed in cannot be worked on."""


class EngineError(CeditError):
    """The model or the engine could not run."""


@dataclass(eq=False)
class BinarySource(InputError):
    """The source holds a NUL byte, ``offset`` bytes from its start."""

    offset: int


@dataclass(eq=False)
class EmptyInstruction(InputError):
    """There is nothing to carry out."""


@dataclass(eq=False)
class LinesOutsideFile(InputError):
    """Lines ``first`` to ``last`` were asked for in a file of ``line_count`` lines."""

    first: int
    last: int
    line_count: int


@dataclass(eq=False)
class ProgramSyntax(InputError):
    """A program's text is not one; ``line`` counts from 1."""

    line: int
    expected: str
    found: str


@dataclass(eq=False)
class SpanOutsideSource(InputError):
    """A program copies lines, or tokens, that the source does not have."""

    first: int
    last: int
    length: int
    unit: Literal["line", "token"] = "line"


@dataclass(eq=False)
class UnknownSplice(InputError):
    """``name`` is no way to splice."""

    name: str


@dataclass(eq=False)
class TokensUnknown(InputError):
    """A program copies tokens, and no tokenizer says which those are."""

    first: int
    last: int


@dataclass(eq=False)
class NoTokenOffsets(EngineError):
    """The tokens that a tokenizer makes of a text of ``size`` bytes do not spell those bytes."""

    size: int


@dataclass(eq=False)
class PromptTooLong(EngineError):
    """The prompt and the room for an answer exceed the model's context, all in tokens.

    Where ``at_least`` so, the prompt was not read to its end.
    """

    prompt_tokens: int
    answer_tokens: int
    context_tokens: int
    at_least: bool = False


@dataclass(eq=False)
class BudgetExhausted(EngineError):
    """The answer was not finished within ``budget`` tokens; ``counts`` is what it cost."""

    budget: int
    counts: Counts


@dataclass(eq=False)
class Interrupted(CeditError):
    """The caller asked for the work to stop."""


@dataclass(eq=False)
class UnknownModel(InputError):
    """``name`` is no registry id and no file; ``near`` holds ids that look like it."""

    name: str
    near: tuple[str, ...]


@dataclass(eq=False)
class ModelAbsent(EngineError):
    """The model is not on this machine and the network may not be used."""

    model_id: str
    size: int | None


@dataclass(eq=False)
class ModelInUse(EngineError):
    """Another process is pulling this model."""

    model_id: str
    lock: Path


@dataclass(eq=False)
class PullFailed(EngineError):
    """No source delivered the model; ``reasons`` maps each source to why."""

    model_id: str
    reasons: Mapping[str, str]


@dataclass(eq=False)
class ModelsFolderUnusable(EngineError):
    """A model of ``due`` bytes, where that is known, cannot be kept in ``folder``."""

    folder: Path
    due: int | None
    reason: str


@dataclass(eq=False)
class ModelCorrupt(EngineError):
    """A model file's size or SHA-256 is not the registry's."""

    path: Path
    expected: str
    found: str


@dataclass(eq=False)
class ModelUnreadable(EngineError):
    """llama.cpp refuses the file; ``reason`` is what it or the check before it said."""

    path: Path
    reason: str


@dataclass(eq=False)
class NoChatTemplate(EngineError):
    """The model does not say how a conversation is spelled."""

    path: Path


@dataclass(eq=False)
class ChatTemplateFailed(EngineError):
    """The model's own chat template could not be rendered."""

    path: Path
    reason: str


@dataclass(eq=False)
class NoGpu(EngineError):
    """GPU layers were asked for and no GPU device is registered."""

    layers: int
    devices: tuple[str, ...] = field(default=())


@dataclass(eq=False)
class DecodeFailed(EngineError):
    """``llama_decode`` returned a status other than success."""

    status: int
    tokens: int


@dataclass(eq=False)
class CannotTrim(EngineError):
    """The model's memory cannot be rolled back (recurrent and hybrid models)."""

    description: str


@dataclass(eq=False)
class StateRefused(EngineError):
    """A saved state is not one of this model in this context."""

    tokens: int


@dataclass(eq=False)
class CannotRepeat(EngineError):
    """The model's memory cannot hold what it holds at another place too; ``reason`` says why."""

    model: str
    reason: str


@dataclass(eq=False)
class LlamaMissing(EngineError):
    """llama-cpp-python cannot be imported."""

    reason: str


@dataclass(eq=False)
class GrammarRefused(EngineError):
    """llama.cpp could not parse a grammar."""

    grammar: str


@dataclass(eq=False)
class BadRow(InputError):
    """Row ``row`` (from 1) of a data file cannot be read as an edit."""

    path: Path
    row: int
    reason: str
