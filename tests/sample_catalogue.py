"""The sample catalogue for quoting, put into a deployment's database as an ingest puts it."""

from local.corpus_loader import CORPUS, SAMPLE
from operations.ingest import KINDS
from operations.reading import read
from quarry.ingestion import Accepted
from tests.deployment import TENANT, Deployment

FILES = tuple((kind, name) for kind, name in SAMPLE if name.startswith("cpq/"))


def put_catalogue(deployment: Deployment, *, tenant: str = TENANT) -> None:
    for kind, name in FILES:
        with (CORPUS / name).open("rb") as file:
            rows = list(read(file, KINDS[kind], file_name=name))
        rejects = [row for row in rows if not isinstance(row, Accepted)]
        assert rejects == [], name
        given = [item.row.model_dump(mode="json") for item in rows if isinstance(item, Accepted)]
        deployment.put(KINDS[kind], given, tenant=tenant)
