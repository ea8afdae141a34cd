import base64
import json
import os
import subprocess
from pathlib import Path

import pytest

from cedit.exits import ExitStatus
from tests.cli.conftest import Cedit, Edits
from tests.fakes import ScriptedModel


def test_a_file_is_edited_in_place(cedit: Cedit, replacing: Edits) -> None:
    Path("add.py").write_bytes(b"def add(a, b):\n    return a - b\n")
    Path("add.py").chmod(0o750)
    cedit.answers(replacing("    return a - b", "    return a + b"))
    ran = cedit("add.py", "-m", "add must return the sum")
    assert ran.status is ExitStatus.DONE
    assert Path("add.py").read_bytes() == b"def add(a, b):\n    return a + b\n"
    assert Path("add.py").stat().st_mode & 0o777 == 0o750
    assert b"-    return a - b\n+    return a + b\n" in ran.out
    assert ran.err.startswith("add.py: 1 line added, 1 removed, 1 of 2 copied (anchor: ")
    assert os.listdir() == ["add.py"]
    assert cedit.model.closed


def test_the_instruction_comes_from_a_file_or_standard_input(
    cedit: Cedit, replacing: Edits
) -> None:
    for arguments, stdin in ((["-F", "todo"], b""), (["-F", "-"], b"make it 2\n")):
        Path("a").write_bytes(b"1\n")
        Path("todo").write_text("make it 2")
        cedit.answers(replacing("1", "2"))
        assert cedit("a", *arguments, stdin=stdin).status is ExitStatus.DONE
        assert cedit.model.turns[-1][-1].text.endswith("Instruction: make it 2")
        assert Path("a").read_bytes() == b"2\n"


def test_nothing_changed_is_status_1(cedit: Cedit) -> None:
    Path("a").write_bytes(b"1\n")
    cedit.answers("<done>")
    ran = cedit("a", "-m", "x")
    assert (ran.status, ran.out) == (ExitStatus.UNCHANGED, b"")
    assert "a: no change" in ran.err


def test_a_filter_prints_the_edited_text_and_nothing_else(cedit: Cedit, replacing: Edits) -> None:
    cedit.answers(replacing("b", "B"))
    for arguments in (["-"], []):
        ran = cedit(*arguments, "-m", "x", "--stdin-name", "f.js", stdin=b"a\r\nb\r\nc")
        assert (ran.status, ran.out) == (ExitStatus.DONE, b"a\r\nB\r\nc")
        assert "```javascript\n" in cedit.model.turns[-1][-1].text


def test_a_filter_that_changed_nothing_prints_its_input(cedit: Cedit) -> None:
    cedit.answers("<done>")
    ran = cedit("-", "-m", "x", stdin=b"a\xff\r\nb")
    assert (ran.status, ran.out) == (ExitStatus.UNCHANGED, b"a\xff\r\nb")


def test_a_filter_that_fails_prints_nothing(cedit: Cedit) -> None:
    cedit.model = ScriptedModel("<old>\na\n</old>\n<new>\n" + "z" * 99)
    ran = cedit("-", "-m", "x", "--max-tokens", "20", stdin=b"a\n")
    assert (ran.status, ran.out) == (ExitStatus.ENGINE, b"")
    assert "did not finish its answer within 20 tokens" in ran.err


def test_a_dry_run_prints_the_diff_and_writes_nothing(cedit: Cedit, replacing: Edits) -> None:
    Path("a").write_bytes(b"1\n")
    cedit.answers(replacing("1", "2"))
    ran = cedit("a", "-m", "x", "-n", "-q")
    assert ran.status is ExitStatus.DONE
    assert ran.out == b"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n"
    assert ran.err == ""
    assert Path("a").read_bytes() == b"1\n"


def test_stdout_prints_the_text_and_writes_nothing(cedit: Cedit, replacing: Edits) -> None:
    Path("a").write_bytes(b"1\n")
    cedit.answers(replacing("1", "2"))
    assert cedit("a", "-m", "x", "--stdout").out == b"2\n"
    assert Path("a").read_bytes() == b"1\n"


