"""The database as a function reaches it: settings, credentials, the connection, leases."""
