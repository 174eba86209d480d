"""Hybrid retrieval: BM25 over postings and cosine over vectors, fused, under hard filters.

Nothing is imported here: a tool that only shows rows need not load how requests are understood.
"""
