"""A lease that is renewed in the background for as long as its work takes, and lapses when the process dies."""

import threading
from collections.abc import Callable
from types import TracebackType

import psycopg


class Lease:
    """``renew`` runs on another thread every ``every_s`` seconds until the block ends.

    A renewal that fails is not repeated: the lease lapses, another worker takes the work, and nothing is lost by it.
    """

    def __init__(self, renew: Callable[[], object], *, every_s: float) -> None:
        self._renew = renew
        self._every_s = every_s
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="lease", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _keep(self) -> None:
        while not self._ended.wait(self._every_s):
            try:
                self._renew()
            except psycopg.Error:
                return
