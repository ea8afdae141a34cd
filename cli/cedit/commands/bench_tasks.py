"""``cedit bench tasks``: which of the edits that people ask for get done."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table

from cedit.commands.bench_cases import CasesRequest, print_summary, run_cases
from cedit.environment import Environment
from cedit.exits import ExitStatus
from cedit.failures import Misuse
from cedit.render import plural
from cedit_engine.bench.compare import Share
from cedit_engine.bench.results import CaseResult, summarise
from cedit_engine.bench.tasks import Suite, SuiteTask, holdout, load_suite

HALVES = ("development", "holdout", "all")


@dataclass(frozen=True)
class Choice:
    """Which tasks are meant: a half, kinds, single ones by name (of any half), the first few."""

    half: str
    kinds: tuple[str, ...]
    names: tuple[str, ...]
    limit: int | None


def run(choice: Choice, request: CasesRequest, environment: Environment) -> ExitStatus:
    """Run every task that ``--resume`` does not hold, then print each kind and the totals."""
    suite = load_suite()
    tasks = _chosen(suite, choice)
    if suite.unfit:
        environment.err.print(
            f"cedit: left out {plural(len(suite.unfit), 'task')}, as this Python's modules "
            f"differ: {', '.join(suite.unfit)}",
            markup=False,
        )
    results = run_cases("tasks", tasks, request, environment)
    _say_what_could_not_run(results, environment)
    environment.out.print(_table(tasks, results))
    print_summary(summarise(results, request.options, request.model), environment)
    return ExitStatus.DONE


def _chosen(suite: Suite, choice: Choice) -> list[SuiteTask]:
    unknown = set(choice.names) - {task.name for task in suite.tasks} - set(suite.unfit)
    if unknown:
        raise Misuse(f"there is no task {min(unknown)!r}", "leave --task out to run them all")
    if choice.names:
        return [task for task in suite.tasks if task.name in choice.names]
    held = holdout()
    halves = {"development": (False,), "holdout": (True,), "all": (False, True)}
    wanted = halves[choice.half]
    tasks = [t for t in suite.tasks if (t.name in held) in wanted and t.kind in choice.kinds]
    return tasks[: choice.limit]


def _say_what_could_not_run(results: Sequence[CaseResult], environment: Environment) -> None:
    unchecked = [r.name for r in results if r.taken and r.taken.passed is None]
    if unchecked:
        environment.err.print(
            f"cedit: nothing here runs the check of {', '.join(unchecked)}; they count as done "
            "where the file equals the reference",
            markup=False,
        )


def _table(tasks: Sequence[SuiteTask], results: Sequence[CaseResult]) -> Table:
    table = Table(box=None, pad_edge=False)
    headings = ("kind", "tasks", "done", "95 %", "wrong", "strayed", "refused", "unchanged")
    for heading in (*headings, "disasters"):
        table.add_column(heading, justify="left" if heading == "kind" else "right")
    kinds = {task.name: task.kind for task in tasks}
    for kind in dict.fromkeys(kinds.values()):
        own = [result for result in results if kinds[result.name] == kind]
        table.add_row(kind, *_row(own))
    table.add_row("all", *_row(results), style="bold")
    return table


def _row(results: Sequence[CaseResult]) -> list[str]:
    taken = [result.taken for result in results if result.taken]
    share = Share.of(sum(result.done for result in results), len(results))
    changed = [answer for answer in taken if not answer.no_change]
    strayed = sum(answer.kept is False for answer in changed)
    done = sum(answer.done for answer in changed)
    counts = (
        len(changed) - done - strayed,
        strayed,
        len(results) - len(taken),
        len(taken) - len(changed),
        sum(answer.disaster for answer in taken),
    )
    interval = f"{share.low:.0%} – {share.high:.0%}"
    return [str(share.total), str(share.hits), interval, *map(str, counts)]
