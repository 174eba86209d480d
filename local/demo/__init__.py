"""The demo salesperson's desk: a real MCP client that turns a request into a quote draft."""
