"""MCP Inspector's command line against the running stack: an MCP client that is not the Python SDK's."""
