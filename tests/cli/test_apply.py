import subprocess
from pathlib import Path

import pytest

from cedit.exits import ExitStatus
from tests.cli.conftest import Cedit

BEFORE, AFTER = b"\xef\xbb\xbfa\r\nb\n\xff\nlast", b"\xef\xbb\xbfa\r\nB\xfe\n\xff\nlast\n"


def test_the_oracles_program_applied_gives_the_new_file(cedit: Cedit) -> None:
    Path("before").write_bytes(BEFORE)
    Path("after").write_bytes(AFTER)
    program = cedit("oracle", "before", "after")
    assert program.status is ExitStatus.DONE
    Path("program").write_bytes(program.out)
    assert cedit("apply", "program", "before", "--stdout").out == AFTER
    assert cedit("apply", "-", "before", "--stdout", stdin=program.out).out == AFTER
    assert Path("before").read_bytes() == BEFORE
    patch = cedit("apply", "program", "before", "-p").out
    ran = cedit("apply", "program", "before", "-y")
    assert (ran.status, Path("before").read_bytes()) == (ExitStatus.DONE, AFTER)
    assert "before: 2 lines added, 2 removed" in ran.err
    Path("before").write_bytes(BEFORE)
    subprocess.run(["git", "apply", "--whitespace=nowarn"], input=patch, check=True)
    assert Path("before").read_bytes() == AFTER
    assert cedit.loaded == []


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (b'<program>\n<copy lines="1-9"/>\n</program>\n', "copies lines 1-9 of a file of 1"),
        (b"nonsense", "line 1 holds 'nonsense' where <program> belongs"),
        (b"<program>\n\xff\n</program>", "line 2 holds"),
    ],
)
def test_a_program_that_does_not_fit_is_refused(cedit: Cedit, program: bytes, words: str) -> None:
    Path("f").write_bytes(b"a\n")
    Path("program").write_bytes(program)
    ran = cedit("apply", "program", "f", "-y")
    assert ran.status is ExitStatus.USAGE
    assert words in ran.err
    assert Path("f").read_bytes() == b"a\n"


def test_a_program_that_copies_everything_changes_nothing(cedit: Cedit) -> None:
    Path("f").write_bytes(b"a\nb")
    Path("program").write_bytes(b'<program>\n<copy lines="1-2"/>\n</program>\n')
    ran = cedit("apply", "program", "f", "-y")
    assert (ran.status, ran.out) == (ExitStatus.UNCHANGED, b"")


def test_copies_of_tokens_need_a_tokenizer(cedit: Cedit) -> None:
    words = b"words that are worth a copy, " * 9
    after = words + AFTER
    Path("before").write_bytes(words + BEFORE)
    Path("after").write_bytes(after)
    program = cedit("oracle", "before", "after", "--granularity", "token").out
    assert b'<copy tokens="1-' in program
    Path("program").write_bytes(program)
    ran = cedit("apply", "program", "before", "-y")
    assert ran.status is ExitStatus.USAGE
    assert "and each tokenizer splits anew (say whose tokens they are: --model ID)" in ran.err
    ran = cedit("apply", "program", "before", "-y", "--model", "qwen2.5-coder-1.5b")
    assert (ran.status, Path("before").read_bytes()) == (ExitStatus.DONE, after)
    Path("before").write_bytes(b"x")
    ran = cedit("apply", "program", "before", "-y", "--model", "qwen2.5-coder-1.5b")
    assert "of a file of 1 (apply it to the file that it was made for)" in ran.err
