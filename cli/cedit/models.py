"""From a model's name to a loaded model, pulled first where it is not on the machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cedit.environment import Environment
from cedit.interrupts import stoppable
from cedit.progress import download_bar, live_line
from cedit.render import human_size
from cedit_engine.events import Event, OnEvent, ignore
from cedit_engine.llama import LoadOptions
from cedit_engine.model import Model
from cedit_engine.registry import KnownModel, find_model


@contextmanager
def opened_model(
    name: str,
    options: LoadOptions,
    environment: Environment,
    quiet: bool,
    on_event: OnEvent = ignore,
) -> Iterator[Model]:
    """The model called ``name``, loaded; ``on_event`` is told how far, as a terminal is."""
    path = model_path(name, environment)
    with (
        stoppable(environment.cancellation),
        live_line(environment.err, "cedit", not quiet) as show,
    ):

        def tell(event: Event) -> None:
            show(event)
            on_event(event)

        model = environment.load_model(path, options, tell, environment.cancellation)
    try:
        yield model
    finally:
        model.close()


def model_path(name: str, environment: Environment) -> Path:
    """Where the model called ``name`` is, once it is there."""
    model = find_model(name)
    if isinstance(model, Path):
        return model
    if environment.store.has(model) or environment.offline:
        return environment.store.require(model)
    return pull(model, environment)


def pull(model: KnownModel, environment: Environment) -> Path:
    """Fetch ``model``, saying so on standard error."""
    size = f", {human_size(model.size)}" if model.size else ""
    environment.err.print(
        f"cedit: fetching the model {model.id}{size}, once, to {environment.store.folder}",
        markup=False,
    )

    def say(source: str, reason: str) -> None:
        environment.err.print(f"cedit: the {source} did not deliver: {reason}", markup=False)

    with download_bar(environment.err, model.id) as on_progress:
        return environment.store.pull(model, on_progress, say)
