"""llama.cpp in this process, through the low-level API of llama-cpp-python.

The only module that imports ``llama_cpp``, and only once a model is asked for.
"""

import ctypes
import importlib
import os
import re
import secrets
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cedit_engine.constraint import Constraint
from cedit_engine.errors import (
    CannotRepeat,
    CannotTrim,
    ChatTemplateFailed,
    DecodeFailed,
    GrammarRefused,
    Interrupted,
    LlamaMissing,
    ModelUnreadable,
    NoChatTemplate,
    NoGpu,
    StateRefused,
)
from cedit_engine.events import Cancellation, Loading, OnEvent, ignore
from cedit_engine.model import Logits, Turn
from cedit_engine.threads import physical_cores
from cedit_engine.vocabulary import TokenIds, Vocabulary

_CONTEXT_STEP = 1024
_BATCH = 2048
_MICRO_BATCH = 512
# Each row takes a vocabulary of floats, twice: 0.6 MB a row for 152,000 entries.
_ROWS = 64
# A CPU reads 64 tokens as fast, each, as 512; smaller pieces show progress sooner.
_CPU_CHUNK = 128
# A Python callback at every graph node costs 2 % of a one-token call; those are over
# soon enough to look at the flag between them.
_ABORTABLE_FROM = 16
_GPU_DEVICE_TYPES = (1, 2)  # ggml_backend_dev_type: GPU, integrated GPU
_ABORTED = 2  # llama_decode's status


@dataclass(frozen=True)
class LoadOptions:
    """``gpu_layers``: how many, or None for all where there is a GPU and none elsewhere.

    ``repeats`` makes room for a second sequence, by way of which ``Llama.repeat`` copies.
    """

    gpu_layers: int | None = None
    vocabulary_only: bool = False
    repeats: bool = False


@dataclass(frozen=True)
class Device:
    """A compute device that llama.cpp has registered."""

    name: str
    description: str
    is_gpu: bool


_log: deque[str] = deque(maxlen=50)


@cache
def _binding() -> Any:
    """The ``llama_cpp`` module, its log captured; raises ``LlamaMissing``."""
    # Two busy OpenMP pools on the same cores slow each other a hundredfold.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        binding: Any = importlib.import_module("llama_cpp")
    except (ImportError, OSError, RuntimeError) as error:
        raise LlamaMissing(str(error)) from error
    binding.llama_log_set(_keep_log(binding), ctypes.c_void_p(0))
    binding.llama_backend_init()
    return binding


@cache
def _keep_log(binding: Any) -> Any:
    def keep(level: int, text: bytes, _: object) -> None:
        if level in (3, 4):  # GGML_LOG_LEVEL_WARN is 2 in some versions and 3 in others
            _log.append(text.decode("utf-8", "replace").strip())

    return binding.llama_log_callback(keep)


def version() -> str:
    """The version of llama-cpp-python."""
    return str(_binding().__version__)


def devices() -> tuple[Device, ...]:
    """Every device in ggml's backend registry."""
    _binding()
    library = importlib.import_module("llama_cpp._ggml").libggml
    for name in ("ggml_backend_dev_name", "ggml_backend_dev_description"):
        getattr(library, name).restype = ctypes.c_char_p
        getattr(library, name).argtypes = [ctypes.c_void_p]
    library.ggml_backend_dev_count.restype = ctypes.c_size_t
    library.ggml_backend_dev_get.restype = ctypes.c_void_p
    library.ggml_backend_dev_get.argtypes = [ctypes.c_size_t]
    library.ggml_backend_dev_type.argtypes = [ctypes.c_void_p]
    handles = map(library.ggml_backend_dev_get, range(library.ggml_backend_dev_count()))
    return tuple(_device(library, handle) for handle in handles)


def _device(library: Any, handle: int) -> Device:
    name = library.ggml_backend_dev_name(handle).decode()
    is_gpu = library.ggml_backend_dev_type(handle) in _GPU_DEVICE_TYPES
    # A remote device says that it is a GPU and may be another machine's CPU.
    is_gpu = is_gpu and not name.startswith("RPC")
    return Device(name, library.ggml_backend_dev_description(handle).decode(), is_gpu)


def _layers(asked: int | None) -> int:
    """The count of layers for llama.cpp, where -1 means all; raises ``NoGpu``."""
    known = devices()
    has_gpu = any(device.is_gpu for device in known)
    if asked is None:
        return -1 if has_gpu else 0
    if asked and not has_gpu:
        raise NoGpu(asked, tuple(device.name for device in known))
    return asked


def high_level(path: Path, context: int) -> Any:
    """llama-cpp-python's own class, to measure against."""
    threads = physical_cores()
    return _binding().Llama(
        str(path),
        n_ctx=context,
        n_threads=threads,
        n_threads_batch=threads,
        n_gpu_layers=_layers(None),
        verbose=False,
    )


