"""How retrieval holds up from ten thousand rows to a million, and with many tenants in one database."""
