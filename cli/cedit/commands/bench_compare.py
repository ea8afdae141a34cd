"""``cedit bench compare``: two runs over the same cases, case by case."""

import json
from dataclasses import asdict
from pathlib import Path

from rich.table import Table

from cedit.commands.bench_cases import read_results
from cedit.environment import Environment
from cedit.exits import ExitStatus
from cedit.failures import Misuse
from cedit_engine.bench.compare import Comparison, Share, compare


def run(first: Path, second: Path, environment: Environment) -> ExitStatus:
    """Print who got what done, how likely that is by chance, and the same as JSON."""
    (head, one), (other_head, other) = read_results(first), read_results(second)
    if head["data"] != other_head["data"] or not one.keys() & other.keys():
        raise Misuse(
            f"{first} and {second} hold no results of the same cases",
            "compare two runs of one bench over the same data",
        )
    comparison = compare(one, other)
    environment.out.print(_table(comparison, str(first), str(second)))
    document = {
        **asdict(comparison),
        "first": asdict(comparison.first),
        "second": asdict(comparison.second),
        "p_value": comparison.p_value,
    }
    environment.write(json.dumps(document).encode() + b"\n")
    return ExitStatus.DONE


def _table(comparison: Comparison, first: str, second: str) -> Table:
    table = Table("measure", "value", box=None, pad_edge=False)
    table.add_row("cases in both", str(comparison.cases))
    table.add_row(f"done by {first}", _share(comparison.first))
    table.add_row(f"done by {second}", _share(comparison.second))
    table.add_row(f"only by {first}", _names(comparison.only_first))
    table.add_row(f"only by {second}", _names(comparison.only_second))
    table.add_row("p (McNemar, exact, two-sided)", f"{comparison.p_value:.3g}")
    return table


def _share(share: Share) -> str:
    return (
        f"{share.hits} ({share.hits / share.total:.0%}; 95 %: {share.low:.0%} – {share.high:.0%})"
    )


def _names(names: tuple[str, ...]) -> str:
    return f"{len(names)}: {', '.join(names)}" if names else "0"
