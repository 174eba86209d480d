"""From a customer's wish to an approved PDF: an agent through MCP, and one person in a real browser."""

import hashlib
import io
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from mcp_types import CallToolResult
from playwright.sync_api import Browser, Page, expect
from pypdf import PdfReader

from local.notices import Notices
from local.stack import Stack
from tests.e2e.browser import DESKTOP, PHONE, chromium, window
from tests.e2e.visits import call, invoke, structured

pytestmark = pytest.mark.stack


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


def use(stack: Stack, tool: str, **arguments: object) -> dict[str, Any]:
    return structured(answer_of(stack, tool, arguments))


def answer_of(stack: Stack, tool: str, arguments: dict[str, Any]) -> CallToolResult:
    """In a thread of its own: the browser's driver keeps a loop running in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(call, stack.mcp, tool, arguments).result()


def links_for(stack: Stack, request_id: str) -> list[str]:
    """One for each approver, as they were sent."""
    return [notice.link for notice in Notices(stack.data_dir).read() if request_id in notice.subject and notice.link]


def drafted(stack: Stack, *, discount: float = 10) -> str:
    lines = [{"product_id": "prod_starter", "quantity": 20}]
    quote = use(stack, "quote_create", account_id="acct_acme_001", term_months=12, line_items=lines)["quote"]
    use(stack, "quote_price", quote_id=quote["id"], requested_discount_pct=discount)
    return str(quote["id"])


def requested(stack: Stack, quote_id: str) -> list[str]:
    answer = use(stack, "approval_request", quote_id=quote_id, justification="They order every year.")
    assert answer["notification_sent"], answer["notification_problem"]
    links = links_for(stack, answer["approval_request"]["id"])
    assert len(links) == 2
    return links


def decide(page: Page, link: str, choice: str, *, comment: str = "", limit: str | None = None) -> None:
    page.goto(link)
    page.get_by_label(choice).check()
    if limit is not None:
        page.get_by_label("Discount you would approve").fill(limit)
    page.get_by_label("Comment").fill(comment)
    page.get_by_role("button", name="Record my decision").click()


def printed(document: dict[str, Any]) -> str:
    with urllib.request.urlopen(document["download_url"]) as response:  # noqa: S310 - our own stack's
        content = response.read()
    assert document["checksum"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
    return "".join(page.extract_text() for page in PdfReader(io.BytesIO(content)).pages)


def test_the_golden_scenario_ends_with_an_approved_pdf(stack: Stack, browser: Browser) -> None:
    need = "100HP oilless compressor for a food-grade plant"
    found = use(
        stack,
        "search_equipment",
        query=need,
        filters=[{"attribute": "lubrication", "is": "oilless"}],
        hp_min=90,
        hp_max=110,
        top_k=3,
    )
    model = found["results"][0]["product"]["model"]
    product = use(stack, "catalog_search", query=model, limit=1)["items"][0]
    assert product["sku"] == model
    line = {"product_id": product["id"], "quantity": 1, "attributes": {"voltage": "460/3/60"}}
    created = use(stack, "quote_create", account_id="acct_groeb_farms", line_items=[line])
    quote_id = created["quote"]["id"]

    priced = use(stack, "quote_price", quote_id=quote_id, requested_discount_pct=8)
    assert priced["approval_required"]
    assert answer_of(stack, "quote_pdf", {"quote_id": quote_id, "watermark": "APPROVED"}).is_error
    (link, _) = requested(stack, quote_id)
    assert use(stack, "approval_status", quote_id=quote_id)["can_proceed"] is False

    with window(browser, scripts=False) as page:
        page.goto(link)
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Approve quote {quote_id}?")
        expect(page.get_by_role("rowheader").first).to_contain_text(model)
        charged = page.get_by_role("region", name="What was charged before")
        expect(charged).to_contain_text(f"Prices of Powerex {model}")
        page.get_by_label("Approve the quote").check()
        page.get_by_label("Comment").fill("Fine, they are loyal.")
        page.get_by_role("button", name="Record my decision").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Quote {quote_id} is approved")

    status = use(stack, "approval_status", quote_id=quote_id)
    assert (status["current_status"], status["can_proceed"]) == ("approved", True)
    assert status["history"][0]["decision_comment"] == "Fine, they are loyal."
    document = use(stack, "quote_pdf", quote_id=quote_id, watermark="APPROVED")
    text = printed(document)
    assert quote_id in text
    assert model in text
    assert "APPROVED" in text
    assert use(stack, "quote_get", quote_id=quote_id, include_audit=True)["quote"]["status"] == "approved"
    assert invoke(stack, "verify_audit", {})["intact"]


def test_a_request_goes_through_a_question_and_a_counter_offer_to_an_approved_pdf(
    stack: Stack, browser: Browser
) -> None:
    quote_id = drafted(stack, discount=12)
    link = requested(stack, quote_id)[0]
    with window(browser, scripts=False) as page:
        decide(page, link, "Ask a question first", comment="What did the others offer?")
        expect(page.get_by_text("Not answered yet.")).to_be_visible()
        asked = use(stack, "approval_status", quote_id=quote_id)
        assert "'What did the others offer?' Answer with approval_request" in asked["reason"]
        use(stack, "approval_request", quote_id=quote_id, justification="Rival Air offers 9 percent.")
        page.reload()
        expect(page.get_by_text("Rival Air offers 9 percent.")).to_be_visible()
        decide(page, link, "Approve a smaller discount only", comment="Not more.", limit="9,5")
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Quote {quote_id} is rejected")

    told = use(stack, "approval_status", quote_id=quote_id)
    assert (told["current_status"], told["history"][0]["approved_up_to_pct"]) == ("rejected", 9.5)
    assert "would be with a discount of 9.5% at most" in told["reason"]
    assert answer_of(stack, "quote_pdf", {"quote_id": quote_id}).is_error
    offered = use(stack, "quote_price", quote_id=quote_id, account_id="acct_acme_001", requested_discount_pct=9.5)
    assert offered["version"] == 2
    with window(browser, scripts=False) as page:
        decide(page, requested(stack, quote_id)[0], "Approve the quote")
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Quote {quote_id} is approved")
    text = printed(use(stack, "quote_pdf", quote_id=quote_id, watermark="APPROVED"))
    assert quote_id in text
    assert "APPROVED" in text
    audit = use(stack, "quote_get", quote_id=quote_id, include_audit=True)["audit"]
    assert [entry["action"] for entry in audit] == [
        "quote.created",
        "quote.priced",
        "approval.requested",
        "approval.questioned",
        "approval.answered",
        "approval.rejected",
        "quote.priced",
        "approval.requested",
        "approval.approved",
        "quote.document_generated",
    ]
    assert invoke(stack, "verify_audit", {})["intact"]


def test_rejecting_without_a_reason_asks_for_one_and_keeps_the_choice(stack: Stack, browser: Browser) -> None:
    quote_id = drafted(stack)
    link = requested(stack, quote_id)[0]
    with window(browser, size=PHONE) as page:
        decide(page, link, "Reject the quote")
        expect(page.get_by_role("alert")).to_be_in_viewport()
        expect(page.get_by_role("alert")).to_contain_text("Say why you reject it: whoever asked will read it.")
        page.get_by_role("alert").get_by_role("link").click()
        expect(page.get_by_label("Comment")).to_be_in_viewport()
        expect(page.get_by_label("Reject the quote")).to_be_checked()
        page.get_by_label("Comment").fill("Ask again after their renewal.")
        page.get_by_role("button", name="Record my decision").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Quote {quote_id} is rejected")
        page.reload()
        expect(page.get_by_text("Ask again after their renewal.")).to_be_visible()
    assert use(stack, "approval_status", quote_id=quote_id)["current_status"] == "rejected"


def test_a_decision_in_two_tabs_counts_once_and_the_second_tab_says_what_was_decided(
    stack: Stack, browser: Browser
) -> None:
    quote_id = drafted(stack)
    first, second = requested(stack, quote_id)
    with window(browser) as mine, window(browser) as theirs:
        theirs.goto(second)
        decide(mine, first, "Approve the quote")
        expect(mine.get_by_role("heading", level=2)).to_have_text("Approved by you")
        theirs.get_by_label("Reject the quote").check()
        theirs.get_by_label("Comment").fill("Too much.")
        theirs.get_by_role("button", name="Record my decision").click()
        expect(theirs.get_by_role("heading", level=2)).to_contain_text("Approved by ")
    assert use(stack, "approval_status", quote_id=quote_id)["can_proceed"] is True


def test_the_page_can_be_used_with_the_keyboard_alone(stack: Stack, browser: Browser) -> None:
    quote_id = drafted(stack)
    with window(browser) as page:
        page.goto(requested(stack, quote_id)[0])
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        expect(page.get_by_label("Approve the quote")).to_be_checked()
        for key in ("Tab", "Tab", "Enter"):
            page.keyboard.press(key)
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Quote {quote_id} is approved")


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_no_state_of_the_page_has_an_accessibility_fault_or_scrolls_sideways(
    stack: Stack, browser: Browser, size: tuple[int, int]
) -> None:
    quote_id = drafted(stack)
    link = requested(stack, quote_id)[0]
    with window(browser, size=size) as page:
        page.goto(link)
        assert faults(page) == []
        decide(page, link, "Reject the quote")
        assert faults(page) == []
        decide(page, link, "Approve the quote")
        assert faults(page) == []
        page.goto(link[:-1])
        expect(page.get_by_role("heading", level=1)).to_have_text("This link is not valid")
        assert faults(page) == []


def test_the_printed_page_leaves_the_form_out(stack: Stack, browser: Browser) -> None:
    with window(browser) as page:
        page.goto(requested(stack, drafted(stack))[0])
        page.emulate_media(media="print")
        expect(page.get_by_role("button")).to_be_hidden()
        expect(page.get_by_role("table").first).to_be_visible()


def faults(page: Page) -> list[str]:
    """What axe-core finds at WCAG 2.2 AA and as best practice, and whether the page is wider than the window."""
    found = Axe().run(page).response["violations"]
    wide = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    return [f"{item['id']}: {item['nodes'][0]['html']}" for item in found] + (["too wide"] if wide else [])
