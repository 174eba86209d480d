"""Builds what is made from tools and templates: proxy/manifest.json, proxy/agentcore.json and docs/tools.md."""
