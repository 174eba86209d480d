"""template.yaml, resource by resource: what every bucket, key, alarm, role, function and route has."""

import ipaddress
import math
import re
from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import pytest

from local.files import ROOT
from local.lambda_api.intrinsics import Resolver, StackValues
from proxy.settings import Settings as FrontSettings
from quarry.data.settings import Settings
from quarry.observation.metrics import NAMESPACE
from tests.contract.test_deployment_stack import (
    FRONTS,
    FUNCTIONS,
    RESOURCES,
    ROLES,
    TEMPLATE,
    listed,
    of_type,
    references,
    statements,
)

KEY = {"Fn::GetAtt": ["Key", "Arn"]}
PROPERTIES = {name: resource.get("Properties", {}) for name, resource in RESOURCES.items()}
STANDARD: dict[str, dict[str, Any]] = {
    "AWS::S3::Bucket": {
        "PublicAccessBlockConfiguration": dict.fromkeys(
            ("BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"), True
        ),
        "OwnershipControls": {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]},
        "VersioningConfiguration": {"Status": "Enabled"},
    },
    "AWS::SNS::Topic": {"KmsMasterKeyId": KEY},
    "AWS::SQS::Queue": {"KmsMasterKeyId": KEY, "MessageRetentionPeriod": 1_209_600},
    "AWS::Logs::LogGroup": {
        "KmsKeyId": KEY,
        "RetentionInDays": {"Fn::FindInMap": ["Stages", {"Ref": "Stage"}, "LogDays"]},
    },
    "AWS::SecretsManager::Secret": {
        "KmsKeyId": KEY,
        "GenerateSecretString": {"PasswordLength": 64, "ExcludePunctuation": True},
    },
    "AWS::KMS::Key": {"EnableKeyRotation": True},
    "AWS::RDS::DBInstance": {
        **dict.fromkeys(
            (
                *("StorageEncrypted", "ManageMasterUserPassword", "EnableIAMDatabaseAuthentication"),
                *("CopyTagsToSnapshot", "AutoMinorVersionUpgrade", "EnablePerformanceInsights"),
            ),
            True,
        ),
        **dict.fromkeys(("KmsKeyId", "PerformanceInsightsKMSKeyId"), KEY),
        "MasterUserSecret": {"KmsKeyId": KEY},
        "PubliclyAccessible": False,
        "MonitoringInterval": 60,
        "MaxAllocatedStorage": 1000,
        "VPCSecurityGroups": [{"Fn::GetAtt": ["DatabaseSecurityGroup", "GroupId"]}],
        "DBSubnetGroupName": {"Ref": "DatabaseSubnets"},
        "DBParameterGroupName": {"Ref": "DatabaseParameters"},
    },
    "AWS::RDS::DBParameterGroup": {
        "Parameters": {
            "rds.force_ssl": "1",
            "shared_preload_libraries": "pg_stat_statements",
            "log_min_duration_statement": "1000",
            # Statements carry tenants' words.
            "log_parameter_max_length": "0",
            "log_parameter_max_length_on_error": "0",
            "idle_in_transaction_session_timeout": "60000",
            "rds.log_retention_period": "10080",
        }
    },
    "AWS::EC2::Instance": {
        "MetadataOptions": {"HttpTokens": "required"},
        "BlockDeviceMappings": [
            {"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 8, "VolumeType": "gp3", "Encrypted": True}}
        ],
    },
    "AWS::EC2::VPC": {"EnableDnsHostnames": True},
    "AWS::Serverless::LayerVersion": {"RetentionPolicy": "Delete"},
}
"""By type, what each resource of it has to say in so many words."""


@pytest.mark.parametrize("name", [name for name, each in RESOURCES.items() if each["Type"] in STANDARD])
def test_a_resource_is_as_every_one_of_its_type(name: str) -> None:
    wanted = STANDARD[RESOURCES[name]["Type"]]
    assert {key: PROPERTIES[name].get(key) for key in wanted} == wanted


BUCKETS = of_type("AWS::S3::Bucket")
LOGS = "AccessLogBucket"


