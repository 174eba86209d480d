"""Access to the database and to AWS: settings, credentials, the connection, clients."""
