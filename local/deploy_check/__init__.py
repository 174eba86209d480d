"""Looks at a deployed stack without changing it."""
