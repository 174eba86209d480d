"""The local Lambda API as boto3 sees it: invocations, their errors, and the functions' surroundings."""

import base64
import json
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.integration.lambda_server import REPOSITORY, TEMPLATE, LambdaServer, eventually, lambda_server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LambdaServer]:
    env_file = tmp_path_factory.mktemp("overrides") / "env.json"
    env_file.write_text(
        json.dumps({"Parameters": {"EVERYWHERE": 1}, "Describe": {"GIVEN": "by the file"}}), encoding="utf-8"
    )
    with lambda_server(
        *("--env-file", str(env_file), "--event-delays", "0.05,0.05"),
        environment={"PARENTS_SECRET": "not for functions"},
    ) as running:
        yield running


def refusal(server: LambdaServer, function: str, event: object = None, **settings: Any) -> dict[str, Any]:
    with pytest.raises(ClientError) as caught:
        server.invoke(function, event, **settings)
    return dict(caught.value.response)


def test_the_function_gets_the_event_and_its_result_comes_back(server: LambdaServer) -> None:
    event = {"text": "100HP – ölfrei", "list": [1, 2.5, None]}
    answer = server.invoke("echo", event)
    assert (answer.status, answer.error, answer.payload) == (200, None, event)


def test_a_call_without_payload_is_an_empty_object(server: LambdaServer) -> None:
    response = server.client().invoke(FunctionName="quarry-echo")
    assert json.load(response["Payload"]) == {}


@pytest.mark.parametrize(
    ("name", "qualifier", "version"),
    [
        ("quarry-echo", None, "$LATEST"),
        ("quarry-echo", "$LATEST", "$LATEST"),
        ("quarry-echo", "live", "1"),
        ("quarry-echo:live", None, "1"),
        ("quarry-echo:1", "1", "1"),
    ],
)
def test_every_way_to_name_a_function_reaches_it(
    server: LambdaServer, name: str, qualifier: str | None, version: str
) -> None:
    settings = {} if qualifier is None else {"Qualifier": qualifier}
    response = server.client().invoke(FunctionName=name, Payload=b"{}", **settings)
    assert response["ExecutedVersion"] == version


@pytest.mark.parametrize("name", ["nobody", "echo:canary", "echo:2", "production"])
def test_an_unknown_function_or_alias_is_not_found(server: LambdaServer, name: str) -> None:
    response = refusal(server, name)
    assert response["Error"]["Code"] == "ResourceNotFoundException"
    assert response["ResponseMetadata"]["HTTPStatusCode"] == 404
    assert f"function:quarry-{name}" in response["Error"]["Message"]


def test_a_function_sees_its_context_and_its_variables(server: LambdaServer) -> None:
    context = {"custom": {"tool": "describe", "tenant": "größe"}}
    encoded = base64.b64encode(json.dumps(context).encode()).decode()
    seen = server.invoke("describe", ClientContext=encoded, Qualifier="live").payload
    assert seen["custom"] == context["custom"]
    assert seen["arn"] == "arn:aws:lambda:us-east-1:123456789012:function:quarry-describe:live"
    assert 4000 < seen["remaining_ms"] <= 5000
    assert seen["layer"] == "from the layer"
    expected = {
        "AWS_LAMBDA_FUNCTION_NAME": "quarry-describe",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "256",
        "AWS_EXECUTION_ENV": "AWS_Lambda_python3.13",
        "LAMBDA_TASK_ROOT": str(TEMPLATE.parent / "functions"),
        "_HANDLER": "basic.describe",
        "STAGE": "dev",
        "STACK": "quarry/us-east-1",
        "LEVEL": "own",
        "PEER": "arn:aws:lambda:us-east-1:123456789012:function:quarry-echo",
        "EVERYWHERE": "1",
        "GIVEN": "by the file",
    }
    assert expected.items() <= seen["environment"].items()
    assert "UNKNOWN" not in seen["environment"]


def test_neither_the_parents_variables_nor_the_repository_reach_a_function(server: LambdaServer) -> None:
    environment = server.invoke("describe").payload["environment"]
    assert "not for functions" not in environment.values()
    assert str(REPOSITORY) not in environment["PYTHONPATH"].split(":")
    assert server.invoke("imports", {"names": ["local", "proxy"]}).payload == {"local": None, "proxy": None}


