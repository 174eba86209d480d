"""Hybrid retrieval: BM25 over postings and cosine over vectors, fused, under hard filters."""

from quarry.retrieval.confidence import Confidence
from quarry.retrieval.corpus import Corpus
from quarry.retrieval.search import Hit, Outcome, search

__all__ = ["Confidence", "Corpus", "Hit", "Outcome", "search"]
