"""The command line of the local Lambda API."""

import argparse
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from local.lambda_api.intrinsics import Stack
from local.lambda_api.limits import Limits


@dataclass(frozen=True, slots=True)
class Options:
    """`template` is the file that is read; `built` says it came out of sam build."""

    port: int
    template: Path
    built: bool
    env_file: Path | None
    stack: Stack
    limits: Limits


def parse_options(arguments: Sequence[str]) -> Options:
    given = _parser().parse_args(arguments)
    return Options(
        port=given.port,
        template=given.template if given.build is None else given.build / "template.yaml",
        built=given.build is not None,
        env_file=given.env_file,
        stack=Stack(
            name=given.stack_name,
            region=given.region,
            account_id=given.account_id,
            parameters=dict(given.parameter),
        ),
        limits=Limits(
            max_environments=given.max_environments,
            max_total=given.max_total,
            max_queue=given.max_queue,
            queue_seconds=given.queue_seconds,
            init_seconds=given.init_seconds,
            idle_seconds=given.idle_seconds,
            grace_seconds=given.grace_seconds,
            event_delays=given.event_delays,
        ),
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m local.lambda_api", description=__doc__)
    add = parser.add_argument
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or Stack().region
    add("--port", type=int, default=9001, help="0 takes a free one; the first line of output names it")
    add("--template", type=Path, default=Path("template.yaml"))
    add("--build", type=Path, metavar="FOLDER", help="serve sam build's output, e.g. .aws-sam/build")
    add("--env-file", type=Path, metavar="JSON", help="values of variables, as for sam local --env-vars")
    add("--stack-name", default=Stack().name)
    add("--region", default=region)
    add("--account-id", default=Stack().account_id)
    add("--parameter", type=_pair, action="append", default=[], metavar="NAME=VALUE")
    _add_limits(add)
    return parser


def _add_limits(add: Callable[..., object]) -> None:
    limits = Limits()
    add("--max-environments", type=int, default=limits.max_environments, help="processes per function")
    add("--max-total", type=int, default=limits.max_total, help="processes in all")
    add("--max-queue", type=int, default=limits.max_queue, help="calls that may wait per function")
    add("--queue-seconds", type=float, default=limits.queue_seconds, help="longest wait before a 429")
    add("--init-seconds", type=float, default=limits.init_seconds)
    add("--idle-seconds", type=float, default=limits.idle_seconds)
    add("--grace-seconds", type=float, default=limits.grace_seconds, help="for running calls at the end")
    add("--event-delays", type=_seconds, default=limits.event_delays, metavar="S,S", help="before retries")


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def _seconds(text: str) -> tuple[float, ...]:
    return tuple(float(part) for part in text.split(",") if part)
