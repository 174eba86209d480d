"""`python -m local.stdio`: the MCP server over standard input and output, for clients that spawn a process.

Uses the stack of DATA_DIR if one is running, else starts one that ends with this process. Standard output
carries MCP and nothing else.
"""

import json
import os
import re
import sys
from hashlib import sha256

from local.environment import child_base, proxy_environment
from local.failure import LocalError, run_command
from local.files import IMPORT_ROOTS, ROOT
from local.settings import Settings, read_settings
from local.stack import Stack, await_ready, invoke, running, spawn, stop
from local.tenants import tenant_of

_KEY = re.compile(r"qk_(?P<id>[0-9A-Za-z]{12})_(?P<secret>.+)")


def main() -> None:
    # A client's configuration names the repository alone.
    sys.path.extend(str(root) for root in IMPORT_ROOTS if str(root) not in sys.path)
    settings = read_settings()
    stack = running(settings.data_dir)
    if stack is not None:
        sys.exit(_serve(stack, _entry(settings, stack)))
    process = spawn(settings.data_dir, port=0, environment=os.environ, output=sys.stderr)
    try:
        stack = await_ready(process, settings.data_dir)
        code = _serve(stack, _entry(settings, stack))
    finally:
        stop(process)
    sys.exit(code)


def _entry(settings: Settings, stack: Stack) -> dict[str, str]:
    """Variables of the proxy that say whose data is served, and how much of it: the key's, where KEY has one."""
    if settings.key is None:
        return {"DEFAULT_TENANT": tenant_of(settings, stack)}
    known = _KEY.fullmatch(settings.key)
    digest = sha256(known["secret"].encode()).hexdigest() if known else ""
    held = invoke(stack, "verify_api_key", {"id": known["id"], "sha256": digest}) if known else {}
    if not held.get("valid"):
        raise LocalError("KEY is no key of this stack, or it was revoked or has expired: make keys DO=list")
    scopes = [scope.split(":") for scope in held["scopes"]]
    written = {toolset for toolset, right in scopes if right == "write"}
    read = {toolset for toolset, right in scopes if right == "read"}
    if written and read - written - _without_writes():
        raise LocalError("KEY may write in some toolsets only, which stdio cannot keep apart: use the HTTP endpoint.")
    toolsets = ",".join(sorted(read | written))
    return {"DEFAULT_TENANT": held["tenant"], "TOOLSETS": toolsets, "READ_ONLY": "" if written else "true"}


def _without_writes() -> set[str]:
    manifest = json.loads((ROOT / "proxy" / "manifest.json").read_text("utf-8"))
    return set(manifest["toolsets"]) - {tool["toolset"] for tool in manifest["tools"] if not tool["read_only"]}


def _serve(stack: Stack, entry: dict[str, str]) -> int:
    variables = proxy_environment(stack, host="127.0.0.1", port=0) | entry
    os.environ.update({**child_base(os.environ, data_dir=stack.data_dir), **variables})
    os.environ.setdefault("MANIFEST_PATH", str(ROOT / "proxy" / "manifest.json"))
    from proxy.__main__ import main as serve  # 0.6 s, and it reads the environment set above

    return serve(["--stdio"])


if __name__ == "__main__":
    run_command(main)
