"""A dealer's matrix of discounts and price list in tiers, from the files to the priced quote, by the tools."""

import json
from decimal import ROUND_HALF_UP, Decimal
from random import Random
from typing import Any

import pytest

from cpq import account_search, approval_request, quote_create, quote_get, quote_price, quote_what_if
from quotes import find_for_request
from tests.deployment import invoke
from tests.integration.onboarding.conftest import Desk

GOODS = """Indeks;Nazwa;Grupa;Grupa rabatowa;Cena;od 10;od 50
ZK-50;Zawór kulowy 50;Zawory;Armatura;120,00;5%;9%
ZK-80;Zawór kulowy 80;Zawory;Armatura;199,90;;7,5%
NP-20;Napęd 24 V;Napędy;;489,00;455,00;
US-1;Przegląd;Usługi;;350,00;;
"""
FOR_SALE = """
kind = "products_for_sale"
[[tables]]
aside = ["Cena", "od 10", "od 50"]
[tables.constants]
product_type = "simple"
[tables.fields]
id = { from = "Indeks" }
sku = { from = "Indeks" }
name = { from = "Nazwa" }
description = { from = "Nazwa" }
category = { from = "Grupa" }
discount_group = { from = "Grupa rabatowa" }
"""
PRICES = """
kind = "prices"
numbers = "1.234,56"
[[tables]]
aside = ["Nazwa", "Grupa", "Grupa rabatowa"]
[tables.constants]
price_book_id = "pb_cennik"
[tables.fields]
product_id = { from = "Indeks" }
price = { from = "Cena" }
"tiers.10" = { from = "od 10" }
"tiers.50" = { from = "od 50" }
"""
MATRIX = "Grupa rabatowa;Hurt;Instalator\nArmatura;30%;18\nNapędy;12,5;\n"
OF_SEGMENTS = """
kind = "discounts"
numbers = "1.234,56"
[[tables]]
[tables.fields]
discount_group = { from = "Grupa rabatowa" }
"discount_pct.hurt" = { from = "Hurt" }
"discount_pct.instalator" = { from = "Instalator" }
"""
OWN = "account_id,discount_group,discount_pct,valid_from,valid_to\n"
ACCOUNTS = """id,name,segment,currency,country,discount_pct
acct_hydro,Hydro Hurt sp. z o.o.,hurt,PLN,PL,
acct_rura,Rura i Syn,hurt,PLN,PL,4
acct_kran,Kran-Bud,instalator,PLN,PL,
"""
POLICY = {
    "id": "pol_hurt", "name": "Hurt", "segment": "hurt", "segment_name": "Hurt", "auto_approve_pct": "20",
    "bands": [{"max_pct": "60", "approver_role": "manager"}], "hard_max_pct": "60", "escalation_chain": ["manager"],
}  # fmt: skip
TERMS = {"payment_terms": "net_30", "billing_frequency": "one_time"}
ZK, NP, US = "prod_zk_50", "prod_np_20", "prod_us_1"


@pytest.fixture
def dealer(desk: Desk) -> Desk:
    also = {"id": "pol_inst", "name": "Instalator", "segment": "instalator", "segment_name": "Instalator"}
    desk.ingest("discount_policies", [POLICY, {**POLICY, **also}])
    desk.ingest("approvers", [{"id": "apr_m", "role": "manager", "name": "Maja", "email": "maja@hurt.example"}])
    tax = {"id": "tax_pl", "name": "VAT", "country": "PL", "rate_pct": "23"}
    desk.load_whole("tax_rules", ",".join(tax) + "\n" + ",".join(tax.values()) + "\n")
    desk.load_whole("products_for_sale", GOODS, FOR_SALE)
    desk.load_whole("price_books", "id,name,currency\npb_cennik,Cennik 2026,PLN\n")
    desk.load_whole("prices", GOODS, PRICES)
    desk.load_whole("accounts", ACCOUNTS)
    return desk


