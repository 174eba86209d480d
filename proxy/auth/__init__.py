"""Who may come in: bearer tokens of an issuer, API keys, and how a caller without either is told."""


class RefusedError(Exception):
    """No valid credentials. The message is for the caller; `error` is RFC 6750's code, empty where none came.

    `key_id` is the id of an API key that has the form of one.
    """

    def __init__(self, message: str, *, error: str = "invalid_token", key_id: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.error = error
        self.key_id = key_id


class UncheckedError(Exception):
    """The credentials cannot be checked now: the issuer or the key store is away."""
