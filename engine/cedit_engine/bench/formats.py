"""``bench formats``: the same edits in the formats in which models are asked for them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from functools import partial

from unidiff.errors import UnidiffParseError
from unidiff.patch import PatchSet

from cedit_engine.bench.ceiling import Edit, token_diff
from cedit_engine.bench.dictated import Dictated
from cedit_engine.counts import Counts
from cedit_engine.decoder import Decoder
from cedit_engine.errors import CeditError
from cedit_engine.events import Cancellation, ignore
from cedit_engine.hunks import Hunk, hunks_between
from cedit_engine.model import Model, Turn
from cedit_engine.offsets import Tokenizer
from cedit_engine.oracle import oracle
from cedit_engine.program import parse, render
from cedit_engine.prompt import closed, text_of
from cedit_engine.reading import NoStates, Prompt
from cedit_engine.resolver import resolve
from cedit_engine.sampling import Sampler, SamplingOptions
from cedit_engine.settle import settle
from cedit_engine.source import Source, split_lines
from cedit_engine.spelling import as_anchor, as_lines, as_tokens
from cedit_engine.strategies.anchor import Anchor
from cedit_engine.strategies.base import Strategy, StrategyOptions
from cedit_engine.strategies.lines import Lines
from cedit_engine.task import Task

Apply = Callable[[bytes, str], bytes | None]
"""Builds the new file from the old one and an answer; nothing where the answer does not apply."""


@dataclass(frozen=True)
class Format:
    """How a known edit is spelled, and two ways to apply what a model wrote in it.

    ``strict`` refuses what is ambiguous or not where it says it is; ``first`` takes the first
    place that fits.
    """

    spell: Callable[[Edit], str]
    strict: Apply
    first: Apply


@dataclass(frozen=True)
class Spelled:
    """An edit in one format: all its tokens, those that need a decision, and what comes of it."""

    tokens: int
    decided: int
    strict: bool
    first: bool


def spelled(edit: Edit, model: Model) -> dict[str, Spelled]:
    """``edit`` in every format; those of ``DICTATED`` through their own constraints.

    Of ``model`` only the tokenizer is used.
    """
    count = Tokenizer(model.tokenize, model.vocabulary).count
    found = {name: _spelled(edit, form, count) for name, form in FORMATS.items()}
    return found | {name: _dictated(edit, name, model) for name in DICTATED}


def _spelled(edit: Edit, form: Format, count: Callable[[str], int]) -> Spelled:
    text, before, after = form.spell(edit), edit.before.data, edit.after.data
    tokens = count(text)
    outcomes = (apply(before, text) == after for apply in (form.strict, form.first))
    return Spelled(tokens, tokens, *outcomes)


def _dictated(edit: Edit, name: str, model: Model) -> Spelled:
    built = dictated(edit, name, model)
    if built is None:
        return Spelled(0, 0, strict=False, first=False)
    decided, is_right = built.counts.decoded_tokens, built.after == edit.after.data
    return Spelled(decided + built.counts.forced_tokens, decided, is_right, is_right)


@dataclass(frozen=True)
class Dictation:
    """A strategy whose constraint leaves little to decide, and a known edit as it writes it."""

    strategy: Strategy
    spell: Callable[[Task, Edit], str | None]


def _by_tokens(task: Task, edit: Edit) -> str | None:
    return as_tokens(task, token_diff(edit.old_tokens, edit.new_tokens), edit.old_tokens)


DICTATED: Mapping[str, Dictation] = {
    "lines": Dictation(Lines(), lambda task, edit: as_lines(task, edit.after)),
    "lines, by tokens": Dictation(Lines(tokens=True), _by_tokens),
    "anchor": Dictation(Anchor(), lambda task, edit: as_anchor(task, edit.after)),
}


@dataclass(frozen=True)
class Built:
    """What came of an answer that was dictated, and what it took."""

    after: bytes
    counts: Counts


def dictated(edit: Edit, name: str, model: Model, evaluates: bool = False) -> Built | None:
    """What that of ``DICTATED`` makes of a model that wants to write ``edit``; None where it fails.

    The prompt is as short as can be: what it says plays no part.
    """
    task = Task.of(edit.before, "Edit.", "file")
    text = DICTATED[name].spell(task, edit)
    if text is None:
        return None
    wanting = Dictated(model, text.encode(), evaluates)
    prompt = wanting.tokenize_chat([Turn("user", task.instruction)])
    # Each token of the text may come as the tokens of its bytes.
    wanting.reserve(len(prompt) + len(text.encode()) + 1)
    decoder = Decoder(
        wanting, Sampler(SamplingOptions()), len(text.encode()), False, ignore, Cancellation()
    )
    try:
        decoder.read(Prompt(prompt, ()), NoStates())
        draft = DICTATED[name].strategy.answer(decoder, task, StrategyOptions(drafts=False))
        wanting.flush()
    except CeditError:
        return None
    return Built(resolve(settle(draft, edit.before), edit.before), decoder.counts)


def whole(edit: Edit) -> str:
    """The new file."""
    return text_of(edit.after.data)


def blocks(edit: Edit) -> str:
    """Search/replace blocks of the lines that change; an addition repeats the line before it."""
    return "".join(
        f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n" for old, new in _sides(edit)
    )


def _sides(edit: Edit) -> Iterator[tuple[str, str]]:
    for hunk in map(partial(_held, edit.before), hunks_between(edit.before, edit.after)):
        old = b"".join(edit.before.lines[hunk.first - 1 : hunk.last])
        yield closed(text_of(old)), closed(text_of(hunk.data))


def _held(source: Source, hunk: Hunk) -> Hunk:
    """``hunk`` with a line to hold on to, where it replaces none and there is one."""
    if hunk.last >= hunk.first or not len(source):
        return hunk
    if hunk.first > 1:
        line = source.lines[hunk.first - 2]
        return Hunk(hunk.first - 1, hunk.last, line + hunk.data)
    return Hunk(1, 1, hunk.data + source.lines[0])


def diff(edit: Edit, context: int) -> str:
    """A unified diff with ``context`` lines around each change."""
    old, new = (tuple(map(text_of, side.lines)) for side in (edit.before, edit.after))
    lines = unified_diff(old, new, "a/file", "b/file", n=context)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def apply_blocks(before: bytes, answer: str, strict: bool) -> bytes | None:
    """Each block in the first place that it fits, which ``strict`` wants to be the only one."""
    text = text_of(before)
    for block in answer.split("<<<<<<< SEARCH\n")[1:]:
        old, _, rest = block.partition("=======\n")
        new = rest.removesuffix(">>>>>>> REPLACE\n")
        if not text.endswith("\n") and text.endswith(old.removesuffix("\n")):
            old, new = old.removesuffix("\n"), new.removesuffix("\n")
        if old not in text or (strict and text.count(old) > 1):
            return None
        text = text.replace(old, new, 1)
    return _bytes(text)


def apply_diff(before: bytes, answer: str, strict: bool) -> bytes | None:
    """Each hunk where its header says, or else in the first place whose lines are its own."""
    lines = [*map(text_of, split_lines(before))]
    try:
        patch = PatchSet(answer)
    except UnidiffParseError:
        return None
    shift = following = 0
    for hunk in (hunk for file in patch for hunk in file):
        old = [line.value for line in hunk if not line.is_added]
        new = [line.value for line in hunk if not line.is_removed]
        stated = hunk.source_start - (1 if old else 0) + shift
        places = [stated] if strict else range(following, len(lines) + 1)
        fitting = [at for at in places if at >= 0 and _same(lines[at : at + len(old)], old)]
        if not fitting:
            return None
        at = fitting[0]
        lines[at : at + len(old)] = new
        following, shift = at + len(new), shift + len(new) - len(old)
    return _bytes("".join(lines))


def _same(found: Sequence[str], wanted: Sequence[str]) -> bool:
    return [*found] == [*wanted]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _program(edit: Edit) -> str:
    return render(oracle(edit.before, edit.after))


def _resolved(before: bytes, answer: str) -> bytes | None:
    return resolve(parse(answer), Source.from_bytes(before))


FORMATS: Mapping[str, Format] = {
    "whole file": Format(whole, lambda _, answer: _bytes(answer), lambda _, answer: _bytes(answer)),
    "search/replace": Format(
        blocks, partial(apply_blocks, strict=True), partial(apply_blocks, strict=False)
    ),
    "unified diff": Format(
        partial(diff, context=3),
        partial(apply_diff, strict=True),
        partial(apply_diff, strict=False),
    ),
    "unified diff, no context": Format(
        partial(diff, context=0),
        partial(apply_diff, strict=True),
        partial(apply_diff, strict=False),
    ),
    "program": Format(_program, _resolved, _resolved),
}
