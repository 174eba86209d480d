"""One company is one company in every tool, however its name is written."""

from collections.abc import Iterator
from typing import Any

import pytest

from cpq import account_search, check_draft, draft_compose, draft_list, quote_create, quote_price
from cpq.ingestion.customers import ACCOUNTS
from quotes import find_for_request, price_history, search_line_items, search_past_quotes
from tests.deployment import Deployment, invoke
from tests.sample_catalogue import put_catalogue
from tests.sample_rows import PRODUCTS, line, quote

NAMES = (
    ("Q-24-901", "acct_klos", "Restauracja Złoty Kłos Sp. z o.o.", "restauracja zloty klos"),
    ("Q-24-902", "acct_gross", "Großbäckerei Weiß GmbH & Co. KG", "GROSSBACKEREI WEISS"),
    ("Q-24-903", "acct_bjork", "Bjørk Sjømat AS", "bjork-sjomat"),
    ("Q-24-904", "acct_izmir", "İzmir Gıda A.S.", "izmir gida"),
    ("Q-24-905", "acct_dakovo", "Đakovo Mlin d.o.o.", "DAKOVO MLIN"),
    ("Q-24-906", "acct_creme", "Cre\u0300me Bru\u0302le\u0301e S.A.", "Crème Brûlée"),
    ("Q-24-907", "acct_foods", "Maple Foods, Inc.", "MAPLE  FOODS"),
    ("Q-24-908", "acct_obrien", "O’Brien’s Dairy Ltd.", "OBriens Dairy Limited"),
)
"""A quote of each, its account, the name on record, and another way in which a mail has it."""

EVERY = pytest.mark.parametrize(("number", "account", "name", "other"), NAMES)


@pytest.fixture(scope="module", autouse=True)
def served(deployment: Deployment) -> Iterator[None]:
    put_catalogue(deployment)
    deployment.put_products(*PRODUCTS)
    accounts = [{"id": account, "name": name, "segment": "mid_market", "currency": "USD", "country": "US"}
                for _, account, name, _ in NAMES]  # fmt: skip
    deployment.put(ACCOUNTS, accounts)
    # The past quotes have the name as the mail writes it, without its legal form.
    deployment.put_quotes(*(quote(number, customer=other, terms="Net 7") for number, _, _, other in NAMES))
    deployment.put_lines(
        *(line(number, 1, "Screw compressor.", model="QMB30", manufacturer="Quincy", unit_price="21000")
          for number, *_ in NAMES)
    )  # fmt: skip
    deployment.embed()
    with deployment.serving("quarry_write"):
        yield


def answer(handler: Any, **arguments: object) -> dict[str, Any]:
    found = invoke(handler, arguments)
    assert "error" not in found, found
    return found


@EVERY
def test_account_search_knows_it_exactly_with_its_past_quotes(
    number: str, account: str, name: str, other: str
) -> None:
    for asked in (name, other, other.upper(), name.lower()):
        first = answer(account_search.handler, query=asked)["accounts"][0]
        assert (first["account_id"], first["matched"]) == (account, "exactly")
        assert first["past_quotes"] == [number]


@EVERY
def test_find_for_request_tells_its_account_and_history(number: str, account: str, name: str, other: str) -> None:
    for asked in (name, other):
        found = answer(find_for_request.handler, items=[{"what": "compressor"}], customer=asked)["customer"]
        assert found["account_id"] == account
        assert found["history"][0].startswith(number)
        assert found["terms"] == f"Net 7 ({number})"


@EVERY
def test_searches_of_past_quotes_and_lines_take_any_spelling(
    number: str, account: str, name: str, other: str
) -> None:
    for asked in (name, other):
        quotes = answer(search_past_quotes.handler, query="compressed air", customer=asked)["results"]
        assert [each["quote"]["quote_number"] for each in quotes] == [number]
        lines = answer(search_line_items.handler, query="screw compressor", customer=asked)["results"]
        assert [each["source_quote"]["customer"] for each in lines] == [other]


@EVERY
def test_prices_of_before_are_its_own(number: str, account: str, name: str, other: str) -> None:
    for asked in (name, other):
        history = answer(price_history.handler, query="QMB30", customer=asked)
        assert [price["quote_number"] for each in history["histories"] for price in each["own"]] == [number]


@EVERY
def test_check_draft_tells_its_own_name_from_anothers(number: str, account: str, name: str, other: str) -> None:
    for asked in (name, other):
        own = answer(check_draft.handler, draft=f"Dear {asked}, as in {number}: $21,000.", account=asked)
        assert own["findings"] == []
        others = answer(check_draft.handler, draft=f"As for {asked} last year.", account="acct_groeb_farms")
        assert [each["verdict"] for each in others["findings"]] == ["foreign"]


@EVERY
def test_letters_are_listed_by_any_spelling(number: str, account: str, name: str, other: str) -> None:
    answer(draft_compose.handler, page="Dear customer,", account_id=account, items=[{"product_id": "QMB30"}])
    for asked in (name, other):
        assert answer(draft_list.handler, customer=asked)["items"][0]["customer"] == name


def test_what_was_paid_before_is_noted_when_its_quote_is_priced() -> None:
    event = {"account_id": "acct_klos", "line_items": [{"product_id": "prod_quincy_qmb30", "quantity": 1}]}
    created = answer(quote_create.handler, **event)["quote"]["id"]
    notes = answer(quote_price.handler, quote_id=created, requested_discount_pct=1)["price_notes"]
    assert any("this customer paid" in note and "(Q-24-901)" in note for note in notes), notes


def test_two_companies_that_share_a_word_are_two() -> None:
    found = answer(find_for_request.handler, items=[{"what": "compressor"}], customer="Weiß GmbH")["customer"]
    assert (found.get("account_id"), found.get("history")) == (None, None)
