"""What a drafted letter rests on: its figures, names, links and numbers, each with its source or none."""