def test_a_patch_goes_to_standard_output_or_a_file(cedit: Cedit, replacing: Edits) -> None:
    Path("a").write_bytes(b"1\n")
    cedit.answers(replacing("1", "2"))
    printed = cedit("a", "-m", "x", "-p").out
    assert cedit("a", "-m", "x", "--patch=out.patch").out == b""
    assert Path("out.patch").read_bytes() == printed
    assert Path("a").read_bytes() == b"1\n"
    subprocess.run(["git", "apply", "out.patch"], check=True)
    assert Path("a").read_bytes() == b"2\n"


def test_several_files_make_one_patch(cedit: Cedit) -> None:
    Path("a").write_bytes(b"1\n")
    Path("b").write_bytes(b"2\n")
    cedit.model = ScriptedModel(
        per_task=lambda question: [
            "<old>\n1\n</old>\n<new>\nx\n</new>\n<done>"
            if "\n1\n" in question
            else "<old>\n2\n</old>\n<new>\ny\n</new>\n<done>"
        ]
    )
    ran = cedit("a", "b", "-m", "x", "-p")
    assert ran.out.count(b"diff --git") == 2
    assert ran.status is ExitStatus.DONE
    subprocess.run(["git", "apply"], input=ran.out, check=True)
    assert (Path("a").read_bytes(), Path("b").read_bytes()) == (b"x\n", b"y\n")
    assert len(cedit.loaded) == 1


def test_json_holds_program_diff_counts_and_outcome(cedit: Cedit, replacing: Edits) -> None:
    Path("a").write_bytes(b"1\n\xff\n")
    cedit.answers(replacing("1", "2"))
    ran = cedit("a", "-m", "x", "--json")
    report = json.loads(ran.out)
    (row,) = report["files"]
    assert (report["status"], row["path"], row["outcome"]) == (0, "a", "written")
    assert '<copy lines="2-2"/>' in row["program"]
    assert base64.b64decode(row["diff_base64"]).endswith(b"-1\n+2\n \xff\n")
    expected = {
        "prompt_tokens", "reused_tokens", "forward_calls", "decoded_tokens", "forced_tokens",
        "spliced_tokens", "copied_lines", "copied_bytes", "model_seconds", "other_seconds",
    }  # fmt: skip
    assert expected <= set(row["counts"])
    assert Path("a").read_bytes() == b"2\n\xff\n"


def test_events_come_as_lines(cedit: Cedit, replacing: Edits) -> None:
    Path("a").write_bytes(b"1\n")
    cedit.answers(replacing("1", "2"))
    ran = cedit("a", "missing", "-m", "x", "-y", "--events")
    assert ran.status is ExitStatus.USAGE
    ran = cedit("a", "-m", "x", "-y", "--events")
    events = [json.loads(line) for line in ran.out.splitlines()]
    kinds = [event["event"] for event in events]
    assert kinds[0] == "trying"
    assert kinds[-2:] == ["file", "end"]
    assert {"reading", "writing"} <= {*kinds}
    assert "".join(e["text"] for e in events if e["event"] == "writing").startswith("<old>\n1\n")
    assert (events[-2]["path"], events[-2]["outcome"], events[-1]["status"]) == ("a", "written", 0)


def test_an_edit_that_the_model_was_not_sure_of_is_named(
    cedit: Cedit, replacing: Edits, monkeypatch: pytest.MonkeyPatch
) -> None:
    warned = []
    for sure in (-3.0, 1.0):
        monkeypatch.setattr("cedit_engine.decoder.SURE", sure)
        Path("a").write_bytes(b"1\n")
        cedit.answers(replacing("1", "2"))
        ran = cedit("a", "-m", "x", "--json")
        (row,) = json.loads(ran.out)["files"]
        assert row["certainty"]["sure"] == ("not sure of this edit" not in ran.err)
        warned.append("cedit: a: the model was not sure of this edit (log-probability " in ran.err)
    assert warned == [False, True]
    tested = cedit("a", "-m", "x", "--test", "true")
    assert "not sure" not in tested.err


def test_json_speaks_of_failures_too(cedit: Cedit) -> None:
    Path("a").write_bytes(b"a\n")
    cedit.model = ScriptedModel("<old>\na\n</old>\n<new>\n" + "z" * 99)
    ran = cedit("a", "-m", "x", "--json", "--max-tokens", "20")
    (row,) = json.loads(ran.out)["files"]
    assert row["outcome"] == "failed"
    assert "did not finish" in row["error"]


