"""The Invoke API over HTTP: routes, what a caller sends, and what it gets."""

import base64
import json
import time
import uuid
from http import HTTPStatus

from aiohttp import web

from local.lambda_api.fleet import AddressedFunction, Fleet, addressed
from local.lambda_api.invocation import ApiError, Invocation
from local.lambda_api.process import MAX_CLIENT_CONTEXT_BYTES, MAX_REQUEST_BYTES


async def invoke(request: web.Request, *, fleet: Fleet, request_id: str) -> web.Response:
    named, qualifier = request.match_info["name"], request.query.get("Qualifier")
    target = addressed(fleet.pools, named, qualifier=qualifier, stack=fleet.host.stack)
    headers = {"X-Amzn-RequestId": request_id, "X-Amz-Executed-Version": target.version}
    payload, context = await _payload(request), _client_context(request.headers.get("X-Amz-Client-Context"))
    if request.headers.get("X-Amz-Invocation-Type") == "Event":
        # The client context is passed in synchronous invocations only.
        fleet.events.accept(
            target.pool, make_invocation=lambda: _invocation(request, target, request_id, payload, None)
        )
        return web.Response(status=HTTPStatus.ACCEPTED, headers=headers)
    # A caller that goes away does not stop the function, on AWS or here: aiohttp leaves handlers running.
    outcome = await target.pool.invoke(_invocation(request, target, request_id, payload, context))
    if outcome.is_error:
        headers["X-Amz-Function-Error"] = "Unhandled"
    return web.Response(body=outcome.payload, headers=headers, content_type="application/json")


def _invocation(
    request: web.Request, target: AddressedFunction, request_id: str, payload: bytes, client_context: str | None
) -> Invocation:
    trace = request.headers.get("X-Amzn-Trace-Id")
    if trace is None:
        trace = f"Root=1-{int(time.time()):08x}-{uuid.uuid4().hex[:24]};Sampled=0"
    return Invocation(
        request_id=request_id,
        payload=payload,
        arn=target.arn,
        version=target.version,
        trace_id=trace,
        client_context=client_context,
    )


async def _payload(request: web.Request) -> bytes:
    """The body as the function gets it: JSON text, an empty object where the caller sent nothing."""
    try:
        return await request.read() or b"{}"
    except web.HTTPRequestEntityTooLarge:
        message = f"Request must be smaller than {MAX_REQUEST_BYTES} bytes"
        raise ApiError(413, "RequestTooLargeException", message) from None


def _client_context(header: str | None) -> str | None:
    """The caller's header as one line of JSON, which is how the Runtime API passes it on."""
    if not header:
        return None
    if len(header) > MAX_CLIENT_CONTEXT_BYTES:
        raise _invalid(f"at most {MAX_CLIENT_CONTEXT_BYTES} bytes in base64.")
    try:
        context = json.loads(base64.b64decode(header, validate=True))
    except ValueError as error:
        raise _invalid(f"JSON in base64: {error}") from error
    # Escaped to ASCII and without line ends, so that it is a valid header whatever it says.
    return json.dumps(context, separators=(",", ":"))


def _invalid(wanted: str) -> ApiError:
    return ApiError(400, "InvalidRequestContentException", f"Client context must be {wanted}")


def make_application(fleet: Fleet) -> web.Application:
    app = web.Application(client_max_size=MAX_REQUEST_BYTES)

    async def invocations(request: web.Request) -> web.Response:
        request_id = str(uuid.uuid4())
        try:
            # Nothing is signed here, so a web page could call a function on its visitor's machine. A browser
            # names the page's origin in every such request; an SDK never does.
            if "Origin" in request.headers:
                raise ApiError(403, "AccessDeniedException", "Browsers may not call the local Lambda API.")
            return await invoke(request, fleet=fleet, request_id=request_id)
        except ApiError as error:
            return error.response(request_id)

    async def health(_request: web.Request) -> web.Response:
        return web.json_response({"status": "ok"})

    async def environments(_request: web.Request) -> web.Response:
        shown = [
            {"pid": each.pid, "function": each.spec.name, "state": each.state.value, "served": each.served}
            for each in fleet.environments()
        ]
        return web.json_response({"environments": shown})

    app.router.add_post("/2015-03-31/functions/{name}/invocations", invocations)
    app.router.add_get("/healthz", health)
    app.router.add_get("/_quarry/environments", environments)
    return app