@pytest.mark.parametrize("name", BUCKETS)
def test_a_bucket_is_encrypted_logged_tidied_and_reached_by_tls_alone(name: str) -> None:
    (rule,) = PROPERTIES[name]["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    ours = {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": KEY}
    # S3 writes its access logs under no key of ours.
    assert rule["ServerSideEncryptionByDefault"] == (ours if name != LOGS else {"SSEAlgorithm": "AES256"})
    assert rule.get("BucketKeyEnabled", False) is (name != LOGS)
    logging = PROPERTIES[name].get("LoggingConfiguration", {})
    assert logging.get("DestinationBucketName") == ({"Ref": LOGS} if name != LOGS else None)
    rules = PROPERTIES[name]["LifecycleConfiguration"]["Rules"]
    assert {each["Status"] for each in rules} == {"Enabled"}
    # What was printed and signed is kept in every version.
    assert any("NoncurrentVersionExpiration" in each for each in rules) is (name != "DocumentBucket")
    assert name == LOGS or any("AbortIncompleteMultipartUpload" in each for each in rules)
    (policy,) = [each for each in of_type("AWS::S3::BucketPolicy") if PROPERTIES[each]["Bucket"] == {"Ref": name}]
    refused = PROPERTIES[policy]["PolicyDocument"]["Statement"][0]
    assert refused == {
        "Sid": "TlsOnly",
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:*",
        "Resource": [{"Fn::GetAtt": [name, "Arn"]}, {"Fn::Sub": f"${{{name}.Arn}}/*"}],
        "Condition": {"Bool": {"aws:SecureTransport": False}},
    }


def test_what_is_kept_when_it_is_deleted_is_kept_when_it_is_replaced() -> None:
    for name, resource in RESOURCES.items():
        kept = {resource.get("DeletionPolicy", "").removesuffix("ExceptOnCreate")}
        assert kept == {resource.get("UpdateReplacePolicy", "")}, name


def documents(node: object) -> Iterator[dict[str, Any]]:
    """Every policy of the template, wherever it stands."""
    if isinstance(node, dict):
        if "Statement" in node and "Version" in node:
            yield node
        for value in node.values():
            yield from documents(value)
    elif isinstance(node, list):
        for item in node:
            yield from documents(item)


ALL_STATEMENTS = [
    (name, each["Fn::If"][1] if "Fn::If" in each else each)
    for name, resource in RESOURCES.items()
    for document in documents(resource)
    for each in document["Statement"]
]


def test_nobody_is_everybody_and_no_action_is_all_but_where_something_is_refused() -> None:
    """But the key's own policy, by which the account says by IAM who uses it."""
    allowing = [(name, each) for name, each in ALL_STATEMENTS if each["Effect"] == "Allow"]
    assert [name for name, each in allowing if each.get("Principal") in ("*", {"AWS": "*"})] == []
    all_of_a_service = {name for name, each in allowing for action in listed(each["Action"]) if action.endswith(":*")}
    assert all_of_a_service == {"Key"}
    assert {name for name, each in allowing if each.get("Resource") == "*"} == {"Key", "FunctionNetwork"}
    assert {name for name, each in ALL_STATEMENTS if each["Effect"] == "Deny"} == {
        *of_type("AWS::S3::BucketPolicy"),
        "FunctionNetwork",
    }


def test_a_service_that_works_for_others_too_does_so_here_for_this_account_alone() -> None:
    """Lambda and CodeDeploy take a role only where the account's own people passed it."""
    own = {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}
    passed = {"lambda.amazonaws.com", "edgelambda.amazonaws.com", "codedeploy.amazonaws.com"}
    for name, each in ALL_STATEMENTS:
        service = each.get("Principal", {}).get("Service") if isinstance(each.get("Principal"), dict) else None
        if isinstance(service, dict):  # CloudWatch's logs, by the group that they are of
            assert each["Condition"]["ArnLike"].keys() == {"kms:EncryptionContext:aws:logs:arn"}
        elif service and not set(listed(service)) <= passed:
            assert each["Condition"] == {"StringEquals": own}, name
    permission = PROPERTIES["IngestPermission"]
    assert (permission["Principal"], permission["Action"]) == ("s3.amazonaws.com", "lambda:InvokeFunction")
    assert (permission["SourceAccount"], "SourceArn" in permission) == ({"Ref": "AWS::AccountId"}, True)


