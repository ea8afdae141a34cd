"""The ``cedit`` command: parses, chooses, translates errors, and nothing else."""

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from typer.main import get_command

from cedit import options as opt
from cedit.arguments import (
    DEFAULT_COMMAND,
    Configured,
    EditByDefault,
    edit_options,
    environment_of,
    guards,
    known,
    line_range,
    settings_of_edit,
)
from cedit.bench_app import bench_app
from cedit.commands import apply as apply_command
from cedit.commands import cache as cache_command
from cedit.commands import config as config_command
from cedit.commands import dataset as dataset_command
from cedit.commands import doctor as doctor_command
from cedit.commands import edit as edit_command
from cedit.commands import grammar as grammar_command
from cedit.commands import history as history_command
from cedit.commands import hook as hook_command
from cedit.commands import model as model_command
from cedit.commands import recipe as recipe_command
from cedit.commands.edit_run import Request
from cedit.console import save_report, status_of, words_for
from cedit.dataset import DatasetOptions
from cedit.delivery import Output
from cedit.environment import Environment
from cedit.exits import ExitStatus
from cedit.manual import manual_page
from cedit.scope import Scope
from cedit.trial import TrialOptions
from cedit.version import VERSION
from cedit_engine.editing import STRATEGY_NAMES
from cedit_engine.errors import CeditError, Interrupted
from cedit_engine.llama import LoadOptions
from cedit_engine.registry import DEFAULT_MODEL
from cedit_engine.strategies.registry import STRATEGIES

_SETTINGS = {"help_option_names": ["-h", "--help"]}
app = typer.Typer(name="cedit", cls=EditByDefault, context_settings=_SETTINGS, no_args_is_help=True)
model_app = typer.Typer(help="Manage the models on this machine.", no_args_is_help=True)
dataset_app = typer.Typer(help="Make data to train models with.", no_args_is_help=True)
cache_app = typer.Typer(help="Manage what models made of earlier prompts.", no_args_is_help=True)
app.add_typer(model_app, name="model")
config_app = typer.Typer(help="Manage settings.", no_args_is_help=True)
hook_app = typer.Typer(help="Manage git's pre-commit hook.", no_args_is_help=True)
app.add_typer(hook_app, name="hook")
app.add_typer(cache_app, name="cache")
app.add_typer(dataset_app, name="dataset")
app.add_typer(config_app, name="config")
app.add_typer(bench_app, name="bench")


def _print_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"cedit {VERSION}\n")
        raise typer.Exit


