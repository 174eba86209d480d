"""Quotes: drafting, reading, and the versions that replace each other."""
