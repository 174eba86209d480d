"""The kinds of mutants of files: where each is made, and by what change."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tests.mutants.places import Place, Span, places

Change = tuple[Span, str]
Operator = Callable[[Place], Change | None]

TEMPLATE, DEPLOYER, MANIFEST, CONFIGURED = (
    "template.yaml",
    ".github/deployer.yaml",
    "proxy/manifest.json",
    "samconfig.toml",
)
WORKFLOWS = tuple(f".github/workflows/{name}.yml" for name in ("ci", "deploy", "deploy-stage", "emulated"))
STACKS = (TEMPLATE, DEPLOYER)


@dataclass(frozen=True, slots=True)
class Mutant:
    """``start`` to ``end`` of the file's text become ``text``."""

    kind: str
    file: str
    place: str
    start: int
    end: int
    text: str

    @property
    def name(self) -> str:
        return f"{self.kind}: {self.file} {self.place}"

    def of(self, text: str) -> str:
        return f"{text[: self.start]}{self.text}{text[self.end :]}"


@dataclass(frozen=True, slots=True)
class Kind:
    """``where`` is found in a place's path."""

    name: str
    files: tuple[str, ...]
    where: str
    change: Operator


def dropped(place: Place) -> Change | None:
    return (place.whole, "") if place.whole else None


def flipped(place: Place) -> Change | None:
    other = {"true": "false", "false": "true"}.get(place.value.strip('"'))
    return (place.value_span, other) if other else None


def halved(place: Place) -> Change | None:
    number = re.fullmatch(r'("?)(\d+)\1', place.value)
    return (place.value_span, f"{number[1]}{int(number[2]) // 2}{number[1]}") if number and number[2] != "0" else None


def tenfold(place: Place) -> Change | None:
    return (place.value_span, f"{place.value}0") if place.value.isdecimal() and place.value != "0" else None


def misnamed(place: Place) -> Change | None:
    return place.key_span, f"{place.key}_OF_OLD"


def all_of_its_service(place: Place) -> Change | None:
    service = re.fullmatch(r"([a-z0-9-]+):\w+", place.value)
    return (place.value_span, f'"{service[1]}:*"') if service else None


def written(text: str, *, only: str = ".*") -> Operator:
    def change(place: Place) -> Change | None:
        if not re.fullmatch(only, place.value, re.DOTALL) or place.value == text:
            return None
        return place.value_span, f"{text}\n" if place.value.endswith("\n") else text

    return change


def ended(suffix: str) -> Operator:
    """What a scalar says, and more."""

    def change(place: Place) -> Change | None:
        end = place.value_span[1]
        return ((end, end), suffix) if place.scalar and place.value[:1] not in "|\"'" else None

    return change


def by_a_tag(place: Place) -> Change | None:
    pinned = re.fullmatch(r"(\S+@)[0-9a-f]{40}", place.value)
    return (place.value_span, f"{pinned[1]}v4") if pinned else None


