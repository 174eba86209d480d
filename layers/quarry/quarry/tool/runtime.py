"""The outer edge of every function: event in, result or error object out, one log line per call."""

import random
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

import psycopg
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from snapshot_restore_py import register_after_restore, register_before_snapshot

from quarry import observation
from quarry.data import database
from quarry.data.settings import environment, settings
from quarry.observation import Metric, log_failure
from quarry.observation import logger as logger
from quarry.plain_text import plain, taken_from
from quarry.text import alike
from quarry.tool.contract import PATTERNS, RESERVED, Args, Result, Tool, kinds_of
from quarry.tool.errors import INTERNAL_ERROR, PermissionDenied, ToolError, Unavailable, ValidationFailed
from quarry.tool.identity import Caller, LambdaContext, caller_of
from quarry.tool.questions import InputRequired, Round, taken

Handler = Callable[[dict[str, Any], LambdaContext], dict[str, Any]]

_MOST_PROBLEMS = 8
_LONGEST_NAME = 80


class CallFailed(Exception):
    """Raised in place of an unexpected error, whose text must not leave the function."""


def serve[A: Args, R: Result](tool: Tool, arguments: type[A], run: Callable[[A, Caller], R]) -> Handler:
    """Returns a Lambda handler for ``run``: expected failures become error objects, the rest raises and is logged."""

    def answer(event: dict[str, Any], caller: Caller, context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001
        return _noted(run(_parse(arguments, event), caller).as_answer(), event)

    return operate(tool.name, answer, repeat=tool.read_only, scope=tool.scope, tool=tool)


def serve_asking[A: Args, R: Result](tool: Tool, arguments: type[A], run: Callable[[A, Caller, Round], R]) -> Handler:
    """A handler as ``serve`` makes it, for a tool that asks: ``run`` takes the round, and may raise InputRequired."""

    def answer(event: dict[str, Any], caller: Caller, context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001
        # From anybody else a round is an unknown argument: its state might be forged.
        given, round_ = taken(event) if caller.through_proxy else (event, Round())
        try:
            return _noted(run(_parse(arguments, given), caller, round_).as_answer(), given)
        except InputRequired as asked:
            if not caller.through_proxy:
                raise Unavailable(f"{tool.name} has a question first, and whoever called cannot be asked.") from None
            if asked.state and not tool.keeps_state:
                raise ValueError(f"{tool.name} keeps state between rounds, and its card does not say so") from None
            return asked.as_result()

    return operate(tool.name, answer, repeat=tool.read_only, scope=tool.scope, tool=tool)


def operate(
    name: str,
    run: Callable[[dict[str, Any], Caller, LambdaContext], dict[str, Any]],
    *,
    repeat: bool = False,
    scope: str | None = None,
    for_nobody: bool = False,
    unattended: Callable[[dict[str, Any]], bool] = lambda event: False,  # noqa: ARG005
    tool: Tool | None = None,
) -> Handler:
    """Returns a handler for an operation, which takes the raw event, as schedules and S3 send it, or for a ``tool``.

    ``repeat`` says that it only reads: it is tried again where its connection turned out to be dead. Our proxy's
    caller needs ``scope``. An operation ``for_nobody`` finds out itself whose a call is, and so runs without a
    tenant. Nobody reads the answer to an ``unattended`` event: a failure that may succeed later is raised, so that
    Lambda sends it again.
    """
    use_snapshots(connects=tool is not None)

    def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
        caller = caller_of(context, default_tenant=settings().default_tenant)

        def call() -> dict[str, Any]:
            if not for_nobody:
                _authorise(name, caller, scope=scope)
            return run(event, caller, context)

        answer = _guarded(name, caller, call, repeat=repeat, tool=tool)
        if answer.get("retryable") is True and unattended(event):
            raise CallFailed(f"{name} could not finish; request id {caller.request_id}. {answer['message']}")
        return answer

    handler.__name__ = name
    return handler


def serve_page(
    name: str,
    respond: Callable[[dict[str, Any], str], dict[str, Any]],
    *,
    sorry: Callable[[dict[str, Any], int], dict[str, Any]],
) -> Handler:
    """A Lambda handler behind a function URL: ``respond`` takes the event and the request's id, and where it cannot
    answer, ``sorry`` says so to that event with that status. The path is not logged: it may be a key.
    """

    def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
        visitor = Caller(tenant="", request_id=context.aws_request_id)
        reading = event["requestContext"]["http"]["method"] != "POST"
        try:
            answer = _guarded(name, visitor, lambda: respond(event, visitor.request_id), repeat=reading)
        except CallFailed:
            # A person is waiting; the log and the metric raise the alarm.
            return sorry(event, 500)
        if answer.get("error") is True:
            logger(name).warning("page_unavailable", extra={"code": answer["code"], "reason": answer["message"]})
            answer = sorry(event, 503)
        logger(name).info("page", extra={"request_id": visitor.request_id, "status": answer["statusCode"]})
        return answer

    return handler


def _guarded(
    name: str, caller: Caller, call: Callable[[], dict[str, Any]], *, repeat: bool, tool: Tool | None = None
) -> dict[str, Any]:
    started = time.perf_counter()
    outcome = "ok"
    with observation.measuring() as measured, database.known_as(f"{caller.correlation_id} {name}"):
        try:
            return _answer(call, repeat=repeat)
        except ToolError as error:
            outcome = error.code
            return error.as_result()
        except Exception as error:  # noqa: BLE001 - logged, and raised again without its text
            outcome = INTERNAL_ERROR
            log_failure(name, "call_failed", error, extra=_trace(caller))
            # The Lambda runtime logs what is raised, with its text, and returns it to whoever invoked.
            raise CallFailed(f"{name} failed; request id {caller.request_id}.") from None
        finally:
            milliseconds = round((time.perf_counter() - started) * 1000, 2)
            if tool is not None:
                measured[Metric.CALLS] = 1
            # What reaches beyond this system takes long, and so stays out of the alarm on latency.
            measured[Metric.RUN_TIME if tool is None or tool.open_world else Metric.LATENCY] = milliseconds
            if outcome != "ok":
                measured[Metric.ERRORS] = 1
            if outcome == INTERNAL_ERROR:
                measured[Metric.INTERNAL_ERRORS] = 1
            said = {"tool": name, "tenant": caller.tenant, **_trace(caller), "outcome": outcome, "ms": milliseconds}
            said |= observation.embedded(measured, stack=settings().stack, tool=name, release=settings().release)
            logger(name).info("call", extra=said)


def _trace(caller: Caller) -> dict[str, str]:
    """Returns the ids that are logged; ``trace_id`` only if the client sent one."""
    traced = {"trace_id": caller.trace_id} if caller.trace_id else {}
    return {"request_id": caller.request_id, **traced}


def _authorise(name: str, caller: Caller, *, scope: str | None) -> None:
    """Checks again what the front has checked: a front that errs must open no other tenant and no other tool.

    Only our proxy names scopes; whoever invokes directly, or a gateway, has the right to invoke as its permission.
    """
    if caller.tool not in ("", name):
        raise PermissionDenied(f"This function serves {name}; it was invoked as {caller.tool}.")
    if not caller.tenant:
        raise PermissionDenied(f"{name} was invoked for no tenant, or for one that cannot be.")
    if scope is not None and caller.through_proxy and scope not in caller.scopes:
        raise PermissionDenied(f"Scope '{scope}' is needed.")


def _parse[A: Args](arguments: type[A], event: object) -> A:
    try:
        return arguments.model_validate(event)
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False)
        problems = [_problem(arguments, item) for item in found[:_MOST_PROBLEMS]]
        message = "; ".join(f"{problem['path']}: {problem['message']}" for problem in problems)
        if more := len(found) - len(problems):
            message += f"; {more} more problems"
        raise ValidationFailed(f"Invalid arguments. {message}", details={"problems": problems}) from None


def _problem(arguments: type[Args], item: ErrorDetails) -> dict[str, str]:
    *place, last = item["loc"] or ("(arguments)",)
    # Pydantic's message on a date says where its parser failed, which does not tell how to write one.
    is_date = item["type"].startswith("date_")
    message = "must be a date such as 2026-11-30" if is_date else item["msg"].removeprefix("Value error, ")
    steps = [step for step in place if isinstance(step, str)]
    if item["type"] == "string_pattern_mismatch":
        message = PATTERNS.get(item["ctx"]["pattern"], message)
    if item["type"] == "model_type":
        inside = _names(arguments, [*steps, last] if item["loc"] and isinstance(last, str) else steps)
        message = f"must be an object with {', '.join(inside)}"
    if item["type"] == "extra_forbidden":
        known = _names(arguments, steps)
        near = alike(str(last), known, most=1)
        hint = f"did you mean '{near[0]}'?" if near else f"known are {', '.join(known)}"
        message = f"unknown parameter; {hint}"
    return {"path": ".".join(plain(str(part))[:_LONGEST_NAME] for part in (*place, last)), "message": message}


def _names(model: type[BaseModel], path: Sequence[str]) -> list[str]:
    """Lists the arguments at a path, which leads from object to object inside the arguments."""
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    if not path:
        return list(fields)
    kinds = kinds_of(fields[path[0]].annotation) if path[0] in fields else ()
    held = next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), None)
    return _names(held, path[1:]) if held else []


