"""What an execution environment keeps between calls, in one object that a test or a snapshot replaces."""

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any


class Environment:
    """Settings, the database session, clients, secrets and caches, each made by the function that is its key."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, Any] = {}

    def keep(self, key: Hashable, build: Callable[[], Any]) -> Any:
        if key not in self._kept:
            self._kept[key] = build()
        return self._kept[key]

    def close(self) -> None:
        """Empties it, the latest first; sockets and connections are closed."""
        while self._kept:
            _, value = self._kept.popitem()
            close = getattr(value, "close", None)
            if callable(close):
                close()


# Of the process and not of a context: threads share what their function keeps.
_current = Environment()


def environment() -> Environment:
    return _current


def kept[**P, T](build: Callable[P, T]) -> Callable[P, T]:
    """Like functools.cache, but for as long as the environment lives; arguments have to be hashable."""

    @wraps(build)
    def get(*arguments: P.args, **options: P.kwargs) -> T:
        key = (build, arguments, frozenset(options.items()))
        value: T = _current.keep(key, lambda: build(*arguments, **options))
        return value

    return get
