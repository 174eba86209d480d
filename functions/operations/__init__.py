"""Functions that run the service: migrations, ingestion, embeddings, template publishing."""
