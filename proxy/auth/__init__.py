"""Authentication of callers by an OAuth issuer's bearer tokens or by API keys."""
