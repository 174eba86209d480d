"""The MCP front: a manifest in, Lambda invocations out."""
