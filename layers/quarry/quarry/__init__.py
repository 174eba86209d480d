"""Quarry's shared layer: what two toolsets need and neither owns."""
