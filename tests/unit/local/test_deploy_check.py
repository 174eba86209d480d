"""What `make deploy-check` says of a stack whose parts are not as its release would have them."""

import datetime
import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from local.deploy_check.__main__ import PARTS, checked
from local.deploy_check.account import Account
from local.deploy_check.service import certificate_of

RELEASE = "00000000a1"
NOW = datetime.datetime.now(datetime.UTC)


class NotFound(Exception):
    """As boto3 makes one for each client."""


def listed(kind: str, *names: str) -> list[dict[str, str]]:
    return [{"ResourceType": kind, "LogicalResourceId": name, "PhysicalResourceId": name} for name in names]


def account(
    *resources: dict[str, str],
    services: Mapping[str, object],
    outputs: Mapping[str, str] | None = None,
    **parameters: str,
) -> Account:
    """A stack as CloudFormation describes it, whose services are ``services``."""
    given = {"Release": RELEASE, "PostgresVersion": "18", **parameters}
    described = {
        "StackStatus": "UPDATE_COMPLETE",
        "Parameters": [{"ParameterKey": name, "ParameterValue": value} for name, value in given.items()],
        "Outputs": [{"OutputKey": name, "OutputValue": value} for name, value in (outputs or {}).items()],
    }
    pages = SimpleNamespace(paginate=lambda **_: [{"StackResourceSummaries": list(resources)}])
    cloudformation = {"describe_stacks": lambda **_: {"Stacks": [described]}, "get_paginator": lambda _: pages}
    own = services.get("cloudformation", {})
    assert isinstance(own, dict)
    clients = {**services, "cloudformation": SimpleNamespace(**cloudformation, **own)}
    return Account("quarry-prod", clients.__getitem__)


def wrong(part: str, looked_at: Account) -> list[str]:
    return [finding.said for _, finding in checked(looked_at, [part]) if finding.wrong]


def lambdas(live: Callable[[str], dict[str, Any]], **more: Any) -> SimpleNamespace:
    """Lambda, whose functions have the code "new" deployed; ``live`` says what differs on their alias."""

    def configuration(*, FunctionName: str, Qualifier: str = "$LATEST") -> dict[str, Any]:  # noqa: N803 - boto3's
        there = {"Version": "7", "State": "Active", "CodeSha256": "new", **live(FunctionName)}
        if Qualifier == "$LATEST":
            return {"CodeSha256": "new"}
        if "missing" in there:
            raise NotFound
        return {"Environment": {"Variables": {"RELEASE": there.get("release", RELEASE)}}, **there}

    return SimpleNamespace(
        get_function_configuration=configuration,
        get_alias=lambda *, FunctionName, Name: {"RoutingConfig": live(FunctionName).get("routing")},  # noqa: ARG005, N803
        exceptions=SimpleNamespace(ResourceNotFoundException=NotFound),
        **more,
    )


FUNCTIONS = listed("AWS::Lambda::Function", "search", "get_quote", "proxy", "Preview")


@pytest.mark.parametrize(
    ("differs", "said"),
    [
        ({}, ""),
        ({"missing": True}, "no alias live"),
        ({"release": "00000000a0"}, "of release 00000000a0"),
        ({"CodeSha256": "old"}, "other code"),
        ({"State": "Inactive"}, "Inactive"),
        ({"routing": {"AdditionalVersionWeights": {"8": 0.1}}}, "version 8"),
        ({"Environment": {"Error": {"ErrorCode": "AccessDeniedException"}}}, "cannot be read"),
    ],
)
def test_a_function_whose_live_is_not_the_release_is_named(differs: dict[str, Any], said: str) -> None:
    services = {"lambda": lambdas(lambda name: differs if name == "get_quote" else {})}
    found = wrong("functions", account(*FUNCTIONS, services=services))
    assert [each.startswith("get_quote: ") and said in each for each in found] == ([True] if said else [])


