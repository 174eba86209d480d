"""Judged contexts for find_related: what they are about, or that they are about nothing."""