def test_what_a_function_says_stands_line_by_line_under_its_name(server: LambdaServer) -> None:
    server.invoke("talk", {"say": "hello\nthrée"})
    assert server.says("quarry-talk | hello\nquarry-talk | thrée\nquarry-talk | to stderr\n")


def test_a_line_without_an_end_is_said_in_pieces(server: LambdaServer) -> None:
    server.invoke("talk", {"say": "x" * 200_000})
    assert server.says(f"quarry-talk | {'x' * 65_536}")


def test_an_exception_is_a_function_error_with_its_type_and_trace(server: LambdaServer) -> None:
    # Longer than any usual limit on a header: the RIC repeats the message in one.
    message = "m" * 50_000
    answer = server.invoke("fail", {"message": message})
    assert (answer.status, answer.error) == (200, "Unhandled")
    assert answer.payload["errorType"] == "ValueError"
    assert answer.payload["errorMessage"] == message
    assert server.says("quarry-fail | Traceback")


def test_a_request_over_six_megabytes_is_too_large(server: LambdaServer) -> None:
    response = refusal(server, "echo", "x" * (6 * 1024 * 1024))
    assert response["Error"]["Code"] == "RequestTooLargeException"
    assert response["ResponseMetadata"]["HTTPStatusCode"] == 413


def test_a_response_over_six_megabytes_is_a_function_error(server: LambdaServer) -> None:
    answer = server.invoke("large", {"bytes": 6_500_000})
    assert answer.error == "Unhandled"
    assert answer.payload["errorType"] == "Function.ResponseSizeTooLarge"
    assert len(server.invoke("large", {"bytes": 6_000_000}).payload) == 6_000_000


@pytest.mark.parametrize("context", ["%%%", "e30=" * 1000])
def test_a_bad_client_context_is_refused(server: LambdaServer, context: str) -> None:
    response = refusal(server, "echo", ClientContext=context)
    assert response["Error"]["Code"] == "InvalidRequestContentException"


def test_an_event_is_accepted_at_once_and_retried_until_it_succeeds(server: LambdaServer, tmp_path: Path) -> None:
    path = tmp_path / "attempts"
    context = base64.b64encode(b'{"custom": {}}').decode()
    event = {"path": str(path)}
    answer = server.invoke("succeed_on_third", event, InvocationType="Event", ClientContext=context)
    assert (answer.status, answer.payload) == (202, None)
    assert eventually(lambda: path.exists() and len(path.read_text(encoding="utf-8").splitlines()) == 3)
    # One request id for all attempts, and no client context: both as on AWS.
    attempts = set(path.read_text(encoding="utf-8").splitlines())
    assert len(attempts) == 1
    assert attempts.pop().endswith(" None")


def test_a_web_page_cannot_call_functions(server: LambdaServer) -> None:
    url = f"{server.url}/2015-03-31/functions/quarry-echo/invocations"
    request = urllib.request.Request(url, data=b"{}", headers={"Origin": "https://example.com"})  # noqa: S310
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request, timeout=60)  # noqa: S310 - our own URL
    with caught.value as response:
        assert response.status == 403


def test_a_taken_port_is_named_in_the_message() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "local.lambda_api", "--port", port, "--template", str(TEMPLATE)]
        ended = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 1
    assert f"port {port} is taken" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_build_is_served_without_the_virtual_environments_packages(tmp_path: Path) -> None:
    functions = tmp_path / "Imports"
    functions.mkdir()
    (functions / "basic.py").symlink_to(TEMPLATE.parent / "functions/basic.py")
    (tmp_path / "Tools").mkdir()
    (tmp_path / "Tools/python").symlink_to(TEMPLATE.parent / "layer")
    text = TEMPLATE.read_text(encoding="utf-8").replace("layer/", "Tools").replace("functions/", "Imports")
    (tmp_path / "template.yaml").write_text(text, encoding="utf-8")
    with lambda_server("--build", str(tmp_path)) as server:
        found = server.invoke("imports", {"names": ["tools_layer", "boto3", "aiohttp", "pydantic"]}).payload
    assert found["tools_layer"].startswith(str(tmp_path / "Tools/python"))
    assert found["boto3"] is not None
    assert (found["aiohttp"], found["pydantic"]) == (None, None)
