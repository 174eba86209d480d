"""get_specs on real Postgres."""

from collections.abc import Iterator
from typing import Any

import pytest

from equipment.get_specs import handler
from operations.ingest import KINDS
from tests.deployment import TENANT, ClientContext, Context, Deployment, invoke
from tests.sample_catalogue import put_catalogue
from tests.sample_rows import PRODUCTS, QUOTES, declared, line


@pytest.fixture(scope="module", autouse=True)
def serving(deployment: Deployment) -> Iterator[None]:
    deployment.put_products(*PRODUCTS)
    deployment.declare({**declared("turns", 1), "families": ["compressor"]})
    with deployment.serving("quarry_read"):
        yield


def compare(*models: str) -> dict[str, Any]:
    return invoke(handler, {"models": list(models)})


def test_products_come_in_the_order_asked() -> None:
    answer = compare("RD-500", "qmb 30", "SES100")
    assert [row["model"] for row in answer["products"]] == ["RD-500", "QMB30", "SES100"]
    assert answer["not_found"] == []


def test_what_a_quotes_line_may_set_is_told_where_there_is_a_choice(deployment: Deployment) -> None:
    put_catalogue(deployment)
    [row] = compare("QMB30")["products"]
    assert row["configurable"] == {
        "voltage": "230/3/60 | 460/3/60; Volts/phase/hertz at the machine.",
        "outdoor_package": "yes | no; Enclosure and heaters for outdoor mounting: on request.",
    }


def test_a_missing_model_is_listed_with_the_nearest_and_the_rest_is_given() -> None:
    answer = compare("QMB3O", "RD-500")
    assert [row["model"] for row in answer["products"]] == ["RD-500"]
    [missing] = answer["not_found"]
    assert missing["model"] == "QMB3O"
    assert missing["nearest"][0] == "QMB30"


def test_a_sku_of_work_says_which_tool_has_it(deployment: Deployment) -> None:
    put_catalogue(deployment)
    [missing] = compare("srv-startup")["not_found"]
    assert missing["known"].endswith("a product for sale without a row of characteristics; catalog_search has it.")


def test_another_makers_model_says_what_the_house_knows_of_it(deployment: Deployment) -> None:
    vane = {"maker": "Mattei", "model": "Blade 11", "family": "compressor", "note": "the number is kilowatts"}
    deployment.put(KINDS["equivalents"], [{**vane, "hp": 15, "lubrication": "oil-flooded"}])
    for named in ("Mattei Blade 11", "BLADE-11"):
        [missing] = compare(named)["not_found"]
        assert (
            missing["known"]
            == "Mattei Blade 11: compressor, hp 15 hp, lubrication oil-flooded, the number is kilowatts"
        )
    assert "known" not in compare("Blade 15")["not_found"][0]


def test_a_model_asked_twice_comes_once() -> None:
    assert [row["model"] for row in compare("QMB30", "qmb-30", "QMB30")["products"]] == ["QMB30"]


def test_a_model_of_two_manufacturers_gives_both() -> None:
    assert [row["manufacturer"] for row in compare("ax5")["products"]] == ["Acme", "Zenith"]


def test_what_the_catalogue_does_not_say_is_left_out() -> None:
    [row] = compare("HX-100")["products"]
    assert row["attributes"] == {"hp": "100 hp"}
    assert None not in row.values()


def test_with_needs_each_product_says_how_it_meets_them() -> None:
    needs = [{"attribute": "lubrication", "is": "oilless"}, {"attribute": "cfm", "is": "300"}]
    unread = {"attribute": "flavour", "is": "sweet"}
    answer = invoke(handler, {"models": ["SES100", "QMB30", "HX-100"], "needs": [*needs, unread]})
    oilless, flooded, silent = (row["fit"] for row in answer["products"])
    assert oilless == ["lubrication met: oilless", "cfm met: 330 cfm"]
    assert flooded == ["lubrication contradicted: oil-flooded", "cfm contradicted: 125 cfm"]
    assert silent == ["lubrication unknown", "cfm unknown"]
    assert answer["needs"] == needs
    assert answer["unread"][0].startswith("flavour sweet: no such attribute")


def test_a_need_of_other_goods_says_nothing_of_those_beside_them() -> None:
    asked = {"models": ["QMB30", "RD-500"], "needs": [{"attribute": "turns", "is": "1800"}]}
    machine, dryer = invoke(handler, asked)["products"]
    assert machine["fit"] == ["turns unknown"]
    assert "fit" not in dryer


def test_a_past_line_that_says_otherwise_is_a_conflict_for_who_may_read_quotes(deployment: Deployment) -> None:
    deployment.put_quotes(*QUOTES)
    deployment.put_lines(line("Q-24-102", 7, "OFX-100", manufacturer="Atlas", model="OFX-100", hp=100, cfm=300))
    [machine] = invoke(handler, {"models": ["OFX-100"]})["products"]
    assert machine["conflict"] == "Q-24-102/7: cfm 300 cfm, here 420 cfm"
    custom: dict[str, object] = {"tool": "get_specs", "tenant": TENANT, "scopes": ["equipment:read"]}
    [untold] = handler({"models": ["OFX-100"]}, Context(ClientContext(custom)))["products"]
    assert "conflict" not in untold
