"""The embedding model: loaded once, texts in, unit vectors out."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from local.embeddings.compiled import Progress, compiled_graph
from local.embeddings.encoder import Encoder, Tokens, Vectors
from local.embeddings.settings import Precision
from local.embeddings.tokens import WordPieces
from local.embeddings.weights import find_model, read_max_length
from local.embeddings.windows import cut, join

NAME = "all-MiniLM-L6-v2"
ALIASES = (NAME, f"sentence-transformers/{NAME}")

_SPECIAL_TOKENS = 2


class EmbeddingModel:
    def __init__(self, *, encoder: Encoder, pieces: WordPieces, max_length: int) -> None:
        self.encoder = encoder
        self.pieces = pieces
        self.dimensions = encoder.dimensions
        self._window = max_length - _SPECIAL_TOKENS

    def windows(self, tokens: Tokens) -> list[Tokens]:
        return cut(tokens, size=self._window)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """float32 (n, dimensions), one text per run: for benchmarks and as the server's yardstick."""
        rows = [
            join(np.concatenate([self.encoder([window]) for window in windows]))
            for windows in map(self.windows, self.pieces.encode(texts))
        ]
        return np.array(rows, dtype=np.float32).reshape(-1, self.dimensions)


def load(
    *,
    cache_dir: Path,
    model_dir: Path | None = None,
    precision: Precision = "fp32",
    threads: int = 2,
    progress: Progress = lambda _: None,
) -> EmbeddingModel:
    folder = find_model(model_dir)
    graph = compiled_graph(folder, cache_dir=cache_dir, precision=precision, progress=progress)
    return EmbeddingModel(
        encoder=Encoder(graph, threads=threads),
        pieces=WordPieces(folder),
        max_length=read_max_length(folder),
    )
