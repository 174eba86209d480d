"""The HTTP application: routes, the shape of every error, and the state that health checks read."""

import uuid
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Protocol

from aiohttp import web

from local.lambda_api.errors import AccessDenied, ApiError
from local.lambda_api.fleet import Fleet
from local.lambda_api.invoke import invoke
from local.lambda_api.limits import MAX_REQUEST_BYTES
from local.lambda_api.registry import Registry, get_function, list_functions

_FUNCTIONS = "/2015-03-31/functions"


class Operation(Protocol):
    def __call__(self, request: web.Request, *, registry: Registry, request_id: str) -> Awaitable[web.Response]: ...


def make_application(*, registry: Registry, fleet: Fleet) -> web.Application:
    app = web.Application(client_max_size=MAX_REQUEST_BYTES)
    app.router.add_post(f"{_FUNCTIONS}/{{name}}/invocations", _operation(invoke, registry))
    app.router.add_get(f"{_FUNCTIONS}/{{name}}", _operation(get_function, registry))
    # botocore writes the path with a slash at its end or without, by version.
    for path in (_FUNCTIONS, f"{_FUNCTIONS}/"):
        app.router.add_get(path, _operation(list_functions, registry))

    async def health(_request: web.Request) -> web.Response:
        return web.json_response(_health(fleet))

    async def environments(_request: web.Request) -> web.Response:
        return web.json_response({"environments": _environments(fleet)})

    app.router.add_get("/healthz", health)
    app.router.add_get("/_quarry/environments", environments)
    return app


def _operation(operation: Operation, registry: Registry) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    async def handle(request: web.Request) -> web.StreamResponse:
        request_id = str(uuid.uuid4())
        try:
            # Nothing is signed here, so a web page could call a function on its visitor's machine. A browser
            # names the page's origin in every such request; an SDK never does.
            if "Origin" in request.headers:
                raise AccessDenied("Browsers may not call the local Lambda API.")
            return await operation(request, registry=registry, request_id=request_id)
        except ApiError as error:
            return error.response(request_id)

    return handle


def _health(fleet: Fleet) -> dict[str, object]:
    functions: dict[str, dict[str, int]] = {}
    for name, pool in fleet.pools.items():
        states = Counter(environment.state.value for environment in pool.environments)
        functions[name] = {**states, "waiting": len(pool.waiting)}
    return {"status": "ok", "functions": functions}


def _environments(fleet: Fleet) -> list[dict[str, object]]:
    return [
        {
            "pid": environment.pid,
            "function": environment.spec.name,
            "state": environment.state.value,
            "served": environment.served,
        }
        for environment in fleet.environments()
    ]
