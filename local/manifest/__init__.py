"""Builds what the fronts serve, proxy/manifest.json and proxy/agentcore.json, from tools and templates."""
