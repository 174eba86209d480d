"""Keys of the stack's own, where its front asks for keys: the canary's two, and the one by which `ask` searches."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from local.environment import CANARY_SECRET, KNOWLEDGE_SECRET
from local.files import write_json
from local.keys import every_scope
from local.settings import Settings
from local.stack import SAMPLE_TENANT, Stack, invoke, running
from local.tenants import OTHER_CANARY

_RECORD = "own-keys.json"


def make(stack: Stack) -> str:
    """Makes the keys, or keeps those of an earlier start that are still good, and publishes them as secrets."""
    kept = _kept(stack.data_dir)
    keys = {
        "canary": _key(stack, kept.get("canary"), name="canary", tenant=SAMPLE_TENANT, scopes=every_scope()),
        "other": _key(stack, kept.get("other"), name="canary, second", tenant=OTHER_CANARY, scopes=every_scope()),
        "ask": _key(stack, kept.get("ask"), name="ask", tenant=stack.tenant, scopes=["knowledge:read"]),
    }
    write_json(stack.data_dir / _RECORD, keys)
    publish(stack)
    return "the canary's and that of ask are kept" if keys == kept else "made for the canary and ask"


def publish(stack: Stack) -> None:
    """Puts the keys into Secrets Manager, which forgets them when it ends."""
    if not (keys := _kept(stack.data_dir)):
        return
    secrets = stack.client("secretsmanager")
    held = {CANARY_SECRET: {"key": keys["canary"], "other_key": keys["other"]}}
    held[KNOWLEDGE_SECRET] = {stack.tenant: keys["ask"]}
    for name, value in held.items():
        put_secret(secrets, name=name, value=value)


def put_secret(client: Any, *, name: str, value: Mapping[str, object]) -> None:
    try:
        client.create_secret(Name=name, SecretString=json.dumps(value))
    except client.exceptions.ResourceExistsException:
        client.put_secret_value(SecretId=name, SecretString=json.dumps(value))


def key_for(url: str, settings: Settings) -> str | None:
    """The key with which a command of this machine enters ``url``: KEY if set, else the running stack's own key."""
    stack = running(settings.data_dir)
    own = stack is not None and stack.mcp == url
    return settings.key or (_kept(settings.data_dir).get("canary") if own else None)


def _kept(data_dir: Path) -> dict[str, str]:
    record = data_dir / _RECORD
    kept: dict[str, str] = json.loads(record.read_text("utf-8")) if record.exists() else {}
    return kept


def _key(stack: Stack, kept: str | None, *, name: str, tenant: str, scopes: list[str]) -> str:
    """The kept key, or a new one if it was revoked or lacks a scope, as after a new toolset."""
    if kept is not None:
        listed = {key["id"]: key for key in invoke(stack, "api_keys", {"action": "list", "tenant": tenant})["keys"]}
        known = listed.get(kept.split("_")[1])
        if known and known["revoked_at"] is None and known["scopes"] == scopes:
            return kept
    asked = {"action": "create", "name": name, "tenant": tenant, "scopes": scopes, "days": None, "new_tenant": True}
    return str(invoke(stack, "api_keys", asked)["key"])
