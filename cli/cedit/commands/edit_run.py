"""The files of one command, edited by one model, and what becomes of each edit."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from cedit.change import Change, change_as_json, summary
from cedit.changed import repository_here
from cedit.committing import commit
from cedit.console import status_of, words_for
from cedit.delivery import Delivery, Mode, Output
from cedit.environment import Environment
from cedit.event_lines import event_lines
from cedit.exits import ExitStatus, worst
from cedit.failures import Stopped
from cedit.interrupts import stoppable
from cedit.journal import Origin
from cedit.progress import live_line
from cedit.render import cost, counts_in_full, objection, unsure, visible
from cedit.reversal import take_back
from cedit.scope import Scope
from cedit.trial import TrialOptions, trial
from cedit.worktree import Target
from cedit_engine.editing import (
    EditOptions,
    EditResult,
    NothingAcceptable,
    Test,
    edit,
    reserve,
)
from cedit_engine.errors import CeditError, Interrupted
from cedit_engine.events import OnEvent
from cedit_engine.llama import LoadOptions
from cedit_engine.model import Model
from cedit_engine.program import render
from cedit_engine.reading import NoStates, States
from cedit_engine.session import Session
from cedit_engine.task import Task


@dataclass(frozen=True)
class Request:
    """What the command line asks for.

    ``passed_over`` tells why a file is not edited: in no words where it goes without saying,
    None where it is.
    """

    files: tuple[str, ...]
    message: str | None = None
    message_file: str | None = None
    context: tuple[str, ...] = ()
    lines: tuple[int, int] | None = None
    scope: Scope = field(default_factory=Scope)
    commit: bool = False
    commit_message: str | None = None
    passed_over: Callable[[Target], str | None] = lambda _: None
    create: bool = False
    stdin_name: str = "stdin"
    model: str = ""
    load: LoadOptions = field(default_factory=LoadOptions)
    options: EditOptions = field(default_factory=EditOptions)
    output: Output = field(default_factory=Output)
    trial: TrialOptions | None = None
    use_cache: bool = True
    outside: bool = False
    verbose: bool = False


@dataclass(frozen=True)
class Startup:
    """Seconds before the first file: CPU time until the imports were done, the model's loading."""

    imports: float
    loading: float


@dataclass(frozen=True)
class Edit:
    """A change that a model made up, and how; ``objection`` is why it was not taken."""

    task: Task
    change: Change
    result: EditResult
    objection: str = ""

    @property
    def status(self) -> ExitStatus:
        """What it comes to once it is delivered."""
        return ExitStatus.DONE if self.change.is_change else ExitStatus.UNCHANGED


Outcome = Edit | ExitStatus
"""An edit, or what went wrong, which was told."""


