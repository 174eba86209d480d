"""template.yaml, resource by resource: what every one of a type has, and what outlives the stack."""

from typing import Any

import pytest

from tests.contract.template import KEY, PROPERTIES, RESOURCES, TEMPLATE, of_type, references

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


STAYS: dict[str, dict[str, int]] = {
    "TemplateBucket": {"parts": 7, "former": 365},
    # What was printed and signed is kept in every version.
    "DocumentBucket": {"parts": 7},
    "IngestBucket": {"parts": 7, "former": 30, "all": 90},
    LOGS: {"former": 1, "all": 90},
}
"""Days after which a bucket drops parts of an upload, versions that were replaced, and whatever it holds."""


@pytest.mark.parametrize("name", BUCKETS)
def test_a_bucket_keeps_what_it_holds_for_as_long_as_was_decided(name: str) -> None:
    stays = {}
    for rule in PROPERTIES[name]["LifecycleConfiguration"]["Rules"]:
        if "AbortIncompleteMultipartUpload" in rule:
            stays["parts"] = rule["AbortIncompleteMultipartUpload"]["DaysAfterInitiation"]
        if "NoncurrentVersionExpiration" in rule:
            stays["former"] = rule["NoncurrentVersionExpiration"]["NoncurrentDays"]
        if "ExpirationInDays" in rule:
            stays["all"] = rule["ExpirationInDays"]
    assert stays == STAYS[name]


def test_what_is_kept_when_it_is_deleted_is_kept_when_it_is_replaced() -> None:
    for name, resource in RESOURCES.items():
        kept = {resource.get("DeletionPolicy", "").removesuffix("ExceptOnCreate")}
        assert kept == {resource.get("UpdateReplacePolicy", "")}, name


def test_what_holds_data_outlives_the_stack() -> None:
    kept = of_type("AWS::S3::Bucket", "AWS::KMS::Key", "AWS::Logs::LogGroup")
    assert {resource["DeletionPolicy"] for resource in kept.values()} == {"RetainExceptOnCreate"}
    assert {resource["UpdateReplacePolicy"] for resource in kept.values()} == {"Retain"}
    assert RESOURCES["Database"]["DeletionPolicy"] == RESOURCES["Database"]["UpdateReplacePolicy"] == "Snapshot"


NAMES = ("BucketName", "LogGroupName", "DBInstanceIdentifier", "AliasName", "TableName", "QueueName", "Name")


def test_a_first_deployment_that_failed_leaves_nothing_whose_name_the_next_one_wants() -> None:
    named = {
        logical_id: resource["DeletionPolicy"]
        for logical_id, resource in RESOURCES.items()
        if "DeletionPolicy" in resource and any(name in resource["Properties"] for name in NAMES)
    }
    assert named.keys() == of_type("AWS::S3::Bucket", "AWS::Logs::LogGroup").keys()
    assert set(named.values()) == {"RetainExceptOnCreate"}


def test_a_first_deployment_that_fails_can_be_deleted() -> None:
    assert TEMPLATE["Parameters"]["Protected"]["Default"] == "false"
    assert RESOURCES["Database"]["Properties"]["DeletionProtection"] == {"Fn::If": ["IsProtected", True, False]}
    assert RESOURCES["Key"]["DeletionPolicy"] == "RetainExceptOnCreate"


GLOBAL_NAMES = (("ViewerAddress", "Name"), ("Dashboard", "DashboardName"))
GLOBAL_BUCKETS = ("TemplateBucket", "DocumentBucket", "IngestBucket", "AccessLogBucket")


def test_two_regions_of_an_account_can_have_a_stack_of_the_same_name() -> None:
    """Names of CloudFront's functions, dashboards, budgets and buckets hold in all regions."""
    names = [RESOURCES[name]["Properties"][key] for name, key in GLOBAL_NAMES]
    names += [RESOURCES[name]["Properties"]["BucketName"] for name in GLOBAL_BUCKETS]
    names.append(RESOURCES["Budget"]["Properties"]["Budget"]["BudgetName"])
    assert [name for name in names if "AWS::Region" not in references(name)] == []
