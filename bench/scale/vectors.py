"""A vector per row: MiniLM's own for the distinct products, a measured step away from it for their relatives."""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.scale.catalogue import BASES, COLUMNS, Catalogue, Slice
from local.embeddings.model import EmbeddingModel, load

Vectors = NDArray[np.float32]

_TEXT = tuple(COLUMNS.index(name) for name in ("manufacturer", "series", "model", "category", "description"))


class VectorSource:
    """Embedding a million texts takes an hour, so 20,000 are embedded once and kept in ``folder``.

    A relative's vector is its base's plus the difference of two other bases, scaled: the noise then varies where real
    texts vary, and a relative is as far from its base as the model puts a text that shares KEPT of its words.
    """

    def __init__(self, catalogue: Catalogue, *, folder: Path) -> None:
        self._catalogue = catalogue
        self._folder = folder
        self._model: EmbeddingModel | None = None
        self._bases, self._step = self._load()

    def of(self, part: Slice) -> Vectors:
        own = np.arange(part.first, part.first + len(part))
        chance = np.random.default_rng([self._catalogue.seed, 4, part.first])
        one, other = chance.integers(BASES, size=(2, len(part)))
        vectors = self._bases[part.bases] + self._step * (self._bases[one] - self._bases[other])
        vectors[own < BASES] = self._bases[part.bases[own < BASES]]
        return _unit(vectors)

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self._model is None:
            self._model = load(cache_dir=self._folder / "models")
        print(f"embedding {len(texts)} texts", file=sys.stderr)
        return self._model.embed(texts)

    def _load(self) -> tuple[Vectors, float]:
        kept = self._folder / f"scale-vectors-{self._catalogue.seed}.npz"
        if kept.exists():
            with np.load(kept) as stored:
                return stored["bases"], float(stored["step"])
        part = next(Catalogue(seed=self._catalogue.seed, chunk=BASES).slices(BASES))
        bases = self.embed([_text(row) for row in self._catalogue.rows(part, tenant="")])
        step = self._measure_step(bases)
        self._folder.mkdir(parents=True, exist_ok=True)
        np.savez(kept, bases=bases, step=step)
        return bases, step

    def _measure_step(self, bases: Vectors, *, sample: int = 500) -> float:
        """The scale at which relatives are as far from their bases as real texts of relatives are."""
        relatives = self._catalogue.relatives(sample)
        vectors = self.embed([_text(row) for row in self._catalogue.rows(relatives, tenant="")])
        cosine = float(np.mean(np.sum(vectors * bases[relatives.bases], axis=1)))
        spread = float(np.mean(np.linalg.norm(bases[:sample] - bases[sample : 2 * sample], axis=1)))
        print(f"a relative's cosine to its base is {cosine:.3f} on average", file=sys.stderr)
        return float(np.sqrt(1 / cosine**2 - 1) / spread)


def _text(row: Sequence[object]) -> str:
    return " ".join(str(row[index]) for index in _TEXT)


def _unit(vectors: Vectors) -> Vectors:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)
