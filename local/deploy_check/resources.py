"""What AWS says of the stack's parts: drift, functions, database, alarms, costs."""

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from local.deploy_check.account import Account, Finding

WAITS_S = 600
"""Most that a detection of drift may take."""
WITHOUT_ALIAS = "Preview"
"""Which serves what is not live yet."""


def stack(account: Account) -> Iterator[Finding]:
    status = account.description["StackStatus"]
    ready = status in ("CREATE_COMPLETE", "UPDATE_COMPLETE")
    yield Finding(not ready, f"{account.stack} is {status}, release {account.parameters['Release']}")


def drift(account: Account) -> Iterator[Finding]:
    """What somebody changed beside CloudFormation."""
    client = account.client("cloudformation")
    detection = client.detect_stack_drift(StackName=account.stack)["StackDriftDetectionId"]
    deadline = time.monotonic() + WAITS_S
    while True:
        found = client.describe_stack_drift_detection_status(StackDriftDetectionId=detection)
        if found["DetectionStatus"] != "DETECTION_IN_PROGRESS" or time.monotonic() > deadline:
            break
        time.sleep(2)
    if found["DetectionStatus"] != "DETECTION_COMPLETE":
        yield Finding(True, f"{found['DetectionStatus']}: {found.get('DetectionStatusReason', 'no reason given')}")
    drifted = _drifted(client, account.stack)
    for each in drifted:
        changed = ", ".join(one["PropertyPath"] for one in each.get("PropertyDifferences", ()))
        yield Finding(True, f"{each['LogicalResourceId']} is {each['StackResourceDriftStatus']} {changed}")
    if not drifted:
        yield Finding(False, "nothing was changed beside CloudFormation")


def _drifted(client: Any, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    request: dict[str, Any] = {"StackName": name, "StackResourceDriftStatusFilters": ["MODIFIED", "DELETED"]}
    while True:
        page = client.describe_stack_resource_drifts(**request)
        found += page["StackResourceDrifts"]
        if not page.get("NextToken"):
            return found
        request["NextToken"] = page["NextToken"]


def functions(account: Account) -> Iterator[Finding]:
    """Whether `live` of every function leads to the code and the release that were deployed."""
    client, release = account.client("lambda"), account.parameters["Release"]
    deployed = [
        each["PhysicalResourceId"]
        for each in account.resources["AWS::Lambda::Function"]
        if each["LogicalResourceId"] != WITHOUT_ALIAS
    ]
    wrong = {name: reason for name in deployed if (reason := _not_live(client, name, release=release))}
    for name, reason in wrong.items():
        yield Finding(True, f"{name}: {reason}")
    yield Finding(False, f"{len(deployed) - len(wrong)} of {len(deployed)} functions are live at release {release}")


def _not_live(client: Any, name: str, *, release: str) -> str:
    try:
        live = client.get_function_configuration(FunctionName=name, Qualifier="live")
    except client.exceptions.ResourceNotFoundException:
        return "it has no alias live"
    routing = client.get_alias(FunctionName=name, Name="live").get("RoutingConfig") or {}
    if others := routing.get("AdditionalVersionWeights"):
        return f"a part of the calls still goes to version {', '.join(others)}"
    if live.get("State", "Active") != "Active":
        return f"version {live['Version']} is {live['State']}"
    if live["CodeSha256"] != client.get_function_configuration(FunctionName=name)["CodeSha256"]:
        return f"version {live['Version']} has other code than was deployed last"
    environment = live.get("Environment", {})
    if "Error" in environment:
        return f"its environment cannot be read: {environment['Error']['ErrorCode']}"
    runs = environment.get("Variables", {}).get("RELEASE", release)
    return "" if runs == release else f"version {live['Version']} is of release {runs}"


def database(account: Account) -> Iterator[Finding]:
    instance, given = account.database, account.parameters
    yield Finding(instance["DBInstanceStatus"] != "available", f"the instance is {instance['DBInstanceStatus']}")
    if pending := instance.get("PendingModifiedValues"):
        yield Finding(True, f"changes wait for the maintenance window: {', '.join(pending)}")
    known = given.get("RestoredResourceId") or instance["DbiResourceId"]
    if known != instance["DbiResourceId"]:
        yield Finding(True, f"roles may connect to {known}, the instance is {instance['DbiResourceId']}")
    answer = account.client("lambda").invoke(
        FunctionName=f"{account.stack}-migrate", Qualifier="live", Payload=json.dumps({"check": True}).encode()
    )
    held = json.loads(answer["Payload"].read())
    if "server" not in held:
        yield Finding(True, f"migrate cannot look at it: {held.get('message') or held.get('errorMessage')}")
        return
    versions = f"Postgres {held['server']}, pgvector {held['vector']}, {held['applied']} migrations"
    yield Finding(held["server"].split(".")[0] != given["PostgresVersion"].split(".")[0], versions)
    for name in held["pending"]:
        yield Finding(True, f"migration {name} was not applied")
    if held["vector"] != held["vector_available"]:
        yield Finding(True, f"pgvector {held['vector_available']} is there and not taken on")


def alarms(account: Account) -> Iterator[Finding]:
    names = [each["PhysicalResourceId"] for each in account.resources["AWS::CloudWatch::Alarm"]]
    found = account.client("cloudwatch").describe_alarms(AlarmNames=names, MaxRecords=100)["MetricAlarms"]
    for each in found:
        if each["StateValue"] != "OK":
            yield Finding(True, f"{each['AlarmName']} is {each['StateValue']}")
    quiet = sum(each["StateValue"] == "OK" for each in found)
    yield Finding(len(found) < len(names), f"{quiet} of {len(names)} alarms are OK")


def costs(account: Account) -> Iterator[Finding]:
    """Of the last seven whole days, by service."""
    today = datetime.now(UTC).date()
    days = account.client("ce").get_cost_and_usage(
        TimePeriod={"Start": str(today - timedelta(days=7)), "End": str(today)},
        Granularity="DAILY",
        Metrics=["UnblendedCost"],
        Filter={"Tags": {"Key": "aws:cloudformation:stack-name", "Values": [account.stack]}},
        GroupBy=[{"Type": "DIMENSION", "Key": "SERVICE"}],
    )["ResultsByTime"]
    services: dict[str, float] = {}
    for group in (group for day in days for group in day["Groups"]):
        amount = float(group["Metrics"]["UnblendedCost"]["Amount"])
        services[group["Keys"][0]] = services.get(group["Keys"][0], 0.0) + amount
    dearest = sorted(services.items(), key=lambda each: -each[1])[:5]
    told = ", ".join(f"{name} {amount:.2f}" for name, amount in dearest)
    # Where nothing is billed to the stack, its tag was not activated.
    yield Finding(not services, f"${sum(services.values()):.2f} in seven days: {told or 'activate the cost tags'}")
