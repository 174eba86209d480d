"""Judged questions of the trade for the three search tools, and what they measure."""
