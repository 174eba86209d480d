"""The model's forward pass in plain numpy and double precision: the yardstick for the ONNX graph."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def reference_embedding(weights: Mapping[str, NDArray[np.float32]], tokens: Sequence[int], *, heads: int) -> Array:
    """One text's [CLS] … [SEP] ids, unpadded, to its unit vector."""
    w = {name: value.astype(np.float64) for name, value in weights.items() if value.dtype == np.float32}
    hidden = w["embeddings.word_embeddings.weight"][list(tokens)]
    hidden = hidden + w["embeddings.position_embeddings.weight"][: len(tokens)]
    hidden = _norm(hidden + w["embeddings.token_type_embeddings.weight"][0], w, "embeddings.LayerNorm")
    layers = 1 + max(int(name.split(".")[2]) for name in w if name.startswith("encoder.layer."))
    for number in range(layers):
        key = f"encoder.layer.{number}"
        context = _attention(hidden, w, f"{key}.attention.self", heads=heads)
        attended = _linear(context, w, f"{key}.attention.output.dense") + hidden
        attended = _norm(attended, w, f"{key}.attention.output.LayerNorm")
        inner = _gelu(_linear(attended, w, f"{key}.intermediate.dense"))
        hidden = _norm(_linear(inner, w, f"{key}.output.dense") + attended, w, f"{key}.output.LayerNorm")
    mean = hidden.mean(axis=0)
    unit: Array = mean / np.sqrt((mean * mean).sum())
    return unit


def _linear(x: Array, w: Mapping[str, Array], key: str) -> Array:
    return x @ w[f"{key}.weight"].T + w[f"{key}.bias"]


def _norm(x: Array, w: Mapping[str, Array], key: str) -> Array:
    centred = x - x.mean(axis=-1, keepdims=True)
    deviation = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + 1e-12)
    unit: Array = centred / deviation * w[f"{key}.weight"] + w[f"{key}.bias"]
    return unit


def _gelu(x: Array) -> Array:
    erf = np.array([math.erf(value) for value in (x / math.sqrt(2)).ravel()]).reshape(x.shape)
    result: Array = x * 0.5 * (1 + erf)
    return result


def _attention(x: Array, w: Mapping[str, Array], key: str, *, heads: int) -> Array:
    query, keys, value = (_linear(x, w, f"{key}.{part}") for part in ("query", "key", "value"))
    width = x.shape[1] // heads
    outputs = []
    for head in range(heads):
        part = slice(head * width, (head + 1) * width)
        scores = query[:, part] @ keys[:, part].T / math.sqrt(width)
        exponent = np.exp(scores - scores.max(axis=-1, keepdims=True))
        outputs.append(exponent / exponent.sum(axis=-1, keepdims=True) @ value[:, part])
    return np.concatenate(outputs, axis=1)
