"""make setup on real rows: through ingest and the publisher, printed, run again, and refused without a trace."""

import io
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from pypdf import PdfReader

from local.failure import LocalError
from local.files import ROOT
from local.setup.__main__ import House, set_up
from operations.ingest import handler as ingesting
from operations.publish_templates import handler as publishing
from quarry.attributes.units import preferred
from quarry.retrieval.here import beside
from tests.aws import client
from tests.deployment import Deployment, invoke

EXAMPLE = ROOT / "local/setup/company.toml"
TENANT = "harz"


@pytest.fixture
def house(
    deployment: Deployment, aws_url: str, aws_variables: dict[str, str], tmp_path: Path
) -> Iterator[tuple[House, Any]]:
    s3, bucket = client("s3", aws_url), f"setup-{uuid4().hex[:8]}"
    s3.create_bucket(Bucket=bucket)
    folder = tmp_path / "templates"
    shutil.copytree(ROOT / "templates", folder)

    def ingest(file: Path, kind: str) -> dict[str, Any]:
        key = f"{TENANT}/{kind}/{file.name}"
        s3.upload_file(str(file), bucket, key)
        report: dict[str, Any] = invoke(ingesting, {"bucket": bucket, "key": key}, tenant=TENANT)["reports"][0]
        return report

    def publish() -> None:
        answer = invoke(publishing, {})
        if answer.get("error"):
            raise LocalError(answer["message"])

    variables = {"TEMPLATE_BUCKET": bucket, "TEMPLATE_PREFIX": "published/", "TEMPLATES_DIR": str(folder)}
    with deployment.serving("quarry_ingest", **aws_variables, **variables):
        yield (
            House(
                tenant=TENANT,
                dsn=deployment.superuser_dsn,
                layouts=folder / "pdf",
                test_page=tmp_path / "page.pdf",
                ingest=ingest,
                publish=publish,
            ),
            lambda: s3.get_object(Bucket=bucket, Key=f"published/pdf/companies/{TENANT}.toml")["Body"].read(),
        )


def test_a_house_is_set_up_from_a_file_printed_and_set_up_again_with_what_stands(
    house: tuple[House, Any], deployment: Deployment, tmp_path: Path
) -> None:
    set_up_house, published = house
    said: list[str] = []
    set_up(set_up_house, file=EXAMPLE, say=said.append)
    assert said[-1].endswith(str(set_up_house.test_page))
    text = " ".join(PdfReader(io.BytesIO(set_up_house.test_page.read_bytes())).pages[0].extract_text().split())
    for shown in (
        "Harzer Drucklufttechnik GmbH",
        "Musterweg 4",
        "14.691,35 EUR",
        "MwSt. 19 %",
        "Angebot für".upper(),
        "2% within 10 days",
    ):
        assert shown in text
    stored = "SELECT country, currency, language, units, payment_terms, quote_numbers FROM quarry.house"
    assert deployment.rows(stored, tenant=TENANT) == [
        {
            "country": "DE",
            "currency": "EUR",
            "language": "de",
            "units": "metric",
            "payment_terms": "30 days net, 2% within 10 days",
            "quote_numbers": "AN-{year}-{number:04}",
        }
    ]
    assert beside(None, tenant=TENANT) == preferred()["metric"]
    assert b"Harzer Drucklufttechnik GmbH" in published()
    first = published()

    again = tmp_path / "company.toml"
    again.write_text(EXAMPLE.read_text("utf-8").replace('currency = "EUR"', 'currency = "CHF"'), "utf-8")
    set_up(set_up_house, file=again, say=said.append)
    assert "house: 0 new, 1 changed, 0 as before" in said
    assert "discount_policies: 0 new, 0 changed, 1 as before" in said
    assert "approvers: 0 new, 0 changed, 2 as before" in said
    assert "tax_rules: 0 new, 0 changed, 1 as before" in said
    assert deployment.rows("SELECT currency FROM quarry.house", tenant=TENANT) == [{"currency": "CHF"}]
    assert published() == first


def test_a_logo_that_cannot_be_drawn_changes_nothing(house: tuple[House, Any], tmp_path: Path) -> None:
    set_up_house, _ = house
    (tmp_path / "logo.svg").write_text("<svg this is none", "utf-8")
    answers = tmp_path / "company.toml"
    answers.write_text(EXAMPLE.read_text("utf-8").replace('# logo = "logo.svg" ', 'logo = "logo.svg" '), "utf-8")
    before = sorted(set_up_house.layouts.rglob("*"))
    with pytest.raises(LocalError, match="often the logo's fault"):
        set_up(set_up_house, file=answers, say=lambda _: None)
    assert [path for path in sorted(set_up_house.layouts.rglob("*")) if path.is_file()] == [
        path for path in before if path.is_file()
    ]
    assert not set_up_house.test_page.exists()
