"""Calls of a tool from several processes at once, each with a connection of its own as on Lambda."""

import importlib
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

from tests.deployment import Deployment, invoke

Answer = dict[str, Any]


def at_once(
    deployment: Deployment, tool: str, events: Sequence[Mapping[str, object]], *, processes: int = 4
) -> list[Answer]:
    """The answers of ``tool`` (a module of cpq), in the order of ``events``."""
    variables = deployment.variables("quarry_write")
    with ProcessPoolExecutor(
        processes, mp_context=get_context("spawn"), initializer=_become, initargs=(variables,)
    ) as pool:
        return list(pool.map(_call, [tool] * len(events), events))


def _become(variables: Mapping[str, str]) -> None:
    os.environ.update(variables)


def _call(tool: str, event: Mapping[str, object]) -> Answer:
    return invoke(importlib.import_module(f"cpq.{tool}").handler, event)
