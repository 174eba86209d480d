"""find_for_request on real Postgres with real embeddings."""

from collections.abc import Iterator
from typing import Any

import pytest

from operations.ingest import KINDS
from quotes.find_for_request import handler
from tests.deployment import Deployment, invoke
from tests.sample_catalogue import put_catalogue
from tests.sample_rows import LINES, PRODUCTS, QUOTES, declared, line, product, quote

SES = {"manufacturer": "Powerex", "model": "SES100", "category": "OILLESS SCROLL AIR COMPRESSOR", "hp": 100}
OILLESS = {"what": "oilless compressor for a food plant", "needs": [
    {"attribute": "family", "is": "compressor"},
    {"attribute": "hp", "is": "100 hp"},
    {"attribute": "lubrication", "is": "oilless"},
]}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def serving(deployment: Deployment) -> Iterator[None]:
    put_catalogue(deployment)
    terms = {"discount_pct": "7.5", "payment_terms": "net_45"}
    oak = {"id": "acct_oak", "name": "Oak Mill", "segment": "mid_market", "currency": "USD", "country": "US"}
    deployment.put(KINDS["accounts"], [{**oak, **terms}])
    deployment.declare(
        {**declared("hp", 1), "position": 1},
        {**declared("cfm", 1), "position": 2},
        {**declared("lubrication", ""), "position": 3},
        {**declared("noise_dba", 1), "position": 4},
        {"name": "told", "words": ["lead time"], "kind": "number", "unit": "wk"},
        {"name": "took", "words": ["lead time kept"], "kind": "number", "unit": "wk"},
    )
    screw = {"hp": 100, "cfm": 417, "psi": 125, "lubrication": "oil-free", "category": "OIL-FREE AIR COMPRESSOR"}
    deployment.put_products(
        *PRODUCTS,
        product("ZT75", manufacturer="Atlas Copco", cooling="Air", **screw),
        product("RD-1000", category="REFRIGERATED AIR DRYER", family="dryer", cfm=1000, psi=232, dewpoint_f=38,
                told=3, description="Refrigerated dryer for a large room."),
    )  # fmt: skip
    deployment.put_quotes(
        *QUOTES,
        quote("N-1", customer="Müller Söhne GmbH", quote_date="2026-02-01", industry="food", terms="60 days"),
        quote("N-2", customer="Muller Brewing", quote_date="2026-03-01"),
        quote("N-3", customer="Elm Dairy", quote_date="2022-04-01", industry="food", reference=True),
        quote("N-4", customer="Oak Mill", quote_date="2026-04-01", industry="food"),
    )
    deployment.put_lines(
        *LINES,
        line("N-1", 1, "100 HP oilless scroll package for food.", unit_price="91000", told=12, took=15, **SES),
        line("N-1", 2, "Start-up by our technician, one trip.", category="START-UP SERVICE", family="service",
             unit_price="1500"),
        line("N-3", 1, "100 HP oilless scroll package, ten pumps.", unit_price="95000", **SES),
        line("N-4", 1, "Removal of the old compressor from the cellar.", category="REMOVAL", family="service",
             unit_price="2500"),
    )  # fmt: skip
    deployment.embed()
    with deployment.serving("quarry_read"):
        yield


def ask(*items: dict[str, Any], **arguments: object) -> dict[str, Any]:
    return invoke(handler, {"items": list(items), **arguments})


def rows(table: dict[str, Any]) -> list[dict[str, str]]:
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]


def row_of(item: dict[str, Any], model: str) -> dict[str, str]:
    return next(row for row in rows(item["candidates"]) if row["id"] == model)


def need(attribute: str, asked: str, **more: object) -> dict[str, object]:
    return {"attribute": attribute, "is": asked, **more}


def test_candidates_are_judged_by_each_need_and_what_fits_comes_first() -> None:
    [item] = ask(OILLESS)["items"]
    first, *others = rows(item["candidates"])
    assert (first["id"], first["fit"], first["lubrication"]) == ("SES100", "+++", "oilless")
    assert first["sold or quoted"].endswith("won N-1/1")
    assert first["lead time"] == "12 wk (2026-02), 15 kept (2026-02)"
    assert all("-" in other["fit"] or "?" in other["fit"] for other in others)
    assert {row["id"] for row in rows(item["lines"])} == {"N-1/1", "N-3/1", "Q-24-101/1"}


