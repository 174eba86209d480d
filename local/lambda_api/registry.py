"""Which functions there are, and finding the one that a caller names."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from local.lambda_api.errors import InvalidParameterValue, ResourceNotFound
from local.lambda_api.fleet import EventQueue
from local.lambda_api.intrinsics import StackValues
from local.lambda_api.pool import Pool

_FUNCTION = re.compile(
    r"""(?: (?: arn:aws[\w-]*:lambda:(?P<region>[\w-]+): )? (?P<account>\d{12}):function: | function: )?
        (?P<name>[\w-]{1,140})
        (?: : (?P<qualifier>\$LATEST|[\w-]{1,128}) )?""",
    re.VERBOSE | re.ASCII,
)


@dataclass(frozen=True, slots=True)
class FunctionName:
    """`region` and `account` are None where the caller left them to the endpoint."""

    name: str
    qualifier: str | None
    region: str | None
    account: str | None


def parse_function_name(text: str, *, qualifier: str | None = None) -> FunctionName:
    """`qualifier` is the query parameter; it must agree with one written into the name."""
    match = _FUNCTION.fullmatch(text)
    if match is None:
        raise InvalidParameterValue(f"{text!r} is neither a function name nor a function's ARN.")
    written = match["qualifier"]
    if written is not None and qualifier is not None and written != qualifier:
        raise InvalidParameterValue(
            "The derived qualifier from the function name does not match the specified qualifier."
        )
    return FunctionName(match["name"], written or qualifier or None, match["region"], match["account"])


@dataclass(frozen=True, slots=True)
class AddressedFunction:
    """A function as one caller addressed it; `arn` carries the qualifier the caller gave."""

    pool: Pool
    version: str
    arn: str


@dataclass(frozen=True, slots=True)
class Registry:
    pools: Mapping[str, Pool]
    events: EventQueue
    stack: StackValues

    def find(self, text: str, *, qualifier: str | None) -> AddressedFunction:
        name = parse_function_name(text, qualifier=qualifier)
        region, account = name.region or self.stack.region, name.account or self.stack.account_id
        suffix = "" if name.qualifier is None else f":{name.qualifier}"
        arn = f"arn:aws:lambda:{region}:{account}:function:{name.name}{suffix}"
        pool = self.pools.get(name.name)
        version = None if pool is None else pool.spec.version(name.qualifier)
        here = (region, account) == (self.stack.region, self.stack.account_id)
        if pool is None or version is None or not here:
            raise ResourceNotFound(f"Function not found: {arn}")
        return AddressedFunction(pool, version, arn)
