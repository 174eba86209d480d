"""The whole system on one machine, without Docker and without AWS."""
