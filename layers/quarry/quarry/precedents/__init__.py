"""What was sold before, and for how much."""
