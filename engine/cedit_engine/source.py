"""A file as the engine sees it: raw lines, and the view of them that a model reads."""

from dataclasses import dataclass
from functools import cached_property
from io import BytesIO

from cedit_engine.errors import BinarySource

BOM = b"\xef\xbb\xbf"


def split_lines(data: bytes) -> list[bytes]:
    r"""The lines of ``data``, each with its ending; a line ends at ``\n`` and nowhere else."""
    return BytesIO(data).readlines()


def line_ending(line: bytes) -> bytes:
    r"""``\r\n``, ``\n`` or nothing: how a raw line ends."""
    if line.endswith(b"\r\n"):
        return b"\r\n"
    return b"\n" if line.endswith(b"\n") else b""


@dataclass(frozen=True)
class Source:
    """The raw lines of a file, endings and byte order mark included."""

    lines: tuple[bytes, ...]

    @classmethod
    def from_bytes(cls, data: bytes) -> "Source":
        """Any bytes at all; joining the lines gives them back."""
        return cls(tuple(split_lines(data)))

    @classmethod
    def from_text_file(cls, data: bytes) -> "Source":
        """Like ``from_bytes``; raises ``BinarySource`` where ``data`` holds a NUL byte."""
        offset = data.find(b"\0")
        if offset >= 0:
            raise BinarySource(offset)
        return cls.from_bytes(data)

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def data(self) -> bytes:
        """The file's bytes."""
        return b"".join(self.lines)

    @property
    def has_bom(self) -> bool:
        """Whether the file begins with a UTF-8 byte order mark."""
        return bool(self.lines) and self.lines[0].startswith(BOM)

    @property
    def ends_open(self) -> bool:
        """Whether the last line has no ending."""
        return bool(self.lines) and not self.lines[-1].endswith(b"\n")

    @cached_property
    def views(self) -> tuple[str, ...]:
        """Each line as a model reads it: no ending, no byte order mark, valid Unicode.

        A byte that is not UTF-8 shows as U+FFFD; it is copied all the same.
        """
        raw = [line[: len(line) - len(line_ending(line))] for line in self.lines]
        if self.has_bom:
            raw[0] = raw[0][len(BOM) :]
        return tuple(line.decode("utf-8", "replace") for line in raw)

    @cached_property
    def common_ending(self) -> bytes:
        r"""The more frequent of ``\n`` and ``\r\n``; ``\n`` where neither leads."""
        endings = [line_ending(line) for line in self.lines]
        return b"\r\n" if endings.count(b"\r\n") > endings.count(b"\n") else b"\n"
