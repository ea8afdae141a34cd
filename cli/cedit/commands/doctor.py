"""``cedit doctor``: what is here, and what is wrong with it."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import platform, python_version

from cedit.console import words_for
from cedit.environment import Environment
from cedit.exits import ExitStatus
from cedit.render import human_size
from cedit.version import VERSION
from cedit_engine import llama
from cedit_engine.errors import CeditError
from cedit_engine.registry import REGISTRY, KnownModel, find_model
from cedit_engine.threads import physical_cores


@dataclass(frozen=True)
class Finding:
    """One line of the report; ``wrong`` says what to mend where something is."""

    subject: str
    state: str
    wrong: str = ""
    fatal: bool = False


def run(model_name: str, environment: Environment) -> ExitStatus:
    """Print every finding; the status is not 0 where an edit could not run."""
    findings = list(_findings(model_name, environment))
    for finding in findings:
        style = "red" if finding.fatal else "yellow" if finding.wrong else "green"
        mark = "✗" if finding.fatal else "!" if finding.wrong else "✓"
        environment.out.print(mark, style=style, end=" ")
        environment.out.print(f"{finding.subject}: {finding.state}", markup=False)
        if finding.wrong:
            environment.out.print(f"    {finding.wrong}", markup=False)
    return ExitStatus.ENGINE if any(f.fatal for f in findings) else ExitStatus.DONE


def _findings(model_name: str, environment: Environment) -> Iterator[Finding]:
    yield Finding("cedit", VERSION)
    yield Finding("python", f"{python_version()} on {platform()}")
    for package in ("llama-cpp-python", "huggingface-hub", "gitpython", "typer", "rich"):
        yield _package(package)
    yield from _guarded("llama.cpp", lambda: _devices(environment))
    yield from _guarded("model", lambda: _model(model_name, environment))
    yield _store(environment)
    yield _program("git", "patches are then named from the current directory")
    yield _program("pip", "models can then come only from the hub")
    yield Finding("network", "not used: CEDIT_OFFLINE is set" if environment.offline else "allowed")


def _guarded(subject: str, look: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    try:
        yield from look()
    except CeditError as error:
        yield Finding(subject, "unusable", words_for(error), fatal=True)


def _package(name: str) -> Finding:
    try:
        return Finding(name, version(name))
    except PackageNotFoundError:
        return Finding(name, "missing", f"pip install {name}", fatal=True)


def _devices(environment: Environment) -> Iterator[Finding]:
    yield Finding("threads", f"{physical_cores()} (physical cores this process may use)")
    for device in llama.devices():
        kind = "GPU" if device.is_gpu else "no GPU"
        yield Finding("device", f"{device.name}: {device.description} ({kind})")


def _model(name: str, environment: Environment) -> Iterator[Finding]:
    model = find_model(name)
    if isinstance(model, KnownModel):
        if not environment.store.has(model):
            yield Finding("model", f"{name} is not here", f"cedit model pull {name}")
            return
        path = environment.store.path(model)
        environment.store.verify(model)
    else:
        path = model
    loaded = llama.Llama(path, llama.LoadOptions(gpu_layers=0, vocabulary_only=True))
    loaded.close()
    size = human_size(path.stat().st_size)
    checked = "size and SHA-256 are right" if isinstance(model, KnownModel) else "it loads"
    yield Finding("model", f"{name}, {size}, {checked}")


def _store(environment: Environment) -> Finding:
    folder = environment.store.folder
    here = [model.id for model in REGISTRY.values() if environment.store.has(model)]
    used = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    free = shutil.disk_usage(_existing(folder)).free
    state = f"{folder}: {', '.join(here) or 'empty'}, {human_size(used)}, {human_size(free)} free"
    needed = min(model.size or 0 for model in REGISTRY.values())
    wrong = "" if here or free > needed else "there is no room for a model: free some space"
    return Finding("model folder", state, wrong)


def _existing(folder: Path) -> Path:
    return next(path for path in (folder, *folder.parents) if path.exists())


def _program(name: str, without: str) -> Finding:
    path = shutil.which(name)
    return Finding(name, path) if path else Finding(name, "not found", without)