def test_a_lead_time_that_goods_have_themselves_is_told_without_a_date() -> None:
    [item] = ask({"what": "refrigerated dryer", "needs": [need("family", "dryer")]})["items"]
    assert row_of(item, "RD-1000")["lead time"] == "3 wk"


def test_a_price_of_one_segment_is_told_as_theirs_to_all_others(deployment: Deployment) -> None:
    deployment.put(
        KINDS["price_books"], [{"id": "pb_mid", "name": "Mid", "currency": "USD", "segment": "mid_market"}]
    )
    dryer = {"id": "prod_rd", "sku": "RD", "name": "RD-1000", "description": "", "product_type": "simple"}
    deployment.put(
        KINDS["products_for_sale"], [{**dryer, "category": "m", "manufacturer": "Acme", "model": "RD-1000"}]
    )
    deployment.put(KINDS["prices"], [{"price_book_id": "pb_mid", "product_id": "prod_rd", "price": "4000"}])
    asked = {"what": "refrigerated dryer", "needs": [need("family", "dryer")]}
    told = [
        row_of(ask(asked, **customer)["items"][0], "RD-1000")["list price"]
        for customer in ({}, {"customer": "Oak Mill"}, {"customer": "Acme Corp"})
    ]
    assert told == ["4,000.00 USD (mid_market)", "4,000.00 USD", "4,000.00 USD (mid_market)"]


def test_sales_in_another_currency_than_the_customers_are_counted_and_the_newest_is_told() -> None:
    [item] = ask(OILLESS, customer="Müller Söhne", currency="CAD")["items"]
    first = row_of(item, "SES100")
    assert (first["sold or quoted"], first["won"]) == ("91,000.00 USD 2026-02 won N-1/1", "3 of 3")


def test_a_wish_contradicts_nothing_and_more_columns_are_shown() -> None:
    wished = {**OILLESS, "needs": [*OILLESS["needs"], need("cooling", "water", wish=True)]}
    [item] = ask(wished, columns=["psi"])["items"]
    first = rows(item["candidates"])[0]
    assert (first["id"], first["fit"], first["psi"]) == ("SES100", "+++w", "116 psi")


@pytest.mark.parametrize("what", ["?", "…", "100", "\u200b-\u200b"])
def test_an_item_without_a_word_is_answered_by_its_needs_or_told_that_nothing_was_asked(what: str) -> None:
    [bare] = ask({"what": what})["items"]
    assert bare["what"].strip("\u200b") == what.strip("\u200b")
    [needed] = ask({**OILLESS, "what": what})["items"]
    assert rows(needed["candidates"])[0]["id"] == "SES100"


def test_what_cannot_be_read_is_told_and_fails_nothing() -> None:
    [item] = ask({**OILLESS, "needs": [*OILLESS["needs"], need("loudness", "70 dB")]})["items"]
    assert item["candidates"]["rows"]
    assert item["unread"][0].startswith("loudness 70 dB: no such attribute")
    assert any(each.startswith("list_attributes") for each in ask({**OILLESS, "needs": [need("x", "1")]})["next"])


def test_needs_that_goods_of_several_families_meet_are_told_with_what_says_which() -> None:
    wanted = {"what": "for a large room", "needs": [need("cfm", ">= 300 cfm")]}
    [item] = ask(wanted)["items"]
    families = item["notice"].partition("meet every need: ")[2].partition(".")[0].split(", ")
    assert set(families) == {"compressor", "vacuum_pump", "dryer"}
    [item] = ask({**wanted, "needs": [*wanted["needs"], need("family", "dryer")]})["items"]
    assert "notice" not in item


def test_a_need_by_another_name_is_not_told_back_as_one_that_nobody_asked() -> None:
    [item] = ask({"what": "dryer", "needs": [need("family", "dryer"), need("lead time", "<= 4 wk")]})["items"]
    assert "needs" not in item
    assert (row_of(item, "RD-1000")["fit"], row_of(item, "RD-1000")["told"]) == ("++", "3 wk")


def test_goods_without_a_price_in_the_currency_have_that_of_another_one() -> None:
    asked = {"what": "QMB30", "needs": [need("model", "QMB30")]}
    [item] = ask(asked, currency="MXN")["items"]
    assert row_of(item, "QMB30")["list price"] == "23,800.00 USD only"


