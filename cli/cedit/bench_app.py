"""``cedit bench``: what its commands take."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from cedit import options as opt
from cedit.arguments import edit_options, environment_of, known
from cedit.commands import bench_compare as compare_command
from cedit.commands import bench_edits as edits_command
from cedit.commands import bench_gold as gold_command
from cedit.commands import bench_guards as guards_command
from cedit.commands import bench_kernel as kernel_command
from cedit.commands import bench_paper as paper_command
from cedit.commands import bench_speed as speed_command
from cedit.commands import bench_tasks as tasks_command
from cedit.commands.bench_cases import CasesRequest
from cedit.exits import ExitStatus
from cedit.gold import GoldRequest
from cedit.measures import SPLICES
from cedit.plots import require_plotting
from cedit_engine.bench.kernel import KernelOptions
from cedit_engine.bench.results import Judging
from cedit_engine.bench.shapes import SHAPES
from cedit_engine.bench.speed import QUICK, SpeedOptions
from cedit_engine.bench.tasks import KINDS
from cedit_engine.llama import LoadOptions
from cedit_engine.registry import DEFAULT_MODEL

bench_app = typer.Typer(help="Measure how right and how fast edits are.", no_args_is_help=True)

Limit = Annotated[
    int | None, typer.Option("--limit", min=1, metavar="N", help="Only the first N cases.")
]
Resume = Annotated[
    Path | None,
    typer.Option("--resume", metavar="FILE", help="Keep results in FILE and go on from it."),
]


Data = Annotated[
    list[Path] | None,
    typer.Option("--data", metavar="FILE.jsonl", help="Edits with known answers. Repeatable."),
]


@bench_app.command("edits")
def bench_edits(
    ctx: typer.Context,
    data: Annotated[
        Path, typer.Option("--data", metavar="FILE.jsonl", help="Edits with known answers.")
    ],
    limit: Limit = None,
    strategy: opt.StrategyName = opt.DEFAULTS.strategy,
    rewrite_tokens: opt.RewriteTokens = opt.DEFAULTS.rewrite_tokens,
    drift_margin: opt.DriftMargin = 0.0,
    no_drafts: opt.NoDrafts = False,
    splice: opt.SpliceName = "full",
    execute: Annotated[
        bool, typer.Option("--execute", help="Run each case's tests: code that a model wrote.")
    ] = False,
    test: Annotated[
        bool,
        typer.Option(
            "--test", help="Let each case's tests choose among answers, as --test CMD does."
        ),
    ] = False,
    attempts: opt.Attempts = None,
    no_guard: opt.NoGuard = None,
    resume: Resume = None,
    model: opt.ModelName = DEFAULT_MODEL,
    gpu_layers: opt.GpuLayers = None,
    temperature: opt.Temperature = 0.0,
    top_p: opt.TopP = 1.0,
    seed: opt.Seed = 0,
    max_tokens: opt.MaxTokens = opt.ANSWER.answer_tokens,
) -> ExitStatus:
    """Edit the rows of a data set and count the right ones."""
    options = edit_options(
        strategy=strategy,
        rewrite_tokens=rewrite_tokens,
        attempts=attempts,
        guards_off=no_guard,
        drafts=not no_drafts,
        splice=splice,
        drift_margin=drift_margin,
        max_tokens=max_tokens,
        temperature=temperature,
        top_p=top_p,
        seed=seed,
    )
    judging = Judging(execute or test, test)
    load = LoadOptions(gpu_layers, repeats=options.repeats)
    request = CasesRequest(options, judging, resume, model, load)
    return edits_command.run(data, limit, request, environment_of(ctx))


@bench_app.command("tasks")
def bench_tasks(
    ctx: typer.Context,
    half: Annotated[
        str,
        typer.Option(
            "--half",
            metavar="|".join(tasks_command.HALVES),
            help="Which tasks: prompts may be tuned on the development half alone.",
        ),
    ] = "development",
    kinds: Annotated[
        list[str] | None,
        typer.Option("--kind", metavar="|".join(KINDS), help="Only this kind. Repeatable."),
    ] = None,
    names: Annotated[
        list[str] | None,
        typer.Option("--task", metavar="NAME", help="Only this task. Repeatable."),
    ] = None,
    limit: Limit = None,
    strategy: opt.StrategyName = opt.DEFAULTS.strategy,
    rewrite_tokens: opt.RewriteTokens = opt.DEFAULTS.rewrite_tokens,
    drift_margin: opt.DriftMargin = 0.0,
    no_drafts: opt.NoDrafts = False,
    attempts: opt.Attempts = None,
    no_guard: opt.NoGuard = None,
    resume: Resume = None,
    model: opt.ModelName = DEFAULT_MODEL,
    gpu_layers: opt.GpuLayers = None,
    temperature: opt.Temperature = 0.0,
    top_p: opt.TopP = 1.0,
    seed: opt.Seed = 0,
    max_tokens: opt.MaxTokens = opt.ANSWER.answer_tokens,
) -> ExitStatus:
    """Carry out the suite's tasks, which are what people ask for, and run their checks."""
    options = edit_options(
        strategy=strategy,
        rewrite_tokens=rewrite_tokens,
        attempts=attempts,
        guards_off=no_guard,
        drafts=not no_drafts,
        drift_margin=drift_margin,
        max_tokens=max_tokens,
        temperature=temperature,
        top_p=top_p,
        seed=seed,
    )
    chosen = tasks_command.Choice(
        known(half, tasks_command.HALVES, "half"),
        tuple(known(kind, KINDS, "kind") for kind in kinds or KINDS),
        tuple(names or ()),
        limit,
    )
    request = CasesRequest(options, Judging(execute=True), resume, model, LoadOptions(gpu_layers))
    return tasks_command.run(chosen, request, environment_of(ctx))