class Llama:
    """A GGUF model loaded by llama.cpp; it satisfies ``cedit_engine.model.Model``."""

    def __init__(
        self,
        path: Path,
        options: LoadOptions | None = None,
        on_event: OnEvent = ignore,
        cancellation: Cancellation | None = None,
    ) -> None:
        """Load ``path``; raises ``ModelUnreadable``, ``NoGpu`` or ``Interrupted``."""
        options = options or LoadOptions()
        self._path = path
        self._cancellation = cancellation or Cancellation()
        self._llama = _binding()
        self._layers = _layers(options.gpu_layers)
        self._repeats = options.repeats
        self._context: Any = None
        self._context_size = 0
        self._tokens: list[int] = []
        self._model = self._load(options, on_event)
        self._vocabulary_handle = self._llama.llama_model_get_vocab(self._model)
        size = self._llama.llama_vocab_n_tokens(self._vocabulary_handle)
        self.vocabulary = Vocabulary(size, self._piece)
        self._abort_callback = self._llama.ggml_abort_callback(self._should_abort)

    def _load(self, options: LoadOptions, on_event: OnEvent) -> Any:
        _check_magic(self._path)
        params = self._llama.llama_model_default_params()
        params.n_gpu_layers = self._layers
        params.vocab_only = options.vocabulary_only

        @self._llama.llama_progress_callback  # type: ignore[untyped-decorator]
        def report(share: float, _: object) -> bool:
            on_event(Loading(share))
            return not self._cancellation.requested

        params.progress_callback = report
        _log.clear()
        model = self._llama.llama_model_load_from_file(os.fsencode(self._path), params)
        if self._cancellation.requested:
            raise Interrupted
        if not model:
            raise ModelUnreadable(self._path, _log[-1] if _log else "no reason given")
        return model

    def close(self) -> None:
        """Free the model's memory; it cannot be used afterwards."""
        self._free_context()
        if self._model:
            self._llama.llama_model_free(self._model)
            self._model = None

    def _free_context(self) -> None:
        if self._context:
            self._llama.llama_free(self._context)
            self._context = None
        self._tokens = []

    @property
    def name(self) -> str:
        return self._path.name

    @property
    def trained_context(self) -> int:
        return int(self._llama.llama_model_n_ctx_train(self._model))

    @property
    def batch_limit(self) -> int:
        return _BATCH

    @property
    def row_limit(self) -> int:
        return _ROWS

    @property
    def prefill_chunk(self) -> int:
        return _MICRO_BATCH if self._layers else _CPU_CHUNK

    @property
    def tokens(self) -> Sequence[int]:
        return self._tokens

    def _piece(self, token: int) -> bytes:
        attributes = self._llama.llama_vocab_get_attr(self._vocabulary_handle, token)
        hidden = self._llama.LLAMA_TOKEN_ATTR_CONTROL | self._llama.LLAMA_TOKEN_ATTR_UNKNOWN
        if attributes & (hidden | self._llama.LLAMA_TOKEN_ATTR_UNUSED):
            return b""
        return self._spelling(token, special=False)

    def _spelling(self, token: int, special: bool) -> bytes:
        size = 64
        while True:
            buffer = ctypes.create_string_buffer(size)
            length = self._llama.llama_token_to_piece(
                self._vocabulary_handle, token, buffer, size, 0, special
            )
            if length >= 0:
                return buffer.raw[:length]
            size = -length

    def tokenize(self, text: bytes) -> list[int]:
        return self._tokenize(text, special=False)

    def _tokenize(self, text: bytes, special: bool) -> list[int]:
        size = len(text) + 8
        buffer = (ctypes.c_int32 * size)()
        count = self._llama.llama_tokenize(
            self._vocabulary_handle, text, len(text), buffer, size, False, special
        )
        assert count >= 0, "no token is shorter than a byte"
        return buffer[:count]

    def tokenize_chat(self, turns: Sequence[Turn]) -> list[int]:
        nonces = [secrets.token_hex(8) for _ in turns]
        frame = self._render(turns, nonces)
        parts = re.split("|".join(nonces), frame)
        if re.findall("|".join(nonces), frame) != nonces:
            raise ChatTemplateFailed(self._path, "it does not repeat every message in order")
        tokens = self._beginning(parts[0])
        tokens += self._tokenize(parts[0].encode(), special=True)
        for turn, part in zip(turns, parts[1:], strict=True):
            tokens += self._tokenize(turn.text.encode(), special=False)
            tokens += self._tokenize(part.encode(), special=True)
        return tokens

    def _beginning(self, frame: str) -> list[int]:
        """The beginning-of-sequence token, where the model wants one and the frame has none."""
        if not self._llama.llama_vocab_get_add_bos(self._vocabulary_handle):
            return []
        token = self._llama.llama_vocab_bos(self._vocabulary_handle)
        return [] if frame.startswith(self._spelling(token, special=True).decode()) else [token]

    def _render(self, turns: Sequence[Turn], contents: Sequence[str]) -> str:
        messages = [
            {"role": turn.role, "content": content}
            for turn, content in zip(turns, contents, strict=True)
        ]
        try:
            return str(self._formatter(messages=messages).prompt)
        except NoChatTemplate:
            raise
        except Exception as error:  # a template may raise anything
            raise ChatTemplateFailed(self._path, str(error)) from error

    @cached_property
    def _formatter(self) -> Any:
        """The model's chat template, compiled: that takes longer than to render it."""
        template = self._llama.llama_model_chat_template(self._model, None)
        if not template:
            raise NoChatTemplate(self._path)
        bos, eos = (
            self._spelling(token, special=True).decode() if token >= 0 else ""
            for token in (
                self._llama.llama_vocab_bos(self._vocabulary_handle),
                self._llama.llama_vocab_eos(self._vocabulary_handle),
            )
        )
        chat_format = importlib.import_module("llama_cpp.llama_chat_format")
        return chat_format.Jinja2ChatFormatter(template.decode(), eos, bos)

    def reserve(self, context: int) -> None:
        if context <= self._context_size:
            return
        size = min(-(-context // _CONTEXT_STEP) * _CONTEXT_STEP, self.trained_context)
        self._free_context()
        params = self._context_params(size)
        _log.clear()
        self._context = self._llama.llama_init_from_model(self._model, params)
        if not self._context:
            reason = _log[-1] if _log else f"no context of {size} tokens could be made"
            raise ModelUnreadable(self._path, reason)
        self._context_size = size

    def _context_params(self, size: int) -> Any:
        params = self._llama.llama_context_default_params()
        params.n_ctx = size
        params.n_batch = min(_BATCH, size)
        params.n_ubatch = min(_MICRO_BATCH, size)
        params.n_outputs_max = min(_ROWS, params.n_batch)
        if self._repeats:
            params.n_seq_max, params.kv_unified = 2, True
        params.n_threads = params.n_threads_batch = physical_cores()
        return params

    def evaluate(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        ids = np.asarray(tokens, dtype=np.int32)
        wanted = np.zeros(len(ids), dtype=np.int8)
        wanted[-rows:] = 1
        abort = self._abort_callback if len(ids) >= _ABORTABLE_FROM else self._never_abort
        self._llama.llama_set_abort_callback(self._context, abort, None)
        status = self._llama.llama_decode(self._context, self._batch(ids, wanted))
        if status:
            self._drop_after(len(self._tokens))
            if status == _ABORTED:
                raise Interrupted
            raise DecodeFailed(status, len(ids))
        self._tokens += map(int, tokens)
        logits = self._llama.llama_get_logits(self._context)
        return np.ctypeslib.as_array(logits, shape=(rows, len(self.vocabulary)))

    @property
    def _never_abort(self) -> Any:
        return self._llama.ggml_abort_callback()

    def _batch(self, ids: TokenIds, rows: NDArray[np.int8]) -> Any:
        batch = self._llama.llama_batch()
        batch.n_tokens = len(ids)
        batch.token = ids.ctypes.data_as(ctypes.POINTER(ctypes.c_int32))
        batch.logits = rows.ctypes.data_as(ctypes.POINTER(ctypes.c_int8))
        return batch

    def _should_abort(self, _: object) -> bool:
        return self._cancellation.requested

    def trim(self, length: int) -> None:
        if length < len(self._tokens):
            self._drop_after(length)

    def _drop_after(self, length: int) -> None:
        memory = self._llama.llama_get_memory(self._context)
        if not self._llama.llama_memory_seq_rm(memory, 0, length, -1):
            raise CannotTrim(self.name)
        del self._tokens[length:]

    def repeat(self, parts: Sequence[range]) -> None:
        """Through a second sequence: its state is read back into cells of its own, and moved.

        Copying between sequences alone shares the cells, which can be at one place only.
        """
        memory = self._llama.llama_get_memory(self._context)
        if not self._repeats:
            raise CannotRepeat(self.name, "it was loaded without room for that")
        if not self._llama.llama_memory_can_shift(memory):
            raise CannotRepeat(self.name, "its positions cannot be shifted")
        own, other, end = 0, 1, len(self._tokens)
        for part in parts:
            self._llama.llama_memory_seq_cp(memory, own, other, part.start, part.stop)
        cells = self._sequence_state(other)
        self._llama.llama_memory_seq_rm(memory, other, -1, -1)
        self._restore_sequence(cells, other)
        self._tokens += [self._tokens[at] for part in parts for at in part]
        stop = len(self._tokens)
        # The last part first: no other one stands where it goes.
        for part in reversed(parts):
            stop -= len(part)
            shift = stop - part.start
            self._llama.llama_memory_seq_add(memory, other, part.start, part.stop, shift)
        self._llama.llama_memory_seq_cp(memory, other, own, end, len(self._tokens))
        self._llama.llama_memory_seq_rm(memory, other, -1, -1)

    @property
    def weights(self) -> Path:
        return self._path

    @property
    def settings(self) -> Mapping[str, object]:
        params = self._context_params(self.trained_context)
        return {
            "adapter": None,
            "rope": [params.rope_scaling_type, params.rope_freq_base, params.rope_freq_scale],
            "cache types": [params.type_k, params.type_v],
            "flash attention": params.flash_attn_type,
            "gpu layers": self._layers,
            "prefill": [params.n_ubatch, self.prefill_chunk],
            "llama-cpp-python": version(),
        }

    def state(self) -> bytes:
        return self._sequence_state(0)

    def _sequence_state(self, sequence: int) -> bytes:
        size = self._llama.llama_state_seq_get_size(self._context, sequence)
        buffer = (ctypes.c_uint8 * size)()
        written = self._llama.llama_state_seq_get_data(self._context, buffer, size, sequence)
        return memoryview(buffer)[:written].tobytes()

    def restore(self, state: bytes, tokens: Sequence[int]) -> None:
        self._drop_after(0)
        if not self._restore_sequence(state, 0):
            self._drop_after(0)
            raise StateRefused(len(tokens))
        self._tokens = list(tokens)

    def _restore_sequence(self, state: bytes, sequence: int) -> bool:
        """Whether all of ``state`` could be read."""
        buffer = (ctypes.c_uint8 * len(state)).from_buffer_copy(state)
        args = (self._context, buffer, len(state), sequence)
        return bool(self._llama.llama_state_seq_set_data(*args) == len(state))

    def grammar(self, gbnf: str) -> Constraint:
        return LlamaGrammar(self._llama, self._vocabulary_handle, self.vocabulary, gbnf)


def _check_magic(path: Path) -> None:
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise ModelUnreadable(path, error.strerror or str(error)) from error
    if magic != b"GGUF":
        raise ModelUnreadable(path, "it does not begin with GGUF")


_CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)], align=True)