def test_several_machines_with_one_down_meet_the_needs_together() -> None:
    asked = {"what": "machines for a shop", "needs": [need("cfm", ">= 900 cfm"), need("lubrication", "oil-flooded")]}
    found = ask(asked, {**asked, "machines": 2}, {**asked, "machines": 2, "down": 1})["items"]
    assert [row_of(item, "Q$ync 100")["fit"] for item in found] == ["-+", "++", "-+"]


def test_what_serves_an_item_takes_the_flow_of_its_first_candidate() -> None:
    screw = {"what": "screw", "needs": [need("family", "compressor"), need("model", "Q$ync 100")], "machines": 2}
    dryer = {"what": "refrigerated dryer", "for": 1, "needs": [need("family", "dryer")]}
    _, served = ask(screw, dryer)["items"]
    assert rows(served["candidates"])[0]["id"] == "RD-1000"
    assert need("cfm", ">= 940 cfm") in served["needs"]
    assert "Q$ync 100 of item 1" in served["notice"]
    _, unsaid = ask(screw, {"what": "a refrigerated dryer", "for": 1})["items"]
    assert "name its family in needs" in unsaid["notice"]
    assert not any(row["attribute"] == "cfm" for row in unsaid.get("needs", ()))


def test_a_past_line_and_a_model_to_replace_lend_their_figures() -> None:
    like, replaced, unknown = ask(
        {"what": "the same again", "like": "N-1/1"},
        {"what": "a new one", "replaces": "QMB30", "needs": [need("lubrication", "oil-flooded")]},
        {"what": "a compressor", "replaces": "Nope 1"},
    )["items"]
    assert rows(like["candidates"])[0]["id"] == "SES100"
    assert like["notice"].startswith("Like N-1/1: Powerex SES100.")
    assert need("hp", "30 hp") in replaced["needs"]
    assert "nothing is known of 'Nope 1'" in unknown["notice"]


def test_a_model_that_is_named_has_a_row_however_much_it_contradicts() -> None:
    asked = {"what": "another one", "like": "N-1/1", "budget": 10, "needs": [need("lubrication", "oil-flooded")]}
    [like] = ask(asked, rows=1)["items"]
    assert "-" in row_of(like, "SES100")["fit"]


def test_how_loud_the_model_is_that_is_replaced_is_a_wish_alone(deployment: Deployment) -> None:
    deployment.put_products(product("LOUD 30", family="compressor", hp=30, noise_dba=61, description="Screw."))
    [item] = ask({"what": "another LOUD 30", "replaces": "LOUD 30"})["items"]
    assert need("hp", "30 hp") in item["needs"]
    assert {**need("noise_dba", "61 dB(A)"), "wish": True} in item["needs"]


def test_what_is_no_longer_sold_replaces_nothing_itself(deployment: Deployment) -> None:
    deployment.put_products(product("OLD 30", manufacturer="Quincy", hp=30, withdrawn="yes", description="Gone."))
    [item] = ask({"what": "another OLD 30", "replaces": "OLD 30"})["items"]
    assert rows(item["candidates"])[0]["id"] != "OLD 30"


def test_work_that_the_catalogue_has_is_a_candidate(deployment: Deployment) -> None:
    deployment.put_products(product("SRV-9", family="service", category="SERVICE", description="Start-up, one day."))
    [item] = ask({"what": "start-up by a technician", "kind": "service"})["items"]
    assert [row["id"] for row in rows(item["candidates"])] == ["SRV-9"]


def test_a_question_looks_nothing_up_and_work_has_past_lines_alone() -> None:
    question, removal, work = ask(
        {"what": "what did we pay?", "kind": "question"},
        {"what": "removal of the old compressor", "kind": "removal"},
        {"what": "start-up by a technician", "kind": "service"},
    )["items"]
    assert question == {"item": 1, "what": "what did we pay?"}
    assert "candidates" not in removal
    assert rows(removal["lines"])[0]["id"] == "N-4/1"
    assert rows(work["lines"])[0]["id"] == "N-1/2"
    assert "candidates" not in work or {row["id"] for row in rows(work["candidates"])} <= {"SRV-9"}


@pytest.mark.parametrize("what", ["???", "–", "..."])
def test_an_item_of_punctuation_alone_fails_nothing(what: str) -> None:
    assert [item["what"] for item in ask({"what": what}, OILLESS, customer=what)["items"]] == [what, OILLESS["what"]]


