"""`python -m local.lambda_api`: serves a template's functions until SIGTERM or Ctrl-C."""

import argparse
import asyncio
import errno
import json
import logging
import signal
import sys
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

from aiohttp import web

from local.lambda_api.application import make_application
from local.lambda_api.fleet import Fleet
from local.lambda_api.intrinsics import StackValues
from local.lambda_api.process import Host, Limits, Overrides, read_overrides
from local.lambda_api.template import FunctionSpec, read_functions
from local.lifeline import die_with_parent

_STACK = StackValues()


def main() -> None:
    die_with_parent()
    logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")
    # A line per request of the Runtime API would drown the functions' own, and costs more than the request.
    logging.getLogger("aiohttp.access").setLevel(logging.WARNING)
    options = _parser().parse_args()
    template = options.build / "template.yaml" if options.build else options.template
    try:
        specs = read_functions(template, stack=_STACK, built=options.build is not None)
        overrides = Overrides() if options.env_file is None else read_overrides(options.env_file)
    except (OSError, ValueError) as error:
        sys.exit(f"local.lambda_api: {error}")
    try:
        asyncio.run(_serve(options, specs, overrides))
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        sys.exit(f"local.lambda_api: port {options.port} is taken.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m local.lambda_api", description=__doc__)
    add = parser.add_argument
    add("--port", type=int, default=9001, help="0 takes a free one; the first line of output names it")
    add("--template", type=Path, default=Path("template.yaml"))
    add("--build", type=Path, metavar="FOLDER", help="serve sam build's output, e.g. .aws-sam/build")
    add("--env-file", type=Path, metavar="JSON", help="values of variables, as for sam local --env-vars")
    for field in fields(Limits):
        kind = _seconds if field.name == "event_delays" else float if "seconds" in field.name else int
        add(f"--{field.name.replace('_', '-')}", type=kind, default=field.default)
    return parser


def _seconds(text: str) -> tuple[float, ...]:
    return tuple(float(part) for part in text.split(",") if part)


async def _serve(options: argparse.Namespace, specs: Mapping[str, FunctionSpec], overrides: Overrides) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for signum in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(signum, stop.set)
    limits = Limits(**{field.name: getattr(options, field.name) for field in fields(Limits)})
    host = Host(limits=limits, stack=_STACK, overrides=overrides)
    fleet = Fleet(specs.values(), host=host)
    runner = web.AppRunner(
        make_application(fleet),
        access_log=None,
        # Room for the client context and for SDK headers.
        max_field_size=65536,
        shutdown_timeout=limits.grace_seconds,
    )
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", options.port)
    try:
        await site.start()
        print(json.dumps({"url": f"http://127.0.0.1:{runner.addresses[0][1]}", "functions": sorted(specs)}))
        sys.stdout.flush()
        await stop.wait()
        await site.stop()
    finally:
        await fleet.close()
        await runner.cleanup()


if __name__ == "__main__":
    main()
