"""Clients of AWS services, kept by the environment. Importing this module costs boto3's import, 0.1 s."""

from typing import Any

import boto3

from quarry.data.environment import kept


@kept
def client(service: str) -> Any:
    return boto3.client(service)
