"""Deployment, database, manifest and workflows changed in one place each, and whether anything notices."""
