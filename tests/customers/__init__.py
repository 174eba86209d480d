"""Three invented companies, their raw files as people have them, and what they ask."""
