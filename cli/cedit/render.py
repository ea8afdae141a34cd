"""Text for people: diffs in colour, sizes, summaries, and nothing that a terminal obeys."""

import re
from collections.abc import Iterator
from io import StringIO

from rich.text import Text
from unidiff.patch import PatchSet

from cedit_engine.editing import EditResult, FailsTest, Outvoted, Rejected, SameAgain
from cedit_engine.errors import BudgetExhausted, PromptTooLong
from cedit_engine.guards.concerns import words_for_concern
from cedit_engine.mending import Mend

_CONTROLS = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)


def visible(text: str) -> str:
    """``text`` with control and direction characters spelled out, tabs and newlines kept."""
    spelled = _CONTROLS.sub(lambda match: _spell(match[0]), text)
    return spelled.encode("utf-8", "backslashreplace").decode("utf-8")


def _spell(char: str) -> str:
    code = ord(char)
    if code < 0x20:
        return f"^{chr(code + 0x40)}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def diff_text(patch: bytes) -> Text:
    """A patch in colours, safe to print."""
    text = Text(no_wrap=False)
    for line in patch.decode("utf-8", "replace").split("\n")[:-1]:
        text.append(visible(line.removesuffix("\r")), _style(line))
        text.append("\\r" if line.endswith("\r") and line[:1] in "+-" else "", "dim")
        text.append("\n")
    return text


def _style(line: str) -> str:
    if line.startswith(("diff --git ", "--- ", "+++ ", "new file ")):
        return "bold"
    if line.startswith("@@"):
        return "cyan"
    return {"+": "green", "-": "red"}.get(line[:1], "")


def changed_lines(patch: bytes) -> tuple[int, int]:
    """How many lines a patch adds and removes."""
    text = patch.decode("utf-8", "surrogateescape")
    files = PatchSet(StringIO(text))
    return sum(file.added for file in files), sum(file.removed for file in files)


def human_size(size: int) -> str:
    """Bytes as people read them, in powers of 1000."""
    if size < 1000:
        return f"{size} bytes"
    power = min(len(_UNITS), (len(str(size)) - 1) // 3)
    return f"{size / 1000**power:.1f} {_UNITS[power - 1]}"


_UNITS = ("kB", "MB", "GB", "TB")


def plural(count: int, noun: str) -> str:
    """``1 line``, ``2 lines``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def cost(result: EditResult) -> str:
    """What an edit cost, in one line, behind who answered and why."""
    counts = result.counts
    read = counts.prompt_tokens - counts.reused_tokens
    others = {"forced": counts.forced_tokens, "spliced": counts.spliced_tokens}
    others = {"drafted right": counts.accepted_tokens, **others}
    also = "".join(f", {tokens:,} {kind}" for kind, tokens in others.items() if tokens)
    return (
        f"{who_answered(result)}: {read:,} of {counts.prompt_tokens:,} prompt tokens read, "
        f"{counts.decoded_tokens:,} decoded{also} "
        f"in {plural(counts.forward_calls, 'call')}; "
        f"{counts.model_seconds:.1f} s in the model, {counts.other_seconds:.1f} s outside"
    )


def who_answered(result: EditResult) -> str:
    """The strategy that answered, and why those before it did not."""
    answer = [result.strategy, *map(_MENDED.__getitem__, result.chosen.mends)]
    return ", ".join([*answer, *(f"as {objection(other)}" for other in result.rejected)])


_MENDED = {
    Mend.WITHOUT_STRAYS: "less what it changed elsewhere",
    Mend.WITHOUT_LOSSES: "less what lost code",
    Mend.WITH_BOTH: "with what it had written over",
    Mend.WITH_DOCSTRING: "with the docstring in its place",
    Mend.WITHOUT_OVERLAP: "less what it left of the old code",
    Mend.WITHOUT_REWRITING: "less what it wrote again of the old code",
    Mend.WITH_IMPORTS: "with what it did not import",
}


def unsure(name: str, result: EditResult) -> str:
    """What is said of an edit that the model was not sure of."""
    return (
        f"cedit: {visible(name)}: the model was not sure of this edit "
        f"(log-probability {result.chosen.certainty.total:.1f}): read it before you keep it"
    )


def objection(rejected: Rejected) -> str:
    """Why an answer was not taken."""
    match rejected.reason:
        case FailsTest(output):
            last = visible(output.rpartition("\n")[2])[:100]
            what = f"failed the test{f' ({last})' if last else ''}"
        case Outvoted():
            what = "gave an answer that others did not agree with"
        case SameAgain():
            what = "gave an answer tried before"
        case BudgetExhausted(budget=budget):
            what = f"did not end within {budget:,} tokens"
        case PromptTooLong():
            what = "had no room in the model's context"
        case concern:
            what = visible(words_for_concern(concern))
    return f"{rejected.strategy} {what}"


def counts_in_full(result: EditResult) -> Iterator[tuple[str, str]]:
    """Every count of an edit, named."""
    for name, value in vars(result.counts).items():
        shown = f"{value:.3f}" if isinstance(value, float) else f"{value:,}"
        yield name.replace("_", " "), shown
