"""golden_canary: asks the deployed service the golden questions as a client does, and reports what it got."""

import asyncio
import json
import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import quantiles
from typing import Any, Literal
from urllib.parse import urlsplit

import httpx2
from aws_lambda_powertools.utilities.data_classes import CloudFormationCustomResourceEvent
from botocore.exceptions import BotoCoreError, ClientError
from mcp import MCPError

from operations import custom_resource
from operations.golden.asking import ProbeFinding, Verdict, connected, probe_all, run_patiently, sample_year
from operations.golden.cases import load, load_probes
from quarry import observation
from quarry.data import aws
from quarry.data.credentials import secrets
from quarry.data.settings import Settings, settings
from quarry.observation import Metric
from quarry.tool.errors import Conflict, Unavailable
from quarry.tool.identity import Caller, LambdaContext
from quarry.tool.runtime import logger, operate

TIME_TO_FINISH_S = 15.0
"""This is left over before the function's own time-out, to report."""

LOOK_EVERY_S = 15.0
"""How often the alarm of a release is looked at; it stays for a minute at least."""

LOOPBACK = ("127.0.0.1", "localhost", "::1")
FAULTS_SHOWN = 3

Audit = Literal["intact", "broken", "not checked", "check failed"]


@dataclass(frozen=True, slots=True)
class Keys:
    """Bearer tokens of the canary's tenant and of a second one without data; ``origin`` is the endpoint's own key."""

    own: str | None = field(default=None, repr=False)
    other: str | None = field(default=None, repr=False)
    origin: str | None = field(default=None, repr=False)


@dataclass(slots=True)
class Examination:
    """``findings`` is None where nobody looked; ``lost`` is why the endpoint could not be examined to the end."""

    verdicts: list[Verdict] = field(default_factory=list)
    findings: list[ProbeFinding] | None = None
    lost: str | None = None
    audit: Audit = "not checked"

    @property
    def failures(self) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.faults]

    @property
    def denied(self) -> bool | None:
        return None if self.findings is None else not self.breaches

    @property
    def breaches(self) -> list[ProbeFinding]:
        return [finding for finding in self.findings or () if finding.state != "denied"]

    @property
    def p95_ms(self) -> float:
        times = [verdict.ms for verdict in self.verdicts]
        return quantiles(times, n=20, method="inclusive")[-1] if len(times) > 1 else sum(times)

    @property
    def passed(self) -> bool:
        apart, intact = self.denied is not False, self.audit in ("intact", "not checked")
        return self.lost is None and not self.failures and apart and intact


