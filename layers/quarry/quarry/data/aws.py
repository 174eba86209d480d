"""Clients of AWS services, kept by the environment. Importing this module costs boto3's import, 0.1 s."""

from typing import Any

import boto3

from quarry.data.settings import kept


@kept
def session() -> boto3.Session:
    """One of the environment's own: boto3's default session keeps the credentials it met first."""
    return boto3.Session()


@kept
def client(service: str) -> Any:
    return session().client(service)