@pytest.mark.parametrize("role", ROLES)
def test_a_role_is_taken_by_its_service_and_by_no_other_action(role: str) -> None:
    (trust,) = PROPERTIES[role]["AssumeRolePolicyDocument"]["Statement"]
    assert (trust["Effect"], trust["Action"]) == ("Allow", "sts:AssumeRole")


MAKES_DATA = {"s3:PutObject", "sqs:SendMessage", "sns:Publish"}


@pytest.mark.parametrize("role", [name for name, each in ROLES.items() if "Policies" in each["Properties"]])
def test_a_role_may_use_the_key_as_far_as_what_it_reads_and_writes_asks_for_it(role: str) -> None:
    held = {action for each in statements(ROLES[role]) for action in listed(each["Action"])}
    wanted = {"kms:Decrypt"} | ({"kms:GenerateDataKey"} if held & MAKES_DATA else set())
    assert {action for action in held if action.startswith("kms:")} == wanted


def test_functions_in_the_network_keep_what_failed_and_may_send_it() -> None:
    queue = {"Fn::GetAtt": ["FailedEvents", "Arn"]}
    for name, function in FUNCTIONS.items():
        role = function["Role"]["Fn::GetAtt"][0]
        sends = [each["Resource"] for each in statements(ROLES[role]) if each["Action"] == "sqs:SendMessage"]
        kept = {"Type": "SQS", "TargetArn": queue} if name not in FRONTS else None
        assert (function.get("DeadLetterQueue"), sends) == (kept, [queue] if kept else []), name


OF_LIBRARIES = {"OPENAI_BASE_URL", "PYDANTIC_DISABLE_PLUGINS"}


def variables_of(name: str) -> dict[str, Any]:
    found: dict[str, Any] = FUNCTIONS[name]["Environment"]["Variables"]
    return found


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_variable_is_a_setting_that_its_function_has(name: str) -> None:
    model: Any = FrontSettings if name in FRONTS else Settings
    known = {field.upper() for field in model.model_fields} | OF_LIBRARIES
    assert variables_of(name).keys() - known == set()


GLOBALS = TEMPLATE["Globals"]["Function"]["Environment"]["Variables"]


def test_functions_are_told_of_the_database_the_provider_and_the_release() -> None:
    assert GLOBALS.keys() == {
        *("STACK", "RELEASE", "DB_HOST", "DB_PORT", "DB_NAME", "DB_AUTH", "DB_SSLMODE", "DB_USER", "DB_PASSWORD"),
        *("EMBEDDING_MODEL", "EMBEDDING_DIMENSIONS", "OPENAI_BASE_URL", "OPENAI_SECRET_ID", "OPENAI_API_KEY"),
        *(
            "DEFAULT_TENANT",
            "LOG_LEVEL",
            "PYDANTIC_DISABLE_PLUGINS",
        ),
    }
    assert (GLOBALS["DB_AUTH"], GLOBALS["DB_USER"]) == ("iam", "quarry_read")


TOLD = {"TemplateBucket", "DocumentBucket", "ApprovalKey", "ApprovalTopic"}
SHARED = {"ReadRole"}
"""Its functions do not all need what it reaches."""


def reached(role: str) -> set[str]:
    """Buckets, topics, and secrets: what a function cannot find without being told where it is."""
    found = {name for each in statements(ROLES[role]) for name in references(each["Resource"])}
    return {name for name in found if name in TOLD or name.endswith("Secret")}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_told_of_what_its_role_reaches_and_reaches_what_it_is_told_of(name: str) -> None:
    role = FUNCTIONS[name]["Role"]["Fn::GetAtt"][0]
    told = {each for value in variables_of(name).values() for each in references(value)}
    told = {each for each in told if each in TOLD or each.endswith("Secret")}
    # The page hands on links that others signed for it.
    missing = reached(role) - told - ({"DocumentBucket"} if role == "ApprovalPageRole" else set())
    assert role in SHARED or missing == set()
    own = {each for key, value in variables_of(name).items() if key not in GLOBALS for each in references(value)}
    own = {each for each in own if each in TOLD or each.endswith("Secret")}
    assert own - reached(role) == set()


