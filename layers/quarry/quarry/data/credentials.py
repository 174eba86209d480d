"""Secrets for the database and the model providers: from the environment, Secrets Manager or IAM."""

import json
from typing import TYPE_CHECKING

from pydantic import SecretStr

from quarry.data.settings import Settings, kept
from quarry.tool.errors import Unavailable

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.parameters import SecretsProvider

SECRET_S = 300
"""How long a secret is used before it is asked for again, and so how long a rotated one may go unnoticed."""

RETRY_S = 30
"""How long the last good value is used on after Secrets Manager failed to give the next."""

TOKEN_S = 900
"""How long after it was signed RDS accepts a token."""


def database_password(settings: Settings) -> str | None:
    """The password for a new connection; an IAM token is good for 15 minutes, so it is made anew each time."""
    match settings.db_auth:
        case "password":
            return settings.db_password.get_secret_value() if settings.db_password else None
        case "secret":
            if settings.db_secret_id is None:
                raise ValueError("DB_AUTH=secret needs DB_SECRET_ID, the name of the secret.")
            return str(json.loads(secrets().read(settings.db_secret_id))["password"])
        case "iam":
            return _iam_token(settings)


def openai_key(settings: Settings) -> str | None:
    return given_secret(settings.openai_api_key, settings.openai_secret_id)


def given_secret(value: SecretStr | None, secret_id: str | None) -> str | None:
    """Returns ``value``, else the secret of that name. Raises Unavailable when Secrets Manager does not answer."""
    if value is not None or not secret_id:
        return value.get_secret_value() if value is not None else None
    return secrets().read(secret_id)


class Secrets:
    """Reads secrets by Powertools' Parameters; a value read once is kept when reading it again fails."""

    def __init__(self) -> None:
        self._provider: SecretsProvider | None = None
        self._last: dict[str, str] = {}

    def read(self, secret_id: str) -> str:
        """Returns a secret, at most SECRET_S old. Raises Unavailable where it could never be read."""
        # Parameters imports boto3, which costs 0.1 s, and most calls need no secret.
        from aws_lambda_powertools.utilities.parameters import SecretsProvider
        from aws_lambda_powertools.utilities.parameters.exceptions import GetParameterError

        self._provider = self._provider or SecretsProvider()
        try:
            value = str(self._provider.get(secret_id, max_age=SECRET_S))
        except GetParameterError as error:
            last = self._last.get(secret_id)
            if last is None:
                # Powertools raises it from within the handler of the real cause.
                reason = f"The secret {secret_id} cannot be read: {type(error.__context__ or error).__name__}."
                raise Unavailable(reason, retryable=True) from error
            self._provider.add_to_cache((secret_id, None, False), last, RETRY_S)
            return last
        self._last[secret_id] = value
        return value

    def forget(self) -> None:
        """Drops cached secrets, so that each is read anew, because one of them was refused."""
        if self._provider is not None:
            self._provider.store.clear()


@kept
def secrets() -> Secrets:
    return Secrets()


def _iam_token(settings: Settings) -> str:
    """Signs a token as boto3's generate_db_auth_token does; to import boto3 would be a third of a cold start."""
    from botocore.auth import SigV4QueryAuth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import ContainerProvider, CredentialResolver, EnvProvider

    # Lambda gives a role's credentials in variables, or where SnapStart is on, at a local address.
    credentials = CredentialResolver([EnvProvider(), ContainerProvider()]).load_credentials()
    if credentials is None:
        raise Unavailable("DB_AUTH=iam needs a role's credentials in the environment, as Lambda gives them.")
    address = f"{settings.db_host}:{settings.db_port}"
    request = AWSRequest("GET", f"https://{address}/", params={"Action": "connect", "DBUser": settings.db_user})
    signer = SigV4QueryAuth(credentials.get_frozen_credentials(), "rds-db", settings.aws_region, expires=TOKEN_S)
    signer.add_auth(request)
    return str(request.url).removeprefix("https://")