@pytest.mark.parametrize(
    "name",
    [
        "MULLER SOHNE",
        "müller söhne gmbh",
        "Müller-Söhne GmbH & Co. KG",
        "Müller Söhne Coöperatie U.A.",
        "Müller Söhne, Erie PA",
        "Müller Söhne (Werk 2)",
    ],
)
def test_the_customer_is_the_very_company_whatever_its_accents_and_legal_form(name: str) -> None:
    customer = ask(OILLESS, customer=name)["customer"]
    assert customer["name"] == "Müller Söhne GmbH"
    assert customer["terms"] == "60 days (N-1)"
    assert [past.partition(",")[0] for past in customer["history"]] == ["N-1"]
    assert "/1 Powerex SES100 91,000.00 USD" in customer["history"][0]


def test_an_account_is_known_to_who_may_read_accounts_and_similar_names_stand_apart() -> None:
    customer = ask(OILLESS, customer="GROEB FARMS Incorporated")["customer"]
    assert (customer["account_id"], customer["currency"]) == ("acct_groeb_farms", "USD")
    assert ask(OILLESS, customer="acct_groeb_farms")["customer"]["name"] == "Groeb Farms"
    asked = {"items": [OILLESS], "customer": "Groeb Farms"}
    assert "account_id" not in invoke(handler, asked, tool="find_for_request", scopes=["quotes:read"])["customer"]
    regular = ask(OILLESS, customer="Oak Mill")["customer"]
    assert regular["free_payment_days"] == 45
    assert (regular["discount"], regular["payment_terms"], regular["free_discount_pct"]) == ("7.5 %", "net_45", 5)
    part = ask(OILLESS, customer="Muller")
    assert part["customer"]["similar"] == ["Muller Brewing", "Müller Söhne GmbH"]
    assert any("one of similar" in step for step in part["next"])
    free = [part["customer"][f"free_{name}"] for name in ("discount_pct", "payment_days", "validity_days")]
    assert free == [0, 30, 60]


def test_of_similar_customers_those_that_share_the_rarest_word_come_first(deployment: Deployment) -> None:
    towns = (
        "Ayuntamiento de Teruel",
        "Ayuntamiento de Huesca",
        "Ayuntamiento de Calatayud",
        "Excmo. Ayto. de Tudela",
    )
    deployment.put_quotes(*(quote(f"A-{n}", customer=each) for n, each in enumerate(towns)), tenant="towns")
    found = invoke(handler, {"items": [OILLESS], "customer": "Ayuntamiento de Tudela"}, tenant="towns")
    assert found["customer"]["similar"][0] == "Excmo. Ayto. de Tudela"


def test_what_such_goods_were_sold_with_and_who_may_be_named_is_told_once() -> None:
    answer = ask(OILLESS, customer="Müller Söhne")
    sold = {row["what"]: row for row in rows(answer["sold_with"])}
    assert sold["start-up service"]["newest line"] == "N-1/2"
    assert sold["start-up service"]["price each"] == "1,500.00 USD"
    assert answer["references"][0].startswith("Elm Dairy (food), 2022: ")
    assert not any(each.startswith("Müller") for each in answer["references"])
    abroad = ask(OILLESS, customer="Müller Söhne", currency="EUR")["references"]
    assert (abroad[0].startswith("Elm Dairy (food), 2022: "), abroad[0].endswith(", in USD")) == (True, True)
    alone = ask(OILLESS, customer="Elm Dairy")
    assert not alone.get("references")
    assert any(step.startswith("nobody may be named") for step in alone["next"])


def test_goods_that_fail_a_single_need_are_shown_among_those_of_which_little_is_known(deployment: Deployment) -> None:
    little = [product(f"U-{place}", family="vacuum_pump", hp=10) for place in range(6)]
    deployment.put_products(*little, product("F-1", family="vacuum_pump", hp=10, cfm=200, noise_dba=80))
    asked = {"family": "vacuum_pump", "hp": "10 hp", "cfm": ">= 150", "noise_dba": "<= 70"}
    needs = [{"attribute": name, "is": wanted} for name, wanted in asked.items()]
    [item] = ask({"what": "vacuum pump", "needs": needs})["items"]
    shown = [row["fit"] for row in rows(item["candidates"])]
    assert (len(shown), shown[-1], [fit.count("?") for fit in shown[:-1]]) == (4, "+++-", [2, 2, 2])


