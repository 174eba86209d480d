"""Which functions there are: finding the one a caller names, and describing them."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from aiohttp import web

from local.lambda_api.errors import InvalidParameterValue, ResourceNotFound
from local.lambda_api.events import EventQueue
from local.lambda_api.intrinsics import Stack
from local.lambda_api.names import parse_function_name
from local.lambda_api.pool import Pool

_PAGE = 50


@dataclass(frozen=True, slots=True)
class Target:
    """A function as one caller addressed it; `arn` carries the qualifier the caller gave."""

    pool: Pool
    version: str
    arn: str


@dataclass(frozen=True, slots=True)
class Registry:
    pools: Mapping[str, Pool]
    events: EventQueue
    stack: Stack
    started: float = field(default_factory=time.time)

    def find(self, text: str, *, qualifier: str | None) -> Target:
        name = parse_function_name(text, qualifier=qualifier)
        region, account = name.region or self.stack.region, name.account or self.stack.account_id
        suffix = "" if name.qualifier is None else f":{name.qualifier}"
        arn = f"arn:aws:lambda:{region}:{account}:function:{name.name}{suffix}"
        pool = self.pools.get(name.name)
        version = None if pool is None else pool.spec.version(name.qualifier)
        here = (region, account) == (self.stack.region, self.stack.account_id)
        if pool is None or version is None or not here:
            raise ResourceNotFound(f"Function not found: {arn}")
        return Target(pool, version, arn)


async def get_function(request: web.Request, *, registry: Registry, request_id: str) -> web.Response:
    target = registry.find(request.match_info["name"], qualifier=request.query.get("Qualifier"))
    spec = target.pool.spec
    body: dict[str, object] = {
        "Configuration": _configuration(target, registry),
        "Code": {"RepositoryType": "Local", "Location": spec.task_root.as_uri()},
    }
    if spec.reserved_concurrency is not None:
        body["Concurrency"] = {"ReservedConcurrentExecutions": spec.reserved_concurrency}
    return web.json_response(body, headers={"X-Amzn-RequestId": request_id})


async def list_functions(request: web.Request, *, registry: Registry, request_id: str) -> web.Response:
    """Pages in name order; the marker is the last name of the page before."""
    try:
        size = min(int(request.query.get("MaxItems", _PAGE)), _PAGE)
    except ValueError:
        raise InvalidParameterValue("MaxItems must be a number.") from None
    marker = request.query.get("Marker", "")
    names = sorted(name for name in registry.pools if name > marker)
    page = names[: max(1, size)]
    body: dict[str, object] = {
        "Functions": [_configuration(registry.find(name, qualifier=None), registry) for name in page]
    }
    if len(names) > len(page):
        body["NextMarker"] = page[-1]
    return web.json_response(body, headers={"X-Amzn-RequestId": request_id})


def _configuration(target: Target, registry: Registry) -> dict[str, object]:
    """Without the variables: the real API hides them from most callers, and these may be secret."""
    spec = target.pool.spec
    return {
        "FunctionName": spec.name,
        "FunctionArn": target.arn,
        "Runtime": spec.runtime,
        "Handler": spec.handler,
        "Role": f"arn:aws:iam::{registry.stack.account_id}:role/local",
        "CodeSize": 0,
        "Description": spec.description,
        "Timeout": spec.timeout,
        "MemorySize": spec.memory_mb,
        "LastModified": datetime.fromtimestamp(registry.started, UTC).strftime("%Y-%m-%dT%H:%M:%S.000+0000"),
        "Version": target.version,
        "PackageType": "Zip",
        "Architectures": ["x86_64"],
        "State": "Active",
        "LastUpdateStatus": "Successful",
    }
