"""Quotes as PDF: what they show, how it is worded and typeset, and where it is kept."""
