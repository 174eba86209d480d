"""The last words of a start: the endpoint, and configuration to paste into MCP clients."""

import json
import sys
from pathlib import Path

from local.files import ROOT

_KEY = "Bearer qk_…"
_MAKE_A_KEY = """
  It asks for a key, which stands in place of qk_… below:
                  make keys DO="create 'for my agent' --scopes all"
"""


def farewell(*, endpoint: str, tools: int, seconds: float, data_dir: Path, takes_keys: bool = False) -> str:
    remote: dict[str, object] = {"type": "http", "url": endpoint}
    header = ""
    if takes_keys:
        remote["headers"] = {"Authorization": _KEY}
        header = f' --header "Authorization: {_KEY}"'
    spawned = {
        "command": sys.executable,
        "args": ["-m", "local.stdio"],
        "env": {"PYTHONPATH": str(ROOT), "DATA_DIR": str(data_dir)},
    }
    return f"""
Quarry is ready at {endpoint} with {tools} tools, after {seconds:.1f} s.
{_MAKE_A_KEY if takes_keys else ""}
  Claude Code     claude mcp add --transport http quarry {endpoint}{header}
  VS Code         .vscode/mcp.json
                  {_json({"servers": {"quarry": remote}})}
  Most clients    {_json({"mcpServers": {"quarry": remote}})}
  Claude Desktop  claude_desktop_config.json (it starts a process that uses this stack)
                  {_json({"mcpServers": {"quarry": spawned}})}

Logs are in {data_dir / "logs"}. Ctrl-C stops."""


def _json(configuration: object) -> str:
    return json.dumps(configuration, ensure_ascii=False)
