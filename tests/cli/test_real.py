"""The whole path: the real entry point, the real 0.5B model, real git, real signals."""

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from cedit.app import main
from cedit.environment import Environment
from cedit_engine.llama import Llama
from cedit_engine.states import StateCache
from cedit_engine.strategies.registry import STRATEGIES

pytestmark = pytest.mark.model

BEFORE = b"def add(a, b):\r\n    return a - b\r\n"
AFTER = b"def add(a, b):\r\n    return a + b\r\n"
INSTRUCTION = "add must return the sum"
COMMAND = [sys.executable, "-c", "from cedit.app import run; run()"]

InProcess = Callable[..., bytes]


class Shared:
    """A model that outlives the command that it was opened for."""

    def __init__(self, llama: Llama) -> None:
        self._llama = llama

    def __getattr__(self, name: str) -> object:
        return getattr(self._llama, name)

    def close(self) -> None:
        pass


@pytest.fixture
def in_process(llama: Llama, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> InProcess:
    """``cedit`` over the model that is loaded already; what it put on standard output."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, stdin: bytes = b"", status: int = 0) -> bytes:
        out, err = io.BytesIO(), io.StringIO()
        environment = Environment(
            stdin=io.BytesIO(stdin),
            stdout=out,
            out=Console(file=io.TextIOWrapper(out, "utf-8", write_through=True)),
            err=Console(file=err),
            load_model=lambda *_: Shared(llama),  # type: ignore[arg-type,return-value]
            states=StateCache(tmp_path / "states"),
            can_ask=False,
        )
        assert main([*arguments, "--model", "x.gguf"], environment) == status, err.getvalue()
        return out.getvalue()

    return run


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_output_mode_tells_of_the_same_edit(in_process: InProcess, strategy: str) -> None:
    common = ("-m", INSTRUCTION, "--strategy", strategy)
    path = Path("add.py")
    path.write_bytes(BEFORE)
    after = in_process("add.py", *common, "--stdout")
    assert after != BEFORE
    if strategy == "anchor":
        assert after == AFTER
    patch = in_process("add.py", *common, "-p")
    assert in_process("add.py", *common, "-n") == patch
    assert in_process("-", *common, "--stdin-name", "add.py", stdin=BEFORE) == after
    assert path.read_bytes() == BEFORE
    subprocess.run(["git", "apply", "--whitespace=nowarn"], input=patch, check=True)
    assert path.read_bytes() == after
    path.write_bytes(BEFORE)
    (row,) = json.loads(in_process("add.py", *common, "--json"))["files"]
    assert row["diff"].encode() == patch
    assert path.read_bytes() == after
    path.write_bytes(BEFORE)
    Path("program").write_text(row["program"], newline="")
    environment = Environment(err=Console(file=io.StringIO()), out=Console(file=io.StringIO()))
    assert main(["apply", "program", "add.py", "-y", "-q"], environment) == 0
    assert path.read_bytes() == after


def test_a_file_of_tags_and_control_tokens_is_edited(in_process: InProcess) -> None:
    text = b"STOP = '<|im_end|>'\n# </new> <old> <gen>\ncount = 1\n"
    asked = ("-m", "Change count = 1 to count = 2.", "--stdin-name", "x.py", "--strategy", "anchor")
    after = in_process("-", *asked, stdin=text)
    assert after == text.replace(b"count = 1", b"count = 2")


def test_the_filter_in_a_pipe(model_path: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "-", "-m", INSTRUCTION, "--model", str(model_path)],
        input=BEFORE,
        capture_output=True,
        cwd=tmp_path,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, AFTER), done.stderr


@pytest.mark.parametrize("stage", ["loading", "reading", "writing"])
def test_ctrl_c_leaves_the_file(model_path: Path, tmp_path: Path, stage: str) -> None:
    path = tmp_path / "long.py"
    text = b"".join(b"value_%d = compute(%d, 'some words')\n" % (n, n) for n in range(60))
    path.write_bytes(text)
    asked = ("-m", "Rename compute to calculate.", "--strategy", "lines", "-y", "--events")
    process = subprocess.Popen(
        [*COMMAND, path.name, *asked, "--model", str(model_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    )
    assert process.stdout
    assert any(json.loads(line)["event"] == stage for line in process.stdout), "it never came"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert b"interrupted" in err
    assert path.read_bytes() == text
    assert os.listdir(tmp_path) == ["long.py"]


def test_a_truncated_model_is_one_clear_line(model_path: Path, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"1\n")
    with model_path.open("rb") as whole:
        (tmp_path / "cut.gguf").write_bytes(whole.read(30_000_000))
    done = subprocess.run(
        [*COMMAND, "f", "-m", "x", "--model", "./cut.gguf"],
        capture_output=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 3
    assert done.stderr.count(b"\n") == 1
    assert b"cannot be loaded as a model" in done.stderr
    assert (tmp_path / "f").read_bytes() == b"1\n"


def test_doctor_finds_nothing_wrong(model_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "doctor", "--model", model_path.name.partition("-instruct")[0]],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "device: CPU" in done.stdout
    assert "size and SHA-256 are right" in done.stdout
