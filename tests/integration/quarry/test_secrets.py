"""Secrets in a running function: how soon a rotated one is met, and what becomes of calls when there is none."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import boto3
import pytest

from quarry.data import credentials
from quarry.data.credentials import secrets
from quarry.data.settings import Settings
from quarry.embedding.provider import EmbeddingsDown, embed
from quarry.tool.errors import Unavailable
from tests.aws import client
from tests.deployment import fresh_environment
from tests.provider import Provider, running_provider


@pytest.fixture
def manager(aws_url: str, aws_variables: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for name, value in aws_variables.items():
        monkeypatch.setenv(name, value)
    with fresh_environment():
        yield client("secretsmanager", aws_url)


@pytest.fixture
def secret(manager: Any) -> str:
    name = f"rotating-{uuid4().hex[:8]}"
    manager.create_secret(Name=name, SecretString="first")
    return name


def let_it_grow_old(name: str) -> None:
    store = credentials.secrets()._provider
    assert store is not None
    key = (name, None, False)
    store.store[key] = store.store[key]._replace(ttl=datetime.now() - timedelta(seconds=1))


def test_a_secret_is_asked_for_once_until_it_grows_old(manager: Any, secret: str) -> None:
    assert secrets().read(secret) == "first"
    manager.put_secret_value(SecretId=secret, SecretString="second")
    assert secrets().read(secret) == "first"
    let_it_grow_old(secret)
    assert secrets().read(secret) == "second"


def test_a_secret_that_was_refused_is_asked_for_at_once(manager: Any, secret: str) -> None:
    secrets().read(secret)
    manager.put_secret_value(SecretId=secret, SecretString="second")
    secrets().forget()
    assert secrets().read(secret) == "second"


def test_while_secrets_cannot_be_fetched_the_last_good_one_serves(manager: Any, secret: str) -> None:
    secrets().read(secret)
    manager.delete_secret(SecretId=secret, ForceDeleteWithoutRecovery=True)
    let_it_grow_old(secret)
    assert secrets().read(secret) == "first"
    assert secrets().read(secret) == "first"  # without asking each time


def test_a_secret_that_could_never_be_read_is_named_and_not_an_internal_error(manager: Any) -> None:
    with pytest.raises(Unavailable, match=r"\AThe secret nobodys cannot be read: ResourceNotFoundException\.\Z"):
        secrets().read("nobodys")


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    with running_provider() as provider:
        monkeypatch.setenv("OPENAI_BASE_URL", provider.url)
        monkeypatch.setenv("OPENAI_API_KEY", "")
        monkeypatch.setenv("EMBEDDING_DIMENSIONS", str(provider.dimensions))
        yield provider


def test_a_key_that_the_provider_refuses_is_asked_for_anew(
    provider: Provider, manager: Any, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_SECRET_ID", secret)
    provider.key = "first"
    embed(["a pump"], timeout_s=5)
    provider.key = "second"
    with pytest.raises(EmbeddingsDown, match="AuthenticationError"):
        embed(["a pump"], timeout_s=5)
    manager.put_secret_value(SecretId=secret, SecretString="second")
    assert len(embed(["a pump"], timeout_s=5)) == 1


def test_an_iam_token_is_the_one_that_boto3_makes(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"AWS_ACCESS_KEY_ID": "AKIDX", "AWS_SECRET_ACCESS_KEY": "abc/+", "AWS_SESSION_TOKEN": "tok/+="}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    settings = Settings.from_environment({"DB_AUTH": "iam", "DB_HOST": "db.example.com", "AWS_REGION": "eu-west-1"})
    rds = boto3.Session().client("rds", region_name="eu-west-1")
    tokens = [
        credentials.database_password(settings),
        rds.generate_db_auth_token(DBHostname="db.example.com", Port=5432, DBUsername="quarry_read"),
    ]
    own, botos = ({**parse_qs(urlsplit(f"//{token}").query), "at": token.partition("?")[0]} for token in tokens)
    for name in ("X-Amz-Date", "X-Amz-Signature"):  # a second may have passed between the two
        assert len(own.pop(name)[0]) == len(botos.pop(name)[0])
    assert own == botos


def test_an_iam_token_costs_no_import_of_boto3() -> None:
    code = (
        "import sys\nfrom quarry.data.credentials import database_password\n"
        "from quarry.data.settings import settings\n"
        "assert database_password(settings())\nprint('boto3' in sys.modules)"
    )
    variables = {"DB_AUTH": "iam", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**variables, "PYTHONPATH": "layers/quarry"},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "False"
