"""What the command line means before it is parsed: its default command, its optional value."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer
from rich.table import Table
from typer.core import TyperCommand, TyperGroup

from cedit.config import SETTINGS, USERS_OWN, Setting, settings_for
from cedit.environment import Environment
from cedit.failures import Misuse
from cedit.options import GRANULARITIES
from cedit_engine.editing import STRATEGY_NAMES, EditOptions
from cedit_engine.guards.check import GUARDS
from cedit_engine.sampling import SamplingOptions
from cedit_engine.session import AnswerOptions
from cedit_engine.splice import Splice
from cedit_engine.strategies.base import StrategyOptions

DEFAULT_COMMAND = "edit"
ALL_GUARDS = "all"
_OF_THE_GROUP = ("--help", "-h", "--version", "--install-completion", "--show-completion")


class EditByDefault(TyperGroup):
    """A group whose first argument is a file unless it names a command.

    A name that is both is a file when it holds a slash, which no command does.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put ``edit`` first where no command is named."""
        if args and args[0] not in (*self.commands, *_OF_THE_GROUP):
            args = [DEFAULT_COMMAND, *args]
        return super().parse_args(ctx, with_attached_values(args))

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Commands, and files, which may stand in their place."""
        files = next(p for p in self.commands[DEFAULT_COMMAND].params if p.name == "files")
        return [*super().shell_complete(ctx, incomplete), *files.shell_complete(ctx, incomplete)]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The help of ``edit``, which is what ``cedit FILE`` runs, and the other commands."""
        edit = self.commands[DEFAULT_COMMAND]
        edit_context = type(ctx)(
            edit, info_name=ctx.info_name, help_option_names=ctx.help_option_names
        )
        edit.format_help(edit_context, formatter)
        environment = ctx.obj if isinstance(ctx.obj, Environment) else Environment()
        table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2))
        for name, command in self.commands.items():
            if name != DEFAULT_COMMAND:
                table.add_row(f"cedit {name}", command.get_short_help_str(90))
        environment.out.print(" Commands (cedit COMMAND --help says more):")
        environment.out.print(table)


class Configured(TyperCommand):
    """A command whose options take what files set where neither flag nor variable does."""

    def invoke(self, ctx: Any) -> Any:
        """Fill in what was not given; raises ``Misuse`` where a file sets what cannot be."""
        self.settle(ctx)
        return super().invoke(ctx)

    def settle(self, ctx: Any) -> dict[str, str]:
        """Where each setting of ``ctx`` comes from, by key, once files had their say."""
        files = settings_for(_folder_of(ctx.params), environment_of(ctx).settings)
        params = {param.name.replace("_", "-"): param for param in self.params}
        origins = {}
        for key in (*SETTINGS, *USERS_OWN):
            param = params.get(key)
            if param is None:
                continue
            origins[key] = _origin(ctx, param)
            if key in files and origins[key] == _DEFAULT:
                ctx.params[param.name] = _converted(ctx, param, files[key])
                origins[key] = str(files[key].file)
        return origins


def settings_of_edit(ctx: Any, file: str) -> tuple[dict[str, Any], dict[str, str]]:
    """What ``cedit FILE`` would take, by parameter, and where each setting comes from, by key."""
    root = ctx.find_root()
    edit = root.command.commands[DEFAULT_COMMAND]
    as_if = edit.make_context(DEFAULT_COMMAND, ["--", file], parent=root)
    origins = edit.settle(as_if)
    return as_if.params, origins


_DEFAULT = "default"


def _folder_of(params: Mapping[str, Any]) -> Path:
    """Where the first file is, or else this directory."""
    first = Path(next(iter(params.get("files") or ()), "-")).absolute()
    return first if first.is_dir() else first.parent


def _origin(ctx: Any, param: Any) -> str:
    match ctx.get_parameter_source(param.name).name:
        case "COMMANDLINE":
            return "command line"
        case "ENVIRONMENT":
            return param.envvar or f"{ctx.auto_envvar_prefix}_{param.name.upper()}"
        case _:
            return _DEFAULT


def _converted(ctx: Any, param: Any, setting: Setting) -> Any:
    try:
        if isinstance(setting.value, bool) != param.is_flag:
            raise ValueError(f"{setting.value!r} is {'not ' * param.is_flag}true or false")
        return param.process_value(ctx, setting.value)
    except (typer.BadParameter, ValueError, TypeError) as error:
        key = param.name.replace("_", "-")
        raise Misuse(f"{setting.file}: {key}: {error}", "see: cedit config show") from None


def with_attached_values(args: Sequence[str]) -> list[str]:
    """``--patch=FILE`` and ``--commit=TEXT`` as options of their own: alone they take no value."""
    end = args.index("--") if "--" in args else len(args)
    return [*map(_of_its_own, args[:end]), *args[end:]]


def _of_its_own(argument: str) -> str:
    name, attached, value = argument.partition("=")
    return f"{_WITH_VALUE[name]}={value}" if attached and name in _WITH_VALUE else argument


_WITH_VALUE = {"--patch": "--patch-file", "--commit": "--commit-message"}


def line_range(text: str | None) -> tuple[int, int] | None:
    """``A-B`` or ``A`` as two numbers; raises ``Misuse``."""
    if text is None:
        return None
    match = re.fullmatch(r"([0-9]+)(?:-([0-9]+))?", text)
    if not match:
        raise Misuse(f"--lines {text!r} is not a range of lines", "write it as --lines 10-20")
    return int(match[1]), int(match[2] or match[1])


def known(name: str, names: Sequence[str], what: str) -> str:
    """``name`` if it is one of ``names``; raises ``Misuse``."""
    if name not in names:
        raise Misuse(f"there is no {what} {name!r}", f"take one of: {', '.join(names)}")
    return name


def environment_of(ctx: typer.Context) -> Environment:
    """The environment that ``main`` was given."""
    environment = ctx.obj
    assert isinstance(environment, Environment)
    return environment


def edit_options(
    *,
    strategy: str,
    rewrite_tokens: int,
    attempts: int | None = None,
    guards_off: Sequence[str] | None = None,
    any_order: bool = False,
    splice: str = "full",
    granularity: str = "line",
    drafts: bool,
    drift_margin: float,
    max_tokens: int,
    temperature: float,
    top_p: float,
    seed: int,
) -> EditOptions:
    """How edits are to be made, as flags say it; raises ``Misuse``."""
    sampling = SamplingOptions(temperature, top_p, seed)
    spelling = StrategyOptions(
        any_order=any_order,
        drafts=drafts,
        drift_margin=drift_margin,
        splice=Splice.named(splice),
        tokens=known(granularity, GRANULARITIES, "granularity") == "token",
    )
    return EditOptions(
        known(strategy, STRATEGY_NAMES, "strategy"),
        rewrite_tokens,
        attempts,
        guards(guards_off or ()),
        answer=AnswerOptions(max_tokens, sampling, spelling),
    )


def guards(names: Sequence[str]) -> tuple[str, ...]:
    """The guards that ``names`` stand for; raises ``Misuse``."""
    given = tuple(known(name, (*GUARDS, ALL_GUARDS), "guard") for name in names)
    return tuple(GUARDS) if ALL_GUARDS in given else given
