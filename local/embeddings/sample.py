"""Vectors of the sample corpus, worked out beforehand, and `python -m local.embeddings.sample`, which writes them."""

import os
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg.sql import SQL, Identifier

from local import stack as local_stack
from local.embeddings.model import load
from local.embeddings.weights import find_model, weights_digest
from local.postgres_cluster import passing_folder

FILE = Path(__file__).with_name("sample.npz")
_PROVIDERS = ("OPENAI_", "AZURE_")

_LONGEST_TEXT = 24_000
"""Characters, where the embedding worker cuts a text."""

_CORPORA = "SELECT corpus FROM search.corpora ORDER BY corpus"
_TEXTS = """
    SELECT left(content, %(longest)s) FROM search.texts(%(corpus)s, ARRAY(SELECT doc FROM {documents}))
"""

Known = Mapping[bytes, NDArray[np.float16]]


def key_of(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=16).digest()


def known_vectors(model_dir: Path) -> Known:
    """Vectors by `key_of` their text, in half precision, as the database keeps them; none for other weights."""
    if not FILE.exists():
        return {}
    with np.load(FILE, allow_pickle=False) as kept:
        if str(kept["weights"]) != weights_digest(model_dir):
            return {}
        return dict(zip((key.tobytes() for key in kept["keys"]), kept["vectors"], strict=True))


def sample_texts(superuser_dsn: str) -> list[str]:
    """Every text of the database that has a vector or waits for one, once and in order."""
    texts: set[str] = set()
    with psycopg.connect(superuser_dsn) as connection:
        for (corpus,) in connection.execute(_CORPORA).fetchall():
            statement = SQL(_TEXTS).format(documents=Identifier(*f"{corpus}_documents".split(".")))
            rows = connection.execute(statement, {"corpus": corpus, "longest": _LONGEST_TEXT})
            texts.update(text for (text,) in rows)
    return sorted(texts)


def _write(texts: Sequence[str], *, cache_dir: Path) -> None:
    model = load(cache_dir=cache_dir)
    keys = np.array([np.frombuffer(key_of(text), dtype=np.uint8) for text in texts])
    vectors = model.embed(texts).astype(np.float16)
    np.savez(FILE, weights=np.array(weights_digest(find_model())), keys=keys, vectors=vectors)


def main() -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(_PROVIDERS)}
    with passing_folder("sample") as folder:
        with local_stack.start(folder, environment=environment) as stack:
            texts = sample_texts(stack.database.dsn)
        _write(texts, cache_dir=folder / "models")
    print(f"{FILE.name} holds the vectors of {len(texts)} texts in {FILE.stat().st_size / 1e6:.1f} MB.")


if __name__ == "__main__":
    main()