FILES = {"TemplatesLayer": "TEMPLATES_DIR", "MigrationsLayer": "MIGRATIONS_DIR", "GoldenLayer": "GOLDEN_DIR"}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_with_files_in_a_layer_is_told_where_they_are(name: str) -> None:
    layers = {each["Ref"] for each in FUNCTIONS[name].get("Layers", [])}
    assert {FILES[each] for each in layers & FILES.keys()} == variables_of(name).keys() & set(FILES.values())


def test_the_owner_alone_comes_with_a_password() -> None:
    by_secret = {name for name in FUNCTIONS if variables_of(name).get("DB_AUTH") == "secret"}
    assert by_secret == {name for name in FUNCTIONS if variables_of(name).get("DB_USER") == "quarry_owner"}
    assert (
        by_secret
        == {name for name in FUNCTIONS if "DB_SECRET_ID" in variables_of(name)}
        == {"Migrate", "MaintainSearch"}
    )


OF_THE_PREVIEW = {"FunctionName", "ReservedConcurrentExecutions", "Environment"}
OF_WHAT_IS_LIVE = {
    *("AutoPublishAlias", "AutoPublishCodeSha256", "VersionDeletionPolicy", "SnapStart", "DeploymentPreference"),
}


def test_the_preview_is_the_front_but_for_whom_it_asks_and_lets_in() -> None:
    front, preview = PROPERTIES["Proxy"], PROPERTIES["Preview"]
    assert front.keys() - preview.keys() == OF_WHAT_IS_LIVE
    assert {name for name in preview if preview[name] != front.get(name)} == OF_THE_PREVIEW
    ours, theirs = variables_of("Proxy"), variables_of("Preview")
    assert ours.keys() == theirs.keys()
    assert {name for name in ours if ours[name] != theirs[name]} == {"FUNCTION_QUALIFIER", "ORIGIN_KEY"}
    assert (ours["FUNCTION_QUALIFIER"], theirs["FUNCTION_QUALIFIER"]) == ("live", "$LATEST")
    assert ours["AUTH_MODE"] == {"Ref": "AuthMode"}
    assert "none" not in TEMPLATE["Parameters"]["AuthMode"]["AllowedValues"]


def test_the_front_is_told_all_that_a_stack_may_say_of_it() -> None:
    assert variables_of("Proxy").keys() == {
        *("STACK", "RELEASE", "FUNCTION_PREFIX", "FUNCTION_QUALIFIER", "ORIGIN_KEY", "TEMPLATE_BUCKET"),
        *("TEMPLATE_PREFIX", "DEFAULT_TENANT", "AUTH_MODE", "REFUSAL_HOLD_SECONDS", "SHARE_TENANT_RATES"),
        *("ALLOWED_HOSTS", "PUBLIC_URL", "OAUTH_ISSUER", "OAUTH_AUDIENCE", "OAUTH_CLIENT_IDS", "OAUTH_JWKS_URL"),
        *("OAUTH_TENANT_CLAIM", "OAUTH_SCOPE_CLAIM", "OAUTH_SCOPE_PREFIX", "PYDANTIC_DISABLE_PLUGINS"),
    }


def test_only_front_preview_and_page_have_an_address() -> None:
    addressed = {name: each["FunctionUrlConfig"] for name, each in FUNCTIONS.items() if "FunctionUrlConfig" in each}
    assert addressed.keys() == {*FRONTS, "ApprovalPage"}
    assert {each["AuthType"] for each in addressed.values()} == {"NONE"}


KEPT = {"dev": (20, 1, 7), "staging": (50, 7, 30), "prod": (100, 30, 90)}
"""By stage the gigabytes of the database at first, and for how many days its backups and the logs are kept."""


def test_a_stage_keeps_backups_and_logs_for_as_long_as_was_decided_and_a_restored_database_does_too() -> None:
    stages = TEMPLATE["Mappings"]["Stages"]
    sizes = {name: (each["StorageGb"], each["BackupDays"], each["LogDays"]) for name, each in stages.items()}
    assert sizes == KEPT
    restore = (ROOT / "docs/RUNBOOK.md").read_text("utf-8")
    assert f"--backup-retention-period {KEPT['prod'][1]} " in restore


