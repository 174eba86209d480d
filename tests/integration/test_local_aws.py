"""S3 of the local stack keeps its objects through a kill."""

import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import boto3
import pytest

from local.files import ROOT
from local.lifeline import child_environment
from local.ports import free_port, is_free


@contextmanager
def s3(data_dir: Path, *, log: IO[bytes] | int = subprocess.DEVNULL) -> Iterator[Any]:
    port = free_port()
    command = [sys.executable, "-m", "local.aws", "--port", str(port), "--data-dir", str(data_dir)]
    environment = child_environment(os.environ)
    server = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=log)
    while is_free(port):
        assert server.poll() is None
        time.sleep(0.02)
    try:
        yield boto3.client(
            "s3",
            endpoint_url=f"http://127.0.0.1:{port}",
            region_name="us-east-1",
            aws_access_key_id="local",
            aws_secret_access_key="local",
        )
    finally:
        server.kill()
        server.wait()


def answer(url: str, **options: Any) -> int:
    request = urllib.request.Request(url, **options)  # noqa: S310 - our own URL
    try:
        with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310
            return int(response.status)
    except urllib.error.HTTPError as refused:
        return refused.code


def test_only_signed_requests_are_served_and_what_they_leave_is_the_owners(tmp_path: Path) -> None:
    with s3(tmp_path) as client:
        client.create_bucket(Bucket="quarry-documents")
        client.put_object(Bucket="quarry-documents", Key="q.pdf", Body=b"%PDF")
        root = client.meta.endpoint_url
        assert answer(f"{root}/quarry-documents/q.pdf") == 403
        assert answer(f"{root}/quarry-documents/x", data=b"mine", method="PUT") == 403
        signed = client.generate_presigned_url("get_object", Params={"Bucket": "quarry-documents", "Key": "q.pdf"})
        assert answer(signed) == 200
        assert answer(signed.replace("=local", "=other")) == 403
        assert answer(f"{root}/moto-api/") == 200
    kept = list((tmp_path / "s3").rglob("*"))
    assert {path.stat().st_mode & 0o777 for path in kept if path.is_file()} == {0o600}
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "s3", *kept) if path.is_dir()} == {0o700}


def test_a_presigned_url_leaves_no_signature_in_the_log(tmp_path: Path) -> None:
    with (tmp_path / "aws.log").open("wb") as log, s3(tmp_path, log=log) as client:
        client.create_bucket(Bucket="quarry-documents")
        client.put_object(Bucket="quarry-documents", Key="q.pdf", Body=b"%PDF")
        signed = client.generate_presigned_url("get_object", Params={"Bucket": "quarry-documents", "Key": "q.pdf"})
        assert answer(signed) == 200
    said = (tmp_path / "aws.log").read_text("utf-8")
    assert "GET /quarry-documents/q.pdf" in said
    assert "ignature" not in said


def listing(client: Any, bucket: str) -> dict[str, tuple[object, ...]]:
    found = client.list_objects_v2(Bucket=bucket).get("Contents", [])
    return {entry["Key"]: (entry["ETag"], entry["LastModified"], entry["Size"]) for entry in found}


def test_an_object_comes_back_with_content_type_and_metadata(tmp_path: Path) -> None:
    with s3(tmp_path) as client:
        client.create_bucket(Bucket="quarry-templates")
        client.put_object(
            Bucket="quarry-templates",
            Key="templates/größe.md",
            Body=b"# Quote",
            ContentType="text/markdown",
            Metadata={"sha": "1"},
        )
        before = listing(client, "quarry-templates")
    with s3(tmp_path) as client:
        assert listing(client, "quarry-templates") == before
        found = client.get_object(Bucket="quarry-templates", Key="templates/größe.md")
        assert found["Body"].read() == b"# Quote"
        assert (found["ContentType"], found["Metadata"]) == ("text/markdown", {"sha": "1"})


def test_the_last_write_wins_and_what_was_deleted_stays_deleted(tmp_path: Path) -> None:
    with s3(tmp_path) as client:
        for bucket in ("quarry-ingest", "emptied"):
            client.create_bucket(Bucket=bucket)
        for body in (b"first", b"second"):
            client.put_object(Bucket="quarry-ingest", Key="kept.csv", Body=body)
        client.put_object(Bucket="quarry-ingest", Key="gone.csv", Body=b"x")
        client.delete_objects(Bucket="quarry-ingest", Delete={"Objects": [{"Key": "gone.csv"}]})
        client.delete_bucket(Bucket="emptied")
    with s3(tmp_path) as client:
        assert set(listing(client, "quarry-ingest")) == {"kept.csv"}
        assert client.get_object(Bucket="quarry-ingest", Key="kept.csv")["Body"].read() == b"second"
        assert [bucket["Name"] for bucket in client.list_buckets()["Buckets"]] == ["quarry-ingest"]


def test_a_multipart_upload_is_kept_once_it_is_complete(tmp_path: Path) -> None:
    target = {"Bucket": "quarry-ingest", "Key": "large.csv"}
    with s3(tmp_path) as client:
        client.create_bucket(Bucket="quarry-ingest")
        upload = client.create_multipart_upload(**target)["UploadId"]
        part = client.upload_part(**target, UploadId=upload, PartNumber=1, Body=b"a,b\n")["ETag"]
        client.complete_multipart_upload(
            **target, UploadId=upload, MultipartUpload={"Parts": [{"ETag": part, "PartNumber": 1}]}
        )
    with s3(tmp_path) as client:
        assert client.get_object(**target)["Body"].read() == b"a,b\n"


def test_in_a_versioned_bucket_the_latest_version_is_kept_and_a_deleted_object_is_not(tmp_path: Path) -> None:
    with s3(tmp_path) as client:
        client.create_bucket(Bucket="versioned")
        client.put_bucket_versioning(Bucket="versioned", VersioningConfiguration={"Status": "Enabled"})
        for key, body in (("kept", b"1"), ("kept", b"2"), ("deleted", b"x")):
            client.put_object(Bucket="versioned", Key=key, Body=body)
        client.delete_object(Bucket="versioned", Key="deleted")
    with s3(tmp_path) as client:
        assert set(listing(client, "versioned")) == {"kept"}
        assert client.get_object(Bucket="versioned", Key="kept")["Body"].read() == b"2"


def test_an_object_whose_writing_was_cut_short_is_not_there(tmp_path: Path) -> None:
    with s3(tmp_path) as client:
        client.create_bucket(Bucket="quarry-ingest")
        client.put_object(Bucket="quarry-ingest", Key="half.csv", Body=b"whole")
    next(tmp_path.rglob("*.json")).unlink()
    with s3(tmp_path) as client, pytest.raises(client.exceptions.NoSuchKey):
        client.get_object(Bucket="quarry-ingest", Key="half.csv")


def test_bytes_that_a_client_calls_a_form_are_taken_as_they_are(tmp_path: Path) -> None:
    with s3(tmp_path) as client:
        client.create_bucket(Bucket="inboxes")
        content = bytes(range(256)) * 4000
        url = client.generate_presigned_url(
            "put_object", Params={"Bucket": "inboxes", "Key": "a.xlsx", "ContentLength": len(content)}
        )
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        assert answer(url, data=content, method="PUT", headers=form) == 200
        assert client.get_object(Bucket="inboxes", Key="a.xlsx")["Body"].read() == content
