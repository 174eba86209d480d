"""The layouts and the company profile as they are published in the template bucket, kept on disk while they last."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cpq.documents import s3
from cpq.documents.profile import Seller, seller_of
from quarry.data.settings import settings
from quarry.tool.errors import Unavailable

FOLDER = "pdf/"
"""Below the template prefix."""


@dataclass(frozen=True, slots=True)
class Layouts:
    """``version`` names this very content."""

    folder: Path
    version: str

    def seller(self, tenant: str) -> Seller:
        """The tenant's own profile, or the one for everybody."""
        own = self.folder / "companies" / f"{tenant}.toml"
        file = own if own.is_file() else self.folder / "company.toml"
        if not file.is_file():
            raise _incomplete("company.toml")
        return seller_of(file.read_text("utf-8"), file=file.name)

    def require(self, name: str) -> None:
        if not (self.folder / name).is_file():
            raise _incomplete(name)


_held: tuple[Layouts, "TemporaryDirectory[str]"] | None = None


def published() -> Layouts:
    """As they are in the bucket at this moment; fetched again only when one of them has changed."""
    global _held
    configuration = settings()
    if configuration.template_bucket is None:
        raise Unavailable("TEMPLATE_BUCKET is not set: name the bucket that holds the layouts.")
    prefix = configuration.template_prefix + FOLDER
    with s3.reached("template bucket"):
        objects = s3.listed(configuration.template_bucket, prefix=prefix)
        version = _version(objects)
        if _held is None or _held[0].version != version:
            directory = TemporaryDirectory(prefix="quarry-layouts-")
            _fetch(objects, bucket=configuration.template_bucket, prefix=prefix, folder=Path(directory.name))
            _held = Layouts(Path(directory.name), version), directory
    return _held[0]


def _version(objects: list[dict[str, Any]]) -> str:
    described = "\n".join(f"{item['Key']} {item['ETag']}" for item in objects)
    return hashlib.sha256(described.encode()).hexdigest()


def _fetch(objects: list[dict[str, Any]], *, bucket: str, prefix: str, folder: Path) -> None:
    for item in objects:
        target = (folder / item["Key"].removeprefix(prefix)).resolve()
        if item["Key"].endswith("/") or not target.is_relative_to(folder.resolve()):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(s3.read(bucket, item["Key"]))


def _incomplete(name: str) -> Unavailable:
    return Unavailable(f"The template bucket has no layout file {name}: run publish_templates of this release.")
