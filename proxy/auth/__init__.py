"""Who may come in: bearer tokens of an issuer, API keys, and how a caller without either is told."""