def asked(desk: Desk, handler: Any, **arguments: object) -> dict[str, Any]:
    with desk.deployment.serving("quarry_write"):
        answer = invoke(handler, arguments, tenant=desk.tenant)
    assert "error" not in answer, answer
    return answer


def quote(desk: Desk, account: str, *lines: dict[str, object]) -> str:
    goods = [{"product_id": ZK, "quantity": 1}, {"product_id": NP, "quantity": 1}, {"product_id": US, "quantity": 1}]
    made = asked(desk, quote_create.handler, account_id=account, line_items=list(lines) or goods, **TERMS)
    return str(made["quote"]["id"])


def discounts(desk: Desk, quote_id: str) -> list[float]:
    of = asked(desk, quote_get.handler, quote_id=quote_id)["quote"]["account_id"]
    priced = asked(desk, quote_price.handler, quote_id=quote_id, account_id=of)
    return [line.get("discount_pct", 0.0) for line in priced["line_pricing"]]


def test_a_class_has_its_discounts_and_an_account_its_own_before_them(dealer: Desk) -> None:
    dealer.load_whole("discounts", MATRIX, OF_SEGMENTS)
    hydro, rura, kran = (quote(dealer, f"acct_{name}") for name in ("hydro", "rura", "kran"))
    assert discounts(dealer, hydro) == [30.0, 12.5, 0.0]
    assert discounts(dealer, rura) == [30.0, 12.5, 4.0], "what holds for all goods is off those without a group's"
    assert discounts(dealer, kran) == [18.0, 0.0, 0.0]
    dealer.load_whole("discounts", f"{OWN}acct_hydro,Armatura,33,,\nacct_hydro,Napędy,0,,\n")
    assert discounts(dealer, hydro) == [33.0, 0.0, 0.0], "a row of 0 says that there is none"
    assert discounts(dealer, rura) == [30.0, 12.5, 4.0]
    assert "unchanged" in json.dumps(dealer.ask("load_check", kind="discounts", file="discounts.csv")["rows"])


def test_what_is_typed_on_a_line_is_instead_of_them_and_the_trace_says_whose_each_is(dealer: Desk) -> None:
    dealer.load_whole("discounts", MATRIX, OF_SEGMENTS)
    dealer.load_whole("discounts", f"{OWN}acct_rura,Napędy,15,,\n")
    typed = {"product_id": ZK, "quantity": 1, "discount_pct": 10}
    rest: list[dict[str, object]] = [{"product_id": each, "quantity": 1} for each in (ZK, NP, US)]
    quote_id = quote(dealer, "acct_rura", typed, *rest)
    answer = asked(dealer, quote_price.handler, quote_id=quote_id, requested_discount_pct=10, explain=True)
    assert [line["discount_pct"] for line in answer["line_pricing"]] == [19.0, 37.0, 23.5, 13.6]
    trace = asked(dealer, quote_get.handler, quote_id=quote_id, include_trace=True)["pricing_trace"]
    steps = [" ".join(line["steps"]) for line in trace["lines"]]
    whose = ("the line's 10%", "the discount of segment hurt on armatura 30%", "customer's discount on napedy 15%")
    for said, step in zip((*whose, "the customer's discount 4%"), steps, strict=True):
        assert f"{said}, then the quote's 10% of the rest" in step
    cleared = {"lines": [{"line_id": "ql_002", "discount_pct": 5}]}
    plain, changed = asked(dealer, quote_what_if.handler, quote_id=quote_id, variants=[{}, cleared])["variants"]
    assert (plain["discount_total"], changed["discount_total"]) == ("135.35", "105.35")