@app.callback()
def cedit(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Edit files with a language model on your own machine."""


@app.command(cls=Configured, context_settings={"auto_envvar_prefix": "CEDIT"})
def edit(
    ctx: typer.Context,
    files: opt.Files = None,
    message: opt.Message = None,
    message_file: opt.MessageFile = None,
    context: opt.ContextFiles = None,
    lines: opt.Lines = None,
    create: opt.Create = False,
    staged: opt.Staged = False,
    only_changed: opt.OnlyChanged = False,
    since: opt.Since = None,
    commit: opt.Commit = False,
    commit_message: opt.CommitMessage = None,
    stdin_name: opt.StdinName = "stdin",
    strategy: opt.StrategyName = opt.DEFAULTS.strategy,
    rewrite_tokens: opt.RewriteTokens = opt.DEFAULTS.rewrite_tokens,
    drift_margin: opt.DriftMargin = 0.0,
    no_drafts: opt.NoDrafts = False,
    no_guard: opt.NoGuard = None,
    any_order: opt.AnyOrder = False,
    splice: opt.SpliceName = "full",
    granularity: opt.Granularity = "line",
    test: opt.TestCommand = None,
    in_place_test: opt.InPlaceTest = False,
    attempts: opt.Attempts = None,
    test_timeout: opt.TestTimeout = TrialOptions.timeout,
    patch: opt.Patch = False,
    patch_file: opt.PatchFile = None,
    dry_run: opt.DryRun = False,
    stdout: opt.Stdout = False,
    as_json: opt.Json = False,
    events: opt.Events = False,
    yes: opt.Yes = False,
    interactive: opt.Interactive = False,
    force: opt.Force = False,
    max_deletions: opt.MaxDeletions = Output.max_deletions,
    all_or_nothing: opt.AllOrNothing = False,
    outside: opt.Outside = False,
    model: opt.ModelName = DEFAULT_MODEL,
    gpu_layers: opt.GpuLayers = None,
    temperature: opt.Temperature = 0.0,
    top_p: opt.TopP = 1.0,
    seed: opt.Seed = 0,
    max_tokens: opt.MaxTokens = opt.ANSWER.answer_tokens,
    no_cache: opt.NoCache = False,
    show_program: opt.ShowProgram = False,
    verbose: opt.Verbose = False,
    quiet: opt.Quiet = False,
) -> ExitStatus:
    """Edit files with a language model on your own machine: cedit FILE -m "what to change".

    The model decides what changes; everything else is copied, byte for byte.
    """
    options = edit_options(
        strategy=strategy,
        rewrite_tokens=rewrite_tokens,
        attempts=attempts,
        guards_off=no_guard,
        drafts=not no_drafts,
        drift_margin=drift_margin,
        any_order=any_order,
        splice=splice,
        granularity=granularity,
        max_tokens=max_tokens,
        temperature=temperature,
        top_p=top_p,
        seed=seed,
    )
    request = Request(
        files=tuple(files or ()),
        message=message,
        message_file=message_file,
        context=tuple(context or ()),
        lines=line_range(lines),
        create=create,
        scope=Scope.chosen(staged=staged, since=since, only_changed=only_changed),
        commit=commit or commit_message is not None,
        commit_message=commit_message,
        stdin_name=stdin_name,
        model=model,
        load=LoadOptions(gpu_layers, repeats=options.repeats),
        options=options,
        output=replace(
            Output.chosen(
                patch=patch,
                patch_file=patch_file,
                dry_run=dry_run,
                stdout=stdout,
                as_json=as_json or events,
                yes=yes,
                quiet=quiet,
                show_program=show_program,
            ),
            all_or_nothing=all_or_nothing,
            interactive=interactive,
            force=force,
            events=events,
            max_deletions=max_deletions,
        ),
        outside=outside,
        trial=TrialOptions.chosen(
            test, in_place=in_place_test, timeout=test_timeout, staged=staged
        ),
        use_cache=not no_cache,
        verbose=verbose,
    )
    return edit_command.run(request, environment_of(ctx))


@app.command("run", cls=Configured, context_settings={"auto_envvar_prefix": "CEDIT"})
def run_recipe(
    ctx: typer.Context,
    recipe: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="A recipe of this project.", autocompletion=opt.recipes
        ),
    ],
    files: opt.Files = None,
    staged: opt.Staged = False,
    only_changed: opt.OnlyChanged = False,
    since: opt.Since = None,
    check: Annotated[
        bool,
        typer.Option("--check", help="Write nothing; exit with 1 where anything would change."),
    ] = False,
    strategy: opt.StrategyName = opt.DEFAULTS.strategy,
    no_guard: opt.NoGuard = None,
    model: opt.ModelName = DEFAULT_MODEL,
    gpu_layers: opt.GpuLayers = None,
    max_tokens: opt.MaxTokens = opt.ANSWER.answer_tokens,
    no_cache: opt.NoCache = False,
    verbose: opt.Verbose = False,
    quiet: opt.Quiet = False,
) -> ExitStatus:
    """Carry out a named instruction on files, on what it names itself, or on what is staged."""
    known_recipe = recipe_command.recipe_named(recipe)
    options = replace(
        opt.DEFAULTS,
        strategy=known(known_recipe.strategy or strategy, STRATEGY_NAMES, "strategy"),
        guards_off=guards((*(no_guard or ()), *known_recipe.no_guard)),
        answer=replace(opt.ANSWER, answer_tokens=max_tokens),
    )
    request = Request(
        files=tuple(files or ()),
        scope=Scope.chosen(staged=staged, since=since, only_changed=only_changed),
        model=model,
        load=LoadOptions(gpu_layers),
        options=options,
        output=Output(quiet=quiet),
        use_cache=not no_cache,
        verbose=verbose,
    )
    asked = recipe_command.RecipeRequest(recipe, request, check)
    return recipe_command.run(asked, known_recipe, environment_of(ctx))


@app.command()
def apply(
    ctx: typer.Context,
    program: Annotated[str, typer.Argument(metavar="PROGRAM", help="A saved program, or -.")],
    file: opt.OneFile,
    patch: opt.Patch = False,
    patch_file: opt.PatchFile = None,
    dry_run: opt.DryRun = False,
    stdout: opt.Stdout = False,
    yes: opt.Yes = False,
    quiet: opt.Quiet = False,
    model: opt.TokensOf = None,
) -> ExitStatus:
    """Expand a saved program over its file, with no model."""
    output = Output.chosen(
        patch=patch, patch_file=patch_file, dry_run=dry_run, stdout=stdout, yes=yes, quiet=quiet
    )
    return apply_command.apply(program, file, output, model, environment_of(ctx))


@app.command()
def oracle(
    ctx: typer.Context,
    before: Annotated[str, typer.Argument(metavar="BEFORE", help="The old file.")],
    after: Annotated[str, typer.Argument(metavar="AFTER", help="The new file.")],
    granularity: Annotated[
        str,
        typer.Option(
            "--granularity",
            metavar="|".join(opt.GRANULARITIES),
            help="Copy lines, or tokens of the model, of which the program takes the fewest.",
        ),
    ] = "line",
    model: opt.ModelName = DEFAULT_MODEL,
) -> ExitStatus:
    """Print the program that turns one file into another."""
    known(granularity, opt.GRANULARITIES, "granularity")
    return apply_command.show_oracle(before, after, granularity, model, environment_of(ctx))


@app.command()
def grammar(
    ctx: typer.Context,
    file: opt.OneFile,
    strategy: opt.StrategyName = "anchor",
    lines: opt.Lines = None,
) -> ExitStatus:
    """Print the GBNF that governs a strategy on a file."""
    name = known(strategy, tuple(STRATEGIES), "strategy")
    return grammar_command.show(file, name, line_range(lines), environment_of(ctx))


EntryId = Annotated[
    str | None, typer.Argument(metavar="ID", help="A write's id; without one, the latest.")
]


@app.command()
def log(
    ctx: typer.Context,
    show: Annotated[
        str | None, typer.Option("--show", metavar="ID", help="Print the diff of one write.")
    ] = None,
    last: Annotated[
        int, typer.Option("--last", metavar="N", min=1, help="List so many writes at most.")
    ] = 20,
) -> ExitStatus:
    """List what was written, the latest first."""
    environment = environment_of(ctx)
    if show:
        return history_command.show_entry(show, environment)
    return history_command.show_log(last, environment)


@app.command()
def undo(ctx: typer.Context, entry: EntryId = None) -> ExitStatus:
    """Put back what a file was before a write."""
    return history_command.undo(entry, environment_of(ctx))


@app.command()
def redo(ctx: typer.Context, entry: EntryId = None) -> ExitStatus:
    """Make a write again that was undone."""
    return history_command.redo(entry, environment_of(ctx))


@hook_app.command("install")
def hook_install(
    ctx: typer.Context,
    recipes: Annotated[
        list[str],
        typer.Argument(metavar="NAME", help="The recipes to run.", autocompletion=opt.recipes),
    ],
) -> ExitStatus:
    """Have git carry out recipes on what is staged, before every commit."""
    return hook_command.install(recipes, environment_of(ctx))


@hook_app.command("uninstall")
def hook_uninstall(ctx: typer.Context) -> ExitStatus:
    """Remove the hook that cedit wrote."""
    return hook_command.uninstall(environment_of(ctx))


@config_app.command("show")
def config_show(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="What would be edited.")] = ".",
) -> ExitStatus:
    """Print each setting, and where it comes from."""
    return config_command.show(*settings_of_edit(ctx, file), environment_of(ctx))


@dataset_app.command("build")
def dataset_build(
    ctx: typer.Context,
    out: Annotated[
        Path,
        typer.Option("--out", metavar="FILE.jsonl", help="Where the pairs go, a card beside them."),
    ],
    git: Annotated[
        list[Path] | None,
        typer.Option("--git", metavar="PATH", help="A repository to learn from. Repeatable."),
    ] = None,
    strategies: Annotated[
        list[str] | None,
        typer.Option(
            "--strategy",
            metavar="|".join(STRATEGIES),
            help="How answers are spelled. Repeatable.",
            show_default=", ".join(DatasetOptions.strategies),
        ),
    ] = None,
    any_licence: Annotated[
        bool, typer.Option("--any-licence", help="Whatever a repository's licence permits.")
    ] = False,
    examples: Annotated[
        bool, typer.Option("--examples", help="Keep the worked examples of the prompts.")
    ] = False,
) -> ExitStatus:
    """Make training pairs from commits that edited one file."""
    names = tuple(known(name, tuple(STRATEGIES), "strategy") for name in strategies or ())
    options = DatasetOptions(names or DatasetOptions.strategies, any_licence, examples)
    return dataset_command.build(git or (), out, options, environment_of(ctx))


@cache_app.command("info")
def cache_info(ctx: typer.Context) -> ExitStatus:
    """Print where prompt states are, how many, and how large."""
    return cache_command.info(environment_of(ctx))


@cache_app.command("clear")
def cache_clear(ctx: typer.Context) -> ExitStatus:
    """Delete every prompt state."""
    return cache_command.clear(environment_of(ctx))


@app.command()
def man(ctx: typer.Context) -> ExitStatus:
    """Print the manual page: cedit man | man -l -"""
    environment_of(ctx).write(manual_page(ctx.find_root().command, DEFAULT_COMMAND).encode())
    return ExitStatus.DONE


@app.command()
def doctor(ctx: typer.Context, model: opt.ModelName = DEFAULT_MODEL) -> ExitStatus:
    """Print versions, devices, model and folders, and what is wrong with each."""
    return doctor_command.run(model, environment_of(ctx))


ModelId = Annotated[str, typer.Argument(metavar="ID", help="A model's id.")]


@model_app.command("list")
def model_list(ctx: typer.Context) -> ExitStatus:
    """List the models that cedit knows."""
    return model_command.list_models(environment_of(ctx))


@model_app.command("pull")
def model_pull(ctx: typer.Context, model: ModelId = DEFAULT_MODEL) -> ExitStatus:
    """Fetch a model and print its path."""
    return model_command.pull_model(model, environment_of(ctx))


@model_app.command("path")
def model_path(ctx: typer.Context, model: ModelId = DEFAULT_MODEL) -> ExitStatus:
    """Print where a model is."""
    return model_command.print_path(model, environment_of(ctx))


@model_app.command("verify")
def model_verify(ctx: typer.Context, model: ModelId = DEFAULT_MODEL) -> ExitStatus:
    """Check a model's size and SHA-256."""
    return model_command.verify(model, environment_of(ctx))


@model_app.command("remove")
def model_remove(
    ctx: typer.Context, model: Annotated[str, typer.Argument(metavar="ID", help="A model's id.")]
) -> ExitStatus:
    """Delete a model from this machine."""
    return model_command.remove(model, environment_of(ctx))


def main(arguments: Sequence[str], environment: Environment) -> ExitStatus:
    """Run ``cedit`` with ``arguments``; every error ends here, as words and a status."""
    try:
        return _run(arguments, environment)
    except BrokenPipeError:
        return ExitStatus.PIPE_CLOSED
    except KeyboardInterrupt:
        return _failed(Interrupted(), environment)
    except CeditError as error:
        return _failed(error, environment)
    except typer.TyperException as error:
        # A group without a command has shown its help, and says nothing more.
        if str(error):
            environment.err.print(f"cedit: {error} (see: cedit --help)", markup=False)
        return ExitStatus.USAGE
    except Exception as error:
        path = save_report(error, environment.reports)
        words = f"cedit: a bug: {type(error).__name__}: {error} (please report it with {path})"
        environment.err.print(words, markup=False)
        return ExitStatus.BUG


def _run(arguments: Sequence[str], environment: Environment) -> ExitStatus:
    try:
        status = get_command(app).main(
            list(arguments), prog_name="cedit", standalone_mode=False, obj=environment
        )
    except typer.Abort:
        raise KeyboardInterrupt from None
    except SystemExit as end:  # Typer's answer to a closed pipe, and to completion requests
        return ExitStatus.PIPE_CLOSED if end.code == 1 else ExitStatus(int(end.code or 0))
    return ExitStatus(status or 0)


def _failed(error: CeditError, environment: Environment) -> ExitStatus:
    environment.err.print(words_for(error), markup=False)
    return status_of(error)


def run() -> None:
    """The console script."""
    status = main(sys.argv[1:], Environment())
    if status is ExitStatus.PIPE_CLOSED:
        # What is still buffered cannot be written: flushing it at exit would only complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)