def test_whatever_was_changed_beside_cloudformation_is_named_on_every_page() -> None:
    pages = [
        {"StackResourceDrifts": [{"LogicalResourceId": "Database", "StackResourceDriftStatus": "MODIFIED",
                                  "PropertyDifferences": [{"PropertyPath": "/MultiAZ"}]}], "NextToken": "2"},
        {"StackResourceDrifts": [{"LogicalResourceId": "NatA", "StackResourceDriftStatus": "DELETED"}]},
    ]  # fmt: skip
    cloudformation = {
        "detect_stack_drift": lambda **_: {"StackDriftDetectionId": "1"},
        "describe_stack_drift_detection_status": lambda **_: {"DetectionStatus": "DETECTION_COMPLETE"},
        "describe_stack_resource_drifts": lambda *, NextToken="1", **_: pages[int(NextToken) - 1],  # noqa: N803
    }
    found = wrong("drift", account(services={"cloudformation": cloudformation}))
    assert found == ["Database is MODIFIED /MultiAZ", "NatA is DELETED "]


HELD = {"server": "18.1", "vector": "0.8.1", "vector_available": "0.8.1", "applied": 36, "pending": []}


@pytest.mark.parametrize(
    ("instance", "held", "parameters", "said"),
    [
        ({}, HELD, {}, []),
        ({"DBInstanceStatus": "storage-full"}, HELD, {}, ["storage-full"]),
        ({"PendingModifiedValues": {"DBInstanceClass": "x"}}, HELD, {}, ["DBInstanceClass"]),
        ({}, HELD, {"RestoredResourceId": "db-ANOTHER"}, ["db-ANOTHER"]),
        ({}, {**HELD, "server": "17.2"}, {}, ["Postgres 17.2"]),
        ({}, {**HELD, "pending": ["0036_attributes"]}, {}, ["0036_attributes"]),
        ({}, {**HELD, "vector_available": "0.9.0"}, {}, ["0.9.0"]),
        ({}, {"error": True, "code": "UNAVAILABLE", "message": "It cannot be reached."}, {}, ["cannot be reached"]),
    ],
)
def test_a_database_that_is_not_the_releases_is_told_of(
    instance: dict[str, Any], held: dict[str, Any], parameters: dict[str, str], said: list[str]
) -> None:
    described = {"DBInstanceStatus": "available", "DbiResourceId": "db-OWN", "PendingModifiedValues": {}, **instance}
    rds = SimpleNamespace(describe_db_instances=lambda **_: {"DBInstances": [described]})
    invoked = {"Payload": SimpleNamespace(read=lambda: json.dumps(held))}
    services = {"rds": rds, "lambda": SimpleNamespace(invoke=lambda **_: invoked)}
    looked_at = account(*listed("AWS::RDS::DBInstance", "quarry"), services=services, outputs={}, **parameters)
    found = wrong("database", looked_at)
    assert [part in each for part, each in zip(said, found, strict=True)] == [True] * len(said)


@pytest.mark.parametrize(
    ("points", "key", "said"),
    [
        ([(5, 1.0), (20, 0.0)], "quarry/canary", []),
        ([(5, 0.0), (20, 1.0)], "quarry/canary", ["failed"]),
        ([], "quarry/canary", ["did not run"]),
        ([(5, 1.0)], "", ["has no key"]),
    ],
)
def test_the_canarys_last_run_counts(points: list[tuple[int, float]], key: str, said: list[str]) -> None:
    given = [{"Timestamp": NOW - datetime.timedelta(minutes=ago), "Minimum": value} for ago, value in points]
    services = {"cloudwatch": SimpleNamespace(get_metric_statistics=lambda **_: {"Datapoints": given})}
    found = wrong("canary", account(services=services, CanarySecret=key))
    assert [part in each for part, each in zip(said, found, strict=True)] == [True] * len(said)


def test_an_alarm_that_rings_knows_nothing_or_is_gone_is_told_of() -> None:
    known = [
        {"AlarmName": name, "StateValue": state}
        for name, state in (("Latency", "ALARM"), ("Queue", "INSUFFICIENT_DATA"), ("Front", "OK"))
    ]
    services = {"cloudwatch": SimpleNamespace(describe_alarms=lambda **_: {"MetricAlarms": known})}
    alarms = listed("AWS::CloudWatch::Alarm", "Latency", "Queue", "Front", "Canary")
    found = wrong("alarms", account(*alarms, services=services))
    assert found == ["Latency is ALARM", "Queue is INSUFFICIENT_DATA", "1 of 4 alarms are OK"]


