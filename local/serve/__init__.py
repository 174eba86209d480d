"""The supervisor of the local stack: starts its processes, keeps them running, and ends them."""
