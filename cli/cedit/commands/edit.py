"""``cedit FILE… -m TEXT``: the edit itself."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from cedit.console import status_of, words_for
from cedit.delivery import Change, Delivery, Mode, Output, change_as_json, summary
from cedit.environment import Environment
from cedit.exits import ExitStatus, worst
from cedit.failures import Misuse
from cedit.interrupts import stoppable
from cedit.journal import Origin
from cedit.models import opened_model
from cedit.progress import live_line
from cedit.render import cost, counts_in_full, visible
from cedit.trial import TrialOptions, trial
from cedit.worktree import Target, read_bytes, read_stdin, read_target
from cedit_engine.editing import EditOptions, EditResult, Test, edit, reserve
from cedit_engine.errors import CeditError, EmptyInstruction, Interrupted
from cedit_engine.llama import LoadOptions
from cedit_engine.model import Model
from cedit_engine.program import render
from cedit_engine.reading import NoStates, States
from cedit_engine.session import Session
from cedit_engine.task import ContextFile, Task

STDIN = "-"


@dataclass(frozen=True)
class Request:
    """What the command line asks for."""

    files: tuple[str, ...]
    message: str | None = None
    message_file: str | None = None
    context: tuple[str, ...] = ()
    lines: tuple[int, int] | None = None
    create: bool = False
    stdin_name: str = "stdin"
    model: str = ""
    load: LoadOptions = field(default_factory=LoadOptions)
    options: EditOptions = field(default_factory=EditOptions)
    output: Output = field(default_factory=Output)
    trial: TrialOptions | None = None
    use_cache: bool = True
    verbose: bool = False


def run(request: Request, environment: Environment) -> ExitStatus:
    """Edit every file of ``request``; nothing is loaded before all of its input is in order."""
    request = _with_stdin(request, environment)
    instruction = _instruction(request, environment)
    tasks = _tasks(request, instruction, environment)
    delivery = Delivery(environment, request.output)
    imported, started = process_time(), perf_counter()
    with opened_model(request.model, request.load, environment, request.output.quiet) as model:
        startup = Startup(imported, perf_counter() - started)
        return _Run(request, environment, model, delivery, startup).edit_all(tasks)


def _with_stdin(request: Request, environment: Environment) -> Request:
    """The request with what standard input stands for spelled out; raises ``Misuse``."""
    files = request.files or ((STDIN,) if not environment.stdin.isatty() else ())
    if not files:
        raise Misuse("no file was named", 'name one: cedit FILE -m "what to change"')
    if len(set(files)) < len(files):
        raise Misuse("a file was named twice", "name each file once")
    output = request.output
    if STDIN in files:
        if len(files) > 1 or request.message_file == STDIN:
            raise Misuse("standard input can be only one thing", "name files instead")
        if request.trial:
            raise Misuse("--test needs a file in a work tree", "name a file instead of -")
        if output.mode is Mode.WRITE:
            mode = Mode.DRY_RUN if output.as_json else Mode.STDOUT
            output = replace(output, mode=mode, yes=True)
    if output.mode is Mode.STDOUT and len(files) > 1:
        raise Misuse("--stdout prints one file", "name one file, or use --patch")
    if request.lines and len(files) > 1:
        raise Misuse("--lines speaks of one file", "name one file")
    return replace(request, files=files, output=output)


def _instruction(request: Request, environment: Environment) -> str:
    if (request.message is None) == (request.message_file is None):
        raise Misuse("say what to change with -m or -F", 'cedit FILE -m "what to change"')
    if request.message is not None:
        text = request.message
    else:
        data = _message_bytes(request.message_file or "", environment)
        text = data.decode("utf-8", "replace")
    if not text.strip():
        raise EmptyInstruction
    return text


def _message_bytes(name: str, environment: Environment) -> bytes:
    return environment.stdin.read() if name == STDIN else read_bytes(name)


def _tasks(
    request: Request, instruction: str, environment: Environment
) -> list[tuple[Target, Task]]:
    context = tuple(_context_file(name) for name in request.context)
    return [
        (
            target,
            Task.of(target.source, instruction, Path(target.name).name, request.lines, context),
        )
        for target in (_target(name, request, environment) for name in request.files)
    ]


def _context_file(name: str) -> ContextFile:
    return ContextFile(name, read_target(name).source)


def _target(name: str, request: Request, environment: Environment) -> Target:
    if name == STDIN:
        return read_stdin(environment.stdin, request.stdin_name)
    return read_target(name, request.create)


@dataclass(frozen=True)
class Startup:
    """Seconds before the first file: CPU time until the imports were done, the model's loading."""

    imports: float
    loading: float


@dataclass(frozen=True)
class _Run:
    """The files of one command, edited by one model."""

    request: Request
    environment: Environment
    model: Model
    delivery: Delivery
    startup: Startup

    def edit_all(self, tasks: list[tuple[Target, Task]]) -> ExitStatus:
        reserve(Session(self.model), [task for _, task in tasks], self.request.options)
        status = worst([self._edit_one(target, task) for target, task in tasks])
        self.delivery.finish(status)
        return status

    def _edit_one(self, target: Target, task: Task) -> ExitStatus:
        """One file's outcome; an error in one leaves the others to go on."""
        try:
            result = self._ask(target, task)
            origin = Origin(self.environment.command, self.request.model, render(result.program))
            change = Change(target, result.program, result.after, origin)
            status = self.delivery.deliver(change)
        except Interrupted:
            raise
        except CeditError as error:
            words = words_for(error, target.name)
            self.delivery.report(
                {"path": visible(target.name), "outcome": "failed", "error": words}
            )
            self.environment.err.print(words, markup=False)
            return status_of(error)
        self._report(change, result)
        return status

    def _ask(self, target: Target, task: Task) -> EditResult:
        cancellation, shown = self.environment.cancellation, not self.request.output.quiet
        with (
            stoppable(cancellation),
            self._trial(target) as test,
            live_line(self.environment.err, target.name, shown) as on_event,
        ):
            session = Session(self.model, on_event, cancellation, self._states)
            return edit(session, task, self.request.options, test)

    def _trial(self, target: Target) -> AbstractContextManager[Test | None]:
        if self.request.trial is None:
            return nullcontext()
        return trial(target, self.request.trial, self.environment.cancellation)

    @property
    def _states(self) -> States:
        return self.environment.states if self.request.use_cache else NoStates()

    def _report(self, change: Change, result: EditResult) -> None:
        if self.request.output.as_json:
            self.delivery.report(_row(change, result, self.request.output))
        if self.request.output.quiet:
            return
        err = self.environment.err
        err.print(f"{summary(change)} ({cost(result)})", markup=False)
        if self.request.verbose:
            err.print(f"  {self._before_the_first_token(result)}", markup=False)
            for name, value in counts_in_full(result):
                err.print(f"  {name}: {value}", markup=False)

    def _before_the_first_token(self, result: EditResult) -> str:
        first = (*(other.counts for other in result.rejected), result.chosen.counts)[0]
        return (
            f"before the first token: imports {self.startup.imports:.2f} s, "
            f"model load {self.startup.loading:.2f} s, "
            f"state load and save {first.state_seconds:.2f} s, prefill {first.prompt_seconds:.2f} s"
        )


def _row(change: Change, result: EditResult, output: Output) -> dict[str, Any]:
    done = "written" if output.mode is Mode.WRITE else "changed"
    return {
        "path": visible(change.target.name),
        "outcome": done if change.is_change else "unchanged",
        "strategy": result.strategy,
        **change_as_json(change),
        "counts": asdict(result.counts),
    }
