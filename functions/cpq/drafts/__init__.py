"""Checking a drafted letter: where each statement of it comes from."""
