"""Function names as callers write them: plain, qualified, partial and full ARNs."""

import re
from dataclasses import dataclass

from local.lambda_api.errors import InvalidParameterValue

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
