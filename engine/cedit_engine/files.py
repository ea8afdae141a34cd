"""Reading files through, and writing them so that they are never seen in part."""

import hashlib
import os
import tempfile
from contextlib import suppress
from pathlib import Path


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hex; raises ``OSError``."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_whole(path: Path, data: bytes, sync: bool = False) -> None:
    """Write ``data`` beside ``path``, readable by the user alone, and rename it into place.

    With ``sync`` it is on the disk before it has its name. Raises ``OSError``.
    """
    descriptor, temporary = tempfile.mkstemp(prefix=".", dir=path.parent)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            if sync:
                file.flush()
                os.fsync(descriptor)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