class LlamaGrammar(Constraint):
    """A GBNF grammar checked by llama.cpp's own sampler."""

    def __init__(self, llama: Any, handle: Any, vocabulary: Vocabulary, gbnf: str) -> None:
        """Raises ``GrammarRefused`` where llama.cpp cannot parse ``gbnf``."""
        self._llama = llama
        self._vocabulary = vocabulary
        self._sampler = llama.llama_sampler_init_grammar(handle, gbnf.encode(), b"root")
        if not self._sampler:
            raise GrammarRefused(gbnf)
        ends = (llama.llama_vocab_eos(handle), llama.llama_vocab_eot(handle))
        self._end = next(token for token in ends if token >= 0)

    def __del__(self) -> None:
        if getattr(self, "_sampler", None):
            self._llama.llama_sampler_free(self._sampler)

    @property
    def finished(self) -> bool:
        """Whether the end of generation is admitted; the grammars here then admit no more."""
        return bool(self._passes(np.array([self._end], dtype=np.int32))[0])

    def admits(self, tokens: TokenIds) -> list[bool]:
        passed = self._passes(tokens)
        pieces = map(self._vocabulary.piece, tokens)
        return [bool(ok) and bool(piece) for ok, piece in zip(passed, pieces, strict=True)]

    def admissible(self) -> TokenIds:
        everything = np.arange(len(self._vocabulary), dtype=np.int32)
        passed = everything[self._passes(everything)]
        return passed[[bool(self._vocabulary.piece(token)) for token in passed]]

    def accept(self, token: int) -> None:
        self._llama.llama_sampler_accept(self._sampler, int(token))

    def _passes(self, tokens: TokenIds) -> NDArray[np.bool_]:
        candidates = np.zeros(len(tokens), dtype=_CANDIDATE)
        candidates["id"] = tokens
        array = self._llama.llama_token_data_array()
        array.data = candidates.ctypes.data_as(self._llama.llama_token_data_p)
        array.size = len(tokens)
        array.selected = -1
        self._llama.llama_sampler_apply(self._sampler, ctypes.byref(array))
        passed: NDArray[np.bool_] = np.isfinite(candidates["logit"])
        return passed
