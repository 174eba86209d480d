"""The protocol's official conformance suite against the proxy, with functions made for it."""
