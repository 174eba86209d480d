"""catalog_search: what finds a product, in which order, on which page."""

from collections.abc import Iterator
from typing import Any

import pytest

from cpq import catalog_search
from tests.deployment import Deployment, invoke


@pytest.fixture(scope="module", autouse=True)
def served(deployment: Deployment) -> Iterator[None]:
    with deployment.serving():
        yield


def search(query: str, **arguments: object) -> dict[str, Any]:
    answer = invoke(catalog_search.handler, {"query": query, **arguments})
    assert "error" not in answer, answer
    return answer


def ids(query: str, **arguments: object) -> list[str]:
    return [item["id"] for item in search(query, **arguments)["items"]]


def test_the_seeds_example_comes_as_the_seed_has_it() -> None:
    first = search("Pro Plan", category="saas")["items"][0]
    assert first["id"] == "prod_pro_v2"
    assert first["sku"] == "PLAN-PRO-001"
    assert first["description"] == "Professional tier with advanced features"
    assert first["attributes"] == {
        "seats": {"type": "integer", "min": 1, "max": 1000, "required": False},
        "billing": {"type": "enum", "values": ["monthly", "annual"], "required": False},
    }
    assert (first["base_price"], first["currency"], first["unit"]) == ("10.00", "USD", "per_seat_per_month")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Pro Plan", "prod_pro_v2"),
        ("pro plan", "prod_pro_v2"),
        ("PLAN-PRO-001", "prod_pro_v2"),
        ("plan pro 001", "prod_pro_v2"),
        ("prod_pro_v2", "prod_pro_v2"),
        ("SAML provisioning", "prod_sso"),
        ("QMB30", "prod_quincy_qmb30"),
        ("qmb 30", "prod_quincy_qmb30"),
        ("Q$ync 100", "prod_quincy_qsync_100"),
        ("Qsync 100", "prod_quincy_qsync_100"),
        ("SEHX10008-100", "prod_powerex_sehx10008_100"),
        ("sehx10008", "prod_powerex_sehx10008_100"),
        ("onboard", "prod_onboarding"),
    ],
)
def test_it_is_found_first(query: str, expected: str) -> None:
    assert ids(query)[0] == expected


def test_a_sku_of_two_letters_is_found_too(deployment: Deployment) -> None:
    renamed = "UPDATE cpq.products SET sku = %(sku)s WHERE id = 'prod_sso'"
    [before] = deployment.rows("SELECT sku FROM cpq.products WHERE id = 'prod_sso'")
    deployment.rows(renamed, {"sku": "K1"})
    try:
        assert ids("K1") == ["prod_sso"]
    finally:
        deployment.rows(renamed, before)


def test_what_no_product_has_is_answered_with_what_is_spelt_alike() -> None:
    answer = search("QMB3O")
    assert answer["items"] == []
    assert answer["notice"].startswith("Nothing has these words; nearest: prod_quincy_qmb30")
    assert search("enterprise").get("notice") is None


def test_a_currency_without_a_price_is_told_with_those_that_there_are() -> None:
    answer = search("QMB30", currency="MXN")
    assert answer["notice"] == "None of these has a price in MXN; there are price books in EUR, JPY, KWD, USD."
    assert search("QMB30", currency="EUR").get("notice") is None


def test_goods_that_are_not_sold_are_told_beside_what_shares_a_word() -> None:
    answer = search("tip seal kit")
    assert "No product has all 3 words of the query" in answer["notice"]
    assert "notice" not in search("maintenance agreement")
    answer = search("xylophone zebra compressor")
    assert len(answer["items"]) == answer["pagination"]["total"] == 3
    assert "are shown: ask by fewer words" in answer["notice"]


def test_what_may_be_set_is_told_of_the_first_products_and_later_only_what_must_be() -> None:
    machines = search("Birkhagen", limit=40)["items"]
    assert machines[0]["attributes"]["voltage"].keys() == {"type", "values", "required"}
    assert not any("attributes" in machine for machine in machines[5:])
    assert "region" in search("Enterprise Plan")["items"][0]["attributes"]


def test_a_description_that_is_cut_says_where_the_whole_is() -> None:
    assert "3 products or fewer have all of theirs" in search("Quincy", limit=40)["notice"]
    assert "notice" not in search("Enterprise Plan", limit=1)


def test_nonsense_finds_nothing() -> None:
    answer = search("xylophone zebra")
    assert answer["items"] == []
    assert answer["pagination"] == {"total": 0, "page": 1, "per_page": 20, "has_more": False}


def test_products_that_are_no_longer_sold_are_asked_for() -> None:
    assert "prod_pro_v1" not in ids("Pro Plan")
    assert "prod_pro_v1" in ids("Pro Plan", active_only=False)


def test_a_search_for_what_is_no_longer_sold_says_so() -> None:
    answer = search("PLAN-PRO-000")
    assert (answer["items"], answer["notice"]) == (
        [],
        "Products that match but are no longer sold: 1; active_only false shows them.",
    )
    assert "notice" not in search("xylophone")


def test_an_empty_query_lists_a_category_by_name() -> None:
    answer = search("", category="saas")
    assert [item["name"] for item in answer["items"]] == ["Enterprise Plan", "Pro Plan", "Starter Plan"]


def test_an_unknown_category_is_named_with_the_nearest() -> None:
    assert search("", category="compresor")["notice"] == "No category 'compresor'. Did you mean compressor?"


def test_pages_neither_skip_nor_repeat() -> None:
    whole = [found for page in (1, 2) for found in ids("air compressor", limit=100, page=page)]
    paged = [found for page in range(1, 30) for found in ids("air compressor", limit=7, page=page)]
    assert len(whole) > 30
    assert paged == whole
    beyond = search("air compressor", limit=7, page=99)
    assert beyond["items"] == []
    assert beyond["pagination"] == {"total": len(whole), "page": 99, "per_page": 7, "has_more": False}


@pytest.mark.parametrize(("currency", "price"), [("EUR", "9.20"), ("JPY", "1500"), ("KWD", "3.075"), ("CHF", None)])
def test_the_list_price_is_in_the_currency_asked_for(currency: str, price: str | None) -> None:
    assert search("PLAN-PRO-001", currency=currency)["items"][0].get("base_price") == price


def test_every_machine_of_the_catalogue_is_found_by_its_model(deployment: Deployment) -> None:
    models = deployment.rows("SELECT id, model FROM cpq.products WHERE model IS NOT NULL")
    assert len(models) == 246
    assert [row["model"] for row in models if ids(row["model"], limit=1) != [row["id"]]] == []


@pytest.mark.parametrize("query", ["'; DROP TABLE cpq.products; --", "%", "_", "\\", "%%", "ß 価格 👍", "a" * 400])
def test_odd_characters_are_text(query: str) -> None:
    assert isinstance(ids(query), list)
