"""Confidence bands of an embedding model, fitted to judged collections."""