ALARMS = of_type("AWS::CloudWatch::Alarm")
FAILURES = {"InternalErrors", "Errors", "Throttles", "DeadLetters", "ApproximateNumberOfMessagesVisible"}
"""Of which one is one too many."""
TOLERATED = {
    "Latency": (3000, 900),
    "Degraded": (10, 300),
    "QueueDepth": (1000, 3600),
    "CanaryPassed": (1, 3600),
    "CPUUtilization": (85, 900),
    "FreeStorageSpace": (5_000_000_000, 300),
    "CPUCreditBalance": (20, 900),
    "DatabaseConnections": (None, 300),
    "FreeableMemory": (None, 900),
}
"""How much and for how many seconds, as RUNBOOK.md tells; None comes out of the stage's sizes."""
LACKS = {"CanaryPassed", "FreeStorageSpace", "CPUCreditBalance", "FreeableMemory"}
"""Alarms when there is too little."""
OF_WHAT = {
    NAMESPACE: "Stack",
    "AWS/Lambda": "FunctionName",
    "AWS/RDS": "DBInstanceIdentifier",
    "AWS/SQS": "QueueName",
}


@pytest.mark.parametrize("name", ALARMS)
def test_an_alarm_goes_off_when_the_runbook_says_and_tells_when_it_is_over(name: str) -> None:
    alarm = PROPERTIES[name]
    metric, seconds = alarm["MetricName"], alarm["Period"] * alarm["EvaluationPeriods"]
    if metric in FAILURES:
        assert (alarm["Threshold"], alarm["EvaluationPeriods"]) == (0, 1)
        assert seconds <= (60 if "Release" in name else 3600)
    else:
        threshold = alarm["Threshold"]
        assert (threshold if isinstance(threshold, int) else None, seconds) == TOLERATED[metric]
    less = "LessThanThreshold" if metric in LACKS else "GreaterThanThreshold"
    assert alarm["ComparisonOperator"] == less
    # Nothing said of a canary is as bad as a failure; of all else it is that nobody called.
    assert alarm["TreatMissingData"] == ("breaching" if metric == "CanaryPassed" else "notBreaching")
    assert alarm["OKActions"] == alarm["AlarmActions"] == [{"Ref": "Alarms"}]
    assert OF_WHAT[alarm["Namespace"]] in {each["Name"] for each in alarm["Dimensions"]}
    assert ("Statistic" in alarm) is ("ExtendedStatistic" not in alarm)
    assert alarm["AlarmDescription"]


GROUPS = of_type("AWS::EC2::SecurityGroup")


def test_nothing_comes_in_but_between_groups_and_nothing_goes_out_but_to_https_and_the_database() -> None:
    for name in GROUPS:
        for rule in PROPERTIES[name].get("SecurityGroupIngress", []):
            assert "SourceSecurityGroupId" in rule
            assert (rule["FromPort"], rule["ToPort"]) == (443, 443)
        assert ("SecurityGroupIngress" in PROPERTIES[name]) is (name == "NatInstanceSecurityGroup"), (
            "its own resource"
        )
        (out,) = PROPERTIES[name]["SecurityGroupEgress"]
        if name == "DatabaseSecurityGroup":
            assert (out["CidrIp"], out["IpProtocol"]) == ("127.0.0.1/32", "-1"), "nowhere"
        else:
            assert (out["IpProtocol"], out["FromPort"], out["ToPort"]) == ("tcp", 443, 443)
    functions, database = ({"Fn::GetAtt": [f"{name}SecurityGroup", "GroupId"]} for name in ("Function", "Database"))
    port = {"IpProtocol": "tcp", "FromPort": 5432, "ToPort": 5432}
    out, into = PROPERTIES["FunctionToDatabase"], PROPERTIES["DatabaseFromFunction"]
    assert {name: out.get(name) for name in port} == {name: into.get(name) for name in port} == port
    assert (out["GroupId"], out["DestinationSecurityGroupId"]) == (functions, database)
    assert (into["GroupId"], into["SourceSecurityGroupId"]) == (database, functions)


