"""A TCP relay in front of a server that counts round trips."""

import selectors
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Relay:
    """``round_trips`` counts how often the client spoke after the server had."""

    port: int
    round_trips: int = 0


@contextmanager
def relaying(host: str, port: int) -> Iterator[Relay]:
    """One connection after the other; all are cut at the end."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        relay = Relay(listener.getsockname()[1])
        thread = threading.Thread(target=_serve, args=(listener, (host, port), relay), daemon=True)
        thread.start()
        try:
            yield relay
        finally:
            # Closing alone would not wake a thread that waits in accept().
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(5)


def _serve(listener: socket.socket, server: tuple[str, int], relay: Relay) -> None:
    while True:
        try:
            client, _ = listener.accept()
        except OSError:
            return
        with client, socket.create_connection(server) as upstream:
            _pump(client, upstream, relay)


def _pump(client: socket.socket, upstream: socket.socket, relay: Relay) -> None:
    server_spoke_last = True
    with selectors.DefaultSelector() as selector:
        selector.register(client, selectors.EVENT_READ, upstream)
        selector.register(upstream, selectors.EVENT_READ, client)
        while True:
            for key, _ in selector.select():
                source, target = key.fileobj, key.data
                assert isinstance(source, socket.socket)
                data = source.recv(65536)
                if not data:
                    return
                if source is client and server_spoke_last:
                    relay.round_trips += 1
                server_spoke_last = source is upstream
                target.sendall(data)
