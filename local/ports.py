"""Ports for the local servers, and what to say about one that is taken."""

import random
import socket
import time
from collections.abc import Iterable, Mapping

import psutil

from local.failure import LocalError

HOST = "127.0.0.1"

# Below the ranges that Linux and macOS draw outgoing connections from: a server that restarts must find its
# port free, and there an outgoing connection could have taken it.
_RANGE = range(18_000, 32_000)


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        # As servers do: connections of an earlier run that still linger do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
        return True


def free_port(*, besides: Iterable[int] = ()) -> int:
    taken = set(besides)
    for port in random.sample(_RANGE, k=200):
        if port not in taken and is_free(port):
            return port
    raise LocalError(f"No free port found between {_RANGE.start} and {_RANGE.stop} on {HOST}.")


def assign_ports(names: Iterable[str], *, remembered: Mapping[str, int]) -> dict[str, int]:
    """A port per name: the one it had last time where that is still free."""
    assigned: dict[str, int] = {}
    for name in names:
        port = remembered.get(name, 0)
        if port not in _RANGE or port in assigned.values() or not is_free(port):
            port = free_port(besides=assigned.values())
        assigned[name] = port
    return assigned


def require_free(port: int, *, patience: float) -> None:
    """`patience` in seconds is for a server of a run that was killed and is just letting go."""
    deadline = time.monotonic() + patience
    while not is_free(port):
        if time.monotonic() >= deadline:
            holder = _holder(port)
            raise LocalError(
                f"Port {port} is taken{f' by {holder}' if holder else ''}. "
                f"Stop that program, or use another port: PORT={port + 10} make serve"
            )
        time.sleep(0.05)


def _holder(port: int) -> str | None:
    """The program that listens on a port, or None where the system does not tell."""
    try:
        connections = psutil.net_connections(kind="tcp")
        for connection in connections:
            if connection.status == psutil.CONN_LISTEN and connection.laddr.port == port and connection.pid:
                command = " ".join(psutil.Process(connection.pid).cmdline())[:80]
                return f"process {connection.pid} ({command})"
    except psutil.Error:
        return None
    return None
