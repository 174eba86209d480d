"""`python -m local.keys`: API keys of the running stack, or of a deployed one with --stack."""

import argparse
import json
from collections.abc import Sequence
from typing import Any

from local.failure import LocalError, run_command
from local.files import ROOT
from local.settings import read_settings
from local.stack import call, invoke, require
from local.tenants import tenant_of

DEPLOYED_TENANT = "default"
"""DefaultTenant of template.yaml."""
ONBOARDING = "onboarding"
"""The toolset that loads what strangers' files say: no key holds its scopes that was not made for it by name."""

_SECONDS = 60


def main(argv: Sequence[str] | None = None) -> None:
    arguments = _parser().parse_args(argv)
    answer = _ask(_event(arguments), deployed=arguments.stack)
    print(_told(arguments.action, answer))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="keys", description=__doc__)
    parser.add_argument("--stack", help="name of a deployed stack; the AWS account of the environment is asked")
    actions = parser.add_subparsers(dest="action", required=True)
    create = actions.add_parser("create", help="a new key, shown once")
    create.add_argument("name", help="what it is for")
    create.add_argument("--tenant", help="TENANT, else the one that the stack serves")
    create.add_argument(
        "--scopes", default="read", help="equipment:read,cpq:write,... or onboarding, read (all but that), all"
    )
    create.add_argument("--subject", help="whom quotes and the audit name; the key's id unless given")
    create.add_argument("--days", type=int, default=90, help="until it expires; 0 for never")
    create.add_argument("--new-tenant", action="store_true", help="the tenant has no data yet")
    listing = actions.add_parser("list", help="a tenant's keys")
    listing.add_argument("--tenant")
    revoke = actions.add_parser("revoke", help="end a key now; the proxy may know it for a minute more")
    revoke.add_argument("id")
    expire = actions.add_parser("expire", help="let a key end after some days, so that its users can change over")
    expire.add_argument("id")
    expire.add_argument("--days", type=int, required=True)
    return parser


def _event(arguments: argparse.Namespace) -> dict[str, Any]:
    event = {name: value for name, value in vars(arguments).items() if name != "stack"}
    if arguments.action == "create":
        event["scopes"] = _scopes(arguments.scopes)
        event["days"] = arguments.days or None
    return event


def every_scope() -> list[str]:
    manifest = json.loads((ROOT / "proxy/manifest.json").read_text("utf-8"))
    return sorted({tool["scope"] for tool in manifest["tools"]} | {f"{name}:read" for name in manifest["toolsets"]})


def _scopes(text: str) -> list[str]:
    known = every_scope()
    if text == "all":
        return known
    if text == "read":
        return [scope for scope in known if scope.endswith(":read") and not scope.startswith(f"{ONBOARDING}:")]
    given = [part.strip() for part in text.split(",")]
    if ONBOARDING in given:
        given = [each for each in given if each != ONBOARDING] + [f"{ONBOARDING}:read", f"{ONBOARDING}:write"]
    if unknown := [scope for scope in given if scope not in known]:
        raise LocalError(f"Unknown scope: {', '.join(unknown)}. Known: {', '.join(known)}.")
    return given


def _ask(event: dict[str, Any], *, deployed: str | None) -> dict[str, Any]:
    settings = read_settings()
    asks_tenant = event.get("tenant", "") is None
    if deployed is None:
        stack = require(settings.data_dir)
        return invoke(stack, "api_keys", {**event, "tenant": tenant_of(settings, stack)} if asks_tenant else event)
    import boto3  # 0.15 s that the local stack need not pay, which asks for its own keys through this module's names

    tenant = settings.tenant or DEPLOYED_TENANT
    given = {**event, "tenant": tenant} if asks_tenant else event
    return call(boto3.client("lambda"), f"{deployed}-api_keys", given, tenant=tenant, seconds=_SECONDS)


def _told(action: str, answer: dict[str, Any]) -> str:
    if action == "create":
        ends = answer["expires_at"] or "never"
        return f"{answer['key']}\nKeep it now: it is not shown again. Id {answer['id']}, expires {ends}."
    if action == "revoke":
        return f"{answer['id']} was revoked at {answer['revoked_at']}; proxies forget it within a minute."
    if action == "expire":
        return f"{answer['id']} expires at {answer['expires_at']}."
    return "\n".join(_line(key) for key in answer["keys"]) or "No keys."


def _line(key: dict[str, Any]) -> str:
    ends = f"revoked {key['revoked_at']}" if key["revoked_at"] else f"expires {key['expires_at'] or 'never'}"
    used = f"used {key['last_used_on']}" if key["last_used_on"] else "never used"
    return f"qk_{key['id']}_...  {key['name']}  {key['subject']}  {' '.join(key['scopes'])}  {ends}  {used}"


if __name__ == "__main__":
    run_command(main)
