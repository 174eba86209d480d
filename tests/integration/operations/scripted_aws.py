"""CloudFormation and Lambda as the canary calls them, over real HTTP, for a stack that moto does not have."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

STACK_ID = "arn:aws:cloudformation:us-east-1:123456789012:stack/quarry/1"
_DESCRIBED = """<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>quarry</StackName>
<CreationTime>2026-11-22T00:00:00Z</CreationTime><StackStatus>{status}</StackStatus></member></Stacks>
</DescribeStacksResult></DescribeStacksResponse>"""


@dataclass
class ScriptedAws:
    """``answers`` are a custom resource's, as they arrived at its response URL."""

    url: str = ""
    status: str = "UPDATE_IN_PROGRESS"
    intact: bool | None = True
    answers: list[dict[str, Any]] = field(default_factory=list)

    def release(self, **properties: Any) -> dict[str, Any]:
        """The event of a release that is about to be published."""
        return {
            "RequestType": "Update",
            "ResponseURL": f"{self.url}/answer",
            "StackId": STACK_ID,
            "RequestId": "release-1",
            "LogicalResourceId": "ReleaseGate",
            "PhysicalResourceId": "quarry-gate",
            "ResourceProperties": {"Release": "00000000a1", "Gate": "enforced", **properties},
        }

    def verify_audit(self) -> tuple[dict[str, str], dict[str, Any]]:
        if self.intact is None:
            return {"X-Amz-Function-Error": "Unhandled"}, {"errorType": "CallFailed"}
        return {}, {"tenants": 1, "rows": 3, "intact": self.intact, "broken": []}


@contextmanager
def serving() -> Iterator[ScriptedAws]:
    aws = ScriptedAws()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            if self.path.endswith("/functions/quarry-verify_audit%3Alive/invocations"):
                headers, answer = aws.verify_audit()
                self.answer(json.dumps(answer), headers)
            else:
                self.answer(_DESCRIBED.format(status=aws.status), {})

        def do_PUT(self) -> None:
            aws.answers.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.answer("", {})

        def answer(self, text: str, headers: dict[str, str]) -> None:
            content = text.encode()
            self.send_response(200)
            for name, value in {**headers, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    aws.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield aws
    server.shutdown()
    server.server_close()
