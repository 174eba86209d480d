"""Pricing of quotes: an engine of values alone, and the run that reads its sources and stores what it came to."""
