"""Damaged files by the hundred, for as many seeds as one has time for: `python -m tests.damaged`."""
