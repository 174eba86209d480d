"""Generated requests against a running stack: none may end in an internal error, a 5xx or silence."""
