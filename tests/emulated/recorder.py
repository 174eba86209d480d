"""MiniStack that also notes what roles ask, hands on contexts and cookies, renames challenges, ends what rests.

A line for each decision goes into the file named in ASKED. Before the database stands RDS's door. Runs in MiniStack's
own environment.
"""

import base64
import json
import os
import time
from collections.abc import Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from ministack.app import main
from ministack.core import iam_evaluator, lambda_runtime
from ministack.services import lambda_svc, sts

from tests.emulated.door import Door

_decide = iam_evaluator.evaluate
_invoke = lambda_svc._invoke
_build_event = lambda_svc._build_function_url_event
_carried = lambda_svc._durable_env_overlay
_register = sts.register_session
_url_answer = lambda_svc._function_url_proxy_response
RENAMED = {"www-authenticate": "x-amzn-remapped-www-authenticate"}
_context: ContextVar[Any] = ContextVar("client_context", default=None)
SESSION_S = 43_200
RESTS_S = 120
_NONE = '"client_context": None'
_GIVEN = (
    '"client_context": type("ClientContext", (), _ms_given)() if (_ms_given := _ms_durable.get("given")) else None'
)


def _decide_and_note(request: Any, *policies: Any) -> Any:
    result = _decide(request, *policies)
    line = json.dumps([request.principal_arn, request.action, request.resource_arn, result.decision])
    with Path(os.environ["ASKED"]).open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
    return result


async def _invoke_in_context(name: str, event: Any, headers: Mapping[str, str], *rest: Any) -> Any:
    encoded = headers.get("x-amz-client-context")
    _context.set(json.loads(base64.b64decode(encoded)) if encoded else None)
    return await _invoke(name, event, headers, *rest)


def _build_event_with_cookies(*arguments: Any, **options: Any) -> Any:
    """Lambda hands a request's cookies on as a list of their own."""
    event = _build_event(*arguments, **options)
    if cookies := event["headers"].pop("cookie", ""):
        event["cookies"] = cookies.split("; ")
    return event


def _register_for_a_while(key: str, session: dict[str, Any]) -> None:
    """A function's credentials end after hours, without which RDS' login takes them for no temporary ones."""
    _register(key, {"Expiration": time.time() + SESSION_S, **session})


def _answer_as_a_url(answer: Any, *rest: Any) -> Any:
    """AWS renames the header, and so every client behind a bare function URL is told no challenge."""
    status, headers, body = _url_answer(answer, *rest)
    return status, {RENAMED.get(name.lower(), name): value for name, value in headers.items()}, body


def _end_what_rests() -> int:
    """Lambda ends any environment that rests. MiniStack keeps one of each version: 270 at the run's end, 17 GB."""
    since = time.time() - RESTS_S
    with lambda_runtime._lock:
        resting = {
            id(worker): worker
            for workers in lambda_runtime._workers.values()
            for worker in workers
            if not worker.in_use and worker.last_used < since
        }
        for key, workers in list(lambda_runtime._workers.items()):
            lambda_runtime._workers[key] = [worker for worker in workers if id(worker) not in resting]
    lambda_runtime.kill_workers(resting.values())
    return len(resting)


def _carry() -> dict[str, Any]:
    """What MiniStack hands to the worker beside the event, and the client context."""
    return {**_carried(), "given": _context.get()}


iam_evaluator.evaluate = _decide_and_note
assert _NONE in lambda_runtime._PYTHON_WORKER_SCRIPT
lambda_runtime._PYTHON_WORKER_SCRIPT = lambda_runtime._PYTHON_WORKER_SCRIPT.replace(_NONE, _GIVEN)
lambda_svc._invoke = _invoke_in_context
lambda_svc._build_function_url_event = _build_event_with_cookies
lambda_svc._function_url_proxy_response = _answer_as_a_url
lambda_svc._durable_env_overlay = _carry
lambda_svc.reap_idle_workers = _end_what_rests
sts.register_session = _register_for_a_while

if __name__ == "__main__":
    Door(int(os.environ["DOOR_PORT"]), upstream=int(os.environ["DATABASE_PORT"]))
    main()
