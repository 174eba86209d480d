"""Secrets for the database and the model providers: from the environment, Secrets Manager or IAM."""

import json
from functools import cache

from pydantic import SecretStr

from quarry.data.settings import Settings
from quarry.tool.errors import Unavailable


def database_password(settings: Settings) -> str | None:
    """The password for a new connection; an IAM token is good for 15 minutes, so it is made anew each time."""
    match settings.db_auth:
        case "password":
            return settings.db_password.get_secret_value() if settings.db_password else None
        case "secret":
            if settings.db_secret_id is None:
                raise ValueError("DB_AUTH=secret needs DB_SECRET_ID, the name of the secret.")
            return str(json.loads(read_secret(settings.db_secret_id))["password"])
        case "iam":
            return _iam_token(settings)


def openai_key(settings: Settings) -> str | None:
    if settings.openai_api_key is not None:
        return settings.openai_api_key.get_secret_value()
    return read_secret(settings.openai_secret_id) if settings.openai_secret_id else None


def rerank_key(settings: Settings) -> str | None:
    return given_secret(settings.rerank_api_key, settings.rerank_secret_id)


def given_secret(value: SecretStr | None, secret_id: str | None) -> str | None:
    """From the environment or, by its name, from Secrets Manager. Raises Unavailable when that does not answer."""
    if value is not None or not secret_id:
        return value.get_secret_value() if value is not None else None
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        return read_secret(secret_id)
    except (BotoCoreError, ClientError) as error:
        reason = f"The secret {secret_id} cannot be read: {type(error).__name__}."
        raise Unavailable(reason, retryable=True) from error


@cache
def read_secret(secret_id: str) -> str:
    # boto3 costs about 0.15 s to import, and most environments get their secrets without it.
    import boto3

    return str(boto3.client("secretsmanager").get_secret_value(SecretId=secret_id)["SecretString"])


def forget_secrets() -> None:
    read_secret.cache_clear()


def _iam_token(settings: Settings) -> str:
    import boto3

    return str(
        boto3.client("rds").generate_db_auth_token(
            DBHostname=settings.db_host, Port=settings.db_port, DBUsername=settings.db_user
        )
    )
