"""Writing files that are never seen in part."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path


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
