"""The Copy-as-Decode paper's measurements as a report: tables beside the paper's figures."""

import base64
import importlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from cedit import measures
from cedit.measures import Figures
from cedit.render import plural

KERNEL, UNTRAINED = "one call for N tokens against N calls", "a model that was not trained for it"
SAID: Mapping[str, str] = {
    KERNEL: "6.8 to 303 times as fast for 8 to 512 tokens (1.5B), 90.5 at 512 (7B), on an A100",
    measures.COVERAGE: "74 to 98 % of the new tokens by copies of lines, 91 to 99 % by tokens",
    measures.BOUND: "29.0 on ProbeEdit, 3.4 and 4.2 on HumanEvalFix in Python and JavaScript",
    measures.COMING_BACK: "482 of 482 programs resolve to the known bytes",
    measures.SENSITIVITY: "every span off by one: from 100 % exact to 15.48 %",
    measures.FORMATS: "search/replace right in 81 to 94 % of the ambiguous cases; unified diffs "
    "right, with 17 to 64 % more tokens than programs",
    measures.SPLICING: "copied text is always evaluated in full",
    UNTRAINED: "no exact match untrained, 12 to 17 % fine-tuned (Qwen2.5-Coder-1.5B)",
}
"""What the paper (arXiv 2604.18170) says of each measure."""


@dataclass(frozen=True)
class Section:
    """The figures of one measure on one set of edits; ``data`` is empty where it needs none."""

    data: str
    edits: int
    figures: Figures

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> "Section":
        """The inverse of ``dataclasses.asdict``."""
        return cls(row["data"], row["edits"], Figures(**row["figures"]))


@dataclass(frozen=True)
class Report:
    """All that was measured, of what and where."""

    facts: Mapping[str, str]
    sections: Sequence[Section]
    left_out: Mapping[str, Mapping[str, int]]
    pictures: Mapping[str, Path] = field(default_factory=dict)

    def write(self, folder: Path) -> None:
        """``results.json``, ``report.md`` and ``report.html``; raises ``OSError``."""
        results = {
            "facts": self.facts,
            "sections": [
                {**asdict(section), "paper": SAID[section.figures.title]}
                for section in self.sections
            ],
            "left_out": self.left_out,
        }
        (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
        text = "".join(f"{line}\n" for line in self._lines())
        (folder / "report.md").write_text(text, encoding="utf-8")
        (folder / "report.html").write_text(_page(text, folder), encoding="utf-8")

    def _lines(self) -> Iterable[str]:
        yield "# Copy-as-Decode, measured"
        yield ""
        yield from (f"- {name}: {fact}" for name, fact in self.facts.items())
        for title, said in SAID.items():
            own = [section for section in self.sections if section.figures.title == title]
            if not own:
                continue
            yield from ("", f"## {title[0].upper()}{title[1:]}", "", f"The paper: {said}.")
            for section in own:
                yield from ("", *_heading(section), *_table(section.figures.rows))
            if title in self.pictures:
                yield from ("", f"![{title}]({self.pictures[title].name})")
        yield from ("", "## What was left out", "")
        measured = {section.data for section in self.sections}
        empty = [f"- {name}: it holds no edits" for name in self.left_out if name not in measured]
        reasons = [
            f"- {name}: {count:,} {reason}"
            for name, counts in self.left_out.items()
            for reason, count in sorted(counts.items())
        ]
        yield from [*empty, *reasons] or ["Nothing."]


def _heading(section: Section) -> Iterable[str]:
    if section.data:
        yield f"`{section.data}`, {plural(section.edits, 'edit')}:"
        yield ""


def _table(rows: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    shown = [key for key, value in rows[0].items() if not isinstance(value, Mapping)]
    yield f"| {' | '.join(key.replace('_', ' ') for key in shown)} |"
    yield f"| {' | '.join('---' if isinstance(rows[0][key], str) else '---:' for key in shown)} |"
    for row in rows:
        yield f"| {' | '.join(_shown(row[key]) for key in shown)} |"


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


_STYLE = (
    "body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse}td,th{padding:.2em .7em;border-bottom:1px solid #ccc}"
    "img{max-width:100%}"
)


def _page(text: str, folder: Path) -> str:
    """The report as one file, its pictures in it."""
    markdown = importlib.import_module("markdown_it").MarkdownIt("commonmark")
    body = markdown.enable("table").render(text)

    def embedded(source: re.Match[str]) -> str:
        data = base64.b64encode((folder / source[1]).read_bytes()).decode()
        return f'src="data:image/png;base64,{data}"'

    body = re.sub(r'src="([^":]+\.png)"', embedded, body)
    head = f'<meta charset="utf-8"><title>Copy-as-Decode, measured</title><style>{_STYLE}</style>'
    return f"<!doctype html>\n<html><head>{head}</head>\n<body>\n{body}</body></html>\n"