def test_show_program_prints_the_program(cedit: Cedit, replacing: Edits) -> None:
    Path("a").write_bytes(b"1\n2\n")
    cedit.answers(replacing("1", "3"))
    ran = cedit("a", "-m", "x", "--show-program", "-q")
    program = b'<program>\n<gen>\n3\n</gen>\n<copy lines="2-2"/>\n</program>\n'
    assert ran.out == program


def test_only_the_lines_named_may_change(cedit: Cedit, replacing: Edits) -> None:
    Path("a").write_bytes(b"1\n1\n1\n")
    cedit.answers(replacing("1", "2"))
    assert cedit("a", "-m", "x", "--lines", "2-3").status is ExitStatus.DONE
    assert Path("a").read_bytes() == b"1\n2\n1\n"


def test_context_files_are_read_and_not_changed(cedit: Cedit, replacing: Edits) -> None:
    Path("a").write_bytes(b"1\n")
    Path("help.txt").write_bytes(b"two is 2\n")
    cedit.answers(replacing("1", "2"))
    cedit("a", "-m", "x", "--context", "help.txt")
    assert "`help.txt`:\n```\ntwo is 2\n```" in cedit.model.turns[-1][-1].text
    assert Path("help.txt").read_bytes() == b"two is 2\n"


def test_a_new_file_is_created_only_when_asked(cedit: Cedit) -> None:
    cedit.answers("<old>\n</old>\n<new>\nhello\n</new>\n")
    refused = cedit("new.txt", "-m", "greet")
    assert refused.status is ExitStatus.USAGE
    assert "new.txt: there is no such file" in refused.err
    patch = cedit("new.txt", "-m", "greet", "--create", "-p").out
    assert b"new file mode 100644\n--- /dev/null\n+++ b/new.txt\n" in patch
    assert cedit("new.txt", "-m", "greet", "--create").status is ExitStatus.DONE
    assert Path("new.txt").read_bytes() == b"hello\n"
    Path("new.txt").unlink()
    subprocess.run(["git", "apply"], input=patch, check=True)
    assert Path("new.txt").read_bytes() == b"hello\n"


@pytest.mark.parametrize(("answer", "text"), [("y", b"2\n"), ("n", b"1\n")])
def test_a_terminal_is_asked_before_writing(
    cedit: Cedit, replacing: Edits, monkeypatch: pytest.MonkeyPatch, answer: str, text: bytes
) -> None:
    Path("a").write_bytes(b"1\n")
    cedit.answers(replacing("1", "2"))
    cedit.can_ask = True
    monkeypatch.setattr("builtins.input", lambda: answer)
    ran = cedit("a", "-m", "x")
    assert "Write a?" in ran.err
    assert Path("a").read_bytes() == text
    assert ran.status is (ExitStatus.DONE if answer == "y" else ExitStatus.REFUSED)


