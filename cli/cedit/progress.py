"""The live line on a terminal: what is being loaded, read, copied and written."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from cedit.render import human_size, visible
from cedit_engine.events import Copying, Event, Loading, OnEvent, Reading, Trying, Writing, ignore
from cedit_engine.store import OnProgress

Item = TypeVar("Item")

_TAIL = 400
_SECONDS_BETWEEN_LINES = 30.0


class LiveLine:
    """One line that follows an edit's events."""

    def __init__(self, progress: Progress, task: TaskID, label: str) -> None:
        self._progress = progress
        self._task = task
        self._label = label
        self._written = ""

    def __call__(self, event: Event) -> None:
        match event:
            case Loading(share):
                self._show("loading the model", share, 1)
            case Trying(strategy):
                self._written = ""
                self._show(f"trying {strategy}", 0, 1)
            case Reading(done, total):
                self._show(f"reading {done:,} of {total:,} tokens", done, total)
            case Copying(first, last):
                self._show(f"copying lines {first}-{last}", 1, 1)
            case Writing(text):
                self._written = (self._written + text.decode("utf-8", "replace"))[-_TAIL:]
                self._show(f"writing {self._last_words()}", 1, 1)

    def _last_words(self) -> str:
        lines = self._written.rstrip("\n").rpartition("\n")[2]
        return visible(lines)[-40:]

    def _show(self, doing: str, done: float, total: float) -> None:
        self._progress.update(
            self._task, description=f"{self._label}: {doing}", completed=done, total=total
        )


@contextmanager
def live_line(console: Console, label: str, enabled: bool) -> Iterator[OnEvent]:
    """A handler of events that shows them on a terminal, and nothing elsewhere."""
    if not (enabled and console.is_terminal):
        yield ignore
        return
    bar = BarColumn(bar_width=None if console.width < 60 else 24)
    text = TextColumn("{task.description}", markup=False)
    with Progress(bar, text, console=console, transient=True) as progress:
        yield LiveLine(progress, progress.add_task(label, total=1), visible(label))


def counted(
    items: Iterable[Item],
    label: str,
    total: int,
    console: Console,
    so_far: Callable[[], str] = str,
) -> Iterator[Item]:
    """``items``, under a bar on a terminal; elsewhere a line now and then tells how many.

    What has come of them ``so_far`` is told beside it.
    """
    if console.is_terminal:
        yield from _under_bar(items, label, total, console, so_far)
        return
    said = monotonic()
    for number, item in enumerate(items):
        if monotonic() - said > _SECONDS_BETWEEN_LINES:
            console.print(f"cedit: {label}: {number:,} of {total:,}{so_far()}", markup=False)
            said = monotonic()
        yield item


def _under_bar(
    items: Iterable[Item], label: str, total: int, console: Console, so_far: Callable[[], str]
) -> Iterator[Item]:
    text = TextColumn("{task.description}", markup=False)
    columns = (text, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(label, total=total)
        for item in items:
            yield item
            progress.update(task, advance=1, description=f"{label}{so_far()}")


@contextmanager
def download_bar(console: Console, model_id: str) -> Iterator[OnProgress]:
    """A handler that shows bytes and rate: a bar on a terminal, a line a tenth elsewhere."""
    if not console.is_terminal:
        yield _Tenths(console, model_id)
        return
    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    text = TextColumn("{task.description}", markup=False)
    with Progress(text, *columns, console=console) as progress:
        task = progress.add_task(model_id, total=None)
        doing_before = ""

        def show(doing: str, done: int, total: int | None) -> None:
            nonlocal doing_before
            if doing != doing_before:
                progress.reset(task, description=f"{model_id} {doing}")
                doing_before = doing
            progress.update(task, completed=min(done, total or done), total=total)

        yield show


class _Tenths:
    """Progress for logs: a line whenever another tenth is done."""

    def __init__(self, console: Console, model_id: str) -> None:
        self._console = console
        self._model_id = model_id
        self._said = ("", -1)

    def __call__(self, doing: str, done: int, total: int | None) -> None:
        tenth = min(10, done * 10 // total) if total else 0
        if (doing, tenth) == self._said:
            return
        self._said = (doing, tenth)
        of = f" of {human_size(total)}" if total else ""
        self._console.print(f"cedit: {self._model_id} {doing}: {human_size(done)}{of}")
