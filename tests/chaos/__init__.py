"""Faults of every part of a running stack while clients read and write, and what became of their work."""
