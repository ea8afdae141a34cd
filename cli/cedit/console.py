"""The one place that turns errors into words and exit statuses."""

import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from platform import platform, python_version
from typing import Any

from cedit.exits import ExitStatus
from cedit.failures import (
    Declined,
    FileChanged,
    FileProblem,
    GitFailed,
    Misuse,
    NotCommitted,
    Refused,
    RepositoryBusy,
    Stopped,
)
from cedit.render import human_size, objection, visible
from cedit.version import VERSION
from cedit_engine import errors
from cedit_engine.bench.peers import PeerFailed
from cedit_engine.editing import FailsTest, NothingAcceptable

# What happened, and what to do next.
Words = tuple[str, str]


def _binary(error: errors.BinarySource) -> Words:
    return (
        f"it is binary: byte {error.offset} is NUL",
        "cedit edits text files in UTF-8 or a superset of ASCII",
    )


def _lines_outside(error: errors.LinesOutsideFile) -> Words:
    return (
        f"lines {error.first}-{error.last} are not in it: it has {error.line_count}",
        "give --lines A-B with 1 ≤ A ≤ B ≤ the number of lines",
    )


def _program_syntax(error: errors.ProgramSyntax) -> Words:
    found = visible(error.found[:60])
    return (
        f"the program is not one: line {error.line} holds {found!r} where {error.expected} belongs",
        "make one with `cedit oracle BEFORE AFTER` or --show-program",
    )


def _span_outside(error: errors.SpanOutsideSource) -> Words:
    return (
        f"the program copies {error.unit}s {error.first}-{error.last} of a file of {error.length}",
        "apply it to the file that it was made for",
    )


def _cannot_repeat(error: errors.CannotRepeat) -> Words:
    return (
        f"the model {error.model} cannot copy what it has read: {error.reason}",
        "splice with full, none or tail:K, or take another model",
    )


def _unknown_splice(error: errors.UnknownSplice) -> Words:
    return (
        f"there is no splice {error.name!r}",
        "take full, none, tail:K for the last K lines, or shift",
    )


def _tokens_unknown(error: errors.TokensUnknown) -> Words:
    return (
        f"the program copies tokens {error.first}-{error.last}, and each tokenizer splits anew",
        "say whose tokens they are: --model ID",
    )


def _no_offsets(error: errors.NoTokenOffsets) -> Words:
    return (
        f"the model's tokenizer does not give back the {error.size:,} bytes of the text",
        "copy lines instead of tokens, or take another model",
    )


def _prompt_too_long(error: errors.PromptTooLong) -> Words:
    needed = error.prompt_tokens + error.answer_tokens
    least = "at least " if error.at_least else ""
    return (
        f"the prompt takes {least}{error.prompt_tokens:,} tokens and the answer up to "
        f"{error.answer_tokens:,}: {needed:,} where the model reads {error.context_tokens:,}",
        "name the lines that may change with --lines A-B, show fewer --context files, "
        "or lower --max-tokens",
    )


def _budget(error: errors.BudgetExhausted) -> Words:
    return (
        f"the model did not finish its answer within {error.budget:,} tokens",
        "raise --max-tokens, ask for less at a time, or try another --strategy",
    )


def _unknown_model(error: errors.UnknownModel) -> Words:
    near = f"did you mean {' or '.join(error.near)}? " if error.near else ""
    return f"there is no model {error.name!r}", f"{near}See: cedit model list"


def _model_absent(error: errors.ModelAbsent) -> Words:
    size = f" ({human_size(error.size)})" if error.size else ""
    return (
        f"the model {error.model_id} is not on this machine",
        f"get it{size} with: cedit model pull {error.model_id}",
    )


def _model_in_use(error: errors.ModelInUse) -> Words:
    return (
        f"another process is pulling {error.model_id}",
        "wait until it is done and run this again",
    )


def _pull_failed(error: errors.PullFailed) -> Words:
    reasons = "; ".join(f"{source}: {reason}" for source, reason in error.reasons.items())
    return (
        f"the model {error.model_id} could not be fetched. {reasons}",
        "check the network, or hand in a file of your own with --model PATH.gguf",
    )


def _models_folder_unusable(error: errors.ModelsFolderUnusable) -> Words:
    size = "a model" if error.due is None else f"a model of {human_size(error.due)}"
    return (
        f"{size} cannot be kept in {error.folder}: {error.reason}",
        "make room there, or hand in a file of your own with --model PATH.gguf",
    )


