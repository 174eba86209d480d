"""`python -m local.lambda_api`: serves a template's functions until SIGTERM or Ctrl-C."""

import asyncio
import errno
import json
import logging
import signal
import sys
from collections.abc import Callable, Mapping

from aiohttp import web

from local.lambda_api.application import make_application
from local.lambda_api.fleet import Fleet
from local.lambda_api.host import Host
from local.lambda_api.options import Options, parse_options
from local.lambda_api.registry import Registry
from local.lambda_api.template import FunctionSpec, TemplateError, read_functions
from local.lambda_api.variables import Overrides, read_overrides
from local.lifeline import die_with_parent

_log = logging.getLogger("local.lambda_api")


def main() -> None:
    die_with_parent()
    logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")
    # A line per request of the Runtime API would drown the functions' own, and costs more than the request.
    logging.getLogger("aiohttp.access").setLevel(logging.WARNING)
    options = parse_options(sys.argv[1:])
    try:
        specs = read_functions(options.template, stack=options.stack, built=options.built)
        overrides = Overrides() if options.env_file is None else read_overrides(options.env_file)
    except (OSError, ValueError, TemplateError) as error:
        sys.exit(f"local.lambda_api: {error}")
    _report_unresolved(specs, overrides)
    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.run(_serve(options, specs, overrides))
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        sys.exit(f"local.lambda_api: port {options.port} is taken.")


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop  # absent where it has no build, and then asyncio's own loop serves
    except ImportError:
        return None
    return uvloop.new_event_loop


def _report_unresolved(specs: Mapping[str, FunctionSpec], overrides: Overrides) -> None:
    for spec in specs.values():
        given = overrides.for_function(spec)
        for name, reason in spec.unresolved.items():
            if name not in given:
                _log.info("%s: %s is left out: %s. --env-file can set it.", spec.name, name, reason)


async def _serve(options: Options, specs: Mapping[str, FunctionSpec], overrides: Overrides) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for signum in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(signum, stop.set)
    host = Host(limits=options.limits, region=options.stack.region, overrides=overrides)
    fleet = Fleet(specs.values(), host=host)
    registry = Registry(fleet.pools, fleet.events, options.stack)
    runner = web.AppRunner(
        make_application(registry=registry, fleet=fleet),
        access_log=None,
        # Room for the client context and for SDK headers.
        max_field_size=65536,
        shutdown_timeout=options.limits.grace_seconds,
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
