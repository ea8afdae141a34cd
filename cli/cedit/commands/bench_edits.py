"""``cedit bench edits``: how right edits with known answers are, and what they cost."""

from pathlib import Path

from cedit.commands.bench_cases import CasesRequest, print_summary, run_cases
from cedit.environment import Environment
from cedit.exits import ExitStatus
from cedit.failures import FileProblem
from cedit_engine.bench.edits import Row, load_cases
from cedit_engine.bench.results import summarise


def run(
    data: Path, limit: int | None, request: CasesRequest, environment: Environment
) -> ExitStatus:
    """Run every case that ``--resume`` does not hold, then print the table and the totals."""
    results = run_cases(data.name, cases(data, limit), request, environment)
    print_summary(summarise(results, request.options, request.model), environment)
    return ExitStatus.DONE


def cases(data: Path, limit: int | None) -> list[Row]:
    """The first ``limit`` rows of a data set; raises ``FileProblem``, and ``BadRow``."""
    try:
        return load_cases(data, limit)
    except OSError as error:
        raise FileProblem(
            str(data), error.strerror or str(error), "name a JSON Lines file"
        ) from error
