"""The manual page, made from the same declarations as the command line."""

from collections.abc import Iterator
from typing import Any

from cedit.exits import MEANINGS

_DESCRIPTION = """\
cedit edits files with a language model that runs on your own machine. The model decides what \
changes; everything else is copied, byte for byte. Without a command, FILE is edited."""


def manual_page(group: Any, default: str) -> str:
    """The page of ``group``, whose command ``default`` need not be named, in roff's man macros."""
    return "\n".join([*_page(group, default), ""])


def _page(group: Any, default: str) -> Iterator[str]:
    # No version: what is installed and what is checked out would differ in it alone.
    yield '.TH CEDIT 1 "" "cedit" "User Commands"'
    yield ".SH NAME"
    yield r"cedit \- edit code with a language model on your own machine"
    yield ".SH SYNOPSIS"
    yield rf".B cedit\fR FILE... {_text('-m')} TEXT [OPTIONS]"
    yield ".br"
    yield r".B cedit\fR COMMAND ..."
    yield ".SH DESCRIPTION"
    yield _text(_DESCRIPTION)
    yield ".SH OPTIONS"
    yield from _options(group.commands[default])
    yield ".SH COMMANDS"
    for name, command in group.commands.items():
        if name != default:
            yield from _command(f"cedit {name}", command)
    yield ".SH EXIT STATUS"
    for status, meaning in MEANINGS.items():
        yield ".TP"
        yield f".B {int(status)}"
        yield _text(meaning)
    yield ".SH FILES"
    yield _text(
        "Settings are read from the nearest .cedit.toml or pyproject.toml upwards from the file, "
        "and from cedit/config.toml in the user's configuration directory."
    )


def _command(name: str, command: Any) -> Iterator[str]:
    for inner, further in getattr(command, "commands", {}).items():
        yield from _command(f"{name} {inner}", further)
    if hasattr(command, "commands"):
        return
    arguments = "".join(
        f" {_metavar(p)}" for p in command.params if p.param_type_name == "argument"
    )
    yield f".SS {_text(name + arguments)}"
    yield _text(command.help or "")
    yield from _options(command)


def _options(command: Any) -> Iterator[str]:
    for param in command.params:
        if param.param_type_name != "option" or param.hidden:
            continue
        value = "" if param.is_flag else rf" \fI{_text(_metavar(param))}\fR"
        yield ".TP"
        yield rf".B {_text(', '.join(param.opts))}{value}"
        yield _text(param.help or "")


def _metavar(param: Any) -> str:
    return str(param.metavar or param.type_descriptor.annotation.__name__.upper())


def _text(text: str) -> str:
    """``text`` so that roff prints it as it is."""
    spelled = text.replace("\\", r"\e").replace("-", r"\-").replace("\n", " ")
    return rf"\&{spelled}" if spelled.startswith((".", "'")) else spelled
