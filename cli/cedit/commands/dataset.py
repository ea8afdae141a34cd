"""``cedit dataset build``: training pairs from commits."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from cedit.dataset import DatasetOptions, Harvest, card, require_dataset_extra, row_of
from cedit.environment import Environment
from cedit.exits import ExitStatus
from cedit.failures import FileProblem, Misuse
from cedit.render import plural


def build(
    repositories: Sequence[Path], out: Path, options: DatasetOptions, environment: Environment
) -> ExitStatus:
    """Write the pairs, those of held out repositories apart, and a card of what went in."""
    require_dataset_extra()
    if not repositories:
        raise Misuse("there is no history to learn from", "name a repository: --git PATH")
    seen: set[str] = set()
    is_only_one = len(repositories) == 1
    harvests = [Harvest(path, options, seen, is_only_one) for path in repositories]
    held_out = out.with_suffix(f".test{out.suffix}")
    try:
        _write(harvests, out, held_out, environment)
        text = card(harvests, options, environment.command)
        out.with_suffix(".md").write_text(text, encoding="utf-8")
    except OSError as error:
        raise FileProblem(
            str(error.filename or out), error.strerror or str(error), "name another file"
        ) from error
    made = plural(sum(harvest.pairs for harvest in harvests), "pair")
    environment.err.print(f"{made}, and a card in {out.with_suffix('.md')}", markup=False)
    return ExitStatus.DONE if any(each.pairs for each in harvests) else ExitStatus.UNCHANGED


def _write(
    harvests: Sequence[Harvest], out: Path, held_out: Path, environment: Environment
) -> None:
    tested = any(harvest.is_held_out for harvest in harvests)
    with ExitStack() as files, environment.err.status("reading") as status:
        training = files.enter_context(out.open("w", encoding="utf-8"))
        testing = files.enter_context(held_out.open("w", encoding="utf-8")) if tested else training
        for harvest in harvests:
            file = testing if harvest.is_held_out else training
            for pair in harvest:
                file.write(row_of(pair))
                status.update(f"{harvest.name}: {harvest.pairs:,} pairs")
