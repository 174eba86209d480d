"""What a function says of itself: log lines and metrics."""
