"""What an instruction asks to add by name, and the edit did not bring in."""

from cedit_engine.guards.concerns import Missing
from cedit_engine.guards.edited import Edited, mentions
from cedit_engine.instruction import Addition, additions, renaming
from cedit_engine.outline import heads


def missing(edited: Edited) -> Missing | None:
    """Names that no new line holds, of what the instruction adds or renames to."""
    asked = additions(edited.task.instruction)
    names = [addition.name for addition in asked if not _was_there(edited, addition)]
    renamed = renaming(edited.task.instruction)
    if renamed and any(mentions(line, renamed.old) for line in edited.old_lines):
        names.append(renamed.new)
    brought = "\n".join(line for _, line in edited.new_lines)
    absent = tuple(name for name in names if not mentions(brought, name))
    return Missing(absent) if absent else None


def _was_there(edited: Edited, addition: Addition) -> bool:
    """Whether the instruction may speak of something that the file holds already."""
    text = "\n".join(edited.old_lines)
    return addition.name in heads(text) if addition.defines else mentions(text, addition.name)
