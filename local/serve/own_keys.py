"""Keys of the stack's own, where its front asks for keys: the canary's two, and the one by which `ask` searches."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from local.environment import CANARY_SECRET, DEFAULT_TENANT, KNOWLEDGE_SECRET
from local.files import write_json
from local.invoke import invoke
from local.keys import every_scope
from local.settings import Settings
from local.stack import Stack, running

OTHER_TENANT = "canary-other"

_RECORD = "own-keys.json"

Call = Callable[[dict[str, Any]], dict[str, Any]]
"""Asks the function api_keys."""


def make(stack: Stack) -> str:
    """Keeps those of an earlier start that are still good; the secrets then hold them, as on AWS."""
    kept = _kept(stack.data_dir)

    def call(event: dict[str, Any]) -> dict[str, Any]:
        return invoke(stack, "api_keys", event)

    keys = {
        "canary": _key(call, kept.get("canary"), name="canary", tenant=DEFAULT_TENANT, scopes=every_scope()),
        "other": _key(call, kept.get("other"), name="canary, second", tenant=OTHER_TENANT, scopes=every_scope()),
        "ask": _key(call, kept.get("ask"), name="ask", tenant=DEFAULT_TENANT, scopes=["knowledge:read"]),
    }
    write_json(stack.data_dir / _RECORD, keys)
    publish(stack)
    return "the canary's and that of ask are kept" if keys == kept else "made for the canary and ask"


def publish(stack: Stack) -> None:
    """Into Secrets Manager, which forgets them when it ends."""
    if not (keys := _kept(stack.data_dir)):
        return
    secrets = stack.client("secretsmanager")
    held = {CANARY_SECRET: {"key": keys["canary"], "other_key": keys["other"]}}
    held[KNOWLEDGE_SECRET] = {DEFAULT_TENANT: keys["ask"]}
    for name, value in held.items():
        try:
            secrets.create_secret(Name=name, SecretString=json.dumps(value))
        except secrets.exceptions.ResourceExistsException:
            secrets.put_secret_value(SecretId=name, SecretString=json.dumps(value))


def key_for(url: str, settings: Settings) -> str | None:
    """By which a command of this machine enters ``url``: KEY if that is set, its own stack by the stack's own key."""
    stack = running(settings.data_dir)
    own = stack is not None and stack.mcp == url
    return settings.key or (_kept(settings.data_dir).get("canary") if own else None)


def _kept(data_dir: Path) -> dict[str, str]:
    record = data_dir / _RECORD
    kept: dict[str, str] = json.loads(record.read_text("utf-8")) if record.exists() else {}
    return kept


def _key(call: Call, kept: str | None, *, name: str, tenant: str, scopes: list[str]) -> str:
    """A toolset more, and a new key is due."""
    if kept is not None:
        listed = {key["id"]: key for key in call({"action": "list", "tenant": tenant})["keys"]}
        known = listed.get(kept.split("_")[1])
        if known and known["revoked_at"] is None and known["scopes"] == scopes:
            return kept
    asked = {"action": "create", "name": name, "tenant": tenant, "scopes": scopes, "days": None, "new_tenant": True}
    return str(call(asked)["key"])
