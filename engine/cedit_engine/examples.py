"""Worked edits for the prompts: a bug in one line, and one change in two places."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cedit_engine.hunks import Hunk, program_of
from cedit_engine.program import Operation
from cedit_engine.source import Source
from cedit_engine.task import Task


@dataclass(frozen=True)
class Replacement:
    """Lines ``first`` to ``last`` give way to ``text``."""

    first: int
    last: int
    text: str


@dataclass(frozen=True)
class Example:
    """A worked edit: the file, what was asked, and the right answer."""

    name: str
    text: str
    instruction: str
    replacements: tuple[Replacement, ...]

    @property
    def task(self) -> Task:
        """The example as a task of its own."""
        return Task.of(Source.from_bytes(self.text.encode()), self.instruction, self.name)

    def operations(self) -> Sequence[Operation]:
        """The right answer as a program."""
        hunks = (Hunk(edit.first, edit.last, edit.text.encode()) for edit in self.replacements)
        return program_of(hunks, self.task.source).operations


_FIX_AVERAGE = "Fix the bug in `average`."
_USE_UTF_8 = "Read and write the file as UTF-8."

AVERAGE = Example(
    "stats.py",
    "def average(values):\n"
    '    """The arithmetic mean of values."""\n'
    "    total = 0\n"
    "    for value in values:\n"
    "        total += value\n"
    "    return total / (len(values) - 1)\n",
    _FIX_AVERAGE,
    (Replacement(6, 6, "    return total / len(values)\n"),),
)

STORE = Example(
    "store.py",
    "import json\n"
    "\n"
    "\n"
    "def load(path):\n"
    "    with open(path) as file:\n"
    "        return json.load(file)\n"
    "\n"
    "\n"
    "def save(path, data):\n"
    "    with open(path, 'w') as file:\n"
    "        json.dump(data, file)\n",
    _USE_UTF_8,
    (
        Replacement(5, 5, "    with open(path, encoding='utf-8') as file:\n"),
        Replacement(10, 10, "    with open(path, 'w', encoding='utf-8') as file:\n"),
    ),
)

JAVASCRIPT_AVERAGE = Example(
    "stats.js",
    "// The arithmetic mean of values.\n"
    "function average(values) {\n"
    "  let total = 0;\n"
    "  for (const value of values) {\n"
    "    total += value;\n"
    "  }\n"
    "  return total / (values.length - 1);\n"
    "}\n",
    _FIX_AVERAGE,
    (Replacement(7, 7, "  return total / values.length;\n"),),
)

JAVASCRIPT_STORE = Example(
    "store.js",
    "const fs = require('fs');\n"
    "\n"
    "function load(path) {\n"
    "  return JSON.parse(fs.readFileSync(path));\n"
    "}\n"
    "\n"
    "function save(path, data) {\n"
    "  fs.writeFileSync(path, JSON.stringify(data));\n"
    "}\n",
    _USE_UTF_8,
    (
        Replacement(4, 4, "  return JSON.parse(fs.readFileSync(path, 'utf8'));\n"),
        Replacement(8, 8, "  fs.writeFileSync(path, JSON.stringify(data), 'utf8');\n"),
    ),
)

INTERVALS = Example(
    "intervals.py",
    "from typing import List, Tuple\n"
    "\n"
    "\n"
    "def merge_intervals(intervals: List[Tuple[int, int]]) -> List[Tuple[int, int]]:\n"
    '    """ Join the intervals that overlap or touch, and return them in rising order.\n'
    "    >>> merge_intervals([(1, 3), (2, 5), (7, 8)])\n"
    "    [(1, 5), (7, 8)]\n"
    '    """\n'
    "    merged = []\n"
    "    for start, end in sorted(intervals):\n"
    "        if merged and start <= merged[-1][1]:\n"
    "            merged[-1] = (merged[-1][0], end)\n"
    "        else:\n"
    "            merged.append((start, end))\n"
    "\n"
    "    return merged\n",
    "Fix the bug in `merge_intervals`.",
    (Replacement(12, 12, "            merged[-1] = (merged[-1][0], max(merged[-1][1], end))\n"),),
)

_PYTHON = (AVERAGE, STORE)
_JAVASCRIPT = (JAVASCRIPT_AVERAGE, JAVASCRIPT_STORE)
_BY_LANGUAGE: Mapping[str, tuple[Example, ...]] = dict.fromkeys(
    ("javascript", "typescript", "jsx", "tsx", "mjs", "cjs"), _JAVASCRIPT
)


def examples_for(language: str) -> tuple[Example, ...]:
    """A fix and a change in two places, in ``language`` where there are some, or in Python.

    ``language`` is as in ``Task.language``.
    """
    return _BY_LANGUAGE.get(language, _PYTHON)
