"""account_search on the sample accounts, and what quote_create and quote_list say of customers and deals."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from cpq import account_search, quote_create, quote_list, quote_price
from operations.ingest import KINDS
from quarry.tool.identity import Caller
from quotes import customers
from tests.deployment import TENANT, Deployment, invoke
from tests.sample_catalogue import put_catalogue
from tests.sample_rows import QUOTES, quote

YEAR = datetime.now(UTC).year
SSO = {"product_id": "prod_sso", "quantity": 10}
STARTER = {"product_id": "prod_starter", "quantity": 5}
ADDRESSEE = {
    "name": "Luis Ortega",
    "email": "luis@birchbarrow.example",
    "address": "418 Willow Street, Eugene, OR 97401",
}

COMPANY_KEYS = "SELECT search.company_key(name) AS key FROM unnest(string_to_array(%(names)s, '|')) AS name"


@pytest.fixture(scope="module", autouse=True)
def served(deployment: Deployment) -> Iterator[None]:
    put_catalogue(deployment, tenant="rival")
    deployment.put_quotes(*QUOTES)
    with deployment.serving("quarry_write"):
        create("acct_groeb_farms", SSO, deal_id="deal_honey")
        create("acct_lindqvist", SSO, currency="EUR")
        yield


def create(account_id: str, *lines: dict[str, Any], tenant: str = "acme", **fields: object) -> dict[str, Any]:
    event = {"account_id": account_id, "term_months": 12, "line_items": list(lines), **fields}
    answer = invoke(quote_create.handler, event, tenant=tenant)
    assert "error" not in answer, answer
    return answer


def search(query: str, **arguments: object) -> dict[str, Any]:
    return invoke(account_search.handler, {"query": query, **arguments})


def listed(**arguments: object) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = invoke(quote_list.handler, arguments)["items"]
    return items


@pytest.mark.parametrize(
    "names",
    [
        "나노셈텍|주식회사 나노셈텍|주식회사나노셈텍|(주)나노셈텍|㈜나노셈텍|나노셈텍(주)|나노셈텍 주식회사",
        "三機|株式会社三機|三機株式会社|(株)三機|㈱ 三機|三機（株）",
        "上海东方泵业|上海东方泵业有限公司|上海东方泵业股份有限公司|上海东方泵业 有限责任公司",
        "Агро-Лан|ТОВ «Агро-Лан»|ТОВ Агро Лан|«Агро-Лан», ТОВ",
        "Ромашка|ООО «Ромашка»|АО Ромашка|Закрытое акционерное общество «Ромашка»",
        "الخليج|شركة الخليج|شركة الخليج المحدودة|الخليج ش.م.م.",
        "Αιγαίον|ΑΙΓΑΙΟΝ Α.Ε.|Αιγαίον ΑΕ|Αιγαίον Ε.Π.Ε.|Αιγαίον & ΣΙΑ Ο.Ε.",
        'הצפון|הצפון בע"מ|הצפון בע״מ',
        "Acme Foods|ACME FOODS, Inc.|Acme Foods GmbH & Co. KG|OOO Acme Foods|Acme Foods A.Ş.",
        "株式会社|株式会社株式会社",
        "Lemn Turda|S.C. Lemn Turda S.R.L.|SC LEMN TURDA SRL|Lemn Turda S.A.",
        "Sinar Abadi|PT Sinar Abadi Tbk|ЕТ Sinar Abadi|Sinar Abadi j.d.o.o.",
    ],
)
def test_a_company_is_one_whatever_its_legal_form_and_where_it_stands(deployment: Deployment, names: str) -> None:
    keys = deployment.rows(COMPANY_KEYS, {"names": names})
    assert len({row["key"] for row in keys}) == 1, keys


def test_a_word_that_names_begin_with_is_no_legal_form_there(deployment: Deployment) -> None:
    keys = deployment.rows(COMPANY_KEYS, {"names": "SE Controls|주원산업|GmbH|SC Johnson Inc."})
    assert [row["key"] for row in keys] == ["secontrols", "주원산업", "gmbh", "scjohnson"]


@pytest.mark.parametrize(
    ("query", "account", "matched"),
    [
        ("Groeb Farms", "acct_groeb_farms", "exactly"),
        ("acct_groeb_farms", "acct_groeb_farms", "exactly"),
        ("GROEB  far", "acct_groeb_farms", "name"),
        ("harvest-moon", "acct_harvest_moon", "name"),
        ("https://www.keystonetool.example/about", "acct_keystone_tool", "domain"),
        ("somebody@lindqvist.example", "acct_lindqvist", "domain"),
        ("traversecity", "acct_harvest_moon", "city"),
        ("Deal_Honey", "acct_groeb_farms", "deal"),
        ("whitfield", "acct_acme_001", "addressee"),
    ],
)
def test_a_customer_is_found_by_whatever_is_known_of_them(query: str, account: str, matched: str) -> None:
    first = search(query)["accounts"][0]
    assert (first["account_id"], first["matched"]) == (account, matched)


def test_it_comes_with_segment_addressee_open_and_past_quotes() -> None:
    [found] = search("groeb")["accounts"]
    assert (found["segment"], found["addressee"], found["city"]) == ("mid_market", "Melanie Sturk", "Adrian")
    [quote] = found["open_quotes"]
    assert (quote["quote_id"], quote["deal_id"], quote["status"]) == (f"Q-{YEAR}-0001", "deal_honey", "draft")
    assert found["past_quotes"] == ["Q-24-101"]


def table(*filters: tuple[str, str], **arguments: object) -> list[dict[str, str]]:
    asked = [{"attribute": name, "is": said} for name, said in filters]
    answer = invoke(account_search.handler, {"filters": asked, "limit": 50, **arguments})
    assert answer["accounts"] == []
    return [dict(zip(answer["columns"], row, strict=True)) for row in answer.get("rows", [])]


def test_without_a_query_it_is_a_table_of_whom_filters_leave_in_an_order(deployment: Deployment) -> None:
    known = """UPDATE cpq.accounts SET discount_pct = %(discount)s, salesperson = %(who)s WHERE id = %(id)s"""
    said = (
        ("acct_groeb_farms", 12.5, "Eva Nowak"),
        ("acct_lindqvist", 10, "Jan Kos"),
        ("acct_acme_001", 4, "Eva Nowak"),
    )
    for account, discount, who in said:
        deployment.rows(known, {"id": account, "discount": discount, "who": who}, tenant=TENANT)
    silent = {row["account_id"] for row in table(("discount_pct", "?"))}
    assert silent
    assert not silent & {account for account, _, _ in said}
    above = table(("discount_pct", ">= 10 %"), sort="-discount_pct")
    assert [(row["account_id"], row["discount_pct"]) for row in above] == [
        ("acct_groeb_farms", "12.5"), ("acct_lindqvist", "10"),
    ]  # fmt: skip
    assert {row["account_id"] for row in table(("salesperson", "nowak"))} == {"acct_groeb_farms", "acct_acme_001"}
    assert [row["city"] for row in table(("city", "traverse city"))] == ["Traverse City"]
    assert table(("city", "Adrian"), ("salesperson", "Kos")) == []
    names = [row["name"].lower() for row in table(sort="name")]
    assert len(names) > 5
    assert names == sorted(names)


def test_customers_are_sorted_and_told_by_the_quotes_that_they_won(deployment: Deployment) -> None:
    won = [quote(f"W-{number}", customer="Keystone Tool & Die") for number in (1, 2)]
    deployment.put_quotes(*won, quote("W-3", customer="Keystone Tool & Die", status="lost"))
    told = [(row["account_id"], row["won"]) for row in table(("won", ">= 1"), sort="-won")]
    assert told == [("acct_keystone_tool", "2 of 3"), ("acct_groeb_farms", "1 of 1")]


def test_a_value_that_no_customer_has_is_told_with_those_there_are() -> None:
    answer = invoke(account_search.handler, {"filters": [{"attribute": "segment", "is": "hospital"}]})
    assert answer["notice"].startswith("Nobody here has segment 'hospital'; there are enterprise, ")


def test_what_customers_do_not_have_is_no_filter_and_said() -> None:
    answer = invoke(account_search.handler, {"filters": [{"attribute": "family", "is": "pump"}], "sort": "colour"})
    assert [each.partition(":")[0] for each in answer["unread"]] == ["family pump", "sort colour"]
    assert answer["pagination"]["total"] > 5


def test_it_comes_with_where_letters_and_goods_go() -> None:
    [found] = search("harvest moon")["accounts"]
    assert found["address"] == "77 Orchard Lane, Receiving dock C, Traverse City, MI 49684"
    assert found["ship_to"] == "Plant 2, 2300 Cherry Bend Road, Traverse City, MI 49684"
    [elsewhere] = search("groeb")["accounts"]
    assert "ship_to" not in elsewhere


def test_a_closed_customer_is_marked_and_nobody_is_told_with_the_nearest() -> None:
    [closed] = search("old mill")["accounts"]
    assert closed["active"] is False
    answer = search("Harvst Moon Juce")
    assert (answer["accounts"], "Harvest Moon Juice Co." in answer["notice"]) == ([], True)


def test_a_company_of_past_quotes_alone_is_told_as_one_without_an_account(deployment: Deployment) -> None:
    deployment.put_quotes(quote("A-1", customer="Red Elm Dairy"))
    notice = search("elm dairy")["notice"]
    assert "No account matches" in notice
    assert "In past quotes alone: Red Elm Dairy" in notice


def test_pages_hold_each_customer_once() -> None:
    pages = [search("example", limit=30, page=page) for page in (1, 2, 3)]
    found = [account["account_id"] for page in pages for account in page["accounts"]]
    assert len(found) == len(set(found)) == pages[0]["pagination"]["total"] == 89


def test_another_tenants_customers_and_quotes_are_not_seen() -> None:
    create("acct_groeb_farms", SSO, tenant="rival", deal_id="deal_rival")
    assert search("deal_rival")["accounts"] == []


def test_a_new_quote_names_its_addressee() -> None:
    assert create("acct_birch_002", SSO, STARTER)["addressee"] == ADDRESSEE


def test_totals_are_sorted_within_each_currency() -> None:
    for account, lines, currency in (
        ("acct_keystone_tool", [SSO], "USD"),
        ("acct_keystone_tool", [STARTER], "USD"),
        ("acct_midori", [SSO], "JPY"),
        ("acct_fromagerie", [STARTER], "EUR"),
    ):
        quote = create(account, *lines, currency=currency)["quote"]["id"]
        assert "error" not in invoke(quote_price.handler, {"quote_id": quote})
    items = [item for item in listed(sort_by="total", limit=100) if item["total"] is not None]
    currencies = [item["currency"] for item in items]
    assert currencies == sorted(currencies)
    for code in set(currencies):
        totals = [float(item["total"]) for item in items if item["currency"] == code]
        assert totals == sorted(totals, reverse=True)


def test_an_open_quote_is_told_from_others_by_what_it_is_for() -> None:
    create("acct_keystone_tool", {**SSO, "quantity": 1}, {**SSO, "quantity": 5})
    caller = Caller(tenant=TENANT, request_id="r-1")
    customer = customers.known(caller, "Keystone Tool & Die").customer
    assert customer is not None
    assert customer.open_quotes is not None
    assert customer.open_quotes[0].endswith(": SSO Add-on, 5 × SSO Add-on")


def test_a_customers_own_terms_discount_and_tax_number_are_told(deployment: Deployment) -> None:
    agreed = {"payment_terms": "net_45", "discount_pct": "12.5", "tax_id": "PL8730001234"}
    row = {"id": "acct_own_terms", "name": "Own Terms Ltd", "segment": "mid_market", "currency": "USD",
           "country": "US"}  # fmt: skip
    deployment.put(KINDS["accounts"], [row | agreed])
    [found] = search("Own Terms")["accounts"]
    assert {name: str(found[name]) for name in agreed} == agreed
    assert (found["free_discount_pct"], found["free_payment_days"]) == (5, 45)