def test_subnets_lie_apart_in_their_network_and_each_has_its_routes() -> None:
    blocks = [PROPERTIES[name]["CidrBlock"] for name in of_type("AWS::EC2::Subnet")]
    assert len(blocks) == 4
    network = ipaddress.IPv4Network(PROPERTIES["Vpc"]["CidrBlock"])
    assert (network.is_private, network.prefixlen) == (True, 16)
    assert f"ip saddr {network} masquerade" in PROPERTIES["NatInstance"]["UserData"]["Fn::Base64"]
    networks = [ipaddress.IPv4Network(block) for block in blocks]
    assert all(each.subnet_of(network) for each in networks)
    assert not [pair for pair in combinations(networks, 2) if pair[0].overlaps(pair[1])]
    routed = {PROPERTIES[name]["SubnetId"]["Ref"] for name in of_type("AWS::EC2::SubnetRouteTableAssociation")}
    assert routed == of_type("AWS::EC2::Subnet").keys()
    private = {"Ref": "PrivateSubnetA"}, {"Ref": "PrivateSubnetB"}
    inside = TEMPLATE["Globals"]["Function"]["VpcConfig"]["SubnetIds"], PROPERTIES["DatabaseSubnets"]["SubnetIds"]
    assert [each["Fn::If"][1] for each in inside] == [[*private], [*private]]
    assert {each["Properties"]["DestinationCidrBlock"] for each in of_type("AWS::EC2::Route").values()} == {
        "0.0.0.0/0"
    }


def test_what_has_a_public_address_waits_for_the_gateway_to_the_internet() -> None:
    for name in (*of_type("AWS::EC2::EIP"), "PublicRoute"):
        assert RESOURCES[name]["DependsOn"] == "InternetGatewayAttachment"
    assert set(RESOURCES["NatInstance"]["DependsOn"]) == {"PublicRoute", "PublicRoutesA"}


def test_what_is_needed_before_it_is_named_nowhere_is_waited_for() -> None:
    """A function may connect before its network's rules are there, a bucket not announce its files yet."""
    assert set(RESOURCES["Migrations"]["DependsOn"]) == {"FunctionToDatabase", "DatabaseFromFunction", "MigrateOnce"}
    assert set(RESOURCES["PublishedTemplates"]["DependsOn"]) == {"TemplateBucketPolicy", "PublishTemplatesOnce"}
    assert RESOURCES["IngestBucket"]["DependsOn"] == "IngestPermission"
    assert RESOURCES["DatabaseEvents"]["DependsOn"] == "AlarmsPolicy"


CHOICES: dict[str, tuple[str, ...]] = {
    "Stage": ("dev", "staging", "prod"),
    "VpcId": ("", "vpc-1"),
    "DomainName": ("", "mcp.example.com"),
    "WebAclArn": ("", "arn"),
    "ChallengeFunctionArn": ("", "arn"),
}
STACKS = [dict(zip(CHOICES, chosen, strict=True)) for chosen in product(*CHOICES.values())]


def chosen(node: object, resolver: Resolver) -> object:
    """The node without what another configuration would take."""
    if isinstance(node, dict):
        if "Fn::If" in node:
            condition, yes, no = node["Fn::If"]
            return chosen(yes if resolver.condition(condition) else no, resolver)
        return {key: chosen(value, resolver) for key, value in node.items()}
    return [chosen(item, resolver) for item in node] if isinstance(node, list) else node


def test_whatever_is_made_of_a_stack_names_only_what_is_made_too() -> None:
    for parameters in STACKS:
        resolver = Resolver(TEMPLATE, StackValues(parameters=parameters))
        made = {
            name
            for name, each in RESOURCES.items()
            if "Condition" not in each or resolver.condition(each["Condition"])
        }
        for name in made:
            named = set(references(chosen(RESOURCES[name].get("Properties", {}), resolver))) & RESOURCES.keys()
            assert named <= made, (name, parameters)


def test_a_resource_that_is_about_a_parameter_is_made_only_where_it_is_given() -> None:
    """A budget of nothing, a subscription of nobody."""
    optional = {name for name, each in TEMPLATE["Parameters"].items() if each.get("Default") in ("", 0)}
    for name, resource in RESOURCES.items():
        if not resource["Type"].startswith(("AWS::Serverless::", "AWS::CloudFormation::", "AWS::IAM::")):
            about = set(references(without_choices(resource.get("Properties", {})))) & optional
            assert not about or "Condition" in resource, (name, about)


