"""``cedit FILE… -m TEXT``: the edit itself."""

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time

from cedit.changed import repository_here
from cedit.commands.edit_run import Request, Run, Startup
from cedit.committing import require_committable
from cedit.delivery import Delivery, Mode
from cedit.environment import Environment
from cedit.event_lines import event_lines
from cedit.exits import ExitStatus
from cedit.failures import FileProblem, Misuse
from cedit.locks import locked
from cedit.models import opened_model
from cedit.repo import is_inside
from cedit.scope import Work, pass_over, work_in
from cedit.worktree import Target, read_bytes, read_stdin, read_target
from cedit.writing import FileWriter
from cedit_engine.errors import EmptyInstruction
from cedit_engine.events import ignore
from cedit_engine.task import ContextFile, Task

STDIN = "-"


def run(request: Request, environment: Environment) -> ExitStatus:
    """Edit every file of ``request``; nothing is loaded before all of its input is in order."""
    request = _with_stdin(request, environment)
    if request.commit and request.output.mode is not Mode.WRITE:
        raise Misuse("--commit is about what is written", "leave it out, or write the files")
    instruction = _instruction(request, environment)
    with ExitStack() as locks:
        work = _selected(_work(request, instruction, environment, locks), request, environment)
        delivery = Delivery(environment, request.output, work.writer)
        if not work.tasks:
            return ExitStatus.UNCHANGED
        if request.commit:
            require_committable(repository_here(), [target for target, _ in work.tasks])
        imported, started = process_time(), perf_counter()
        output = request.output
        tell = event_lines("", environment) if output.events else ignore
        with opened_model(request.model, request.load, environment, output.quiet, tell) as model:
            startup = Startup(imported, perf_counter() - started)
            return Run(request, environment, model, delivery, startup).edit_all(work.tasks)


def _selected(work: Work, request: Request, environment: Environment) -> Work:
    """What of ``work`` the request does not pass over."""
    tasks = []
    for target, task in work.tasks:
        why = request.passed_over(target)
        if why is None:
            tasks.append((target, task))
        elif why:
            pass_over(target.name, why, environment)
    return replace(work, tasks=tasks)


def _work(request: Request, instruction: str, environment: Environment, locks: ExitStack) -> Work:
    """The files to edit, read behind their locks where they will be written."""
    context = tuple(_context_file(name) for name in request.context)

    def lock(paths: Iterable[Path]) -> None:
        if request.output.mode is Mode.WRITE:
            locks.enter_context(locked(paths, environment.locks, environment.err))

    def task(target: Target) -> Task:
        name = Path(target.name).name
        return Task.of(target.source, instruction, name, request.lines, context)

    if request.scope.is_of_repository:
        repository = repository_here()
        lock([repository.root])
        return work_in(repository, request.files, request.scope, task, environment)
    lock(map(Path, request.files))
    targets = [_target(name, request, environment) for name in request.files]
    if request.output.mode is Mode.WRITE and not request.outside:
        _require_inside(targets)
    return Work([(target, task(target)) for target in targets], FileWriter(environment))


def _require_inside(targets: Iterable[Target]) -> None:
    """Refuse what a link, or a name, would have written somewhere else; raises ``FileProblem``."""
    for target in targets:
        if target.path and not is_inside(target.path.resolve()):
            raise FileProblem(
                target.name,
                f"it is outside of this repository or directory: {target.path.resolve()}",
                "write it all the same with --outside",
            )


def _with_stdin(request: Request, environment: Environment) -> Request:
    """The request with what standard input stands for spelled out; raises ``Misuse``."""
    if request.scope.is_of_repository:
        return _without_stdin(request)
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


def _without_stdin(request: Request) -> Request:
    """The request about a repository's files as it is; raises ``Misuse``."""
    flag = "--staged" if request.scope.staged else "--since"
    if STDIN in request.files:
        raise Misuse(f"{flag} is about a repository's files", "name files instead of -")
    if request.lines:
        raise Misuse(f"{flag} says which lines may change", "leave --lines out")
    if request.create:
        raise Misuse(f"{flag} is about files that are there", "leave --create out")
    if request.output.mode is Mode.STDOUT:
        raise Misuse("--stdout prints one file that is named", "use --patch or --dry-run")
    if request.scope.staged and request.trial and request.trial.in_place:
        raise Misuse("what is staged is not in place", "leave --in-place-test out")
    return request


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


def _context_file(name: str) -> ContextFile:
    return ContextFile(name, read_target(name).source)


def _target(name: str, request: Request, environment: Environment) -> Target:
    if name == STDIN:
        return read_stdin(environment.stdin, request.stdin_name)
    return read_target(name, request.create)
