"""MCP clients that are not ours, each doing against the running stack what its users do."""