@bench_app.command("compare")
def bench_compare(
    ctx: typer.Context,
    first: Annotated[
        Path, typer.Argument(metavar="A", help="Results that --resume A kept of one run.")
    ],
    second: Annotated[Path, typer.Argument(metavar="B", help="The same of another run.")],
) -> ExitStatus:
    """Tell whether two runs over the same cases differ by more than chance."""
    return compare_command.run(first, second, environment_of(ctx))


@bench_app.command("guards")
def bench_guards(ctx: typer.Context, data: Data = None, limit: Limit = None) -> ExitStatus:
    """Count what guards see in edits that are right: the suite's, and those of data sets."""
    return guards_command.run(tuple(data or ()), limit, environment_of(ctx))


Git = Annotated[
    list[Path] | None,
    typer.Option("--git", metavar="PATH", help="The edits in a repository's history. Repeatable."),
]


def _gold(
    data: list[Path] | None, git: list[Path] | None, limit: int | None, model: str
) -> GoldRequest:
    return GoldRequest(tuple(data or ()), tuple(git or ()), limit, model)


@bench_app.command("ceiling")
def bench_ceiling(
    ctx: typer.Context,
    data: Data = None,
    git: Git = None,
    limit: Limit = None,
    kernel: Annotated[
        Path | None,
        typer.Option("--kernel", metavar="FILE", help="What bench kernel printed: bound the gain."),
    ] = None,
    model: opt.ModelName = DEFAULT_MODEL,
) -> ExitStatus:
    """Measure how much of edited files copies of lines and of tokens can cover."""
    request = _gold(data, git, limit, model)
    return gold_command.run_ceiling(request, kernel, environment_of(ctx))


@bench_app.command("formats")
def bench_formats(
    ctx: typer.Context,
    data: Data = None,
    git: Git = None,
    limit: Limit = None,
    model: opt.ModelName = DEFAULT_MODEL,
) -> ExitStatus:
    """Count the tokens of the same edits in every format, and put them back."""
    request = _gold(data, git, limit, model)
    return gold_command.run_formats(request, environment_of(ctx))


@bench_app.command("lossless")
def bench_lossless(
    ctx: typer.Context,
    data: Data = None,
    git: Git = None,
    limit: Limit = None,
    decode: Annotated[
        bool,
        typer.Option("--decode", help="Also force each through constraint, decoder and model."),
    ] = False,
    model: opt.ModelName = DEFAULT_MODEL,
) -> ExitStatus:
    """Turn edits into programs and back, and compare every byte."""
    request = _gold(data, git, limit, model)
    return gold_command.run_lossless(request, decode, environment_of(ctx))


@bench_app.command("sensitivity")
def bench_sensitivity(
    ctx: typer.Context,
    data: Data = None,
    git: Git = None,
    limit: Limit = None,
    seed: opt.Seed = 0,
    model: opt.ModelName = DEFAULT_MODEL,
) -> ExitStatus:
    """Damage the addresses of edits, format by format, and count what is still right."""
    request = _gold(data, git, limit, model)
    return gold_command.run_sensitivity(request, seed, environment_of(ctx))


