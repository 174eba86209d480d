"""The encoder's graph on disk: built once per weights, graph version and precision."""

import os
import time
from collections.abc import Callable
from pathlib import Path

from local.embeddings.settings import Precision
from local.embeddings.weights import read_config, read_max_length, read_weights, weights_digest

# Part of the cached file's name: raise it with every change to graph.py or to the quantiser's settings.
GRAPH_VERSION = 1

Progress = Callable[[str], None]


def compiled_graph(folder: Path, *, cache_dir: Path, precision: Precision, progress: Progress) -> Path:
    path = cache_dir / f"encoder-v{GRAPH_VERSION}-{precision}-{weights_digest(folder)}.onnx"
    if not path.exists():
        started = time.monotonic()
        cache_dir.mkdir(parents=True, exist_ok=True)
        _build(folder, path, precision)
        progress(f"built graph in {time.monotonic() - started:.1f} s")
    return path


def _build(folder: Path, path: Path, precision: Precision) -> None:
    """Atomic and durable: whoever finds the file, even after a power cut, finds all of it."""
    # A start with a cached graph need not pay for importing onnx.
    from local.embeddings.graph import encoder_graph

    graph = encoder_graph(read_weights(folder), config=read_config(folder), max_length=read_max_length(folder))
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    if precision == "int8":
        _quantise(graph, draft)
    else:
        draft.write_bytes(graph.SerializeToString())
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    draft.replace(path)


def _quantise(graph: object, draft: Path) -> None:
    # Half a second to import, and only for those who ask for int8.
    from onnx import TensorProto
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(
        graph,
        draft,
        op_types_to_quantize=["MatMul", "Attention"],
        # One scale per matrix leaves a mean cosine of .93 to fp32, one per column .995.
        per_channel=True,
        weight_type=QuantType.QInt8,
        # Shape inference does not know the fused attention's output.
        extra_options={"DefaultTensorType": TensorProto.FLOAT},
    )