def _model_corrupt(error: errors.ModelCorrupt) -> Words:
    return (
        f"{error.path} is damaged: it is {error.found}, not {error.expected}",
        "delete it with `cedit model remove` and pull it again",
    )


def _model_unreadable(error: errors.ModelUnreadable) -> Words:
    return (
        f"{error.path} cannot be loaded as a model: {error.reason}",
        "give --model a complete GGUF file, or an id from: cedit model list",
    )


def _no_template(error: errors.NoChatTemplate) -> Words:
    return (
        f"{error.path} has no chat template",
        "use an instruction-tuned model; base models cannot be asked",
    )


def _template_failed(error: errors.ChatTemplateFailed) -> Words:
    return f"the chat template of {error.path} failed: {error.reason}", "use another model"


def _no_gpu(error: errors.NoGpu) -> Words:
    return (
        f"--gpu-layers {error.layers} was asked for and there is no GPU device; "
        f"llama.cpp knows: {', '.join(error.devices)}",
        'leave --gpu-layers out, or install with CMAKE_ARGS="-DGGML_CUDA=on"',
    )


def _decode_failed(error: errors.DecodeFailed) -> Words:
    return (
        f"llama.cpp returned status {error.status} for {error.tokens} tokens",
        "free some memory or use a smaller model; if it stays, report it",
    )


def _cannot_trim(error: errors.CannotTrim) -> Words:
    return (
        f"the memory of {error.description} cannot be rolled back, as recurrent models' cannot",
        "use a model with plain attention",
    )


def _nothing_acceptable(error: NothingAcceptable) -> Words:
    happened = "; ".join(map(objection, error.rejected))
    tested = any(isinstance(other.reason, FailsTest) for other in error.rejected)
    return (
        f"no answer was good enough, and nothing was written: {happened}",
        "raise --attempts, or say more about what to change"
        if tested
        else "say more about what to change, or switch a guard off with --no-guard",
    )


def _llama_missing(error: errors.LlamaMissing) -> Words:
    return (
        f"llama-cpp-python cannot be used: {error.reason}",
        "reinstall it: pip install --force-reinstall llama-cpp-python",
    )


def _grammar_refused(error: errors.GrammarRefused) -> Words:
    return (
        "llama.cpp could not parse a grammar that cedit made",
        "please report the file that you edited",
    )


def _file_changed(error: FileChanged) -> Words:
    return (
        f"{visible(error.name)} is not what it was any more; it was left alone",
        f"the edit is saved: git apply {error.patch}"
        if error.patch
        else "run the command again on the file as it is now",
    )


def _bad_row(error: errors.BadRow) -> Words:
    return (
        f"{error.path}: row {error.row} is not an edit: {error.reason}",
        "a row is one of HumanEvalPack, or holds before, after and instruction",
    )


