"""CodeDeploy and Lambda as the canary calls them, over real HTTP; moto answers neither of these calls."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HOOK = {"DeploymentId": "d-CANARY", "LifecycleEventHookExecutionId": "hook-1"}


@dataclass
class ScriptedAws:
    """``deployed`` is the function that the deployment is about; ``answers`` are the hook's, as they arrived."""

    url: str = ""
    deployed: str = "quarry-get_product"
    intact: bool | None = True
    answers: list[dict[str, Any]] = field(default_factory=list)

    def codedeploy(self, operation: str, body: dict[str, Any]) -> dict[str, Any]:
        if operation == "PutLifecycleEventHookExecutionStatus":
            self.answers.append(body)
            return {"lifecycleEventHookExecutionId": body["lifecycleEventHookExecutionId"]}
        assert (operation, body) == ("GetDeployment", {"deploymentId": "d-CANARY"})
        function = {"Name": self.deployed, "Alias": "live", "CurrentVersion": "1", "TargetVersion": "2"}
        resource = {"it": {"Type": "AWS::Lambda::Function", "Properties": function}}
        content = json.dumps({"version": 0.0, "Resources": [resource]})
        revision = {"revisionType": "AppSpecContent", "appSpecContent": {"content": content}}
        return {"deploymentInfo": {"deploymentId": "d-CANARY", "revision": revision}}

    def verify_audit(self) -> tuple[dict[str, str], dict[str, Any]]:
        if self.intact is None:
            return {"X-Amz-Function-Error": "Unhandled"}, {"errorType": "CallFailed"}
        return {}, {"tenants": 1, "rows": 3, "intact": self.intact, "broken": []}


@contextmanager
def serving() -> Iterator[ScriptedAws]:
    aws = ScriptedAws()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            headers: dict[str, str] = {}
            if self.path.endswith("/functions/quarry-verify_audit%3Alive/invocations"):
                headers, answer = aws.verify_audit()
            else:
                answer = aws.codedeploy(self.headers["X-Amz-Target"].rpartition(".")[2], body)
            content = json.dumps(answer).encode()
            self.send_response(200)
            for name, value in {**headers, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    aws.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield aws
    server.shutdown()
    server.server_close()
