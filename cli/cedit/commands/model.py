"""``cedit model``: the models on this machine."""

from rich.table import Table

from cedit.environment import Environment
from cedit.exits import ExitStatus
from cedit.failures import Misuse
from cedit.models import pull
from cedit.progress import download_bar
from cedit.render import human_size
from cedit_engine.errors import ModelAbsent
from cedit_engine.registry import DEFAULT_MODEL, REGISTRY, KnownModel, find_model


def list_models(environment: Environment) -> ExitStatus:
    """Print the registry and what of it is here."""
    table = Table("id", "size", "here", box=None, pad_edge=False)
    table.add_column("file", overflow="fold")
    for model in REGISTRY.values():
        mark = " (default)" if model.id == DEFAULT_MODEL else ""
        here = "yes" if environment.store.has(model) else "no"
        table.add_row(model.id + mark, human_size(model.size or 0), here, model.file)
    environment.out.print(table)
    return ExitStatus.DONE


def pull_model(name: str, environment: Environment) -> ExitStatus:
    """Fetch a model and print its path."""
    model = _known(name)
    if environment.store.has(model):
        environment.err.print(f"cedit: {model.id} is already here", markup=False)
    elif environment.offline:
        raise ModelAbsent(model.id, model.size)
    else:
        pull(model, environment)
    return print_path(name, environment)


def print_path(name: str, environment: Environment) -> ExitStatus:
    """Print where a model is."""
    environment.out.print(str(environment.store.require(_known(name))), markup=False)
    return ExitStatus.DONE


def verify(name: str, environment: Environment) -> ExitStatus:
    """Check a model's size and SHA-256 and print the hash."""
    model = _known(name)
    with download_bar(environment.err, model.id) as on_progress:
        digest = environment.store.verify(model, on_progress)
    checked = "as registered" if model.sha256 else "no hash is registered"
    environment.out.print(f"{digest}  {model.file} ({checked})", markup=False)
    return ExitStatus.DONE


def remove(name: str, environment: Environment) -> ExitStatus:
    """Delete a model from this machine."""
    model = _known(name)
    freed = environment.store.remove(model)
    environment.err.print(f"cedit: removed {model.id}, {human_size(freed)}", markup=False)
    return ExitStatus.DONE


def _known(name: str) -> KnownModel:
    model = find_model(name)
    if isinstance(model, KnownModel):
        return model
    raise Misuse(f"{name} is a path, not a model that cedit keeps", "see: cedit model list")
