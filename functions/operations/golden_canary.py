"""golden_canary: asks the deployed service the golden questions as a client does, and reports what it got."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from aws_lambda_powertools.utilities.data_classes import CloudFormationCustomResourceEvent
from botocore.exceptions import BotoCoreError, ClientError

from operations import custom_resource
from operations.golden.examination import FAULTS_SHOWN, Audit, Examination, Keys, as_result, examine, measure
from quarry.data import aws
from quarry.data.credentials import forget_secrets, read_secret
from quarry.data.settings import Settings, settings
from quarry.observation import metrics
from quarry.observation.metrics import Metric
from quarry.tool.errors import Conflict, Unavailable
from quarry.tool.identity import Caller, LambdaContext
from quarry.tool.runtime import logger, operate

TIME_TO_FINISH_S = 15.0
"""Left over before the function's own time-out, to report."""

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def run(event: dict[str, Any], caller: Caller, context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001
    """A report; as a custom resource's event, before a release is published, the verdict on it instead."""
    seconds = context.get_remaining_time_in_millis() / 1000 - TIME_TO_FINISH_S
    request = custom_resource.request_of(event)
    if request is None:
        return _inspect(seconds)
    seconds -= custom_resource.TIME_TO_ANSWER_S
    return custom_resource.fulfil(request, context, resource="gate", work=lambda: _judge(request, seconds))


def _inspect(seconds: float) -> dict[str, Any]:
    configuration = settings()
    metrics.note(Metric.CANARY_PASSED, 0)  # stands unless all went well
    if configuration.canary_mcp_url is None:
        raise Unavailable("CANARY_MCP_URL is not set: name the MCP endpoint to examine.")
    keys = _keys(configuration, url=configuration.canary_mcp_url)
    examination = _examine(configuration, configuration.canary_mcp_url, keys, seconds)
    audit = _audit(configuration)
    measure(examination, audit)
    return as_result(examination, audit)


def _judge(request: CloudFormationCustomResourceEvent, seconds: float) -> dict[str, Any]:
    """Asks the preview, which calls code that is not published yet. Raises Conflict when the release must not be."""
    configuration = settings()
    url = configuration.canary_preview_mcp_url or configuration.canary_mcp_url
    if url is None or (configuration.canary_secret_id is None and not _is_loopback(url)):
        # Keys are made after the first deployment; until then nothing could ever be deployed.
        logger("golden_canary").warning("canary_not_configured")
        return {"Verdict": "not checked"}
    if _rolls_back(request.stack_id):
        return {"Verdict": "not checked"}
    examination = _examine(configuration, url, _keys(configuration, url=url), seconds)
    if examination.passed:
        return {"Verdict": "passed"}
    if request.resource_properties.get("Gate") == "reported":
        return {"Verdict": "failed"}
    failed = ", ".join(f"{verdict.case.tool}: {verdict.case.name}" for verdict in examination.failures)
    lost = f"the preview was lost ({examination.lost})" if examination.lost else "tenants are not apart"
    raise Conflict(f"The release is refused, the log of golden_canary has the answers: {failed or lost}.")


def _rolls_back(stack_id: str) -> bool:
    """What a stack goes back to was judged when it came; a second verdict could leave it neither old nor new."""
    (stack,) = aws.client("cloudformation").describe_stacks(StackName=stack_id)["Stacks"]
    return "ROLLBACK" in stack["StackStatus"]


def _examine(configuration: Settings, url: str, keys: Keys, seconds: float) -> Examination:
    examination = examine(url, keys=keys, folder=Path(configuration.golden_dir), seconds=seconds)
    for verdict in examination.failures:
        said = {"case": verdict.case.name, "case_of": verdict.case.tool, "faults": verdict.faults[:FAULTS_SHOWN]}
        logger("golden_canary").error("golden_case_failed", extra=said)
    for finding in examination.findings or ():
        if finding.state != "denied":
            said = {"probe": finding.probe, "state": finding.state, "reason": finding.reason}
            logger("golden_canary").error("tenants_not_apart", extra=said)
    if examination.lost is not None:
        logger("golden_canary").error("endpoint_lost", extra={"reason": examination.lost})
    return examination


def _keys(configuration: Settings, *, url: str) -> Keys:
    """From the secret, a JSON object with `key` and, to try reading across tenants, `other_key`."""
    if configuration.canary_secret_id is None:
        if not _is_loopback(url):
            raise Unavailable("CANARY_SECRET_ID is not set: without a key the canary cannot enter.")
        return Keys()
    forget_secrets()  # an environment may outlive a key
    held = json.loads(read_secret(configuration.canary_secret_id))
    return Keys(held.get("key") or None, held.get("other_key") or None)


def _is_loopback(url: str) -> bool:
    return urlsplit(url).hostname in LOOPBACK


def _audit(configuration: Settings) -> Audit:
    if configuration.audit_function is None:
        return "not checked"
    try:
        answer = aws.client("lambda").invoke(FunctionName=configuration.audit_function, Payload=b"{}")
        verdict = json.loads(answer["Payload"].read())
    except (BotoCoreError, ClientError, ValueError) as error:
        logger("golden_canary").error("audit_check_failed", extra={"reason": type(error).__name__})
        return "check failed"
    if "FunctionError" in answer or not isinstance(verdict.get("intact"), bool):
        logger("golden_canary").error("audit_check_failed", extra={"reason": verdict.get("code", "FunctionError")})
        return "check failed"
    return "intact" if verdict["intact"] else "broken"


handler = operate("golden_canary", run)
