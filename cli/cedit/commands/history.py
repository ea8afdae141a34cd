"""``cedit log``, ``undo`` and ``redo``: writes that were made, taken back, made again."""

from datetime import datetime
from pathlib import Path
from textwrap import shorten

from rich.table import Table

from cedit.environment import Environment
from cedit.exits import ExitStatus
from cedit.failures import Misuse
from cedit.journal import Entry
from cedit.render import changed_lines, plural, visible
from cedit.reversal import make_again, patch_of, take_back
from cedit.showing import show_patch

_LONGEST_COMMAND = 200


def show_log(last: int, environment: Environment) -> ExitStatus:
    """Print the ``last`` writes in the journal, the latest first."""
    table = Table(box=None, pad_edge=False)
    for heading in ("id", "time", "file", "lines", "", "command"):
        table.add_column(heading, no_wrap=heading in ("id", "time", "lines"))
    environment.journal.recover()
    entries = environment.journal.entries()
    for entry in entries[:last]:
        added, removed = changed_lines(patch_of(entry, environment))
        table.add_row(
            entry.id,
            f"{datetime.fromtimestamp(entry.time):%Y-%m-%d %H:%M}",
            _place(entry),
            f"+{added} -{removed}",
            "undone" if entry.undone else "",
            _command(entry, environment),
        )
    environment.out.print(table)
    if len(entries) > last:
        earlier = plural(len(entries) - last, "earlier write")
        environment.err.print(f"cedit: {earlier}: cedit log --last {len(entries)}")
    return ExitStatus.DONE


def _command(entry: Entry, environment: Environment) -> str:
    words = " ".join(environment.journal.command(entry)[1:])
    return shorten(visible(words), _LONGEST_COMMAND, placeholder=" …")


def show_entry(name: str, environment: Environment) -> ExitStatus:
    """Print the diff of one write."""
    show_patch(patch_of(_entry(name, environment), environment), environment)
    return ExitStatus.DONE


def undo(name: str | None, environment: Environment) -> ExitStatus:
    """Put back what was before a write; raises ``FileChanged`` where it changed since."""
    entry = _named_or_latest(name, environment, undone=False)
    if entry.undone:
        raise Misuse(f"{entry.id} is undone already", f"make it again: cedit redo {entry.id}")
    for each in _group(entry, environment):
        take_back(each, environment)
        _say("undid", each, environment)
    return ExitStatus.DONE


def redo(name: str | None, environment: Environment) -> ExitStatus:
    """Make again what was undone; raises ``FileChanged`` where the file changed since."""
    entry = _named_or_latest(name, environment, undone=True)
    if not entry.undone:
        raise Misuse(f"{entry.id} is not undone", f"take it back: cedit undo {entry.id}")
    for each in reversed(_group(entry, environment)):
        make_again(each, environment)
        _say("redid", each, environment)
    return ExitStatus.DONE


def _group(entry: Entry, environment: Environment) -> list[Entry]:
    """What was written together with ``entry`` and is as undone as it, the latest first."""
    if not entry.group:
        return [entry]
    entries = environment.journal.entries()
    return [e for e in entries if e.group == entry.group and e.undone == entry.undone]


def _say(did: str, entry: Entry, environment: Environment) -> None:
    environment.err.print(f"{_place(entry)}: {did} {entry.id}", markup=False)


def _place(entry: Entry) -> str:
    return visible(_short(entry.path)) + (" (staged)" if entry.index_mode else "")


def _named_or_latest(name: str | None, environment: Environment, undone: bool) -> Entry:
    """The entry ``name``, or the latest that is ``undone`` or is not."""
    environment.journal.recover()
    if name is not None:
        return _entry(name, environment)
    for entry in environment.journal.entries():
        if entry.undone == undone:
            return entry
    what = "redo" if undone else "undo"
    raise Misuse(f"there is nothing to {what}", "see what was written: cedit log")


def _entry(name: str, environment: Environment) -> Entry:
    found = [entry for entry in environment.journal.entries() if entry.id.startswith(name)]
    if len(found) != 1:
        many = "more than one write" if found else "no write"
        raise Misuse(f"there is {many} {name!r}", "see their ids: cedit log")
    return found[0]


def _short(path: str) -> str:
    """``path`` from here where it is below this directory."""
    here = Path.cwd()
    return str(Path(path).relative_to(here)) if Path(path).is_relative_to(here) else path
