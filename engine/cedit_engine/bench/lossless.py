"""``bench lossless``: known edits as programs, and back, byte for byte."""

from cedit_engine.bench.ceiling import Edit
from cedit_engine.bench.formats import DICTATED, dictated
from cedit_engine.model import Model
from cedit_engine.program import Program, parse, render
from cedit_engine.resolver import in_lines, resolve


def comes_back(edit: Edit, made: Program) -> bool:
    """Whether ``made``, rendered, parsed and resolved, by tokens and by lines, is the new text."""
    program = parse(render(made))
    after = edit.after.data
    by_lines = in_lines(program, edit.before, edit.old_tokens)
    return (
        program == made
        and resolve(program, edit.before, edit.old_tokens) == after
        and resolve(by_lines, edit.before) == after
    )


def decoded(edit: Edit, model: Model) -> dict[str, bool]:
    """Of each of ``DICTATED`` whether the known answer comes out of constraint and decoder.

    ``model`` evaluates every token that is written or spliced, but what it would choose is
    overruled: grammar, splice, memory and resolver are tried, not what the model knows.
    """
    return {name: _is_decoded(edit, name, model) for name in DICTATED}


def _is_decoded(edit: Edit, name: str, model: Model) -> bool:
    built = dictated(edit, name, model, evaluates=True)
    return built is not None and built.after == edit.after.data
