"""Running a case's tests: model-written code, in a subprocess, under limits.

The limits stop accidents (endless loops, runaway memory); they are no sandbox.
"""

import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

SECONDS = 20
MEMORY_BYTES = 2 << 30


def node() -> str | None:
    """The Node.js on this machine."""
    return shutil.which("node")


def python_outcome(program: bytes, limit_memory: bool = True) -> tuple[bool, str]:
    """Whether Python runs ``program`` to its end with exit status 0, and what it says."""
    done = _run(program, "case.py", [sys.executable, "-I"], limit_memory)
    return (False, _OUT_OF_TIME) if done is None else (done.returncode == 0, _said(done))


def javascript_outcome(program: bytes) -> tuple[bool, str]:
    """Whether Node.js prints nothing on standard error; an assertion there changes no status.

    Node reserves far more address space than it uses, so its heap is bounded instead.
    """
    command = [node() or "node", f"--max-old-space-size={MEMORY_BYTES >> 20}"]
    done = _run(program, "case.js", command, limit_memory=False)
    return (False, _OUT_OF_TIME) if done is None else (not done.stderr, _said(done))


_OUT_OF_TIME = f"It did not end within {SECONDS} seconds."
_SAID = 1500


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    return (done.stdout + done.stderr).decode("utf-8", "replace").strip()[-_SAID:]


def javascript_parses(program: bytes) -> bool:
    """Whether Node.js finds no syntax error."""
    done = _run(program, "case.js", [node() or "node", "--check"], limit_memory=False)
    return done is not None and done.returncode == 0


def _run(
    program: bytes, name: str, command: Sequence[str], limit_memory: bool
) -> subprocess.CompletedProcess[bytes] | None:
    """The finished process, or nothing where it ran out of time."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_FSIZE, (MEMORY_BYTES, MEMORY_BYTES))
        if limit_memory:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))

    with tempfile.TemporaryDirectory(prefix="cedit-bench-") as folder:
        path = Path(folder, name)
        path.write_bytes(program)
        try:
            return subprocess.run(
                [*command, str(path)],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
                preexec_fn=limit,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None