def run(event: dict[str, Any], caller: Caller, context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001
    """Returns a report; for a custom resource's event, the verdict on a release before or after it is published."""
    seconds = context.get_remaining_time_in_millis() / 1000 - TIME_TO_FINISH_S
    request = custom_resource.request_of(event)
    if request is None:
        configuration = settings()
        url = configuration.canary_mcp_url
        if url is not None and not _may_enter(configuration, url):
            logger("golden_canary").warning("canary_not_configured")
            return as_result(Examination()) | {"passed": "not checked"}
        observation.note(Metric.CANARY_PASSED, 0)  # stands unless all went well
        if url is None:
            raise Unavailable("CANARY_MCP_URL is not set: name the MCP endpoint to examine.")
        examination = examine(url, keys=_keys(configuration), folder=Path(configuration.golden_dir), seconds=seconds)
        examination.audit = _audit(configuration)
        measure(examination)
        return as_result(examination)
    seconds -= custom_resource.TIME_TO_ANSWER_S
    return custom_resource.fulfil(
        request, context, resource="watch" if _is_live(request) else "gate", work=lambda: _judge(request, seconds)
    )


def _is_live(request: CloudFormationCustomResourceEvent) -> bool:
    """Whether the release is published already and examined once more; the event names its tools' aliases then."""
    return "Live" in request.resource_properties


def _judge(request: CloudFormationCustomResourceEvent, seconds: float) -> dict[str, Any]:
    """Examines the preview, which calls what is not published yet, or the live endpoint. Raises Conflict if it fails.

    Both have their function's own address: that of a domain comes with the first release that has one, or even later.
    """
    configuration = settings()
    own = configuration.canary_live_mcp_url if _is_live(request) else configuration.canary_preview_mcp_url
    url = own or configuration.canary_mcp_url
    if url is None or not _may_enter(configuration, url):
        logger("golden_canary").warning("canary_not_configured")
        return {"Verdict": "not checked"}
    # A rollback restores a release that was judged before; a second verdict could stop the rollback halfway.
    (stack,) = aws.client("cloudformation").describe_stacks(StackName=request.stack_id)["Stacks"]
    if "ROLLBACK" in stack["StackStatus"]:
        return {"Verdict": "not checked"}
    watched = float(request.resource_properties.get("WatchSeconds", 0))
    keys = _keys(configuration)
    if own is not None and configuration.canary_origin_key is not None:
        keys = replace(keys, origin=configuration.canary_origin_key.get_secret_value())
    examination = examine(url, keys=keys, folder=Path(configuration.golden_dir), seconds=seconds - watched)
    if examination.passed and not (watched and _errs(request.resource_properties["Alarm"], watched)):
        return {"Verdict": "passed"}
    if request.resource_properties.get("Gate") == "reported":
        return {"Verdict": "failed"}
    if examination.passed:
        raise Conflict("The release is taken back: its functions fail unexpectedly, the log has where (call_failed).")
    failed = ", ".join(f"{verdict.case.tool}: {verdict.case.name}" for verdict in examination.failures)
    lost = f"the front was lost ({examination.lost})" if examination.lost else "tenants are not apart"
    raise Conflict(f"The release is refused, the log of golden_canary has the answers: {failed or lost}.")


def _errs(alarm: str, seconds: float) -> bool:
    """Watches the alarm on the release's own errors for ``seconds``, and returns whether it went off."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        time.sleep(min(LOOK_EVERY_S, seconds))
        (described,) = aws.client("cloudwatch").describe_alarms(AlarmNames=[alarm])["MetricAlarms"]
        if described["StateValue"] == "ALARM":
            logger("golden_canary").error("release_errs", extra={"alarm": alarm})
            return True
    return False


def _may_enter(configuration: Settings, url: str) -> bool:
    """Whether there are keys to ask with: they are made after the first deployment, so lacking them is no failure."""
    return configuration.canary_secret_id is not None or urlsplit(url).hostname in LOOPBACK


def _keys(configuration: Settings) -> Keys:
    """Reads the secret, a JSON object with `key` and, to try reading across tenants, `other_key`."""
    if configuration.canary_secret_id is None:
        return Keys()
    secrets().forget()  # a warm environment may outlive a key
    held = json.loads(secrets().read(configuration.canary_secret_id))
    return Keys(held.get("key") or None, held.get("other_key") or None)


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


def examine(url: str, *, keys: Keys, folder: Path, seconds: float) -> Examination:
    """Asks all cases and logs what is amiss; what is left after ``seconds`` counts as lost."""
    examination = Examination()
    try:
        asyncio.run(_ask_all(examination, url, keys=keys, folder=folder, seconds=seconds))
    except* (MCPError, OSError, TimeoutError, httpx2.HTTPError, httpx2.InvalidURL) as group:
        examination.lost = _first(group)
    for verdict in examination.failures:
        said = {"case": verdict.case.name, "case_of": verdict.case.tool, "faults": verdict.faults[:FAULTS_SHOWN]}
        logger("golden_canary").error("golden_case_failed", extra=said)
    for finding in examination.breaches:
        logger("golden_canary").error("tenants_not_apart", extra=asdict(finding))
    if examination.lost is not None:
        logger("golden_canary").error("endpoint_lost", extra={"reason": examination.lost})
    return examination


async def _ask_all(examination: Examination, url: str, *, keys: Keys, folder: Path, seconds: float) -> None:
    async with asyncio.timeout(seconds), connected(url, key=keys.own, origin_key=keys.origin) as own:
        for case in load(folder, year=await sample_year(own)):
            examination.verdicts.append(await run_patiently(own, case))
        if keys.other is not None:
            async with connected(url, key=keys.other, origin_key=keys.origin) as other:
                examination.findings = await probe_all(own, other, load_probes(folder))


def _first(group: BaseExceptionGroup[BaseException]) -> str:
    """Returns the type of the first error, without its text, which may hold secrets of the URL or the answer."""
    error = group.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else type(error).__name__


def measure(examination: Examination) -> None:
    """What was not checked gives no metric: neither a pass nor a failure."""
    observation.note(Metric.CANARY_PASSED, examination.passed)
    observation.note(Metric.CANARY_CASES, len(examination.verdicts))
    observation.note(Metric.CANARY_FAILURES, len(examination.failures))
    if examination.verdicts:
        observation.note(Metric.CANARY_LATENCY, examination.p95_ms)
    if examination.denied is not None:
        observation.note(Metric.CROSS_TENANT_DENIED, examination.denied)
    if examination.audit in ("intact", "broken"):
        observation.note(Metric.AUDIT_INTACT, examination.audit == "intact")


def as_result(examination: Examination) -> dict[str, Any]:
    cross_tenant = {None: "not checked", True: "denied", False: "not denied"}[examination.denied]
    return {
        "passed": examination.passed,
        "cases": len(examination.verdicts),
        "failures": [
            {"case": verdict.case.name, "tool": verdict.case.tool, "faults": verdict.faults[:FAULTS_SHOWN]}
            for verdict in examination.failures
        ],
        "lost": examination.lost,
        "p95_ms": round(examination.p95_ms, 1),
        "cross_tenant": cross_tenant,
        "cross_tenant_findings": [asdict(finding) for finding in examination.breaches],
        "audit": examination.audit,
    }


handler = operate("golden_canary", run)
