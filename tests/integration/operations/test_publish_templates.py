"""publish_templates: the release's templates into the bucket, through the handler."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from operations.publish_templates import handler
from tests.aws import client
from tests.deployment import Deployment, invoke


@dataclass
class Publisher:
    """A folder of templates, and the bucket it is published to."""

    folder: Path
    bucket: str
    s3: Any

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def publish(self) -> dict[str, Any]:
        return invoke(handler, {})

    def read(self, key: str) -> str:
        body: bytes = self.s3.get_object(Bucket=self.bucket, Key=key)["Body"].read()
        return body.decode()

    def objects(self) -> set[str]:
        return {item["Key"] for item in self.s3.list_objects_v2(Bucket=self.bucket).get("Contents", [])}


@pytest.fixture
def publisher(
    tmp_path: Path, deployment: Deployment, aws_url: str, aws_variables: dict[str, str]
) -> Iterator[Publisher]:
    s3 = client("s3", aws_url)
    bucket = f"templates-{uuid4().hex[:8]}"
    s3.create_bucket(Bucket=bucket)
    variables = {**aws_variables, "TEMPLATE_BUCKET": bucket, "TEMPLATES_DIR": str(tmp_path)}
    with deployment.serving("quarry_read", **variables):
        found = Publisher(tmp_path, bucket, s3)
        found.write("quote.md", "Dear [NAME] – größer")
        found.write("characteristics/dryer.md", "Dew point: [F]")
        yield found


def test_a_faulty_company_profile_is_refused_when_it_is_published(publisher: Publisher) -> None:
    publisher.write("pdf/company.toml", 'name = "A"\naddress = []\nsignatory = "A"\nlogo = "none.svg"\npaper = "a4 "')
    publisher.write("pdf/companies/acme.toml", 'nam = "Acme"\naddress = []\nsignatory = "A"')
    answer = publisher.publish()
    assert answer["code"] == "VALIDATION_ERROR"
    for fault in (
        "company.toml: logo: there is no none.svg",
        "company.toml: paper: 'a4 '",
        "acme.toml: name: Field required",
        "acme.toml: nam: Extra inputs are not permitted",
    ):
        assert fault in answer["message"]
    assert publisher.objects() == set()


def test_templates_are_published_and_stay_unchanged_the_second_time(publisher: Publisher) -> None:
    keys = ["templates/characteristics/dryer.md", "templates/quote.md"]
    assert publisher.publish() == {"published": keys, "unchanged": [], "removed": []}
    assert publisher.read("templates/quote.md") == "Dear [NAME] – größer"
    assert publisher.publish() == {"published": [], "unchanged": keys, "removed": []}


def test_a_changed_template_is_published_and_a_stale_one_removed(publisher: Publisher) -> None:
    publisher.publish()
    publisher.write("quote.md", "Sehr geehrte")
    (publisher.folder / "characteristics/dryer.md").unlink()
    answer = publisher.publish()
    assert answer["published"] == ["templates/quote.md"]
    assert answer["removed"] == ["templates/characteristics/dryer.md"]
    assert publisher.objects() == {"templates/quote.md"}


def test_objects_outside_the_prefix_are_left_alone(publisher: Publisher) -> None:
    publisher.s3.put_object(Bucket=publisher.bucket, Key="other/notes.md", Body=b"x")
    assert publisher.publish()["removed"] == []
    assert "other/notes.md" in publisher.objects()


def test_markdown_of_packages_in_the_same_mount_is_no_template(publisher: Publisher) -> None:
    publisher.write("python/httpx-1.dist-info/licenses/LICENSE.md", "BSD")
    assert len(publisher.publish()["published"]) == 2


def test_layouts_are_published_as_what_they_are(publisher: Publisher) -> None:
    publisher.write("pdf/standard.typ", "#import")
    publisher.write("pdf/logo.svg", "<svg/>")
    publisher.write("pdf/fonts/house.ttf", "glyphs")
    published = publisher.publish()["published"]
    assert [key for key in published if "/pdf/" in key] == [
        "templates/pdf/fonts/house.ttf",
        "templates/pdf/logo.svg",
        "templates/pdf/standard.typ",
    ]
    head = publisher.s3.head_object(Bucket=publisher.bucket, Key="templates/pdf/logo.svg")
    assert head["ContentType"] == "image/svg+xml"


def test_an_empty_folder_is_refused_and_removes_nothing(publisher: Publisher) -> None:
    publisher.publish()
    (publisher.folder / "quote.md").unlink()
    (publisher.folder / "characteristics/dryer.md").unlink()
    assert publisher.publish()["code"] == "VALIDATION_ERROR"
    assert len(publisher.objects()) == 2


def test_without_a_bucket_the_variable_is_named(deployment: Deployment) -> None:
    with deployment.serving("quarry_read"):
        assert "TEMPLATE_BUCKET is not set" in invoke(handler, {})["message"]
