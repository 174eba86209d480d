"""A supervisor over stand-in processes, run by the tests as a program of its own.

`python stand_in_stack.py DATA_DIR SECOND_STEP…`; the second process is `steady`, `crashing` or `stubborn`.
"""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

from local.files import write_json
from local.ports import assign_ports
from local.serve.child import Program
from local.serve.console import Console
from local.serve.probe import answers
from local.serve.supervisor import Step, Supervisor
from local.stack import exclusive

SERVER = """
import http.server, signal, sys
from local.lifeline import die_with_parent
die_with_parent()
port, kind = int(sys.argv[1]), sys.argv[2]
if kind == "crashing":
    sys.exit("the stand-in has nothing to serve")
if kind == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
class Healthy(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
http.server.ThreadingHTTPServer(("127.0.0.1", port), Healthy).serve_forever()
"""


def server(name: str, *, port: int, kind: str) -> Program:
    return Program(
        name=name,
        command=(sys.executable, "-c", SERVER, str(port), kind),
        environment=dict(os.environ),
        ready=lambda: answers(f"http://127.0.0.1:{port}/"),
    )


def count(report: Callable[[str], None]) -> str:
    report("1 of 2")
    return "counted"


async def run(data_dir: Path, *, kind: str) -> int:
    ports = assign_ports(("first", "second"), remembered={})
    supervisor = Supervisor(
        [
            Step("first", "starting", program=server("first", port=ports["first"], kind="steady")),
            Step("second", "starting", program=server("second", port=ports["second"], kind=kind)),
            Step("count", "counting", work=count, after=("first", "second")),
        ],
        logs=data_dir / "logs",
        console=Console(sys.stdout),
        on_ready=lambda processes: write_json(data_dir / "ready.json", {"pids": processes, "ports": ports}),
    )
    return await supervisor.run()


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    with exclusive(folder):
        sys.exit(asyncio.run(run(folder, kind=sys.argv[2])))
