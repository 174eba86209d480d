"""Hybrid retrieval: BM25 over postings and cosine over vectors, fused, under hard filters."""

from quarry.retrieval.confidence import Confidence
from quarry.retrieval.corpus import Copies, Corpus
from quarry.retrieval.hits import Hit, Outcome
from quarry.retrieval.search import search

__all__ = ["Confidence", "Copies", "Corpus", "Hit", "Outcome", "search"]
