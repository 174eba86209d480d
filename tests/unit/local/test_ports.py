"""Ports of the local servers."""

import os
import socket

import pytest

from local.failure import LocalError
from local.ports import assign_ports, free_port, is_free, require_free


def test_a_taken_port_is_named_with_its_holder_and_a_way_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(LocalError) as failure:
            require_free(port, patience=0)
    assert f"Port {port} is taken by process {os.getpid()} (" in str(failure.value)
    assert f"PORT={port + 10} make serve" in str(failure.value)


def test_a_free_port_is_accepted() -> None:
    require_free(free_port(), patience=0)


def test_ports_of_the_last_run_are_kept_where_they_are_still_free() -> None:
    first = assign_ports(("a", "b"), remembered={})
    with socket.create_server(("127.0.0.1", first["b"])):
        again = assign_ports(("a", "b"), remembered=first)
    assert again["a"] == first["a"]
    assert again["b"] != first["b"]


def test_two_names_never_share_a_port() -> None:
    port = free_port()
    assigned = assign_ports(("a", "b"), remembered={"a": port, "b": port})
    assert assigned["a"] == port
    assert assigned["b"] != port


def test_a_port_whose_last_connections_linger_counts_as_free() -> None:
    server = socket.create_server(("127.0.0.1", 0))
    port = server.getsockname()[1]
    client = socket.create_connection(("127.0.0.1", port))
    accepted, _ = server.accept()
    # Whoever closes first keeps the connection in TIME_WAIT.
    accepted.close()
    client.close()
    server.close()
    assert is_free(port)
