"""What else a user could pick: the same edits by other ways to run the same model."""

import importlib.util
import json
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cedit_engine import llama
from cedit_engine.errors import EngineError
from cedit_engine.model import Model, Turn
from cedit_engine.prefix import common_prefix_length
from cedit_engine.prompt import fenced_document
from cedit_engine.strategies.rewrite import Rewrite, fence_of, opening_of, without_blank_ends
from cedit_engine.task import Task

_NEVER = "\0"


@dataclass(frozen=True)
class Asked:
    """A prompt in tokens, the text that ends the answer, and the most tokens of it."""

    tokens: Sequence[int]
    stop: str
    longest: int


@dataclass(frozen=True)
class Generated:
    """What a peer wrote and what that took; ``finished`` is false where it was cut off."""

    text: str
    finished: bool
    calls: int
    tokens: int
    read_tokens: int
    prompt_seconds: float
    decode_seconds: float


def rewriting(model: Model, task: Task, longest: int) -> Asked:
    """The prompt of ``rewrite``, with the fence of its answer opened."""
    shown = without_blank_ends(task)
    tokens = model.tokenize_chat(Rewrite().turns(task))
    opening = model.tokenize(opening_of(shown).encode())
    return Asked([*tokens, *opening], f"\n{fence_of(shown)}", longest)


def conversation(model: Model, system: str, task: Task, longest: int) -> Asked:
    """A system turn and the task; the answer ends where the model ends it."""
    question = f"{fenced_document(task)}Instruction: {task.instruction}"
    tokens = model.tokenize_chat([Turn("system", system), Turn("user", question)])
    return Asked(tokens, _NEVER, longest)


Lookup = Callable[[Sequence[int]], Sequence[int]]
"""Guesses what follows the tokens so far."""


def no_lookup(tokens: Sequence[int]) -> Sequence[int]:
    """Guess nothing: plain greedy decoding."""
    return ()


def prompt_lookup(tokens: Sequence[int]) -> Sequence[int]:
    """Prompt-lookup decoding: what followed where the last n-gram first stood.

    Saxena, "Prompt Lookup Decoding" (2023): n-grams of 3 tokens, then of 2 and 1; 10 tokens.
    """
    held = np.asarray(tokens)
    for size in (3, 2, 1):
        windows = np.lib.stride_tricks.sliding_window_view(held, size)[:-1]
        starts = np.flatnonzero((windows == held[-size:]).all(axis=1))
        if len(starts):
            begin = int(starts[0]) + size
            return [int(token) for token in held[begin : begin + 10]]
    return ()


def generate(model: Model, asked: Asked, lookup: Lookup) -> Generated:
    """Greedy decoding on the low-level API, several tokens a call where ``lookup`` guesses.

    What the model's memory holds of the prompt is not read again.
    """
    model.reserve(len(asked.tokens) + asked.longest + model.row_limit)
    started = time.perf_counter()
    known = common_prefix_length(model.tokens, asked.tokens[:-1])
    model.trim(known)
    for start in range(known, len(asked.tokens), model.prefill_chunk):
        logits = model.evaluate(asked.tokens[start : start + model.prefill_chunk])
    chosen = [int(np.argmax(logits[-1]))]
    read = time.perf_counter()
    tokens, calls, text = list(asked.tokens), 0, ""
    while chosen:
        new = chosen[: asked.longest - (len(tokens) - len(asked.tokens))]
        tokens += new
        text += b"".join(map(model.vocabulary.piece, new)).decode("utf-8", "replace")
        has_ended = asked.stop in text or b"" in map(model.vocabulary.piece, new)
        if has_ended or len(tokens) - len(asked.tokens) >= asked.longest:
            break
        model.trim(len(tokens) - 1)
        draft = list(lookup(tokens))
        logits = model.evaluate([tokens[-1], *draft], len(draft) + 1)
        calls += 1
        chosen = _agreed(np.argmax(logits, axis=1).tolist(), draft)
    written = len(tokens) - len(asked.tokens)
    text = text.partition(asked.stop)[0]
    return Generated(
        text,
        has_ended,
        calls,
        written,
        len(asked.tokens) - known,
        read - started,
        time.perf_counter() - read,
    )


