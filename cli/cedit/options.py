"""Every option, declared once."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from cedit.config import recipes_for
from cedit.failures import Misuse
from cedit_engine.editing import STRATEGY_NAMES, EditOptions
from cedit_engine.guards.check import GUARDS
from cedit_engine.registry import REGISTRY
from cedit_engine.session import AnswerOptions

DEFAULTS = EditOptions()
ANSWER = AnswerOptions()

_EDIT = "The edit"
_GIT = "In git"
_TEST = "A test that decides"
_OUTPUT = "Where the result goes"
_MODEL = "The model"
_TALK = "What is said"


def _paths(incomplete: str) -> list[str]:
    folder, _, start = incomplete.rpartition("/")
    try:
        entries = list(os.scandir(folder or ("/" if incomplete.startswith("/") else ".")))
    except OSError:
        return []
    prefix = incomplete[: len(incomplete) - len(start)]
    found = (prefix + e.name + "/" * e.is_dir() for e in entries if e.name.startswith(start))
    return sorted(path for path in found if start or not path.rpartition("/")[2].startswith("."))


def _models(incomplete: str) -> list[str]:
    return [model for model in REGISTRY if model.startswith(incomplete)]


def _strategies(incomplete: str) -> list[str]:
    return [strategy for strategy in STRATEGY_NAMES if strategy.startswith(incomplete)]


def recipes(incomplete: str) -> list[str]:
    """The project's recipes that begin so, for completion."""
    with suppress(Misuse):
        return [name for name in recipes_for(Path.cwd()) if name.startswith(incomplete)]
    return []


Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE",
        show_default=False,
        help="The files to edit; - is standard input.",
        autocompletion=_paths,
    ),
]
OneFile = Annotated[
    str,
    typer.Argument(metavar="FILE", show_default=False, help="The file.", autocompletion=_paths),
]
Message = Annotated[
    str | None,
    typer.Option("-m", "--message", metavar="TEXT", rich_help_panel=_EDIT, help="What to change."),
]
MessageFile = Annotated[
    str | None,
    typer.Option(
        "-F",
        "--file",
        metavar="FILE",
        rich_help_panel=_EDIT,
        help="Read what to change from FILE; - is standard input.",
    ),
]
ContextFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--context",
        metavar="FILE",
        rich_help_panel=_EDIT,
        help="A further file that the model may read and not change. May be repeated.",
    ),
]
Lines = Annotated[
    str | None,
    typer.Option(
        "--lines", metavar="A-B", rich_help_panel=_EDIT, help="Only these lines may change."
    ),
]
Create = Annotated[
    bool,
    typer.Option("--create", rich_help_panel=_EDIT, help="Create FILE where it does not exist."),
]
StdinName = Annotated[
    str,
    typer.Option(
        "--stdin-name",
        metavar="NAME",
        rich_help_panel=_EDIT,
        help="What standard input is called, such as x.py.",
    ),
]
StrategyName = Annotated[
    str,
    typer.Option(
        "--strategy",
        metavar="|".join(STRATEGY_NAMES),
        rich_help_panel=_EDIT,
        autocompletion=_strategies,
        help="How the model spells its edit.",
    ),
]
RewriteTokens = Annotated[
    int,
    typer.Option(
        "--rewrite-tokens",
        metavar="N",
        min=0,
        rich_help_panel=_EDIT,
        help="The longest file, in tokens, that the strategy auto has rewritten first.",
    ),
]
DriftMargin = Annotated[
    float,
    typer.Option(
        "--drift-margin",
        metavar="X",
        min=0.0,
        rich_help_panel=_EDIT,
        help="verify keeps to the file where the model prefers other text by less than X nats.",
    ),
]
NoDrafts = Annotated[
    bool,
    typer.Option(
        "--no-drafts",
        rich_help_panel=_EDIT,
        help="Guess nothing ahead: the same answers, one call a token.",
    ),
]
NoGuard = Annotated[
    list[str] | None,
    typer.Option(
        "--no-guard",
        metavar="NAME",
        rich_help_panel=_EDIT,
        help=f"Do not look for this in an answer: {', '.join(GUARDS)}, or all. Repeatable.",
    ),
]
TestCommand = Annotated[
    str | None,
    typer.Option(
        "--test",
        metavar="CMD",
        rich_help_panel=_TEST,
        help="Take the first edit with which CMD exits 0, tried in a copy of the work tree.",
    ),
]
InPlaceTest = Annotated[
    bool,
    typer.Option(
        "--in-place-test",
        rich_help_panel=_TEST,
        help="Try edits in the file itself, and put it back after each.",
    ),
]
Attempts = Annotated[
    int | None,
    typer.Option(
        "--attempts",
        metavar="N",
        min=1,
        rich_help_panel=_TEST,
        help="How many edits to try at most; without a test, to take what most agree on.",
    ),
]
TestTimeout = Annotated[
    float,
    typer.Option(
        "--test-timeout",
        metavar="SECONDS",
        min=0.1,
        rich_help_panel=_TEST,
        help="How long CMD may run before it counts as failed.",
    ),
]
NoCache = Annotated[
    bool,
    typer.Option(
        "--no-cache",
        rich_help_panel=_MODEL,
        help="Neither use nor keep what the model made of a prompt.",
    ),
]
AnyOrder = Annotated[
    bool,
    typer.Option(
        "--any-order",
        rich_help_panel=_EDIT,
        help="Let the lines strategy copy in any order, so that it can move and repeat lines.",
    ),
]
GRANULARITIES = ("line", "token")
Granularity = Annotated[
    str,
    typer.Option(
        "--granularity",
        metavar="|".join(GRANULARITIES),
        rich_help_panel=_EDIT,
        help="What lines copies: lines alone, or tokens of the model too.",
    ),
]
SpliceName = Annotated[
    str,
    typer.Option(
        "--splice",
        metavar="full|none|tail:K|shift",
        rich_help_panel=_EDIT,
        help="What lines shows the model of a copy: all, nothing, K lines; shift: moved, unread.",
    ),
]
Staged = Annotated[
    bool,
    typer.Option(
        "--staged",
        rich_help_panel=_GIT,
        help="Edit what is staged, of FILE or of all files, and stage the result.",
    ),
]
OnlyChanged = Annotated[
    bool,
    typer.Option(
        "--only-changed",
        rich_help_panel=_GIT,
        help="With --staged: only lines that are staged may change.",
    ),
]
Since = Annotated[
    str | None,
    typer.Option(
        "--since",
        metavar="REV",
        rich_help_panel=_GIT,
        help="Only lines changed since REV may change; without FILE, of all files.",
    ),
]
Commit = Annotated[
    bool,
    typer.Option(
        "--commit",
        rich_help_panel=_GIT,
        help="Commit the edit alone, with the instruction as message, or --commit=MESSAGE.",
    ),
]
CommitMessage = Annotated[
    str | None, typer.Option("--commit-message", hidden=True, help="What --commit=TEXT stands for.")
]
Patch = Annotated[
    bool,
    typer.Option(
        "-p",
        "--patch",
        rich_help_panel=_OUTPUT,
        help="Print a git patch and write no file; --patch=FILE puts the patch there.",
    ),
]
PatchFile = Annotated[
    Path | None, typer.Option("--patch-file", hidden=True, help="What --patch=FILE stands for.")
]
DryRun = Annotated[
    bool,
    typer.Option("-n", "--dry-run", rich_help_panel=_OUTPUT, help="Show the diff, write no file."),
]
Stdout = Annotated[
    bool,
    typer.Option("--stdout", rich_help_panel=_OUTPUT, help="Print the edited text, write no file."),
]
Json = Annotated[
    bool,
    typer.Option(
        "--json",
        rich_help_panel=_OUTPUT,
        help="Print one JSON object with program, diff, counts and outcome of each file.",
    ),
]
Events = Annotated[
    bool,
    typer.Option(
        "--events",
        rich_help_panel=_OUTPUT,
        help="Print a JSON object a line as things happen, for editors; implies --json.",
    ),
]
Yes = Annotated[
    bool,
    typer.Option("-y", "--yes", rich_help_panel=_OUTPUT, help="Write without asking."),
]
Interactive = Annotated[
    bool,
    typer.Option(
        "-i", "--interactive", rich_help_panel=_OUTPUT, help="Ask before writing, even with -y."
    ),
]
Force = Annotated[
    bool,
    typer.Option(
        "--force", rich_help_panel=_OUTPUT, help="Write also what a guard speaks against."
    ),
]
MaxDeletions = Annotated[
    int,
    typer.Option(
        "--max-deletions",
        metavar="N",
        min=0,
        rich_help_panel=_OUTPUT,
        help="Ask, even with -y, before more than N lines of a file are deleted.",
    ),
]
AllOrNothing = Annotated[
    bool,
    typer.Option(
        "--all-or-nothing",
        rich_help_panel=_OUTPUT,
        help="Of several files write none unless all edits work.",
    ),
]
Outside = Annotated[
    bool,
    typer.Option(
        "--outside",
        rich_help_panel=_OUTPUT,
        help="Also write files outside of this repository, or without one, this directory.",
    ),
]
_MODEL_NAMES = "ID|PATH|hf:OWNER/REPO/FILE.gguf"
TokensOf = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar=_MODEL_NAMES,
        autocompletion=_models,
        help="Whose tokens the program copies, where it copies tokens.",
    ),
]
ModelName = Annotated[
    str,
    typer.Option(
        "--model",
        metavar=_MODEL_NAMES,
        rich_help_panel=_MODEL,
        envvar="CEDIT_MODEL",
        autocompletion=_models,
        help="The model to ask.",
    ),
]
GpuLayers = Annotated[
    int | None,
    typer.Option(
        "--gpu-layers",
        metavar="N",
        min=0,
        rich_help_panel=_MODEL,
        show_default="all where there is a GPU, else none",
        help="How many of the model's layers go to the GPU.",
    ),
]
Temperature = Annotated[
    float,
    typer.Option(
        "--temperature",
        min=0.0,
        rich_help_panel=_MODEL,
        help="0 always takes the likeliest token; above, tokens are drawn by chance.",
    ),
]
TopP = Annotated[
    float,
    typer.Option(
        "--top-p",
        min=0.0,
        max=1.0,
        rich_help_panel=_MODEL,
        help="Draw from the likeliest tokens that hold this share.",
    ),
]
Seed = Annotated[
    int, typer.Option("--seed", min=0, rich_help_panel=_MODEL, help="What chance starts from.")
]
MaxTokens = Annotated[
    int,
    typer.Option(
        "--max-tokens", min=16, rich_help_panel=_MODEL, help="The longest answer, in tokens."
    ),
]
ShowProgram = Annotated[
    bool,
    typer.Option(
        "--show-program", rich_help_panel=_TALK, help="Print the program that the edit used."
    ),
]
Verbose = Annotated[
    bool, typer.Option("-v", "--verbose", rich_help_panel=_TALK, help="Say what everything cost.")
]
Quiet = Annotated[
    bool,
    typer.Option("-q", "--quiet", rich_help_panel=_TALK, help="Say nothing but what went wrong."),
]
