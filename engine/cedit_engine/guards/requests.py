"""What an instruction asks for by name, and the edit did not do."""

import re

from cedit_engine.guards.concerns import Missing, StillThere, Unused
from cedit_engine.guards.edited import Edited, mentions
from cedit_engine.instruction import Addition, additions, extracted, removed, renaming
from cedit_engine.outline import heads


def not_done(edited: Edited) -> Missing | StillThere | Unused | None:
    """A name that was to be brought in, taken away, or used, and was not."""
    return missing(edited) or still_there(edited) or unused(edited)


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


def still_there(edited: Edited) -> StillThere | None:
    """Definitions that the instruction removes and the edited file makes all the same."""
    asked = removed(edited.task.instruction)
    before, after = (heads("\n".join(lines)) for lines in (edited.old_lines, edited.lines))
    names = tuple(name for name in asked if name in before & after)
    return StillThere(names) if names else None


def unused(edited: Edited) -> Unused | None:
    """What was to be extracted and stands in the edited file once: where it is defined."""
    text = "\n".join(edited.lines)
    for name in extracted(edited.task.instruction):
        if len(re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", text)) == 1:
            return Unused(name)
    return None


def _was_there(edited: Edited, addition: Addition) -> bool:
    """Whether the instruction may speak of something that the file holds already."""
    text = "\n".join(edited.old_lines)
    return addition.name in heads(text) if addition.defines else mentions(text, addition.name)
