"""Calls of tools from several processes at once, each with a connection of its own as on Lambda."""

import importlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any

from tests.deployment import Deployment, invoke

Answer = dict[str, Any]
Calls = Callable[[Sequence[tuple[str, Mapping[str, object]]]], list[Answer]]

PROCESSES = 4


@contextmanager
def calling_processes(deployment: Deployment) -> Iterator[Calls]:
    """What answers calls, in their order; each is a tool (a module of cpq) and its event."""
    variables = deployment.variables("quarry_write")
    with ProcessPoolExecutor(
        PROCESSES, mp_context=get_context("spawn"), initializer=_become, initargs=(variables,)
    ) as pool:
        yield lambda calls: list(pool.map(_call, *zip(*calls, strict=True)))


def _become(variables: Mapping[str, str]) -> None:
    os.environ.update(variables)


def _call(tool: str, event: Mapping[str, object]) -> Answer:
    return invoke(importlib.import_module(f"cpq.{tool}").handler, event)
