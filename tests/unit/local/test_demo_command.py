"""`python -m local.demo` from the outside."""

import socket
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_without_a_server_the_command_says_to_start_one(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        url = f"http://127.0.0.1:{free.getsockname()[1]}/mcp"
        run = subprocess.run(
            [sys.executable, "-m", "local.demo", "--url", url, "--out", str(tmp_path / "draft.md")],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert run.returncode == 1
    assert run.stderr == f"Nothing answers at {url}. Run `make serve` first, then `make demo`.\n"
    assert not (tmp_path / "draft.md").exists()
