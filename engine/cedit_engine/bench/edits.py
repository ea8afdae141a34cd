"""``bench edits``: edits with known answers, from a data set."""

import ast
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

from cedit_engine.bench import execute
from cedit_engine.bench.results import Judgement
from cedit_engine.editing import Verdict
from cedit_engine.errors import BadRow
from cedit_engine.guards.python import parse_python
from cedit_engine.source import Source
from cedit_engine.task import Task

Language = Literal["python", "javascript", "other"]
_FILE_NAMES: Mapping[Language, str] = {
    "python": "file.py",
    "javascript": "file.js",
    "other": "file.txt",
}


@dataclass(frozen=True)
class Row:
    """An edit with a known answer; ``test`` is code that runs behind the edited file."""

    name: str
    language: Language
    before: bytes
    after: bytes
    instruction: str
    test: str | None = None

    @property
    def task(self) -> Task:
        """What the model is asked."""
        source = Source.from_bytes(self.before)
        return Task.of(source, self.instruction, _FILE_NAMES[self.language])

    def judge(self, after: bytes) -> Judgement:
        """Whether an answer is the known one, and whether it parses as the file did."""
        parsed = _parses(self.language, self.before)
        return Judgement(after == self.after, parsed and not _parses(self.language, after))

    @property
    def can_check(self) -> bool:
        """Whether the row has a test, and this machine what runs it."""
        return self.test is not None and (self.language != "javascript" or bool(execute.node()))

    def outcome(self, after: bytes) -> Verdict:
        """What the row's test says of an answer."""
        program = after + b"\n" + (self.test or "").encode()
        if self.language == "python":
            return Verdict(*execute.python_outcome(program))
        return Verdict(*execute.javascript_outcome(program))


def load_cases(path: Path, limit: int | None = None) -> list[Row]:
    """The first ``limit`` rows of a JSON Lines file; raises ``BadRow``, or ``OSError``.

    A row is one of HumanEvalPack, or holds ``before``, ``after`` and ``instruction``, and
    optionally ``name`` (of the file), which tells the language.
    """
    rows = []
    for row in read_cases(path, limit):
        if isinstance(row, BadRow):
            raise row
        rows.append(row)
    return rows


def read_cases(path: Path, limit: int | None = None) -> Iterator[Row | BadRow]:
    """The same, where a row that is none comes as its error; raises ``OSError``."""
    with path.open("rb") as file:
        lines = islice((line for line in file if line.strip()), limit)
        for number, line in enumerate(lines, start=1):
            try:
                yield _case(path, number, line)
            except BadRow as error:
                yield error


def _case(path: Path, number: int, line: bytes) -> Row:
    try:
        row = json.loads(line)
        if "buggy_solution" in row:
            return _humaneval_case(row)
        suffix = Path(row.get("name", "")).suffix
        languages: Mapping[str, Language] = {".py": "python", ".js": "javascript"}
        return Row(
            str(row.get("id", number)),
            languages.get(suffix, "other"),
            row["before"].encode(),
            row["after"].encode(),
            row["instruction"],
        )
    except (ValueError, TypeError, AttributeError) as error:
        raise BadRow(path, number, str(error)) from error
    except KeyError as error:
        raise BadRow(path, number, f"no field {error}") from error


def _humaneval_case(row: Mapping[str, str]) -> Row:
    language, _, _ = row["task_id"].partition("/")
    return Row(
        row["task_id"],
        "python" if language == "Python" else "javascript" if language == "JavaScript" else "other",
        (row["prompt"] + row["buggy_solution"]).encode(),
        (row["prompt"] + row["canonical_solution"]).encode(),
        f"Fix the bug in `{row['entry_point']}`.",
        row["test"],
    )


def _parses(language: Language, text: bytes) -> bool:
    if language == "javascript" and execute.node():
        return execute.javascript_parses(text)
    return language != "python" or isinstance(parse_python(text), ast.Module)
