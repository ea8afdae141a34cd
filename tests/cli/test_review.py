"""The question before a write, and what is refused without one."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cedit.exits import ExitStatus
from tests.cli.conftest import Cedit, Edits, Ran

BEFORE = b"a\nb\nc\nd\n"


@pytest.fixture
def asked(cedit: Cedit) -> Cedit:
    """A file on a terminal, in which ``a`` and ``c`` are to become capitals."""
    Path("f").write_bytes(BEFORE)
    cedit.can_ask = True
    cedit.answers(
        "<old>\na\n</old>\n<new>\nA\n</new>\n<old>\nc\n</old>\n<new>\nC\n</new>\n<done>",
    )
    return cedit


def reply(cedit: Cedit, replies: str, *flags: str, monkeypatch: pytest.MonkeyPatch) -> Ran:
    lines: Iterator[str] = iter(replies.split())

    def read() -> str:
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", read)
    ran = cedit("f", "-m", "x", *flags)
    assert not list(lines), "all replies are read"
    return ran


@pytest.mark.parametrize(
    ("replies", "after"),
    [
        ("y", b"A\nb\nC\nd\n"),
        ("n", BEFORE),
        ("q", BEFORE),
        ("", BEFORE),
        ("what Y", b"A\nb\nC\nd\n"),
        ("h y y", b"A\nb\nC\nd\n"),
        ("h n y", b"a\nb\nC\nd\n"),
        ("h y n", b"A\nb\nc\nd\n"),
        ("h n n", BEFORE),
        ("h a", b"A\nb\nC\nd\n"),
        ("h n a", b"a\nb\nC\nd\n"),
        ("h y d", b"A\nb\nc\nd\n"),
        ("h y q", BEFORE),
    ],
)
def test_what_is_taken(
    asked: Cedit, monkeypatch: pytest.MonkeyPatch, replies: str, after: bytes
) -> None:
    ran = reply(asked, replies, monkeypatch=monkeypatch)
    assert Path("f").read_bytes() == after
    assert ran.status is (ExitStatus.REFUSED if after == BEFORE else ExitStatus.DONE)
    assert "[y]es, [n]o, [h]unk by hunk, [e]dit, [r]etry" in ran.err


def test_what_is_not_taken_is_copied(asked: Cedit, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = reply(asked, "h n y", monkeypatch=monkeypatch)
    assert "f: 1 line added, 1 removed, 3 of 4 copied" in ran.err
    assert b"-a\n+A\n" in ran.out
    assert b"-c\n+C\n" in asked("log", "--show", asked("log").out.split()[5].decode()).out


def test_another_try(asked: Cedit, monkeypatch: pytest.MonkeyPatch, replacing: Edits) -> None:
    first = replacing("a", "A")
    asked.model._per_task = lambda question: [
        replacing("d", "D") if "capital" in question else first
    ]
    monkeypatch.setattr("builtins.input", iter(["r", "make d a capital", "y"]).__next__)
    assert asked("f", "-m", "x").status is ExitStatus.DONE
    assert Path("f").read_bytes() == b"a\nb\nc\nD\n"


def test_the_editor_has_the_last_word(asked: Cedit, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("editor.py").write_text("import sys\nopen(sys.argv[1], 'ab').write(b'e\\n')\n")
    asked.variables = {"EDITOR": f"{sys.executable} editor.py"}
    ran = reply(asked, "e y", monkeypatch=monkeypatch)
    assert ran.status is ExitStatus.DONE, ran.err
    assert Path("f").read_bytes() == b"A\nb\nC\nd\ne\n"
    Path("f").write_bytes(BEFORE)
    asked.variables = {"VISUAL": "/nowhere/ed"}
    ran = reply(asked, "e", monkeypatch=monkeypatch)
    assert "the editor '/nowhere/ed' failed" in ran.err
    assert Path("f").read_bytes() == BEFORE


def test_whether_it_asks(asked: Cedit, monkeypatch: pytest.MonkeyPatch) -> None:
    reply(asked, "n", "-i", "-y", monkeypatch=monkeypatch)
    assert Path("f").read_bytes() == BEFORE
    reply(asked, "", "-y", monkeypatch=monkeypatch)
    assert Path("f").read_bytes() == b"A\nb\nC\nd\n"
    asked.can_ask = False
    ran = asked("f", "-m", "x", "-i")
    assert (ran.status, "no terminal" in ran.err) == (ExitStatus.USAGE, True)


def test_quitting_leaves_the_other_files(asked: Cedit, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("g").write_bytes(BEFORE)
    monkeypatch.setattr("builtins.input", iter(["q"]).__next__)
    ran = asked("f", "g", "-m", "x")
    assert ran.status is ExitStatus.REFUSED
    assert "f and what follows were left as they were" in ran.err
    assert [Path(name).read_bytes() for name in "fg"] == [BEFORE, BEFORE]


CODE = b"def f():\n    return 1\n\n\ndef g():\n    return 2\n"


@pytest.fixture
def broken(cedit: Cedit) -> Cedit:
    """A file of which an answer would break the syntax in one hunk, and mend another."""
    Path("f.py").write_bytes(CODE)
    wrong = CODE.replace(b"return 1", b"return (").replace(b"return 2", b"return 3")
    cedit.strategy = "rewrite"
    cedit.answers(f"```python\n{wrong.decode()}```")
    return cedit


def test_what_a_guard_refuses_is_shown_and_not_written(broken: Cedit) -> None:
    ran = broken("f.py", "-m", "x", "-y")
    assert ran.status is ExitStatus.REFUSED
    assert Path("f.py").read_bytes() == CODE
    assert b"+    return (" in ran.out
    assert "f.py was left as it was: rewrite broke the syntax" in ran.err
    for flag in ("-p", "--stdout"):
        ran = broken("f.py", "-m", "x", flag)
        assert (ran.status, ran.out) == (ExitStatus.REFUSED, b"")
    assert broken("f.py", "-m", "x", "-n").status is ExitStatus.REFUSED
    ran = broken("f.py", "-m", "x", "--force")
    assert ran.status is ExitStatus.DONE
    assert b"return (" in Path("f.py").read_bytes()


def test_of_what_a_guard_refuses_parts_can_be_taken(
    broken: Cedit, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken.can_ask = True
    monkeypatch.setattr("builtins.input", iter(["h", "n", "y"]).__next__)
    ran = broken("f.py", "-m", "x", "-y")
    assert ran.status is ExitStatus.DONE, ran.err
    assert Path("f.py").read_bytes() == CODE.replace(b"return 2", b"return 3")


def test_many_lines_are_not_deleted_unasked(cedit: Cedit, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("f").write_bytes(b"".join(b"%d\n" % number for number in range(30)))
    before = Path("f").read_bytes()
    cedit.strategy = "rewrite"
    cedit.answers("```\n0\n```")
    common = ("f", "-m", "x", "-y", "--no-guard", "all", "--max-deletions", "20")
    ran = cedit(*common)
    assert ran.status is ExitStatus.REFUSED
    assert "f was left as it was: it deletes 29 lines, more than 20" in ran.err
    cedit.can_ask = True
    monkeypatch.setattr("builtins.input", lambda: "n")
    assert cedit(*common).status is ExitStatus.REFUSED
    assert Path("f").read_bytes() == before
    monkeypatch.setattr("builtins.input", lambda: "y")
    assert cedit(*common).status is ExitStatus.DONE
    assert Path("f").read_bytes() == b"0\n"
