"""The real git, and files that it knows."""

import subprocess
from pathlib import Path

BEFORE = b"one\ntwo\nthree\nfour\nfive\nsix\nseven\n"


def git(*arguments: str | bytes, data: bytes = b"") -> bytes:
    return subprocess.run(["git", *arguments], input=data, check=True, capture_output=True).stdout


def commit(**files: bytes) -> None:
    for name, data in files.items():
        Path(name).write_bytes(data)
        git("add", name)
    git("commit", "-q", "-m", "x")


def stage(name: str, data: bytes) -> None:
    Path(name).write_bytes(data)
    git("add", "--", name)


def index(name: str = "f") -> bytes:
    return git("show", f":{name}")


def status() -> list[str]:
    return git("status", "--porcelain").decode().splitlines()


STAGED = BEFORE.replace(b"seven", b"7")
