"""Who may come in: bearer tokens of an issuer, and API keys."""
