"""Clients of AWS services, kept by the environment. Importing this module costs boto3's import, 0.1 s."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from quarry.data.settings import kept
from quarry.tool.errors import Unavailable


@kept
def session() -> boto3.Session:
    """Returns a session of this environment, for boto3's default session keeps the credentials it met first."""
    return boto3.Session()


@kept
def client(service: str) -> Any:
    return session().client(service)


@kept
def signing_s3() -> Any:
    # By default botocore signs links for the global address, at which buckets in new regions do not answer.
    return session().client("s3", config=Config(signature_version="s3v4", s3={"addressing_style": "virtual"}))


@contextmanager
def reached(what: str) -> Iterator[None]:
    """Raises Unavailable when ``what`` cannot be used."""
    try:
        yield
    except (BotoCoreError, ClientError) as error:
        raise Unavailable(
            f"The {what} cannot be used at the moment; try again in a few seconds.", retryable=True
        ) from error
