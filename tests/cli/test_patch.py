"""Patches, held against the real git."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cedit.patch import PatchedFile, git_patch
from cedit.render import changed_lines
from cedit.repo import name_in_repository
from cedit_engine.source import BOM, Source

pieces = [
    b"a\n",
    b"b\n",
    b"\n",
    b"c\r\n",
    b"d",
    b"\r",
    b"\xff\n",
    b"\x0c\n",
    BOM,
    b"\\ No newline\n",
]
texts = st.lists(st.sampled_from(pieces), max_size=8).map(b"".join)
NAMES = [
    b"plain.py",
    b"with space.py",
    b'quo"te\\back.py',
    b"new\nline\ttab.py",
    b"-dash.py",
    "ünï.py".encode(),
    b"latin-\xe9.py",
    b"deep/er/a b.py",
    b"a b/c",
]


def patched(folder: Path, name: bytes, before: bytes, patch: bytes, *options: str) -> bytes:
    """What ``git apply`` makes of ``before``."""
    path = Path(os.fsdecode(os.path.join(os.fsencode(folder), name)))
    path.parent.mkdir(parents=True, exist_ok=True)
    if not options:
        path.write_bytes(before)
    subprocess.run(["git", "apply", "--whitespace=nowarn"], input=patch, cwd=folder, check=True)
    return path.read_bytes()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=texts, after=texts)
def test_git_applies_every_patch(tmp_path: Path, before: bytes, after: bytes) -> None:
    old, new = Source.from_bytes(before), Source.from_bytes(after)
    patch = git_patch(PatchedFile(b"f", old, new))
    if before == after:
        assert patch == b""
    else:
        assert patched(tmp_path, b"f", before, patch) == after
        body = patch.split(b"\n@@", 1)[1].split(b"\n")[1:]
        assert changed_lines(patch) == (
            sum(line.startswith(b"+") for line in body),
            sum(line.startswith(b"-") for line in body),
        )


@pytest.mark.parametrize("name", NAMES, ids=repr)
def test_git_applies_patches_of_odd_names(tmp_path: Path, name: bytes) -> None:
    old, new = Source.from_bytes(b"1\n2"), Source.from_bytes(b"1\n3")
    patch = git_patch(PatchedFile(name, old, new))
    assert patched(tmp_path, name, old.data, patch) == new.data


@pytest.mark.parametrize("name", NAMES, ids=repr)
@pytest.mark.parametrize("text", [b"", b"x", b"x\ny\n"])
def test_git_creates_new_files(tmp_path: Path, name: bytes, text: bytes) -> None:
    new = Source.from_bytes(text)
    patch = git_patch(PatchedFile(name, Source(()), new, 0o755))
    assert patched(tmp_path, name, b"", patch, "new") == text
    path = os.path.join(os.fsencode(tmp_path), name)
    assert os.stat(path).st_mode & 0o111


def test_names_are_from_the_repositorys_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "-q", tmp_path / "repo"], check=True)
    inner = tmp_path / "repo" / "sub"
    inner.mkdir()
    monkeypatch.chdir(inner)
    assert name_in_repository(Path("x.py")) == b"sub/x.py"
    monkeypatch.chdir(tmp_path)
    assert name_in_repository(Path("y.py")) == b"y.py"
    assert name_in_repository(Path("repo/sub/x.py")) == b"sub/x.py"
    assert not name_in_repository(Path("/somewhere/else")).startswith(b"/")


def test_a_line_among_many_equal_ones_is_one_hunk() -> None:
    before, after = ([b"x\n"] * 500 + [line] + [b"x\n"] * 500 for line in (b"1\n", b"2\n"))
    sources = (Source(tuple(lines)) for lines in (before, after))
    patch = git_patch(PatchedFile(b"f", *sources))
    assert patch.count(b"\n") == 3 + 1 + 8