def test_yes_is_not_asked(cedit: Cedit, replacing: Edits, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a").write_bytes(b"1\n")
    cedit.answers(replacing("1", "2"))
    cedit.can_ask = True
    monkeypatch.delattr("builtins.input")
    assert cedit("a", "-m", "x", "-y").status is ExitStatus.DONE


def test_a_file_that_changed_meanwhile_is_left_alone(cedit: Cedit, replacing: Edits) -> None:
    path = Path("a")
    path.write_bytes(b"1\n")

    def meddle(question: str) -> list[str]:
        path.write_bytes(b"9\n")
        return [replacing("1", "2")]

    cedit.model = ScriptedModel(per_task=meddle)
    ran = cedit("a", "-m", "x")
    assert ran.status is ExitStatus.CONFLICT
    assert path.read_bytes() == b"9\n"
    assert os.listdir() == ["a"]


def test_a_symbolic_link_keeps_pointing(cedit: Cedit, replacing: Edits) -> None:
    Path("real").write_bytes(b"1\n")
    Path("link").symlink_to("real")
    cedit.answers(replacing("1", "2"))
    assert cedit("link", "-m", "x").status is ExitStatus.DONE
    assert Path("link").is_symlink()
    assert Path("real").read_bytes() == b"2\n"


def test_an_interrupted_edit_leaves_the_files(cedit: Cedit) -> None:
    Path("a").write_bytes(b"1\n")
    cedit.answers("<old>\n1\n</old>\n")
    cedit.model.interrupt_after = 2
    ran = cedit("a", "-m", "x")
    assert ran.status is ExitStatus.INTERRUPTED
    assert Path("a").read_bytes() == b"1\n"


def test_a_failure_in_one_file_leaves_the_others_to_be_edited(cedit: Cedit) -> None:
    Path("a").write_bytes(b"1\n")
    Path("b").write_bytes(b"2\n")
    cedit.model = ScriptedModel(
        per_task=lambda question: [
            "<old>\n1\n</old>\n<new>\n" + "z" * 200
            if "\n1\n" in question
            else "<old>\n2\n</old>\n<new>\ny\n</new>\n<done>"
        ]
    )
    ran = cedit("a", "b", "-m", "x", "--max-tokens", "60")
    assert ran.status is ExitStatus.ENGINE
    assert (Path("a").read_bytes(), Path("b").read_bytes()) == (b"1\n", b"y\n")


def test_a_file_named_like_a_command_is_meant_with_a_slash(cedit: Cedit, replacing: Edits) -> None:
    Path("model").write_bytes(b"1\n")
    cedit.answers(replacing("1", "2"))
    assert cedit("./model", "-m", "x").status is ExitStatus.DONE
    assert Path("model").read_bytes() == b"2\n"


def test_control_characters_are_shown_and_not_obeyed(cedit: Cedit, replacing: Edits) -> None:
    Path("a").write_bytes(b"1\n")
    cedit.answers(replacing("1", "\x1b[31mred\u202e"))
    cedit.terminal = True
    ran = cedit("a", "-m", "x", "-n")
    assert b"^[[31mred\\u202e" in ran.out


BAD = [
    (["missing"], "missing: there is no such file"),
    (["folder"], "folder: it is a directory"),
    (["binary"], "binary: it is binary: byte 1 is NUL"),
    (["a", "-m", " "], "the instruction is empty"),
    (["a", "a"], "a file was named twice"),
    (["a", "--lines", "5-9"], "lines 5-9 are not in it: it has 1"),
    (["a", "--lines", "x"], "--lines 'x' is not a range"),
    (["a", "--model", "qwen2.5-coder-1.5"], "did you mean qwen2.5-coder-1.5b"),
    (["a", "--strategy", "magic"], "there is no strategy 'magic'"),
    (["a", "-p", "-n"], "exclude each other"),
    (["a", "--nonsense"], "No such option: --nonsense"),
    (["a", "--context", "missing"], "missing: there is no such file"),
    (["a", "-F", "missing"], "say what to change with -m or -F"),
    (["no/such/place", "--create"], "its directory does not exist"),
    (["wide"], "wide: it is in UTF-16, and cedit edits UTF-8"),
    (["wider"], "wider: it is in UTF-32, and cedit edits UTF-8"),
]


@pytest.mark.parametrize(("arguments", "words"), BAD, ids=[words for _, words in BAD])
def test_bad_input_is_one_clear_line_and_status_2(
    cedit: Cedit, arguments: list[str], words: str
) -> None:
    Path("a").write_bytes(b"1\n")
    Path("binary").write_bytes(b"1\0")
    Path("wide").write_text("1", encoding="utf-16")
    Path("wider").write_text("1", encoding="utf-32")
    Path("folder").mkdir()
    message = [] if "-m" in arguments else ["-m", "x"]
    ran = cedit(*arguments, *message)
    assert ran.status is ExitStatus.USAGE
    assert words in ran.err
    assert ran.err.count("\n") == 1
    assert ran.out == b""
    assert cedit.loaded == []
    assert Path("a").read_bytes() == b"1\n"


def test_a_file_that_cannot_be_read(cedit: Cedit, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a").write_bytes(b"1\n")

    def refuse(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    ran = cedit("a", "-m", "x")
    assert ran.status is ExitStatus.USAGE
    assert "a: it cannot be read: Permission denied" in ran.err


def test_a_prompt_that_does_not_fit_is_refused_with_the_counts(cedit: Cedit) -> None:
    Path("a").write_bytes(b"1\n")
    cedit.model = ScriptedModel("<done>", trained_context=100)
    ran = cedit("a", "-m", "x")
    assert ran.status is ExitStatus.ENGINE
    assert "and the answer up to 2,048" in ran.err
    assert "where the model reads 100" in ran.err


def test_offline_without_a_model_says_what_to_run(cedit: Cedit) -> None:
    Path("a").write_bytes(b"1\n")
    cedit.variables = {"CEDIT_OFFLINE": "1"}
    ran = cedit("a", "-m", "x", "--model", "qwen2.5-coder-0.5b")
    assert ran.status is ExitStatus.ENGINE
    assert "get it (491.4 MB) with: cedit model pull qwen2.5-coder-0.5b" in ran.err


def test_the_model_may_be_named_in_the_environment(
    cedit: Cedit, replacing: Edits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CEDIT_MODEL", "./mine.gguf")
    Path("mine.gguf").touch()
    Path("a").write_bytes(b"1\n")
    cedit.answers(replacing("1", "2"))
    cedit("a", "-m", "x")
    assert cedit.loaded == [Path("mine.gguf")]


def test_a_bug_is_reported_with_where_the_report_is(
    cedit: Cedit, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("a").write_bytes(b"1\n")

    def fail(*_: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("cedit.commands.edit_run.edit", fail)
    ran = cedit("a", "-m", "x")
    assert ran.status is ExitStatus.BUG
    (report,) = (cedit.folder / "reports").iterdir()
    assert str(report) in ran.err
    assert "ZeroDivisionError: oops" in report.read_text()


@pytest.mark.parametrize("hiding", ["-q", "--json"])
def test_what_is_not_shown_is_not_asked_about(cedit: Cedit, hiding: str) -> None:
    Path("a").write_bytes(b"1\n")
    cedit.can_ask = True
    ran = cedit("a", "-m", "x", hiding)
    assert ran.status is ExitStatus.USAGE
    assert cedit.loaded == []


def test_auto_says_who_answered_and_why(cedit: Cedit, replacing: Edits) -> None:
    Path("a").write_bytes(b"1\n")
    cedit.strategy = "auto"
    cedit.answers("```\n1\n```", replacing("1", "2"))
    ran = cedit("a", "-m", "x")
    assert ran.status is ExitStatus.DONE
    assert Path("a").read_bytes() == b"2\n"
    assert "(anchor, as verify changed nothing: " in ran.err


def test_auto_offers_nothing_that_is_broken(cedit: Cedit) -> None:
    Path("a.py").write_bytes(b"x = 1\n")
    cedit.strategy = "auto"
    cedit.answers("```python\nx = (\n```", "<done>")
    ran = cedit("a.py", "-m", "do it")
    assert ran.status is ExitStatus.REFUSED
    assert "verify broke the syntax of line 1" in ran.err
    assert Path("a.py").read_bytes() == b"x = 1\n"


def test_a_second_edit_reads_only_what_is_new(cedit: Cedit, replacing: Edits) -> None:
    Path("a").write_bytes(b"".join(b"line %d\n" % n for n in range(100)))
    read = []
    for number, extra in enumerate([(), (), ("--no-cache",)]):
        cedit.answers(replacing("line 5", "line five"))
        ran = cedit("a", "-m", f"instruction {number}", "-n", "--json", *extra)
        (row,) = json.loads(ran.out)["files"]
        read.append(row["counts"]["prompt_tokens"] - row["counts"]["reused_tokens"])
        assert "+line five" in row["diff"]
    assert read[1] < 0.15 * read[0]
    assert read[2] == read[0]


def test_verbose_says_where_the_time_before_the_first_token_went(
    cedit: Cedit, replacing: Edits
) -> None:
    Path("a").write_bytes(b"1\n")
    cedit.answers(replacing("1", "2"))
    err = cedit("a", "-m", "x", "-v").err
    line = next(line for line in err.splitlines() if "before the first token" in line)
    for part in ("imports", "model load", "state load and save", "prefill"):
        assert part in line


def test_a_notebook_stays_one(cedit: Cedit) -> None:
    before = '{\n "cells": [\n  {"source": "1"}\n ]\n}\n'
    Path("n.ipynb").write_text(before)
    cedit.strategy = "rewrite"
    cedit.answers(f"```json\n{before.replace(']', '')}```")
    ran = cedit("n.ipynb", "-m", "x")
    assert ran.status is ExitStatus.REFUSED
    assert "broke the syntax" in ran.err
    cedit.answers(f"```json\n{before.replace('1', '2')}```")
    assert cedit("n.ipynb", "-m", "x").status is ExitStatus.DONE