_WORDS: dict[type[errors.CeditError], tuple[ExitStatus, Callable[[Any], Words]]] = {
    errors.BinarySource: (ExitStatus.USAGE, _binary),
    errors.EmptyInstruction: (
        ExitStatus.USAGE,
        lambda _: ("the instruction is empty", 'say what to change: cedit FILE -m "…"'),
    ),
    errors.LinesOutsideFile: (ExitStatus.USAGE, _lines_outside),
    errors.ProgramSyntax: (ExitStatus.USAGE, _program_syntax),
    errors.SpanOutsideSource: (ExitStatus.USAGE, _span_outside),
    errors.CannotRepeat: (ExitStatus.ENGINE, _cannot_repeat),
    errors.UnknownSplice: (ExitStatus.USAGE, _unknown_splice),
    errors.TokensUnknown: (ExitStatus.USAGE, _tokens_unknown),
    errors.NoTokenOffsets: (ExitStatus.ENGINE, _no_offsets),
    errors.UnknownModel: (ExitStatus.USAGE, _unknown_model),
    errors.BadRow: (ExitStatus.USAGE, _bad_row),
    errors.PromptTooLong: (ExitStatus.ENGINE, _prompt_too_long),
    errors.BudgetExhausted: (ExitStatus.ENGINE, _budget),
    errors.ModelAbsent: (ExitStatus.ENGINE, _model_absent),
    errors.ModelInUse: (ExitStatus.ENGINE, _model_in_use),
    errors.PullFailed: (ExitStatus.ENGINE, _pull_failed),
    errors.ModelsFolderUnusable: (ExitStatus.ENGINE, _models_folder_unusable),
    errors.ModelCorrupt: (ExitStatus.ENGINE, _model_corrupt),
    errors.ModelUnreadable: (ExitStatus.ENGINE, _model_unreadable),
    errors.NoChatTemplate: (ExitStatus.ENGINE, _no_template),
    errors.ChatTemplateFailed: (ExitStatus.ENGINE, _template_failed),
    errors.NoGpu: (ExitStatus.ENGINE, _no_gpu),
    errors.DecodeFailed: (ExitStatus.ENGINE, _decode_failed),
    errors.CannotTrim: (ExitStatus.ENGINE, _cannot_trim),
    errors.LlamaMissing: (ExitStatus.ENGINE, _llama_missing),
    errors.GrammarRefused: (ExitStatus.ENGINE, _grammar_refused),
    errors.StateRefused: (
        ExitStatus.ENGINE,
        lambda _: ("a saved prompt state was refused", "delete them with: cedit cache clear"),
    ),
    PeerFailed: (
        ExitStatus.ENGINE,
        lambda error: (
            f"{error.peer} could not be run: {error.reason}",
            "pip install xllamacpp, or name the systems to compare with --system",
        ),
    ),
    NothingAcceptable: (ExitStatus.REJECTED, _nothing_acceptable),
    errors.Interrupted: (
        ExitStatus.INTERRUPTED,
        lambda _: ("interrupted", "nothing that was not reported as written has changed"),
    ),
    Misuse: (ExitStatus.USAGE, lambda error: (error.problem, error.hint)),
    FileProblem: (
        ExitStatus.USAGE,
        lambda error: (f"{visible(error.name)}: {error.problem}", error.hint),
    ),
    FileChanged: (ExitStatus.CONFLICT, _file_changed),
    GitFailed: (
        ExitStatus.ENGINE,
        lambda error: (
            f"git {error.command} failed: {visible(' '.join(error.said.split()))}",
            "see what git says of this repository: git status",
        ),
    ),
    NotCommitted: (
        ExitStatus.CONFLICT,
        lambda error: (
            f"the edit is written, and was not committed: {visible(' '.join(error.why.split()))}",
            "commit it yourself, or take it back with: cedit undo",
        ),
    ),
    RepositoryBusy: (
        ExitStatus.REFUSED,
        lambda error: (
            f"this repository is in the middle of {error.what}",
            "end that first: git status tells how",
        ),
    ),
    Stopped: (
        ExitStatus.REFUSED,
        lambda error: (
            f"{visible(error.name)} and what follows were left as they were",
            "run the command again for these",
        ),
    ),
    Refused: (
        ExitStatus.REFUSED,
        lambda error: (
            f"{visible(error.name)} was left as it was: {visible(error.why)}",
            "write it all the same with --force, or parts of it with -i on a terminal",
        ),
    ),
    Declined: (
        ExitStatus.REFUSED,
        lambda error: (f"{visible(error.name)} was left as it was", "answer y to write the edit"),
    ),
}


def status_of(error: errors.CeditError) -> ExitStatus:
    """The exit status that ``error`` ends a run with."""
    return _WORDS[type(error)][0]


def words_for(error: errors.CeditError, about: str = "") -> str:
    """What happened, to what, and what to do next, in one line."""
    happened, next_step = _WORDS[type(error)][1](error)
    names_it = happened.startswith(visible(about))
    subject = f"{visible(about)}: " if about and not names_it else ""
    return f"cedit: {subject}{happened} ({next_step})"


def save_report(error: BaseException, folder: Path) -> Path:
    """Write down an error nobody expected; the path of the report."""
    folder.mkdir(parents=True, exist_ok=True)
    now = datetime.now(UTC)
    path = folder / f"{now:%Y%m%dT%H%M%S.%fZ}.txt"
    head = (
        f"cedit {VERSION}, Python {python_version()}, {platform()}, {now:%Y-%m-%d %H:%M:%S} UTC\n\n"
    )
    path.write_text(head + "".join(traceback.format_exception(error)), encoding="utf-8")
    return path
