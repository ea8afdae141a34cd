"""Directions: the engine knows no front end, nothing goes in circles, help loads little."""

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = {
    ".".join(path.relative_to(base).with_suffix("").parts): path
    for base in (ROOT / "cli", ROOT / "engine")
    for path in base.rglob("*.py")
    if path.name != "__init__.py" and "suite" not in path.parts
}


def imports_of(path: Path) -> set[str]:
    """The full names of the modules that a file imports, wherever in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def test_there_are_no_import_cycles() -> None:
    graph = {name: imports_of(path) & FILES.keys() for name, path in FILES.items()}
    assert len(graph) > 40
    TopologicalSorter(graph).prepare()


def test_the_engine_imports_no_front_end() -> None:
    forbidden = {"typer", "rich", "git", "cedit"}
    for name, path in FILES.items():
        if name.startswith("cedit_engine."):
            assert not {i.split(".")[0] for i in imports_of(path)} & forbidden, name


def test_only_llama_speaks_to_llama_cpp() -> None:
    speakers = {name for name, path in FILES.items() if '"llama_cpp' in path.read_text()}
    assert speakers == {"cedit_engine.llama"}


def test_no_import_hides_in_a_function() -> None:
    for name, path in FILES.items():
        tree = ast.parse(path.read_text())
        inner = [
            node
            for function in ast.walk(tree)
            if isinstance(function, ast.FunctionDef)
            for node in ast.walk(function)
            if isinstance(node, ast.Import | ast.ImportFrom)
        ]
        assert not inner, name


@pytest.mark.parametrize(
    "arguments", ["['--help']", "['grammar', '/dev/null']", "['model', 'list']"]
)
def test_what_needs_no_model_loads_neither_llama_nor_git(arguments: str) -> None:
    code = (
        "import sys; from cedit.app import main; from cedit.environment import Environment\n"
        f"main({arguments}, Environment())\n"
        "assert not {'llama_cpp', 'git', 'huggingface_hub'} & set(sys.modules), sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