def _noted(answer: dict[str, Any], event: object) -> dict[str, Any]:
    """Adds to an answer how many characters its arguments lost: whoever sent them may not have seen them."""
    if taken := taken_from(event):
        said = f"Note: {taken} control or unseen characters were left out of the arguments."
        beside = answer.setdefault(RESERVED, {}).setdefault("content", [])
        beside.append({"type": "text", "text": said})
    return answer


def _answer(call: Callable[[], dict[str, Any]], *, repeat: bool) -> dict[str, Any]:
    """Calls once more where the connection of a read turned out to be dead; a write is never repeated here."""
    try:
        return call()
    except psycopg.OperationalError as error:
        if repeat and database.lost(error):
            return _answer(call, repeat=False)
        if isinstance(error, psycopg.errors.QueryCanceled):
            message = "The query took too long and was stopped; narrow it or ask again."
            raise Unavailable(message, retryable=True) from error
        raise Unavailable("The database cannot be reached; try again in a few seconds.", retryable=True) from error


@cache
def use_snapshots(*, connects: bool) -> None:
    """Registers what Lambda's runtime calls where SnapStart is on, once per process. A snapshot is taken after the
    imports and restored many times, minutes or weeks later.
    """
    register_before_snapshot(_before_snapshot)
    register_after_restore(_after_restore, connects=connects)


def _before_snapshot() -> None:
    """Closes what a snapshot must not keep: sockets, secrets. Wrong settings fail here, before a call."""
    settings()
    environment().close()


def _after_restore(*, connects: bool) -> None:
    # Copies of one snapshot would draw the same random numbers, and retry at the same moments.
    random.seed()
    if connects:
        # A failed restore would take the environment away; the first call tries again and says why.
        with suppress(psycopg.OperationalError, ToolError):
            database.session()
