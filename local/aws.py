"""S3, Secrets Manager and SNS on this machine: moto's server, with S3 objects kept in the data directory."""

import argparse
import json
import os
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.moto_server.werkzeug_app import (
    DomainDispatcherApplication,
    MotoRequestHandler,
    create_backend_app,
)
from moto.s3.models import FakeKey, S3Backend, s3_backends
from werkzeug.serving import run_simple

from local.files import write_json
from local.lifeline import die_with_parent
from local.stack import ACCESS_KEY


@dataclass(frozen=True)
class _Version:
    etag: str
    modified: datetime


class S3Disk:
    """The latest version of each object, a folder per bucket: `<hash of key>.json` beside `<hash of key>.data`.

    Not kept: older versions, tags, policies, unfinished multipart uploads.
    """

    def __init__(self, folder: Path, *, region: str) -> None:
        self._folder = folder
        self._region = region
        self._backend: S3Backend = s3_backends[DEFAULT_ACCOUNT_ID]["aws"]
        self._written: dict[tuple[str, str], _Version] = {}

    def restore(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._folder.chmod(0o700)
        for bucket in sorted(path for path in self._folder.iterdir() if path.is_dir()):
            self._backend.create_bucket(bucket.name, self._region)
            for description in bucket.glob("*.json"):
                self._restore_object(bucket.name, description)

    def _restore_object(self, bucket: str, description: Path) -> None:
        kept = json.loads(description.read_text())
        content = description.with_suffix(".data").read_bytes()
        restored = self._backend.put_object(bucket, kept["key"], content, etag=kept["etag"])
        restored.set_metadata(kept["metadata"])
        restored.last_modified = datetime.fromtimestamp(kept["modified"], tz=UTC).replace(tzinfo=None)
        self._written[bucket, restored.name] = _Version(kept["etag"], restored.last_modified)

    def save(self) -> None:
        """Brings the folder in line with memory; only what changed is written."""
        present: set[tuple[str, str]] = set()
        for bucket in self._backend.buckets.values():
            (self._folder / bucket.name).mkdir(exist_ok=True)
            for key in bucket.keys.values():
                if isinstance(key, FakeKey):  # a versioned bucket has delete markers, too
                    present.add((bucket.name, key.name))
                    self._save_object(bucket.name, key)
        for gone in self._written.keys() - present:
            self._forget(*gone)
        for folder in self._folder.iterdir():
            if folder.name not in self._backend.buckets and not any(folder.iterdir()):
                folder.rmdir()

    def _save_object(self, bucket: str, key: FakeKey) -> None:
        version = _Version(key.etag.strip('"'), key.last_modified)
        if self._written.get((bucket, key.name)) == version:
            return
        description = self._description(bucket, key.name)
        # The description comes last: an object whose writing was cut short is not there at all.
        description.unlink(missing_ok=True)
        description.with_suffix(".data").write_bytes(key.value)
        modified = key.last_modified.replace(tzinfo=UTC).timestamp()
        kept = {"key": key.name, "etag": version.etag, "metadata": dict(key.metadata), "modified": modified}
        write_json(description, kept)
        self._written[bucket, key.name] = version

    def _forget(self, bucket: str, name: str) -> None:
        description = self._description(bucket, name)
        description.unlink(missing_ok=True)
        description.with_suffix(".data").unlink(missing_ok=True)
        del self._written[bucket, name]

    def _description(self, bucket: str, name: str) -> Path:
        return self._folder / bucket / f"{sha256(name.encode()).hexdigest()}.json"


HOST = "127.0.0.1"
REGION = "us-east-1"

_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_READINESS = "/moto-api/"
_FORM = "application/x-www-form-urlencoded"


def _signed(environ: dict[str, Any]) -> bool:
    """Whether a request names our access key, in its header or a presigned URL; moto checks no signature itself."""
    credential = f"{ACCESS_KEY}/"
    header = str(environ.get("HTTP_AUTHORIZATION", ""))
    presigned = parse_qs(str(environ.get("QUERY_STRING", "")))
    if header.startswith("AWS4-HMAC-SHA256 "):
        return f"Credential={credential}" in header and "Signature=" in header
    # A bucket's URL is presigned in version 2 of the signature unless a region asks for version 4.
    named = presigned.get("X-Amz-Credential", presigned.get("AWSAccessKeyId", [""]))[0]
    return f"{named}/".startswith(credential) and bool(presigned.keys() & {"X-Amz-Signature", "Signature"})


class RequestHandler(MotoRequestHandler):
    """Writes no query into its log: that of a presigned URL opens what it names."""

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:  # noqa: ARG002 - the base class's
        self.log(
            "info", '"%s %s" %s', self.command, self.path.partition("?")[0].encode("unicode_escape").decode(), code
        )


class KeptApplication:
    """A WSGI application that saves S3 before it answers a request that may have changed it."""

    def __init__(self, disk: S3Disk) -> None:
        self._moto: Callable[..., Iterable[bytes]] = DomainDispatcherApplication(create_backend_app)
        self._disk = disk
        # One at a time: an object must not vanish while it is being saved.
        self._writing = threading.Lock()

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] != _READINESS and not _signed(environ):
            start_response("403 Forbidden", [("Content-Type", "text/plain")])
            return [b"Unsigned requests are refused.\n"]
        if environ["REQUEST_METHOD"] == "PUT" and environ.get("CONTENT_TYPE", "").startswith(_FORM):
            # curl --data-binary calls any file so; moto would wait for a form, and S3 takes the bytes.
            environ["CONTENT_TYPE"] = "application/octet-stream"
        if environ["REQUEST_METHOD"] in _READING:
            return self._moto(environ, start_response)
        with self._writing:
            answer = self._moto(environ, start_response)
            self._disk.save()
            return answer


def main(arguments: list[str] | None = None) -> None:
    die_with_parent()
    os.umask(0o077)  # quotes are among the objects
    parser = argparse.ArgumentParser(prog="python -m local.aws", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--data-dir", type=Path, required=True)
    options = parser.parse_args(arguments)
    disk = S3Disk(options.data_dir / "s3", region=REGION)
    disk.restore()
    application = KeptApplication(disk)
    run_simple(HOST, options.port, application, threaded=True, request_handler=RequestHandler)


if __name__ == "__main__":
    main()
