"""What the check of a task may use; it runs in a process of its own.

A check is Python that raises nothing where the edited text is right. Its names: ``before``,
``after`` and ``lines`` (of ``after``), ``re``, and the functions of ``_Check``.
"""

import __future__

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from cedit_engine.blocks import block_at


def run(before: str, after: str, check: str) -> None:
    """Run ``check``; what it raises is its verdict."""
    helper = _Check(after)
    names: dict[str, Any] = {"before": before, "after": after, "lines": after.splitlines()}
    names |= {"re": re, "module": helper.module, "block": helper.block, "node": helper.node}
    names |= {"compiled_c": helper.compiled_c, "compiled_cpp": helper.compiled_cpp}
    names |= {"java": helper.java}
    exec(compile(check, "check", "exec"), names)


class _Check:
    def __init__(self, after: str) -> None:
        self._after = after

    def module(
        self,
        cut: Callable[[str], str] = str,
        name: str = "edited",
        future: str = "",
    ) -> ModuleType:
        """The edited text, or what ``cut`` leaves of it, as a Python module."""
        made = ModuleType(name)
        flags = getattr(__future__, future).compiler_flag if future else 0
        sys.modules[name] = made
        exec(compile(cut(self._after), "edited", "exec", flags, dont_inherit=True), vars(made))
        return made

    def block(self, start: str) -> str:
        """The block of the edited text whose first line begins with ``start``."""
        lines = self._after.splitlines()
        found = block_at(lines, start)
        if found is None:
            raise AssertionError(f"no line begins with {start!r}")
        return "\n".join(lines[found.start : found.stop])

    def node(self, code: str) -> None:
        """Run JavaScript behind the edited text."""
        head = 'const assert = require("assert");\n'
        Path("edited.js").write_text(f"{head}{self._after}\n{{\n{code}\n}}\n", encoding="utf-8")
        _succeed("node", "edited.js")

    def compiled_c(self, code: str) -> None:
        """Compile the edited text with C behind it, and run its main to status 0."""
        self._compiled("cc", "edited.c", code)

    def compiled_cpp(self, code: str) -> None:
        """The same in C++."""
        self._compiled("c++", "edited.cpp", code)

    def _compiled(self, compiler: str, name: str, code: str) -> None:
        Path(name).write_text(f"{self._after}\n{code}\n", encoding="utf-8")
        _succeed(compiler, "-o", "edited.out", name)
        _succeed("./edited.out")

    def java(self, code: str) -> None:
        """Compile the edited class, and run Java that uses it, where ``check`` takes a boolean."""
        found = re.search(r"public class (\w+)", self._after)
        if not found:
            raise AssertionError("no public class")
        Path(f"{found[1]}.java").write_text(self._after, encoding="utf-8")
        Path("Check.java").write_text(_JAVA.replace("CODE", code), encoding="utf-8")
        _succeed("javac", "-Xlint:none", "Check.java", f"{found[1]}.java")
        _succeed("java", "-Xmx256m", "Check")


_JAVA = """\
public class Check {
    static void check(boolean right) { if (!right) throw new AssertionError(); }
    public static void main(String[] arguments) {
        CODE
    }
}
"""


def _succeed(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"{command[0]}: {(done.stdout + done.stderr)[-800:]}")
