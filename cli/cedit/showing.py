"""Patches on standard output."""

from cedit.environment import Environment
from cedit.render import diff_text


def show_patch(patch: bytes, environment: Environment) -> None:
    """Print a patch: in colours on a terminal, byte for byte elsewhere."""
    if environment.out.is_terminal:
        environment.out.print(diff_text(patch), end="")
    else:
        environment.write(patch)
