"""Letters composed of the sample, as an agent composes them."""

import io
import urllib.request
from datetime import UTC, datetime, timedelta
from typing import Any

import docx
from pypdf import PdfReader

from cpq import draft_compose, draft_get, quote_create, quote_price
from tests.deployment import TENANT, invoke

GROEB = "acct_groeb_farms"
TOMORROW = (datetime.now(UTC).date() + timedelta(days=1)).isoformat()
PAGE = """Dear Ms. Sturk,

we offer one Quincy QGV-100 for {{net}}. It gives {{QGV-100.flow}}.

{{items}}

Please send us your order."""
ONE = [{"product_id": "QGV-100"}]


def compose(**given: object) -> dict[str, Any]:
    answer = invoke(draft_compose.handler, {"account_id": GROEB, "page": PAGE, "items": ONE, **given})
    assert not answer.get("error"), answer
    return answer


def change(draft: dict[str, Any], **given: object) -> dict[str, Any]:
    """The next version."""
    answer = invoke(draft_compose.handler, {"draft_id": draft["draft_id"], **given})
    assert not answer.get("error"), answer
    return answer


def refused(**given: object) -> tuple[str, str]:
    """(code, message) of a letter that was not kept."""
    answer = invoke(draft_compose.handler, {"account_id": GROEB, "page": PAGE, "items": ONE, **given})
    assert answer.get("error") is True, answer
    return answer["code"], answer["message"]


def got(draft: dict[str, Any], *, tenant: str = TENANT, **given: object) -> dict[str, Any]:
    return invoke(draft_get.handler, {"draft_id": draft["draft_id"], **given}, tenant=tenant)


def letter_of(draft: dict[str, Any], view: str = "internal") -> str:
    answer = got(draft, view=view)
    assert not answer.get("error"), answer
    text: str = answer["letter"]
    return text


def opened(answer: dict[str, Any]) -> list[str]:
    return [each["field"] for each in answer.get("open", [])]


def doubted(answer: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["verdict"], each["text"]) for each in answer.get("findings", [])]


def downloaded(answer: dict[str, Any]) -> bytes:
    with urllib.request.urlopen(answer["download_url"], timeout=60) as response:  # noqa: S310 - our own URL
        content: bytes = response.read()
    return content


def words_of(draft: dict[str, Any], *, view: str, form: str) -> str:
    """What a person reads in the file, comments apart."""
    content = downloaded(got(draft, view=view, format=form))
    if form == "pdf":
        return " ".join(" ".join(page.extract_text().split()) for page in PdfReader(io.BytesIO(content)).pages)
    document = docx.Document(io.BytesIO(content))
    cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    return " ".join([*(paragraph.text for paragraph in document.paragraphs), *cells])


def priced(*lines: dict[str, Any], discount: float = 0, **given: object) -> str:
    quote = invoke(quote_create.handler, {"account_id": GROEB, "line_items": list(lines), **given})
    quote_id: str = quote["quote"]["id"]
    answer = invoke(quote_price.handler, {"quote_id": quote_id, "requested_discount_pct": discount})
    assert not answer.get("error"), answer
    return quote_id
