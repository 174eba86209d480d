"""Reads tables with columns of any names, by mappings that say which columns become which fields of a kind."""
