"""Settings and recipes from files: the project's, found upwards from a file, and the user's."""

import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from cedit.failures import Misuse
from cedit_engine.registry import REGISTRY

SETTINGS = (
    "strategy",
    "rewrite-tokens",
    "drift-margin",
    "no-drafts",
    "no-guard",
    "any-order",
    "attempts",
    "test-timeout",
    "all-or-nothing",
    "interactive",
    "max-deletions",
    "model",
    "gpu-layers",
    "temperature",
    "top-p",
    "seed",
    "max-tokens",
    "no-cache",
    "show-program",
    "verbose",
    "quiet",
)
# A project that somebody else wrote may not have commands run, files written unasked, or a
# file of its own loaded as a model.
USERS_OWN = ("test", "yes", "outside", "force")
_RECIPES = "recipes"


@dataclass(frozen=True)
class Setting:
    """A value, and the file that it is from."""

    value: Any
    file: Path


@dataclass(frozen=True)
class Recipe:
    """A named instruction: for which files, by which strategy, and without which guards."""

    name: str
    instruction: str
    globs: tuple[str, ...] = ()
    strategy: str | None = None
    no_guard: tuple[str, ...] = ()


def settings_for(folder: Path, users_file: Path) -> dict[str, Setting]:
    """What files set for what is in ``folder``, by key; raises ``Misuse``."""
    found = {
        key: Setting(value, users_file)
        for key, value in _table(users_file, (*SETTINGS, *USERS_OWN)).items()
    }
    project = _project_file(folder)
    if project:
        table = _table(project, SETTINGS)
        if "model" in table and table["model"] not in REGISTRY:
            known = ", ".join(REGISTRY)
            raise Misuse(
                f"{project}: a project may only name a model that cedit knows",
                f"take one of: {known}; or say it with --model, or in your own file",
            )
        found |= {key: Setting(value, project) for key, value in table.items()}
    return found


def recipes_for(folder: Path) -> dict[str, Recipe]:
    """The project's recipes, by name; raises ``Misuse``."""
    file = _project_file(folder)
    if file is None:
        return {}
    recipes = _loaded(file).get(_RECIPES, {})
    if not isinstance(recipes, Mapping):
        raise Misuse(f"{file}: {_RECIPES} is not a table", "write [tool.cedit.recipes.NAME]")
    return {name: _recipe(file, name, table) for name, table in recipes.items()}


def _recipe(file: Path, name: str, table: object) -> Recipe:
    where = f"{file}: the recipe {name!r}"
    if not isinstance(table, Mapping):
        raise Misuse(f"{where} is not a table", "give it an instruction")
    keys = ("instruction", "globs", "strategy", "no-guard")
    for key in table:
        _require_known(key, keys, where)
    instruction, strategy = table.get("instruction"), table.get("strategy")
    if not isinstance(instruction, str) or not instruction.strip():
        raise Misuse(f"{where} has no instruction", 'add instruction = "…"')
    if not isinstance(strategy, str | None):
        raise Misuse(f"{where}: strategy is not a text", 'write strategy = "anchor"')
    lists = (_texts(table.get(key, []), f"{where}: {key}") for key in ("globs", "no-guard"))
    return Recipe(name, instruction, next(lists), strategy, next(lists))


def _texts(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise Misuse(f"{where} is not a list of texts", 'write it as ["…", "…"]')
    return tuple(value)


def _project_file(folder: Path) -> Path | None:
    """The nearest file upwards that says anything of cedit.

    A pyproject.toml that is none says nothing: mending it must not depend on it.
    """
    for parent in (folder, *folder.parents):
        own, shared = parent / ".cedit.toml", parent / "pyproject.toml"
        if own.is_file():
            return own
        with suppress(Misuse):
            if shared.is_file() and _loaded(shared):
                return shared
    return None


def _table(file: Path, keys: tuple[str, ...]) -> dict[str, Any]:
    if not file.is_file():
        return {}
    table = {key: value for key, value in _loaded(file).items() if key != _RECIPES}
    for key in table:
        if key in USERS_OWN and key not in keys:
            raise Misuse(f"{file}: {key} is only for your own file", "see: cedit config show")
        _require_known(key, keys, str(file))
    return table


def _require_known(key: str, keys: tuple[str, ...], where: str) -> None:
    if key not in keys:
        near = get_close_matches(key, keys, n=1)
        hint = f"did you mean {near[0]}?" if near else f"take one of: {', '.join(keys)}"
        raise Misuse(f"{where}: there is no key {key!r}", hint)


def _loaded(file: Path) -> dict[str, Any]:
    """What ``file`` says of cedit."""
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Misuse(f"{file} cannot be read: {error}", "mend it, or move it away") from None
    if file.name == "pyproject.toml":
        document = document.get("tool", {}).get("cedit", {})
    return document
