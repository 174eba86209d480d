"""What the stack puts into its S3 and Secrets Manager before anything needs it."""

import json
from typing import Any

from local.serve import own_keys
from local.stack import APPROVAL_TOPIC, DOCUMENT_BUCKET, INGEST_BUCKET, TEMPLATE_BUCKET, Stack

ROLES = ("quarry_read", "quarry_write", "quarry_approve", "quarry_ingest", "quarry_owner")


def fill(stack: Stack, *, password: str) -> None:
    """Idempotent: S3 comes back from disk by itself after a restart, secrets do not."""
    s3 = stack.client("s3")
    present = {bucket["Name"] for bucket in s3.list_buckets()["Buckets"]}
    for bucket in (TEMPLATE_BUCKET, INGEST_BUCKET, DOCUMENT_BUCKET):
        if bucket not in present:
            s3.create_bucket(Bucket=bucket)
    s3.put_bucket_versioning(Bucket=DOCUMENT_BUCKET, VersioningConfiguration={"Status": "Enabled"})
    _open_topic(stack)
    secrets = stack.client("secretsmanager")
    for role in ROLES:
        _put_secret(
            secrets,
            name=f"quarry/{role}",
            value={
                "username": role,
                "password": password,
                "host": stack.database.host,
                "port": stack.database.port,
                "dbname": stack.database.name,
            },
        )
    own_keys.publish(stack)


def _open_topic(stack: Stack) -> None:
    """The front takes what the topic carries; moto keeps neither over a restart."""
    sns = stack.client("sns")
    topic = sns.create_topic(Name=APPROVAL_TOPIC.rpartition(":")[2])["TopicArn"]
    if not sns.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"]:
        endpoint = f"{stack.approvals.removesuffix('/approve')}/sns"
        sns.subscribe(TopicArn=topic, Protocol="http", Endpoint=endpoint)


def _put_secret(client: Any, *, name: str, value: dict[str, object]) -> None:
    try:
        client.create_secret(Name=name, SecretString=json.dumps(value))
    except client.exceptions.ResourceExistsException:
        client.put_secret_value(SecretId=name, SecretString=json.dumps(value))