def _agreed(wanted: Sequence[int], draft: Sequence[int]) -> list[int]:
    """The tokens that the model wants as far as the draft leads it, and the one behind."""
    return list(wanted[: common_prefix_length(wanted, draft) + 1])


def high_level(path: Path, asked: Asked) -> Generated:
    """llama-cpp-python's own class, as its documentation uses it."""
    own = llama.high_level(path, len(asked.tokens) + asked.longest + 1)
    started = time.perf_counter()
    text, tokens, read = "", 0, started
    stream = own.create_completion(
        list(asked.tokens),
        max_tokens=asked.longest,
        temperature=0.0,
        stop=[asked.stop],
        stream=True,
    )
    finish = None
    for part in stream:
        if not tokens:
            read = time.perf_counter()
        tokens += 1
        text += part["choices"][0]["text"]
        finish = part["choices"][0]["finish_reason"]
    done = time.perf_counter()
    own.close()
    read_tokens = len(asked.tokens)
    return Generated(
        text, finish == "stop", tokens, tokens, read_tokens, read - started, done - read
    )


def require_server() -> None:
    """Raise ``PeerFailed`` where there is no llama-server to start."""
    if importlib.util.find_spec("xllamacpp") is None:
        raise PeerFailed("llama-server", "the package xllamacpp is not installed")


@contextmanager
def server(path: Path, speculation: str, context: int) -> Iterator[str]:
    """A llama-server on a loopback port, with its own n-gram speculation; its address."""
    command = [sys.executable, "-m", "cedit_engine.bench.server", str(path), speculation]
    process = subprocess.Popen(
        [*command, str(context)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        address = process.stdout.readline().strip() if process.stdout else ""
        if not address:
            raise PeerFailed(f"llama-server ({speculation})", "it did not start")
        yield address
    finally:
        process.terminate()
        process.wait()


def ask_server(address: str, asked: Asked) -> Generated:
    """A completion by a running server."""
    body = {
        "prompt": list(asked.tokens),
        "n_predict": asked.longest,
        "temperature": 0.0,
        "cache_prompt": False,
        "stop": [asked.stop],
    }
    request = urllib.request.Request(
        f"{address}/completion",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as response:
        answer: dict[str, Any] = json.load(response)
    timings = answer["timings"]
    tokens = timings["predicted_n"]
    return Generated(
        answer["content"],
        answer.get("stop_type") != "limit",
        tokens - timings.get("draft_n_accepted", 0),
        tokens,
        timings["prompt_n"],
        timings["prompt_ms"] / 1000,
        timings["predicted_ms"] / 1000,
    )


@dataclass(eq=False)
class PeerFailed(EngineError):
    """A peer could not be run."""

    peer: str
    reason: str


SEARCH_REPLACE = """\
You are a code editor. Answer with the edits that carry out the instruction, each as
<<<<<<< SEARCH
the lines to replace, copied exactly
=======
the lines that take their place
>>>>>>> REPLACE
and nothing else."""

UNIFIED_DIFF = """\
You are a code editor. Answer with a unified diff that carries out the instruction, with \
three lines of context around each change, and nothing else."""

_BLOCK = re.compile(r"<{5,9} SEARCH\n(.*?)^={5,9}\n(.*?)^>{5,9} REPLACE", re.MULTILINE | re.DOTALL)


def apply_blocks(before: str, answer: str) -> str | None:
    """The file with the search/replace blocks of ``answer`` applied; None where one is amiss."""
    return _replaced(before, _BLOCK.findall(answer))


def apply_diff(before: str, answer: str) -> str | None:
    """The file with the hunks of ``answer`` applied, found by content whatever their numbers."""
    hunks = re.split(r"^@@.*\n", answer, flags=re.MULTILINE)[1:]
    return _replaced(before, [_sides(hunk) for hunk in hunks])


def _sides(hunk: str) -> tuple[str, str]:
    body = hunk.partition("\n```")[0].splitlines(keepends=True)
    lines = [line if line.endswith("\n") else f"{line}\n" for line in body]
    old = "".join(line[1:] for line in lines if line[:1] in " -\n")
    new = "".join(line[1:] for line in lines if line[:1] in " +\n")
    return old, new


def _replaced(text: str, pairs: Sequence[tuple[str, str]]) -> str | None:
    for old, new in pairs:
        if not old or text.count(old) != 1:
            return None
        text = text.replace(old, new)
    return text if pairs else None