def test_a_net_price_of_a_list_takes_no_part_of_discounts_and_the_answer_says_so(dealer: Desk) -> None:
    dealer.load_whole("discounts", MATRIX, OF_SEGMENTS)
    agreed = "Indeks;Net price\nZK-50;100,00\n"
    book = 'kind = "prices"\n[[tables]]\n[tables.constants]\nprice_book_id = "pb_cennik"\n[tables.fields]\n'
    checked = dealer.ask("load_check", kind="prices", file=dealer.put("net.csv", agreed), mapping=book)
    assert "'Net price' is taken as net" in json.dumps(checked)
    dealer.ask("load", check_id=checked["check_id"])
    quote_id = quote(dealer, "acct_hydro")
    assert discounts(dealer, quote_id) == [0.0, 12.5, 0.0]
    answer = asked(dealer, quote_price.handler, quote_id=quote_id, account_id="acct_hydro", requested_discount_pct=10)
    assert [line["line_total"] for line in answer["line_pricing"]] == ["100.00", "385.09", "315.00"]
    assert "The 10% on the whole quote is not taken off ql_001: net prices." in answer["notice"]
    plain: dict[str, object] = {"requested_discount_pct": 10}
    typed = plain | {"lines": [{"line_id": "ql_001", "discount_pct": 5}]}
    variants = asked(dealer, quote_what_if.handler, quote_id=quote_id, variants=[plain, typed])["variants"]
    assert [(one["subtotal"], one["discount_total"]) for one in variants] == [
        ("939.00", "138.91"),
        ("939.00", "143.91"),
    ]


def test_a_price_that_the_book_of_the_segment_lacks_is_said_to_be_everybodys(dealer: Desk) -> None:
    dealer.load_whole("price_books", "id,name,currency,segment\npb_hurt,Hurt 2026,PLN,hurt\n")
    row = {"price_book_id": "pb_hurt", "product_id": ZK, "price": "99"}
    dealer.ingest("prices", [row])
    told = {}
    for account in ("acct_hydro", "acct_kran"):
        priced = asked(dealer, quote_price.handler, quote_id=quote(dealer, account), account_id=account)
        told[account] = priced.get("notice")
    said = "Hurt 2026 has no price of ql_002, ql_003: Cennik 2026's is taken."
    assert told == {"acct_hydro": said, "acct_kran": None}


def test_undone_or_left_out_of_a_file_that_replaces_it_holds_no_more(dealer: Desk) -> None:
    dealer.load_whole("discounts", MATRIX, OF_SEGMENTS)
    quote_id = quote(dealer, "acct_hydro")
    newer = dealer.load_whole("discounts", MATRIX.replace("30%", "35%"), OF_SEGMENTS)
    assert discounts(dealer, quote_id)[0] == 35.0
    dealer.ask("load_undo", load_id=newer["load_id"])
    assert discounts(dealer, quote_id)[0] == 30.0
    row = {"segment": "hurt", "discount_group": "napedy", "discount_pct": "20"}
    report = dealer.ingest("discounts", [row], replace=True)
    assert (report["updated"], report["removed"]) == (1, 2)
    assert discounts(dealer, quote_id) == [0.0, 20.0, 0.0]


def test_of_rows_that_hold_today_the_newest_counts(dealer: Desk) -> None:
    rows = "".join(
        f"acct_hydro,Armatura,{pct},{begin},{end}\n"
        for pct, begin, end in ((10, "2020-01-01", ""), (20, "2024-01-01", ""), (30, "2025-01-01", "2025-01-31"),
                                (40, "2999-01-01", ""))
    )  # fmt: skip
    dealer.load_whole("discounts", OWN + rows)
    assert discounts(dealer, quote(dealer, "acct_hydro"))[0] == 20.0


def test_they_are_asked_about_as_any_discount_and_a_version_that_was_keeps_what_it_had(dealer: Desk) -> None:
    dealer.load_whole("discounts", MATRIX, OF_SEGMENTS)
    quote_id = quote(dealer, "acct_hydro")
    answer = asked(dealer, quote_price.handler, quote_id=quote_id)
    [violation] = answer["policy_evaluation"]["violations"]
    assert "30% discount exceeds 20% auto-approval cap for Hurt segment" in violation["description"]
    asked(dealer, approval_request.handler, quote_id=quote_id, justification="Jak co roku.")
    dealer.load_whole("discounts", MATRIX.replace("30%", "20%"), OF_SEGMENTS)
    again = asked(dealer, quote_price.handler, quote_id=quote_id, account_id="acct_hydro")
    assert (again["version"], again["policy_evaluation"]["status"]) == (2, "AUTO_APPROVED")
    kept = [asked(dealer, quote_get.handler, quote_id=quote_id, version=version) for version in (1, 2)]
    assert [each["line_items"][0]["discount_amount"] for each in kept] == ["36.00", "24.00"]