@dataclass(frozen=True)
class Run:
    """The files of one command, edited by one model."""

    request: Request
    environment: Environment
    model: Model
    delivery: Delivery
    startup: Startup

    def edit_all(self, tasks: list[tuple[Target, Task]]) -> ExitStatus:
        """Every file's outcome; all edits are made up before the first is written."""
        reserve(Session(self.model), [task for _, task in tasks], self.request.options)
        edits = [self._edit_one(target, task) for target, task in tasks]
        deliver = self._deliver_all if self.request.output.all_or_nothing else self._deliver_each
        delivered = deliver(edits)
        status = worst([each.status if isinstance(each, Edit) else each for each in delivered])
        self.delivery.finish(status)
        if self.request.commit:
            made = [each.change for each in _edits(delivered)]
            self._commit(made, tasks[0][1].instruction, status)
        return status

    def _commit(self, changes: list[Change], instruction: str, status: ExitStatus) -> None:
        made = [change for change in changes if change.is_change]
        if status is not ExitStatus.DONE or not made:
            self.environment.err.print("cedit: nothing was committed")
            return
        message = self.request.commit_message or instruction
        staged = self.request.scope.staged
        name = commit(repository_here(), made, message, staged=staged)
        if not self.request.output.quiet:
            self.environment.err.print(f"committed as {name}", markup=False)

    def _edit_one(self, target: Target, task: Task) -> Outcome:
        """One file's edit; an error in one leaves the others to go on."""
        try:
            return self._edit(target, task, self._ask(target, task))
        except Interrupted:
            raise
        except NothingAcceptable as error:
            if error.refused and error.refused.attempt:
                others = tuple(other for other in error.rejected if other is not error.refused)
                result = EditResult(error.refused.attempt, others)
                return self._edit(target, task, result, objection(error.refused))
            return self._failed(target, error)
        except CeditError as error:
            return self._failed(target, error)

    def _edit(self, target: Target, task: Task, result: EditResult, against: str = "") -> Edit:
        command, program = self.environment.command, render(result.program)
        origin = Origin(command, self.request.model, program, task.instruction)
        return Edit(task, Change(target, result.program, result.after, origin), result, against)

    def _failed(self, target: Target, error: CeditError) -> ExitStatus:
        words = words_for(error, target.name)
        self.delivery.report({"path": visible(target.name), "outcome": "failed", "error": words})
        self.environment.err.print(words, markup=False)
        return status_of(error)

    def _deliver_each(self, edits: list[Outcome]) -> list[Outcome]:
        """Every file's outcome, until the user wants no more."""
        delivered: list[Outcome] = []
        for each in edits:
            if isinstance(each, ExitStatus):
                delivered.append(each)
                continue
            try:
                delivered.append(self._deliver_one(each))
            except CeditError as error:
                delivered.append(self._failed(each.change.target, error))
                if isinstance(error, Stopped):
                    break
        return delivered

    def _deliver_one(self, edit: Edit) -> Edit:
        reviewed = self._finished(self._reviewed(edit))
        self._report(reviewed.change, reviewed.result)
        return reviewed

    def _reviewed(self, edit: Edit) -> Edit:
        """The edit that is to be written: this one, parts of it, or another answer."""
        while True:
            shown = self.delivery.show(edit.change, edit.objection, can_retry=True)
            if isinstance(shown, Change):
                return replace(edit, change=shown)
            again = self._edit_one(
                edit.change.target, replace(edit.task, instruction=shown.instruction)
            )
            edit = again if isinstance(again, Edit) else edit

    def _deliver_all(self, edits: list[Outcome]) -> list[Outcome]:
        """Every file's outcome, where none is written unless all are."""
        made = _edits(edits)
        if len(made) < len(edits):
            self._take_back(made)
            return edits
        try:
            delivered = self._delivered_together(made)
        except BaseException:
            self._take_back(made)
            raise
        if len(_edits(delivered)) < len(made):
            self._take_back(made)
        else:
            for each in _edits(delivered):
                self._report(each.change, each.result)
        return delivered

    def _delivered_together(self, made: list[Edit]) -> list[Outcome]:
        reviewed = self._until_one_fails(made, self._reviewed)
        if len(_edits(reviewed)) < len(made):
            return reviewed
        return self._until_one_fails(_edits(reviewed), self._finished)

    def _finished(self, edit: Edit) -> Edit:
        self.delivery.finish_one(edit.change)
        return edit

    def _until_one_fails(self, edits: list[Edit], step: Callable[[Edit], Edit]) -> list[Outcome]:
        done: list[Outcome] = []
        for each in edits:
            try:
                done.append(step(each))
            except CeditError as error:
                return [*done, self._failed(each.change.target, error)]
        return done

    def _take_back(self, made: list[Edit]) -> None:
        for written in reversed(self.delivery.written):
            for entry in reversed(written.entries):
                take_back(entry, self.environment)
        if made:
            names = ", ".join(visible(each.change.target.name) for each in made)
            words = f"cedit: left as they were, as not all edits worked: {names}"
            self.environment.err.print(words, markup=False)

    def _ask(self, target: Target, task: Task) -> EditResult:
        cancellation = self.environment.cancellation
        with (
            stoppable(cancellation),
            self._trial(target) as test,
            self._followed(target) as on_event,
        ):
            session = Session(self.model, on_event, cancellation, self._states)
            return edit(session, task, self.request.options, test)

    def _followed(self, target: Target) -> AbstractContextManager[OnEvent]:
        """What is told of an edit while it is made."""
        if self.request.output.events:
            return nullcontext(event_lines(target.name, self.environment))
        return live_line(self.environment.err, target.name, not self.request.output.quiet)

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
        if change.is_change and not result.chosen.certainty.is_sure and self.request.trial is None:
            err.print(unsure(change.target.name, result), markup=False)
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


def _edits(outcomes: list[Outcome]) -> list[Edit]:
    return [each for each in outcomes if isinstance(each, Edit)]


def _row(change: Change, result: EditResult, output: Output) -> dict[str, Any]:
    done = "written" if output.mode is Mode.WRITE else "changed"
    return {
        "path": visible(change.target.name),
        "outcome": done if change.is_change else "unchanged",
        "strategy": result.strategy,
        **change_as_json(change),
        "certainty": {**asdict(result.chosen.certainty), "sure": result.chosen.certainty.is_sure},
        "counts": asdict(result.counts),
    }
