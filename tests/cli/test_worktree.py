import os
from pathlib import Path

import pytest

from cedit.failures import FileChanged, FileProblem
from cedit.worktree import read_target, write_target


def test_the_mode_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"1")
    path.chmod(0o604)
    write_target(read_target(str(path)), b"2")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"2", 0o604)


def test_a_new_file_has_the_mode_of_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_target(read_target(str(tmp_path / "f"), create=True), b"2")
    finally:
        os.umask(before)
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o640


def test_a_file_that_appeared_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    target = read_target(str(tmp_path / "f"), create=True)
    (tmp_path / "f").write_bytes(b"theirs")
    with pytest.raises(FileChanged):
        write_target(target, b"mine")
    assert (tmp_path / "f").read_bytes() == b"theirs"


def test_a_failed_write_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"1")
    target = read_target(str(path))

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(FileProblem) as caught:
        write_target(target, b"2")
    assert "No space left" in caught.value.problem
    assert path.read_bytes() == b"1"
    assert os.listdir(tmp_path) == ["f"]


def test_long_and_odd_names_are_written(tmp_path: Path) -> None:
    for name in ("x" * 250, "new\nline", "-dash", os.fsdecode(b"\xff")):
        path = tmp_path / name
        path.write_bytes(b"1")
        write_target(read_target(str(path)), b"2")
        assert path.read_bytes() == b"2"


def test_a_read_only_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"1")
    path.chmod(0o444)
    with pytest.raises(FileProblem) as caught:
        write_target(read_target(str(path)), b"2")
    assert caught.value.problem == "it is read-only"
    assert path.read_bytes() == b"1"


def test_the_other_names_of_a_file_keep_the_old_text(tmp_path: Path) -> None:
    path, other = tmp_path / "f", tmp_path / "g"
    path.write_bytes(b"1")
    other.hardlink_to(path)
    write_target(read_target(str(path)), b"2")
    assert (path.read_bytes(), other.read_bytes()) == (b"2", b"1")


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="this system has no extended attributes")
def test_extended_attributes_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"1")
    try:
        os.setxattr(path, "user.note", b"mine")
    except OSError:
        pytest.skip("this file system keeps no extended attributes")
    write_target(read_target(str(path)), b"2")
    assert os.getxattr(path, "user.note") == b"mine"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_the_owner_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"1")
    os.chown(path, 1234, 2345)
    path.chmod(0o4755)
    write_target(read_target(str(path)), b"2")
    after = path.stat()
    assert (after.st_uid, after.st_gid, after.st_mode & 0o7777) == (1234, 2345, 0o4755)