def test_whoever_asks_for_a_customer_is_told_them(dealer: Desk) -> None:
    dealer.load_whole("discounts", MATRIX, OF_SEGMENTS)
    dealer.load_whole("discounts", f"{OWN}acct_rura,Napędy,15,,\n")
    [found] = asked(dealer, account_search.handler, query="Rura i Syn")["accounts"]
    assert (found["discounts"], found["discount_pct"]) == (["armatura 30 %", "napedy 15 %"], 4.0)
    items = [{"what": "zawory"}]
    told = asked(dealer, find_for_request.handler, items=items, customer="Rura i Syn")["customer"]
    assert told["discount"] == "armatura 30 %, napedy 15 %, 4 %"


def test_what_cannot_be_anybodys_is_kept_with_what_to_change(dealer: Desk) -> None:
    text = (
        "account_id,segment,discount_group,discount_pct\nacct_nikt,,Armatura,10\n,detal,Armatura,10\n,hurt,Rury,10\n"
    )
    checked = dealer.ask("load_check", kind="discounts", file=dealer.put("faulty.csv", text))
    assert checked["rows"]["rejected"] == 2
    told = json.dumps(checked, ensure_ascii=False)
    assert "account_id no account; ingest accounts first (1): 'acct_nikt' in line 2" in told
    assert "segment has no discount policy; map it to one that has, as of accounts (1): 'detal' in line 3" in told
    assert "no product for sale has the discount_group, or the category, rury" in told


def test_what_discounts_hang_on_is_not_pulled_from_under_them(dealer: Desk) -> None:
    accounts = dealer.load_whole("accounts", ACCOUNTS.splitlines()[0] + "\nacct_nowy,Nowy,hurt,PLN,PL,\n")
    dealer.load_whole("discounts", f"{OWN}acct_nowy,Armatura,10,,\n")
    assert "1 discounts refer to" in dealer.refused("load_undo", load_id=accounts["load_id"])


def test_a_line_comes_to_what_its_list_tier_and_discount_say(dealer: Desk) -> None:
    dealer.load_whole("discounts", MATRIX, OF_SEGMENTS)
    dealer.load_whole("discounts", f"{OWN}acct_rura,Armatura,33.25,,\n")
    lists = {
        ZK: {1: "120", 10: "114", 50: "109.20"}, "prod_zk_80": {1: "199.90", 50: "184.91"},
        NP: {1: "489", 10: "455"}, US: {1: "350"},
    }  # fmt: skip
    off = {
        ("acct_hydro", "zk"): "30", ("acct_hydro", "np"): "12.5", ("acct_rura", "zk"): "33.25",
        ("acct_rura", "np"): "12.5", ("acct_rura", "us"): "4", ("acct_kran", "zk"): "18",
    }  # fmt: skip
    chance = Random(61)
    for account in ("acct_hydro", "acct_rura", "acct_kran"):
        lines = [(product, count) for product in lists for count in (1, 9, 10, 49, 50, chance.randint(51, 5000))]
        quote_id = quote(dealer, account, *({"product_id": each, "quantity": count} for each, count in lines))
        priced = asked(dealer, quote_price.handler, quote_id=quote_id)["line_pricing"]
        for (product, count), line in zip(lines, priced, strict=True):
            price = Decimal(lists[product][max(least for least in lists[product] if least <= count)])
            pct = Decimal(off.get((account, product[5:7]), "0"))
            net = (price * count * (100 - pct) / 100).quantize(Decimal("0.01"), ROUND_HALF_UP)
            assert Decimal(line["line_total"]) == net, (account, product, count)
