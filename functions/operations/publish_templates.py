"""publish_templates: puts the house templates of this release into the template bucket."""

import hashlib
import mimetypes
import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from cpq.documents import s3
from cpq.documents.content import Seller
from operations import custom_resource
from quarry.data import aws
from quarry.data.settings import settings
from quarry.tool.errors import ValidationFailed
from quarry.tool.identity import Caller, LambdaContext
from quarry.tool.runtime import operate

LAYOUTS = "pdf"
PAPERS = ("a4", "us-letter", "a5", "us-legal", "jis-b5", "iso-b5")
"""Paper sizes of letters by Typst's names; the many others that Typst knows are not for letters."""


def run(event: dict[str, Any], caller: Caller, context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001
    """Returns keys as {"published", "unchanged", "removed"}; a custom resource's event gets their numbers."""
    request = custom_resource.request_of(event)
    if request is None:
        return _publish()
    return custom_resource.fulfil(
        request, context, resource="templates",
        work=lambda: {name.title(): len(keys) for name, keys in _publish().items()},
    )  # fmt: skip


def _publish() -> dict[str, list[str]]:
    """Afterwards the bucket holds this release's templates only."""
    configuration = settings()
    if configuration.template_bucket is None:
        raise ValidationFailed("TEMPLATE_BUCKET is not set: name the bucket that holds the templates.")
    folder = Path(configuration.templates_dir)
    files = {configuration.template_prefix + path.relative_to(folder).as_posix(): path for path in _templates(folder)}
    if not files:
        raise ValidationFailed(f"No template (*.md) in {folder}: the templates layer is missing.")
    _refuse_faulty_profiles(folder / LAYOUTS)
    found = s3.listed(configuration.template_bucket, prefix=configuration.template_prefix)
    # S3's ETag for an object put in one piece is its MD5.
    held = {item["Key"]: item["ETag"].strip('"') for item in found}
    published, unchanged = [], []
    for key, path in sorted(files.items()):
        content = path.read_bytes()
        if held.get(key) == hashlib.md5(content, usedforsecurity=False).hexdigest():
            unchanged.append(key)
            continue
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        aws.client("s3").put_object(Bucket=configuration.template_bucket, Key=key, Body=content, ContentType=kind)
        published.append(key)
    removed = sorted(set(held) - set(files))
    for key in removed:
        aws.client("s3").delete_object(Bucket=configuration.template_bucket, Key=key)
    return {"published": published, "unchanged": unchanged, "removed": removed}


def _refuse_faulty_profiles(folder: Path) -> None:
    """Raises ValidationFailed with all faults, so that they show on publishing and not when somebody prints."""
    faults = []
    for file in sorted([*folder.glob("company.toml"), *folder.glob("companies/*.toml")]):
        try:
            seller = Seller.model_validate(tomllib.loads(file.read_text("utf-8")))
        except ValidationError as error:
            faults += [f"{file.name}: {'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()]
        except tomllib.TOMLDecodeError as error:
            faults.append(f"{file.name}: {error}")
        else:
            if seller.logo is not None and not (folder / seller.logo).is_file():
                faults.append(f"{file.name}: logo: there is no {seller.logo} beside the layouts")
            if seller.paper not in PAPERS:
                faults.append(f"{file.name}: paper: '{seller.paper}' is none of {', '.join(PAPERS)}")
    if faults:
        raise ValidationFailed("Company profiles have to change before anything is published: " + "; ".join(faults))


def _templates(folder: Path) -> list[Path]:
    """Returns Markdown files anywhere, and all files of which layouts of printed quotes are made."""
    # On AWS every layer lies under /opt: packages in /opt/python have licences and notes in Markdown.
    others = folder / "python"
    found = {path for path in folder.rglob("*.md") if not path.is_relative_to(others)}
    return sorted(path for path in {*found, *(folder / LAYOUTS).rglob("*")} if path.is_file())


handler = operate("publish_templates", run)