def test_a_reference_of_an_industry_that_the_request_names_comes_first_and_others_are_counted(
    deployment: Deployment,
) -> None:
    named = {"brewing": 2018, "dental": 2024, "printing": 2025, "plastics": 2026}
    deployment.put_quotes(
        *(quote(f"R-{place}", customer=f"{industry.title()} Works", quote_date=f"{year}-02-01", industry=industry,
                reference=True) for place, (industry, year) in enumerate(named.items()))
    )  # fmt: skip
    brewery = ask({**OILLESS, "what": "oilless compressor for a brewery"}, customer="Muller Brewing")["references"]
    assert brewery[0].startswith("Brewing Works (brewing), 2018: ")
    assert brewery[-1] == "2 more, for items that name dental, printing"


def test_a_question_is_answered_with_who_of_the_house_answers_it() -> None:
    asked = {"what": "When can it be here?", "kind": "question"}
    house = ask(OILLESS, asked)["house"]
    assert house["lead_times"].startswith("Tina Vance")
    assert "Ohio" in house["territory"]
    without = ask(OILLESS)
    assert "house" not in without
    assert any("kind question" in each for each in without["next"])


def test_what_is_sold_beside_goods_has_its_list_price_for_whoever_may_quote() -> None:
    sold = {row["sku"]: row for row in rows(ask(OILLESS, customer="Müller Söhne")["services"])}
    assert sold, "the sample's start-up is a service of the house"
    assert all(" USD" in row["list price"] for row in sold.values())
    asked = {"items": [OILLESS], "customer": "Müller Söhne"}
    assert "services" not in invoke(handler, asked, tool="find_for_request", scopes=["quotes:read"])


def test_a_page_goes_on_at_the_next_item_and_tells_of_the_whole_once() -> None:
    items = [{**OILLESS, "what": f"{OILLESS['what']} {number}"} for number in range(1, 6)]
    page = ask(*items, customer="Müller Söhne", max_tokens=900)
    found = list(page["items"])
    assert page["next_cursor"]
    while "next_cursor" in page:
        page = ask(*items, customer="Müller Söhne", max_tokens=900, cursor=page["next_cursor"])
        assert not {"customer", "sold_with", "references"} & set(page)
        found += page["items"]
    assert [item["item"] for item in found] == [1, 2, 3, 4, 5]
    assert all(item["candidates"]["rows"] for item in found)


def test_what_meets_nothing_stands_beside_nothing_that_meets_something() -> None:
    needs = [{"attribute": "dewpoint_f", "is": "<= 38"}]
    for most in ({}, {"rows": 50}):
        item = ask({"what": "air dryer", "needs": needs}, **most)["items"][0]
        assert {row["id"] for row in rows(item["candidates"])} == {"RD-1000", "RD-500"}
    elsewhere = ask({"what": "air dryer", "needs": [{"attribute": "dewpoint_f", "is": "<= -100"}]})["items"][0]
    assert len(rows(elsewhere["candidates"])) == 4


def test_so_many_services_as_asked_for_are_told_those_that_the_customer_had_first(deployment: Deployment) -> None:
    zones = [product(f"ZONE {n}", family="service", category="SERVICE", description="Transport to a zone.")
             for n in range(1, 7)]  # fmt: skip
    deployment.put_products(*zones)
    deployment.put_quotes(quote("Z-1", customer="Zed Mill"))
    deployment.put_lines(line("Z-1", 1, "Transport.", category="SERVICE", family="service", model="Zone 4"))
    asked = {"what": "transport to a zone", "kind": "service"}

    def told(**arguments: object) -> list[str]:
        return [row["id"] for row in rows(ask(asked, **arguments)["items"][0]["candidates"])]

    assert len(told()) == 4
    assert told(customer="Zed Mill")[0] == told(customer="Zed Mill", rows=20)[0] == "ZONE 4"
    assert {row["model"] for row in zones} <= {*told(rows=20)}
    deployment.put_products(product("ZONE ABROAD", family="service", category="SERVICE", description="Customs zone."))
    asked["what"] = "customs of a zone"
    assert told(customer="Zed Mill")[:2] == ["ZONE ABROAD", "ZONE 4"]