def test_a_week_that_costs_nothing_is_one_whose_tag_was_not_activated() -> None:
    group = {"Keys": ["Amazon RDS"], "Metrics": {"UnblendedCost": {"Amount": "8.05"}}}
    for groups, amiss in (([group], False), ([], True)):
        week = {"ResultsByTime": [{"Groups": groups}] * 7}
        looked_at = account(services={"ce": SimpleNamespace(get_cost_and_usage=lambda week=week, **_: week)})
        ((_, finding),) = checked(looked_at, ["costs"])
        assert (finding.wrong, finding.said.startswith("$56.35 ")) == (amiss, not amiss)


def test_what_cannot_be_looked_at_is_wrong_and_the_rest_is_looked_at() -> None:
    def refused(**_: object) -> None:
        raise ClientError({"Error": {"Code": "AccessDenied", "Message": "no"}}, "GetCostAndUsage")

    looked_at = account(services={"ce": SimpleNamespace(get_cost_and_usage=refused)})
    found = [(name, finding.wrong) for name, finding in checked(looked_at, ["costs", "stack"])]
    assert found == [("costs", True), ("stack", False)]


def test_every_part_that_the_page_promises_is_one() -> None:
    assert [*PARTS] == [
        *("stack", "drift", "functions", "database", "certificates", "tools", "canary", "alarms", "costs")
    ]


@contextmanager
def front(faulty: str) -> Iterator[tuple[str, list[str]]]:
    """Answers every call but those of one tool; what was asked for is noted."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            call = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["params"]
            asked.append(f"{call['name']} {json.dumps(call['arguments'])}")
            listing = {"content": [{"type": "text", "text": "Q-2019-0002"}], "isError": call["name"] == faulty}
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "result": listing}).encode()
            self.send_response(200 if self.headers["Authorization"] == "Bearer qk_own" else 401)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/mcp", asked
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(("key", "faults"), [("qk_own", 1), ("qk_revoked", 30)])
def test_every_tool_that_reads_is_asked_through_the_front_for_what_the_sample_has(key: str, faults: int) -> None:
    held = {"SecretString": json.dumps({"key": key})}
    services = {"secretsmanager": SimpleNamespace(get_secret_value=lambda **_: held)}
    with front("get_specs") as (url, asked):
        found = wrong("tools", account(services=services, outputs={"McpUrl": url}, CanarySecret="quarry/canary"))
    assert faults == 1 or len(found) > 20
    assert faults != 1 or found == ["get_specs: Q-2019-0002"]
    names = {each.partition(" ")[0] for each in asked}
    assert {"search_equipment", "get_quote", "quote_get"} <= names
    assert not names & {"ask", "quote_create", "approval_request"}
    # Quotes of the sample are numbered by the year in which they were loaded.
    assert key != "qk_own" or any("Q-2019-0" in each for each in asked)


def test_without_a_key_nobody_can_ask_and_that_is_said() -> None:
    assert wrong("tools", account(services={})) == ["not asked: without CanarySecret there is no key to enter with"]


def signed(folder: Path, *, days: int) -> Path:
    """Key and certificate of `localhost`, signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(NOW - datetime.timedelta(days=1))
        .not_valid_after(NOW + datetime.timedelta(days=days, hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = folder / f"{days}.pem"
    path.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.mark.parametrize(
    ("days", "trusted", "amiss", "said"),
    [(60, True, False, "60 days"), (5, True, True, "5 days"), (60, False, True, "CERTIFICATE_VERIFY_FAILED")],
)
def test_a_certificate_that_ends_soon_or_that_nobody_trusts_is_told_of(
    tmp_path: Path, days: int, trusted: bool, amiss: bool, said: str
) -> None:
    pem = signed(tmp_path, days=days)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(pem)
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            try:
                server.wrap_socket(connection, server_side=True).close()
            except OSError:
                connection.close()  # who does not trust it goes away

        threading.Thread(target=serve, daemon=True).start()
        client = ssl.create_default_context(cafile=pem if trusted else None)
        found = certificate_of("localhost", listener.getsockname()[1], context=client)
    assert (found.wrong, said in found.said) == (amiss, True)
