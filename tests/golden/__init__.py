"""Golden tests: what the service must answer, as data that pytest, `make golden` and the canary read."""
