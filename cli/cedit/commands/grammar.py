"""``cedit grammar``: what a strategy may write for a file, as GBNF."""

from cedit.environment import Environment
from cedit.exits import ExitStatus
from cedit.worktree import read_target
from cedit_engine.strategies.registry import STRATEGIES
from cedit_engine.task import Task


def show(
    name: str, strategy: str, lines: tuple[int, int] | None, environment: Environment
) -> ExitStatus:
    """Print the grammar; the instruction has a part in it only through the tags."""
    task = Task.of(read_target(name).source, "any", name, lines)
    environment.write(STRATEGIES[strategy].grammar(task).encode())
    return ExitStatus.DONE
