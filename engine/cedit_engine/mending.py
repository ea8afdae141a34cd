"""What can be put right in an answer without asking the model again."""

from collections.abc import Callable, Collection, Mapping
from enum import StrEnum

from cedit_engine.documenting import with_docstring
from cedit_engine.importing import with_imports
from cedit_engine.keeping import with_both
from cedit_engine.overlapping import without_overlap, without_rewriting
from cedit_engine.program import Program
from cedit_engine.task import Task
from cedit_engine.trimming import without_losses, without_strays


class Mend(StrEnum):
    """What was done: see the functions in ``MENDS``."""

    WITHOUT_STRAYS = "without strays"
    WITHOUT_LOSSES = "without losses"
    WITH_BOTH = "with both"
    WITHOUT_OVERLAP = "without overlap"
    WITHOUT_REWRITING = "without rewriting"
    WITH_DOCSTRING = "with docstring"
    WITH_IMPORTS = "with imports"


MENDS: Mapping[Mend, Callable[[Task, bytes, Collection[str]], Program | None]] = {
    Mend.WITHOUT_STRAYS: without_strays,
    Mend.WITHOUT_LOSSES: without_losses,
    Mend.WITH_BOTH: lambda task, after, _: with_both(task, after),
    Mend.WITHOUT_OVERLAP: without_overlap,
    Mend.WITHOUT_REWRITING: without_rewriting,
    Mend.WITH_DOCSTRING: lambda task, after, _: with_docstring(task, after),
    Mend.WITH_IMPORTS: lambda task, after, _: with_imports(task, after),
}
"""How each is done, in the order in which several are: None where there is nothing to do.

Called with the task, the edited file and the names of guards that are switched off.
"""
