"""``cedit run NAME``: a recipe, for hooks and teams. It never asks."""

from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from pathspec import GitIgnoreSpec

from cedit.commands import edit as edit_command
from cedit.commands.edit_run import Request
from cedit.config import Recipe, recipes_for
from cedit.delivery import Mode
from cedit.environment import Environment
from cedit.exits import ExitStatus
from cedit.failures import Misuse, RepositoryBusy
from cedit.journal import Journal, digest_of
from cedit.repo import work_tree_of
from cedit.worktree import Target


@dataclass(frozen=True)
class RecipeRequest:
    """A recipe by its name, and the edit that it says the rest of.

    ``check`` writes nothing and tells whether there is anything to change.
    """

    name: str
    edit: Request
    check: bool = False


def recipe_named(name: str) -> Recipe:
    """The recipe of this directory's project; raises ``Misuse``."""
    recipes = recipes_for(Path.cwd())
    if name in recipes:
        return recipes[name]
    near = get_close_matches(name, recipes, n=1)
    known = f"there are: {', '.join(recipes)}" if recipes else "write [tool.cedit.recipes.NAME]"
    raise Misuse(f"there is no recipe {name!r}", f"did you mean {near[0]}?" if near else known)


def run(request: RecipeRequest, recipe: Recipe, environment: Environment) -> ExitStatus:
    """Carry out ``recipe``; done also where there was nothing to change."""
    asked = request.edit
    files = asked.files
    if not files and not asked.scope.is_of_repository:
        files = _matching_files(recipe)
        if not files:
            return ExitStatus.DONE
    mode = Mode.DRY_RUN if request.check else Mode.WRITE
    edit = replace(
        asked,
        files=files,
        message=recipe.instruction,
        output=replace(asked.output, mode=mode, yes=True),
        passed_over=_Selection.of(recipe, environment.journal).passed_over,
    )
    try:
        status = edit_command.run(edit, replace(environment, can_ask=False))
    except RepositoryBusy as error:
        # A hook that refused would keep people from ending what they are in the middle of.
        environment.err.print(f"cedit: {recipe.name}: passed over in the middle of {error.what}")
        return ExitStatus.DONE
    if status is ExitStatus.UNCHANGED:
        return ExitStatus.DONE
    return ExitStatus.WOULD_CHANGE if request.check and status is ExitStatus.DONE else status


def _matching_files(recipe: Recipe) -> tuple[str, ...]:
    """The files below this directory that the recipe is for; raises ``Misuse``."""
    if not recipe.globs:
        raise Misuse(f"the recipe {recipe.name} names no files", "name some, or give it globs")
    here = Path.cwd()
    tree = work_tree_of(here / "any")
    below = (tree.root / path for path in tree.files())
    names = (path.relative_to(here) for path in below if path.is_relative_to(here))
    return tuple(sorted(str(name) for name in names if _matches(recipe, here / name)))


def _matches(recipe: Recipe, path: Path) -> bool:
    if not recipe.globs:
        return True
    root = work_tree_of(path).root
    return GitIgnoreSpec.from_lines(recipe.globs).match_file(str(path.relative_to(root)))


@dataclass(frozen=True)
class _Selection:
    """Which files a recipe leaves as they are: ``made`` are the SHA-256 of what it wrote."""

    recipe: Recipe
    made: frozenset[str]

    @classmethod
    def of(cls, recipe: Recipe, journal: Journal) -> "_Selection":
        """What is left as it is by what the journal tells."""
        entries = journal.entries()
        own = (e for e in entries if e.instruction == recipe.instruction and not e.undone)
        return cls(recipe, frozenset(entry.after for entry in own))

    def passed_over(self, target: Target) -> str | None:
        assert target.path is not None
        if not _matches(self.recipe, target.path.absolute()):
            return ""
        is_own = digest_of(target.source.data) in self.made
        return f"it is what {self.recipe.name} made of it" if is_own else None
