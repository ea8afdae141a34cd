"""``cedit cache``: what models made of earlier prompts, kept on disk."""

from cedit.environment import Environment
from cedit.exits import ExitStatus
from cedit.render import human_size, plural


def info(environment: Environment) -> ExitStatus:
    """Print folder, count, size and limit."""
    states = environment.states
    count, size = states.size()
    environment.out.print(
        f"{states.folder}: {plural(count, 'state')}, {human_size(size)} "
        f"of {human_size(states.limit)} at most",
        markup=False,
    )
    return ExitStatus.DONE


def clear(environment: Environment) -> ExitStatus:
    """Delete every state."""
    count, size = environment.states.clear()
    environment.err.print(f"cedit: {plural(count, 'state')} deleted, {human_size(size)} freed")
    return ExitStatus.DONE
