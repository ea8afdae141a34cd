"""Models of random weights: what a call costs depends on their shapes alone.

They are written with the package gguf, a development extra, and save carrying gigabytes
to a machine that is only to be timed.
"""

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Shape:
    """The dimensions of a Qwen2 model."""

    layers: int
    width: int
    inner_width: int
    heads: int
    key_heads: int
    vocabulary: int
    tied: bool

    @property
    def key_width(self) -> int:
        """The width of keys and of values."""
        return self.width // self.heads * self.key_heads


# From the models' own config.json.
SHAPES: Mapping[str, Shape] = {
    "1.5b": Shape(28, 1536, 8960, 12, 2, 151_936, tied=True),
    "7b": Shape(28, 3584, 18_944, 28, 4, 152_064, tied=False),
}

# Bytes of a block of 256 weights, and where its scales of half precision stand.
_BLOCK = 256
_Q4_K = ("Q4_K", 144, (0, 2))
_Q6_K = ("Q6_K", 210, (208,))


def write_random_model(path: Path, shape: Shape) -> None:
    """Write a GGUF file of ``shape``, quantized about as Q4_K_M is."""
    gguf = importlib.import_module("gguf")
    writer = gguf.GGUFWriter(path, "qwen2")
    writer.add_block_count(shape.layers)
    writer.add_context_length(32_768)
    writer.add_embedding_length(shape.width)
    writer.add_feed_forward_length(shape.inner_width)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.key_heads)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(1e6)
    writer.add_vocab_size(shape.vocabulary)
    writer.add_tokenizer_model("none")
    random = np.random.default_rng(0)
    for name, data, kind in _tensors(shape, random):
        dtype = gguf.GGMLQuantizationType[kind] if kind else None
        writer.add_tensor(name, data, raw_dtype=dtype)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


_Tensor = tuple[str, NDArray[Any], str | None]


def _tensors(shape: Shape, random: np.random.Generator) -> Iterator[_Tensor]:
    def matrix(name: str, rows: int, columns: int, spelling: Any = _Q4_K) -> _Tensor:
        kind, size, scales = spelling
        blocks = random.integers(0, 256, (rows, columns // _BLOCK, size), dtype=np.uint8)
        scale = np.frombuffer(np.float16(0.001).tobytes(), dtype=np.uint8)
        for start in scales:
            blocks[:, :, start : start + 2] = scale
        return name, blocks.reshape(rows, -1), kind

    def vector(name: str, size: int) -> _Tensor:
        return name, np.ones(size, dtype=np.float32), None

    yield matrix("token_embd.weight", shape.vocabulary, shape.width, _Q6_K)
    yield vector("output_norm.weight", shape.width)
    if not shape.tied:
        yield matrix("output.weight", shape.vocabulary, shape.width, _Q6_K)
    for layer in range(shape.layers):
        block = f"blk.{layer}"
        yield vector(f"{block}.attn_norm.weight", shape.width)
        yield vector(f"{block}.ffn_norm.weight", shape.width)
        for part, width in (("q", shape.width), ("k", shape.key_width), ("v", shape.key_width)):
            yield matrix(f"{block}.attn_{part}.weight", width, shape.width)
            yield vector(f"{block}.attn_{part}.bias", width)
        yield matrix(f"{block}.attn_output.weight", shape.width, shape.width)
        yield matrix(f"{block}.ffn_gate.weight", shape.inner_width, shape.width)
        yield matrix(f"{block}.ffn_up.weight", shape.inner_width, shape.width)
        yield matrix(f"{block}.ffn_down.weight", shape.width, shape.inner_width)
