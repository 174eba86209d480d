"""The two databases, filled once for all tests of tenancy."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from local.stack import Database
from quarry.data.settings import settings
from tests.aws import client
from tests.deployment import new_deployment
from tests.inbox import Inbox, open_inbox
from tests.integration.cpq.approving import variables
from tests.integration.cpq.printing import printer
from tests.integration.tenancy.houses import (
    NEIGHBOUR,
    TENANT,
    House,
    load,
    neighbours_rows,
    settle_neighbour,
    tenants_rows,
)


@pytest.fixture(scope="package")
def inbox(aws_url: str) -> Iterator[Inbox]:
    with open_inbox(aws_url) as inbox:
        yield inbox


@contextmanager
def _house(
    postgres: Database, embeddings_url: str, inbox: Inbox, aws_url: str, aws_variables: dict[str, str]
) -> Iterator[House]:
    endpoints = variables(inbox, aws_variables)
    with new_deployment(postgres, embeddings_url) as deployment:
        with printer(deployment, aws_url, aws_variables):
            found = settings()
            buckets = {"TEMPLATE_BUCKET": str(found.template_bucket), "DOCUMENT_BUCKET": str(found.document_bucket)}
        buckets["INGEST_BUCKET"] = f"ingest-{deployment.name.replace('_', '-')}"
        client("s3", aws_url).create_bucket(Bucket=buckets["INGEST_BUCKET"])
        yield House(deployment, inbox, endpoints | buckets)


@pytest.fixture(scope="package")
def houses(
    postgres: Database, embeddings_url: str, inbox: Inbox, aws_url: str, aws_variables: dict[str, str]
) -> Iterator[tuple[House, House]]:
    """(alone, shared): the tenant has the same rows in both; in the second the neighbour came before and stays."""
    with ExitStack() as stack:
        alone, shared = (
            stack.enter_context(_house(postgres, embeddings_url, inbox, aws_url, aws_variables)) for _ in range(2)
        )
        theirs = neighbours_rows()
        # What the neighbour adds last changes rows and counts behind the tenant's as well as before them.
        later = {kind: theirs[kind][-3:] for kind in ("products", "documents", "stories")}
        load(shared.deployment, {**theirs, **{kind: theirs[kind][:-3] for kind in later}}, tenant=NEIGHBOUR)
        for house in (alone, shared):
            load(house.deployment, tenants_rows(), tenant=TENANT)
        load(shared.deployment, later, tenant=NEIGHBOUR)
        settle_neighbour(shared)
        alone.deployment.embed()
        yield alone, shared
