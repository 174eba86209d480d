"""Retrieval quality on judged collections, through the product's own ingestion and search path."""
