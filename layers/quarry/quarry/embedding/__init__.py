"""Embeddings: the provider, vectors of queries, and the queue of texts that wait for theirs."""
