"""Reading the files to edit, and writing them so that they are the old or the new one."""

import codecs
import os
import re
import shlex
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from cedit.failures import FileChanged, FileProblem
from cedit.processes import is_running
from cedit_engine.errors import BinarySource
from cedit_engine.source import Source


@dataclass(frozen=True)
class Target:
    """A file to edit: as the user named it, where it is, and what was read of it.

    ``path`` is None for standard input; ``mode`` is None where the file does not exist yet.
    """

    name: str
    path: Path | None
    source: Source
    mode: int | None

    @property
    def is_new(self) -> bool:
        """Whether writing creates the file."""
        return self.path is not None and self.mode is None


def read_target(name: str, create: bool = False) -> Target:
    """The file called ``name``; raises ``FileProblem``."""
    path = Path(name)
    if create and not path.exists():
        return _new_target(name, path)
    source = text_of(name, read_bytes(name))
    return Target(name, path, source, stat.S_IMODE(path.stat().st_mode))


def text_of(name: str, data: bytes) -> Source:
    """The text of the file called ``name``; raises ``FileProblem`` where it is none."""
    for mark, encoding in _OTHER_ENCODINGS.items():
        if data.startswith(mark):
            raise FileProblem(
                name,
                f"it is in {encoding}, and cedit edits UTF-8",
                f"convert it: iconv -f {encoding} -t UTF-8",
            )
    try:
        return Source.from_text_file(data)
    except BinarySource as error:
        raise FileProblem(
            name, f"it is binary: byte {error.offset} is NUL", "cedit edits text files"
        ) from None


# The mark of UTF-32 begins with that of UTF-16.
_OTHER_ENCODINGS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


def _new_target(name: str, path: Path) -> Target:
    if not path.parent.is_dir():
        raise FileProblem(name, "its directory does not exist", f"mkdir -p {path.parent}")
    return Target(name, path, Source(()), None)


def read_bytes(name: str) -> bytes:
    """What the file called ``name`` holds; raises ``FileProblem``."""
    path = Path(name)
    try:
        if path.exists() and not path.is_file():
            kind = "a directory" if path.is_dir() else "not a regular file"
            raise FileProblem(name, f"it is {kind}", "name the files in it")
        return path.read_bytes()
    except FileNotFoundError:
        raise FileProblem(name, "there is no such file", "check the name, or --create it") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FileProblem(name, f"it cannot be read: {reason}", "check it with: ls -l") from None


def read_stdin(stream: BinaryIO, name: str) -> Target:
    """Standard input as a file called ``name``; raises ``FileProblem``."""
    return Target(name, None, text_of(name, stream.read()), None)


def write_target(target: Target, data: bytes) -> None:
    """Write beside the file and rename; raises ``FileChanged`` and ``FileProblem``.

    A symbolic link keeps pointing where it did: what it points to is written. Mode and
    extended attributes stay, and owner and group where that is permitted. Of a file with
    several hard links the name that was given gets the new text, the others keep the old.
    """
    assert target.path is not None
    path = target.path.resolve()
    _require_writable(target)
    try:
        _replace(path, target, data)
    except OSError as error:
        raise FileProblem(
            target.name, f"it cannot be written: {error.strerror}", "it is as it was"
        ) from error


def _require_writable(target: Target) -> None:
    """A file that its owner may not write to is left alone, though it could be replaced."""
    if target.mode is not None and not target.mode & 0o222:
        raise FileProblem(
            target.name, "it is read-only", f"chmod u+w {shlex.quote(target.name)}, then again"
        )


def _replace(path: Path, target: Target, data: bytes) -> None:
    start = f".{path.name[:100]}.{os.getpid()}."
    descriptor, temporary = tempfile.mkstemp(".cedit", start, path.parent)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if not target.is_new:
                _take_over(path, descriptor)
            # Behind the owner: a change of that clears the bits that lend rights.
            os.fchmod(descriptor, target.mode if target.mode is not None else new_file_mode())
            os.fsync(descriptor)
        _require_unchanged(path, target)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    _sync_directory(path.parent)


_TEMPORARY = re.compile(r"\..+\.(?P<writer>\d+)\.[^.]+\.cedit", re.DOTALL)


def remove_leftovers(folder: Path) -> None:
    """Remove what runs that were killed between writing and renaming left in ``folder``."""
    with suppress(OSError):
        for name in os.listdir(folder):
            temporary = _TEMPORARY.fullmatch(name)
            if temporary and not is_running(int(temporary["writer"])):
                (folder / name).unlink(missing_ok=True)


def _take_over(path: Path, descriptor: int) -> None:
    """Give the new file the old one's owner, group and extended attributes, as permitted."""
    old = os.stat(path)
    with suppress(PermissionError):
        os.fchown(descriptor, old.st_uid, old.st_gid)
    if hasattr(os, "listxattr"):
        with suppress(OSError):
            for name in os.listxattr(path):
                os.setxattr(descriptor, name, os.getxattr(path, name))


def _require_unchanged(path: Path, target: Target) -> None:
    unchanged = not path.exists() if target.is_new else path.read_bytes() == target.source.data
    if not unchanged:
        raise FileChanged(target.name)


def _sync_directory(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def new_file_mode() -> int:
    """What a new file's mode is under the process's umask."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
