"""Runs the graph: word pieces in, unit vectors out."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Tokens = Sequence[int]

_CLS, _SEP = 101, 102  # of every uncased English BERT


class Encoder:
    def __init__(self, graph: Path, *, threads: int) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        # Spinning saves 0.3 ms a query and takes the second core from Postgres and the functions.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
        self.dimensions = int(self._session.get_outputs()[0].shape[1])

    def __call__(self, batch: Sequence[Tokens]) -> Vectors:
        """One run; the longest of the batch decides what the others cost."""
        shape = (len(batch), max(map(len, batch)) + 2)
        ids = np.zeros(shape, dtype=np.int64)
        mask = np.zeros(shape, dtype=np.int32)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens) + 2] = (_CLS, *tokens, _SEP)
            mask[row, : len(tokens) + 2] = 1
        outputs = self._session.run(["embedding"], {"input_ids": ids, "attention_mask": mask})
        return np.asarray(outputs[0], dtype=np.float32)