@bench_app.command("splice")
def bench_splice(
    ctx: typer.Context,
    data: Data = None,
    git: Git = None,
    limit: Limit = None,
    splices: Annotated[
        list[str] | None,
        typer.Option(
            "--splice",
            metavar="full|none|tail:K|shift|shift:K",
            help="How copies are spliced. Repeatable.",
            show_default=", ".join(SPLICES),
        ),
    ] = None,
    model: opt.ModelName = DEFAULT_MODEL,
) -> ExitStatus:
    """Have a model write known programs, and tell how it likes them, splice by splice."""
    request = _gold(data, git, limit, model)
    names = tuple(splices or SPLICES)
    return gold_command.run_splice(request, names, environment_of(ctx))


@bench_app.command("paper")
def bench_paper(
    ctx: typer.Context,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Where the report goes; resumed there.")
    ],
    data: Data = None,
    git: Git = None,
    limit: Limit = None,
    asked: Annotated[
        int,
        typer.Option("--asked", min=1, metavar="N", help="On how many edits the model is asked."),
    ] = 8,
    seed: opt.Seed = 0,
    model: opt.ModelName = DEFAULT_MODEL,
    gpu_layers: opt.GpuLayers = None,
) -> ExitStatus:
    """Measure what the Copy-as-Decode paper measured, and write a report."""
    require_plotting("bench paper", "bench")
    gold = _gold(data, git, limit, model)
    load = LoadOptions(gpu_layers, repeats=True)
    request = paper_command.PaperRequest(gold, out, asked, seed, load)
    return paper_command.run(request, environment_of(ctx))


Plot = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE", help="Draw the figures to FILE.")
]


@bench_app.command("kernel")
def bench_kernel(
    ctx: typer.Context,
    contexts: Annotated[
        list[int] | None,
        typer.Option("--context", min=1, metavar="N", help="Measure behind N tokens. Repeatable."),
    ] = None,
    longest: Annotated[
        int, typer.Option("--longest", min=1, metavar="N", help="The longest run of tokens.")
    ] = KernelOptions.longest,
    repeats: Annotated[
        int, typer.Option("--repeats", min=1, metavar="N", help="Take the median of N times.")
    ] = KernelOptions.repeats,
    shape: Annotated[
        str | None,
        typer.Option(
            "--shape",
            metavar="|".join(SHAPES),
            help="A model of random weights and these dimensions instead (needs gguf).",
        ),
    ] = None,
    plot: Plot = None,
    model: opt.ModelName = DEFAULT_MODEL,
    gpu_layers: opt.GpuLayers = None,
) -> ExitStatus:
    """Time one call for N tokens against N calls for one."""
    if plot:
        require_plotting()
    options = KernelOptions(tuple(contexts or KernelOptions.contexts), longest, repeats)
    if shape:
        known(shape, tuple(SHAPES), "shape")
    request = kernel_command.KernelRequest(options, plot, model, shape, LoadOptions(gpu_layers))
    return kernel_command.run(request, environment_of(ctx))


@bench_app.command("speed")
def bench_speed(
    ctx: typer.Context,
    sizes: Annotated[
        list[int] | None,
        typer.Option("--size", min=10, metavar="LINES", help="Edit files this long. Repeatable."),
    ] = None,
    systems: Annotated[
        list[str] | None,
        typer.Option("--system", metavar="NAME", help="Only this. Repeatable."),
    ] = None,
    minutes: Annotated[
        float, typer.Option("--minutes", min=0.1, help="Begin nothing that would end later.")
    ] = SpeedOptions.minutes,
    longest: Annotated[
        int, typer.Option("--longest", min=16, help="Tokens of a whole file to generate.")
    ] = SpeedOptions.longest,
    quick: Annotated[bool, typer.Option("--quick", help="One small edit, in minutes.")] = False,
    scaling: Annotated[
        int, typer.Option(min=0, metavar="EDITS", help="So many in files of every size, by anchor.")
    ] = 0,
    seed: opt.Seed = 0,
    plot: Plot = None,
    model: opt.ModelName = DEFAULT_MODEL,
    gpu_layers: opt.GpuLayers = None,
) -> ExitStatus:
    """Make the same edits by every strategy and by what else runs the same model."""
    if plot:
        require_plotting()
    chosen = tuple(known(name, SpeedOptions.systems, "system") for name in systems or ())
    chosen = chosen or (("anchor",) if scaling else SpeedOptions.systems)
    options = replace(QUICK, systems=chosen, seed=seed)
    if not quick:
        options = SpeedOptions(
            tuple(sizes or SpeedOptions.sizes),
            systems=chosen,
            seed=seed,
            minutes=minutes,
            longest=longest,
            scaling=scaling,
        )
    request = speed_command.SpeedRequest(options, plot, model, LoadOptions(gpu_layers))
    return speed_command.run(request, environment_of(ctx))
