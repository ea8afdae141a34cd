"""``cedit hook``: recipes before every commit, for people without pre-commit."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from cedit.changed import repository_here
from cedit.commands.recipe import recipe_named
from cedit.environment import Environment
from cedit.exits import ExitStatus
from cedit.failures import FileProblem, Misuse
from cedit.render import visible

_MARK = "# Written by cedit hook install; cedit hook uninstall removes it."
_SCRIPT = """\
#!/bin/sh
{mark}
export NO_COLOR=1 TERM=dumb
for recipe in {recipes}; do
    {python} -m cedit run "$recipe" --staged </dev/null || exit
done
"""


def install(recipes: Sequence[str], environment: Environment) -> ExitStatus:
    """Have git run ``recipes`` on what is staged; raises ``FileProblem`` and ``Misuse``."""
    if not recipes:
        raise Misuse("no recipe was named", "cedit hook install NAME")
    for name in recipes:
        recipe_named(name)
    path = _hook()
    _require_own(path)
    script = _SCRIPT.format(
        mark=_MARK,
        recipes=shlex.join(recipes),
        python=shlex.quote(sys.executable),
    )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(script, encoding="utf-8")
        path.chmod(0o755)
    except OSError as error:
        raise FileProblem(
            str(path), f"it cannot be written: {error.strerror}", "check it with: ls -l"
        ) from error
    environment.err.print(f"{visible(str(path))}: runs {', '.join(recipes)}", markup=False)
    return ExitStatus.DONE


def uninstall(environment: Environment) -> ExitStatus:
    """Take away the hook that ``install`` wrote; raises ``FileProblem``."""
    path = _hook()
    if not path.exists():
        environment.err.print("cedit: there is no hook to remove")
        return ExitStatus.UNCHANGED
    _require_own(path)
    path.unlink()
    environment.err.print(f"{visible(str(path))}: removed", markup=False)
    return ExitStatus.DONE


def _hook() -> Path:
    return repository_here().own_path("hooks/pre-commit")


def _require_own(path: Path) -> None:
    if path.exists() and _MARK not in path.read_text("utf-8", "replace").splitlines():
        raise FileProblem(
            str(path),
            "it is a hook that cedit did not write",
            "call cedit from it: cedit run NAME --staged",
        )