SAFE = (
    r"\.(\w*K[Mm][Ss]\w*|\w*Encrypt\w*|DB_SSLMODE|rds\.force_ssl|MinimumProtocolVersion|\w*SSL\w*|ViewerProtocolPolicy|"
    r"OriginProtocolPolicy|HttpTokens|EnableKeyRotation|ORIGIN_KEY|HeaderValue|AUTH_MODE|DB_AUTH|ManageMasterUserPassword)$"
)
CLOSED = r"\.(BlockPublic\w+|IgnorePublicAcls|RestrictPublicBuckets|PubliclyAccessible|aws:SecureTransport)$"
NETWORK = (
    r"\.(VpcConfig|SecurityGroup(In|E)gress|SourceSecurityGroupId|DestinationSecurityGroupId|VPCSecurityGroups|"
    r"SecurityGroupIds|FromPort|DBSubnetGroupName|GroupSet|SourceDestCheck)$"
)
KEPT = (
    r"\.(RetentionInDays|BackupRetentionPeriod|LoggingConfiguration|VersioningConfiguration|LifecycleConfiguration|"
    r"ExpirationInDays|NoncurrentVersionExpiration|DeletionProtection|CopyTagsToSnapshot|MessageRetentionPeriod|"
    r"OwnershipControls|LoggingFilter|RedactedFields(\[\w+\])?|MonitoringInterval|EnablePerformanceInsights)$"
)
RELEASED = (
    r"\.(AutoPublish\w+|VersionDescription|VersionDeletionPolicy|DeploymentPreference|Alarms|SnapStart|DeadLetterQueue|"
    r"EventInvokeConfig|RecursiveLoop|MaximumRetryAttempts|LoggingConfig|LogGroup|Tracing|Release|ServiceToken|Layers|"
    r"ReservedConcurrentExecutions|WatchSeconds|Gate|Live)$"
)
FRONT = r"^Resources\.(Proxy|Preview|Distribution|WebAcl|ViewerAddress)\.Properties\.(?!Environment)[^.]+\.?[^.\[]*$"
KINDS = (
    Kind("deletion policy dropped", (TEMPLATE,), r"^Resources\.\w+\.(DeletionPolicy|UpdateReplacePolicy)$", dropped),
    Kind("encryption or proof dropped", (TEMPLATE,), SAFE, dropped),
    Kind("access opened", (TEMPLATE,), CLOSED, flipped),
    Kind("switch flipped", (TEMPLATE,), rf"^(?!.*{CLOSED})", flipped),
    Kind("action widened", STACKS, r"\.Action(\[[^\]]+\])?$", all_of_its_service),
    Kind("action dropped", STACKS, r"\.Action\[[^\]]+\]$", dropped),
    Kind("statement dropped", STACKS, r"\.Statement\[[^\]]+\]$", dropped),
    Kind("resource widened", STACKS, r"\.Statement\[[^\]]+\]\.Resource(\[[^\]]+\])?$", written('"*"')),
    Kind("principal widened", STACKS, r"\.Principal$", written('"*"')),
    Kind("condition of a right dropped", STACKS, r"\.Statement\[[^\]]+\]\.Condition$", dropped),
    Kind("network opened or cut", (TEMPLATE,), NETWORK, dropped),
    Kind("addresses widened", (TEMPLATE,), r"\.(CidrIp|CidrBlock|DestinationCidrBlock)$", written("0.0.0.0/0")),
    Kind("number halved", (TEMPLATE,), r"^(Resources|Globals|Mappings)\..*[A-Za-z_]$", halved),
    Kind("alarm dropped in part", (TEMPLATE,), r"^Resources\.\w+Alarm\.Properties\.\w+$", dropped),
    Kind("threshold moved", (TEMPLATE,), r"Alarm\.Properties\.(Threshold|EvaluationPeriods)$", tenfold),
    Kind("variable dropped", (TEMPLATE,), r"Environment\.Variables\.\w+$", dropped),
    Kind("variable misnamed", (TEMPLATE,), r"Environment\.Variables\.\w+$", misnamed),
    Kind("dependency dropped", (TEMPLATE,), r"\.DependsOn(\[\w+\])?$", dropped),
    Kind("condition dropped", (TEMPLATE,), r"^Resources\.\w+\.Condition$", dropped),
    Kind("resource dropped", (TEMPLATE,), r"^Resources\.\w+$", dropped),
    Kind("release or log setting dropped", (TEMPLATE,), RELEASED, dropped),
    Kind("retention dropped", (TEMPLATE,), KEPT, dropped),
    Kind(
        "check of a parameter dropped", (TEMPLATE,), r"^(Parameters\.\w+\.(Allowed|Min|Max)\w+|Rules\.\w+)$", dropped
    ),
    Kind("handler misnamed", (TEMPLATE,), r"\.Handler$", ended("_of_old")),
    Kind("front's configuration dropped", (TEMPLATE,), FRONT, dropped),
    Kind(
        "event dropped or misdirected", (TEMPLATE,), r"\.(Events|Schedule|State|NotificationConfiguration)$", dropped
    ),
    Kind("pin moved", WORKFLOWS, r"\.uses$", by_a_tag),
    Kind("permissions widened", WORKFLOWS, r"^permissions(\.[\w-]+)?$", written("write-all", only=r"(?!write$).*")),
    Kind("step dropped", WORKFLOWS, r"\.steps\[[^\]]+\]$", dropped),
    Kind("step made harmless", WORKFLOWS, r"\.steps\[[^\]]+\]\.run$", ended(" || true")),
    Kind(
        "job's guard dropped",
        WORKFLOWS,
        r"^(jobs\.\w+\.(environment|needs|timeout-minutes|env\.\w+|with)|permissions|concurrency)$",
        dropped,
    ),
    Kind("answer's property dropped", (MANIFEST,), r"\.outputSchema(\.\w+|\[\w+\])*\.properties\.\w+$", dropped),
    Kind(
        "argument's check dropped",
        (MANIFEST,),
        r"\.inputSchema.*\.(max\w+|min\w+|pattern|enum|additional\w+)$",
        dropped,
    ),
    Kind("scope changed", (MANIFEST,), r"\.scope$", written('"knowledge:read"')),
    Kind("hint flipped", (MANIFEST,), r"\.(read_only|destructive|idempotent|open_world)$", flipped),
    Kind("time limit lowered", (MANIFEST,), r"\.timeout_s$", halved),
    Kind("prompt or resource dropped", (MANIFEST,), r"^(prompts|resources|resource_templates)\[[^\]]+\]$", dropped),
    Kind("configured line dropped", (CONFIGURED,), r"", dropped),
)
FILES = tuple(dict.fromkeys(file for kind in KINDS for file in kind.files))


def mutants(file: str, text: str) -> Iterator[Mutant]:
    """All of the file, by kind."""
    found = list(lines(text) if file.endswith(".toml") else places(text))
    for kind in (each for each in KINDS if file in each.files):
        yield from _of_kind(kind, file, found)


def _of_kind(kind: Kind, file: str, found: Iterable[Place]) -> Iterator[Mutant]:
    seen: dict[str, int] = {}
    for place in found:
        if not re.search(kind.where, place.path) or (change := kind.change(place)) is None:
            continue
        # Two items of a list may have one name.
        number = seen[place.path] = seen.get(place.path, 0) + 1
        label = place.path if number == 1 else f"{place.path} ({number})"
        (start, end), text = change
        yield Mutant(kind.name, file, label, start, end, text)


def lines(text: str) -> Iterator[Place]:
    """Of TOML, those that set something."""
    section = ""
    for found in re.finditer(r"^(?:\[(?P<section>[\w.]+)\]|(?P<key>\w+) = .*)\n", text, re.MULTILINE):
        section = found["section"] or section
        if found["key"]:
            path = f"{section}.{found['key']}"
            yield Place(path, found["key"], found[0], found.span(), (0, 0), found.span(), scalar=True)
