"""The error that ends a local command with a message and no traceback."""


class LocalError(Exception):
    """A failure that the person at the keyboard can put right; the message says how."""