def without_choices(node: object) -> object:
    if isinstance(node, dict):
        return {key: without_choices(value) for key, value in node.items() if key != "Fn::If"}
    return [without_choices(item) for item in node] if isinstance(node, list) else node


REFUSED = {
    "Stage": "test",
    "Release": "latest",
    "Architecture": "arm",
    "DatabaseName": 'a"b',
    "RestoredResourceId": "quarry",
    "EmbeddingDimensions": "2001",
    "Reembed": "yes",
    "AuthMode": "none",
    "RequestsPerAddress": "9",
    "FrontConcurrency": "-1",
    "FunctionConcurrency": "-1",
    "Protected": "yes",
    "Gate": "off",
    "Tracing": "Off",
    "MonthlyBudget": "-1",
}


def takes(parameter: dict[str, Any], value: str) -> bool:
    """Whether CloudFormation lets the value in."""
    if parameter["Type"] == "Number":
        least, most = parameter.get("MinValue", -math.inf), parameter.get("MaxValue", math.inf)
        return bool(least <= float(value) <= most)
    allowed = value in parameter.get("AllowedValues", [value])
    return allowed and re.fullmatch(parameter.get("AllowedPattern", ".*"), value) is not None


@pytest.mark.parametrize(("name", "value"), REFUSED.items(), ids=REFUSED)
def test_a_value_that_no_stack_could_have_is_refused_before_anything_is_made(name: str, value: str) -> None:
    parameter = TEMPLATE["Parameters"][name]
    assert not takes(parameter, value)
    assert takes(parameter, str(parameter["Default"]))


INCOMPLETE = {
    "TokensNeedAnIssuer": {"AuthMode": "oauth"},
    "AnExistingVpcComesWithItsSubnets": {"VpcId": "vpc-1"},
    "ARestoredInstanceComesWithItsSecret": {"RestoredResourceId": "db-A"},
    "ZonesComeInPairs": {"ZoneA": "a"},
    "ADomainComesWithItsCertificate": {"DomainName": "mcp.example.com"},
    "ABudgetTellsSomebody": {"MonthlyBudget": "10"},
}


@pytest.mark.parametrize(("rule", "parameters"), INCOMPLETE.items(), ids=INCOMPLETE)
def test_what_goes_together_is_given_together(rule: str, parameters: dict[str, str]) -> None:
    resolver = Resolver(TEMPLATE, StackValues(parameters=parameters))
    said = TEMPLATE["Rules"][rule]
    assert resolver.value(said.get("RuleCondition", {"Fn::Equals": ["", ""]}))
    assert not all(resolver.value(each["Assert"]) for each in said["Assertions"])
    assert TEMPLATE["Rules"].keys() == {*INCOMPLETE, "RegionsAuthoritiesAreKnown"}


def test_what_the_edge_logs_is_without_secrets_and_what_was_asked() -> None:
    [logging] = [PROPERTIES[name] for name in of_type("AWS::WAFv2::LoggingConfiguration")]
    redacted = {
        str(next(iter(field.get("SingleHeader", {}).values()), next(iter(field))))
        for field in logging["RedactedFields"]
    }
    assert redacted == {"UriPath", "QueryString", "authorization", "x-api-key", "cookie"}


def test_each_function_that_has_a_clock_is_called_by_it() -> None:
    timed = {
        name: event["Properties"]["Schedule"]
        for name in FUNCTIONS
        for event in PROPERTIES[name].get("Events", {}).values()
        if event["Type"] == "Schedule"
    }
    assert timed == {
        "ExpireApprovals": "rate(1 minute)",
        "EmbedPending": "rate(1 minute)",
        "GoldenCanary": "rate(15 minutes)",
        "VerifyAudit": "rate(1 day)",
    }


def test_the_gate_waits_until_its_canary_is_answered_once_alone() -> None:
    assert "GoldenCanaryOnce" in listed(RESOURCES["ReleaseGate"]["DependsOn"])
