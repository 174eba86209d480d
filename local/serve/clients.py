"""The last words of a start: the endpoint, and configuration to paste into MCP clients."""

import json
import sys
from pathlib import Path

from local.files import ROOT


def farewell(*, endpoint: str, tools: int, seconds: float, data_dir: Path) -> str:
    remote = {"type": "http", "url": endpoint}
    spawned = {
        "command": sys.executable,
        "args": ["-m", "local.stdio"],
        "env": {"PYTHONPATH": str(ROOT), "DATA_DIR": str(data_dir)},
    }
    return f"""
Quarry is ready at {endpoint} with {tools} tools, after {seconds:.1f} s.

  Claude Code     claude mcp add --transport http quarry {endpoint}
  VS Code         .vscode/mcp.json
                  {json.dumps({"servers": {"quarry": remote}})}
  Most clients    {json.dumps({"mcpServers": {"quarry": remote}})}
  Claude Desktop  claude_desktop_config.json (it starts a process that uses this stack)
                  {json.dumps({"mcpServers": {"quarry": spawned}})}

Logs are in {data_dir / "logs"}. Ctrl-C stops."""
