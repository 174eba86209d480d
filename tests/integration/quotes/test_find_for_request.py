"""find_for_request on real Postgres with real embeddings."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from pgvector import Vector

from equipment.get_specs import handler as specs
from quarry.embedding import provider
from quotes.drafting.proven_words import is_for_another_machine
from quotes.drafting.trade_in import WHICH_MACHINE
from quotes.find_for_request import handler
from tests.aws import client
from tests.deployment import TENANT, ClientContext, Context, Deployment, as_tenant, invoke
from tests.sample_catalogue import put_catalogue
from tests.sample_rows import LINES, PRODUCTS, QUOTES, line, product, quote

TEMPLATES = Path(__file__).parents[3] / "templates"
OILLESS = "100 HP oilless compressor for a food plant"
SES = {"manufacturer": "Powerex", "model": "SES100", "category": "OILLESS SCROLL AIR COMPRESSOR", "hp": 100}
WORDS = "100 HP oilless scroll package for food"


@pytest.fixture(scope="module", autouse=True)
def serving(deployment: Deployment, aws_url: str, aws_variables: dict[str, str]) -> Iterator[None]:
    put_catalogue(deployment)
    screw = {"hp": 100, "cfm": 417, "psi": 125, "lubrication": "oil-free", "category": "OIL-FREE AIR COMPRESSOR"}
    deployment.put_products(*PRODUCTS, product("ZT75", manufacturer="Atlas Copco", **screw))
    deployment.put_quotes(
        *QUOTES,
        quote("N-1", customer="Groeb Farms, Inc.", quote_date="2026-02-01", status="lost"),
        quote("N-2", customer="Groeb Farmstead Cheese", quote_date="2026-03-01", status="won"),
        quote("N-3", customer="Lakeside Foundry", quote_date="2026-04-01", status="won", reference=True),
        quote("N-4", customer="Elm Dairy", quote_date="2022-04-01", status="won", industry="food", reference=True),
        quote("N-5", customer="Oak Mill", quote_date="2026-04-01", status="lost", industry="food", reference=True),
    )
    deployment.put_lines(
        *LINES,
        line("N-1", 1, f"{WORDS}, newest but lost. Delivery: 9-11 weeks.", unit_price="104000", **SES),
        line("N-2", 1, f"ALTERNATE TO ITEM 3: {WORDS}.", unit_price="91000", **SES),
        line("N-3", 1, f"{WORDS}, ten pumps.", unit_price="101000", price_note="List less 5%.", **SES),
        line("N-3", 2, "Start-up by our technician, one trip.", category="START-UP SERVICE", family="service",
             unit_price="1500"),
        line("N-4", 1, "Refrigerated dryer RD-500. The brewery is dusty. No filter, as compressor is oilless.",
             manufacturer="Acme", model="RD-500", category="REFRIGERATED AIR DRYER", family="dryer"),
    )  # fmt: skip
    deployment.put_quotes(quote("R-1", customer="Groeb Farms"), tenant="rival")
    deployment.embed()
    bucket = "house-templates"
    s3 = client("s3", aws_url)
    s3.create_bucket(Bucket=bucket)
    for file in (*TEMPLATES.glob("characteristics/*"), *TEMPLATES.glob("pdf/labels/*")):
        s3.put_object(Bucket=bucket, Key=f"templates/{file.relative_to(TEMPLATES)}", Body=file.read_bytes())
    with deployment.serving("quarry_read", TEMPLATE_BUCKET=bucket, **aws_variables):
        yield


def ask(*queries: str, **arguments: object) -> dict[str, Any]:
    items = [{"query": query} for query in queries]
    return invoke(handler, {"items": items, **arguments})


def test_an_item_has_what_fits_proven_words_past_prices_questions_and_its_block() -> None:
    [item] = ask(OILLESS)["items"]
    first = item["offers"][0]
    assert (first["model"], first["confidence"]) == ("SES100", "likely_good")
    assert first["fit"] == "met"
    assert "oilless" in item["understood"]
    assert item["source"]["quote_number"] == "N-3"
    assert item["text"].startswith(WORDS)
    assert "Powerex SES100: Sold 3 times, for 91,000.00 (N-2)" in item["prices"][0]
    assert [price.partition("/")[0] for price in item["precedents"]][:2] == ["N-3", "N-2"]
    assert item["precedents"][0].endswith(": List less 5%.")
    assert "At which pressure?" in item["ask"]
    assert "- Capacity: 330 CFM\n" in item["characteristics"]
    assert "Weight; Noise level: [NOT IN CATALOGUE – confirm]\n" in item["characteristics"]


def test_a_plain_won_line_comes_before_an_alternate_and_a_lost_one_whatever_their_dates() -> None:
    [item] = ask(WORDS)["items"]
    assert item["source"]["quote_number"] == "N-3"
    assert "optional" not in item["source"]


def test_quantity_and_hard_filters_are_each_items_own() -> None:
    filters = {"lubrication": "oil-free", "hp_min": 90}
    answer = invoke(
        handler, {"items": [{"query": "compressor", "quantity": 3, "filters": filters}, {"query": OILLESS}]}
    )
    first, second = answer["items"]
    assert {offer["model"] for offer in first["offers"]} <= {"OFX-100", "ZT75"}
    assert first["quantity"] == 3
    assert f"Model {first['offers'][0]['model']} as described above, quantity 3" in first["characteristics"]
    assert second["offers"][0]["model"] == "SES100"


def test_a_filter_that_does_not_exist_is_refused_by_name() -> None:
    answer = invoke(handler, {"items": [{"query": "compressor", "filters": {"power_min": 90}}]})
    assert (answer["code"], "power_min" in answer["message"]) == ("VALIDATION_ERROR", True)


def test_metric_figures_stand_beside_the_catalogues_and_first_in_the_block() -> None:
    [item] = ask("ölfreier Kompressor, 75 kW", units="metric")["items"]
    assert "100 HP (74.6 kW)" in item["offers"][0]["facts"]
    assert "- Motorleistung: 74,6 kW (100 HP)\n" in item["characteristics"]


def test_two_of_a_smaller_machine_are_offered_where_one_is_too_small() -> None:
    [item] = ask("oil-flooded compressor, 900 cfm at 125 psi")["items"]
    first = item["offers"][0]
    assert (first["model"], first["machines"]) == ("Q$ync 100", 2)
    assert "quantity 2:" in item["characteristics"]


def test_a_model_that_is_named_with_its_number_is_so_many_together() -> None:
    [item] = ask("two Q$ync 100 for 900 cfm together at 125 psi")["items"]
    assert "quantity 2:" in item["characteristics"]
    assert "Nothing meets all of it" not in item.get("notice", "")


def test_a_dryer_that_takes_less_than_the_machine_of_the_request_delivers_says_so() -> None:
    _, dryer = ask("oil-flooded compressor, 900 cfm at 125 psi", "refrigerated dryer, 500 cfm")["items"]
    assert "Too small for all the air of 2 × Q$ync 100 of item 1, 940 cfm: RD-500 500 cfm." in dryer["notice"]


def test_the_customer_is_the_very_company_whatever_its_legal_form_and_similar_names_stand_apart() -> None:
    answer = ask(OILLESS, customer="GROEB FARMS Incorporated")
    customer = answer["customer"]
    assert (customer["account_id"], customer["name"]) == ("acct_groeb_farms", "Groeb Farms")
    assert "account" not in answer.get("notice", "")
    assert [past.partition(",")[0] for past in customer["history"]] == ["N-1", "Q-24-101"]
    assert customer["similar"] == ["Groeb Farmstead Cheese"]
    assert [price.partition("/")[0] for price in answer["items"][0]["precedents"]][:2] == ["Q-24-101", "N-1"]


def test_a_customer_whom_nobody_knows_is_told_as_given_with_the_names_spelt_alike() -> None:
    answer = ask(OILLESS, customer="Lakside Foundri")
    assert answer["notice"].startswith("The customer has no account")
    customer = answer["customer"]
    assert customer == {"name": "Lakside Foundri", "similar": ["Lakeside Foundry"]}


def test_a_customer_is_found_whatever_the_possessive_in_its_name() -> None:
    customer = ask(OILLESS, customer="Groeb's Farms")["customer"]
    assert (customer["account_id"], customer["name"]) == ("acct_groeb_farms", "Groeb Farms")
    assert customer["history"]


def test_a_street_that_is_called_like_another_customer_takes_no_words_from_the_customers_own() -> None:
    [item] = ask("100 HP oilless compressor for our Lakeside Foundry plant", customer="Groeb Farms")["items"]
    assert item["source"]["customer"] == "Groeb Farms"
    assert item["source"]["confidence"] != "probable_miss"
    assert "Lakeside" not in item["source"].get("differs", "")


def test_accounts_are_for_those_who_may_read_them() -> None:
    custom: dict[str, object] = {"tool": "find_for_request", "tenant": TENANT, "scopes": ["quotes:read"]}
    event = {"items": [{"query": OILLESS}], "customer": "Groeb Farms"}
    customer = handler(event, Context(ClientContext(custom)))["customer"]
    assert "account_id" not in customer
    assert customer["history"]


def test_services_and_lead_times_name_their_quotes() -> None:
    answer = ask(OILLESS)
    assert answer["usual"][0].startswith("INSTALLATION: in 1 of ")
    assert any("START-UP SERVICE" in service and "newest N-3/2" in service for service in answer["usual"])
    assert answer["lead_times"] == ["Powerex SES100: 9-11 weeks (N-1/1, 2026-02-01)"]


def test_references_are_customers_of_the_trade_that_agreed_and_nobody_else() -> None:
    assert "references" not in ask("100 HP oilless compressor")
    assert "references" not in ask("100 HP oilless compressor", customer="Superior Point Shipbuilding")
    assert ask("100 HP oilless compressor", customer="Oak Mill")["references"] == ["Elm Dairy (food), 2022"]
    assert ask(OILLESS)["references"] == ["Elm Dairy (food), 2022"]
    assert ask(OILLESS, customer="Lakeside Foundry")["references"] == ["Elm Dairy (food), 2022"]
    assert "references" not in invoke(handler, {"items": [{"query": OILLESS}]}, tenant="rival")


def test_who_is_abroad_is_told_no_references_of_here() -> None:
    assert "references" not in ask("100 HP oilless compressor, 400 V 50 Hz")
    assert "references" not in ask("ölfreier Kompressor 75 kW, 7 bar", customer="Neue Molkerei GmbH")


def test_a_new_customers_list_prices_are_in_the_currency_that_his_request_tells() -> None:
    [german], [american] = (ask(text)["items"] for text in ("Inbetriebnahme, Netz 7 bar", "start-up service"))
    assert [item["prices"][-1].split()[2] for item in (german, american)] == ["EUR", "USD"]


def test_what_nobody_can_read_has_no_offer_no_words_and_a_question() -> None:
    [item] = ask("something nice")["items"]
    assert item["ask"] == ["What is it for, and which sizes (power, flow, pressure or vacuum)?"]
    assert {"text", "source", "offers"}.isdisjoint(item)


@pytest.mark.parametrize("query", ["left-handed flux something 200 L HFX-200-L", "HFX-200-L", "flux gizmo 200 L"])
def test_what_nobody_here_knows_is_no_machine_of_its_size(query: str) -> None:
    [item] = ask(query)["items"]
    assert item["notice"].startswith("Not sold here and not understood: ")
    assert item["ask"][0].startswith("What is ")
    assert {"offers", "text", "prices", "precedents", "understood"}.isdisjoint(item)


def test_a_model_that_is_not_here_has_equals_where_the_request_says_what_it_is() -> None:
    [item] = ask("HFX-200 or equal, 100 hp oilless compressor")["items"]
    assert "SES100" in {offer["model"] for offer in item["offers"]}


def test_a_service_has_words_and_prices_and_no_machine() -> None:
    [item] = ask("start-up service")["items"]
    assert "offers" not in item
    assert item["source"]["quote_number"] == "N-3"
    assert "notice" not in item
    assert item["product_id"] == "prod_startup"
    assert item["prices"][-1].startswith("List ")
    assert "product_id" not in ask("service")["items"][0]


def test_many_items_come_short_and_in_pages_that_together_are_all() -> None:
    queries = [f"{OILLESS}, line {number}" for number in range(1, 18)]
    first = ask(*queries, max_tokens=1500, customer="Groeb Farms")
    assert len(json.dumps(first)) < 3 * 1500
    assert all("characteristics" not in item for item in first["items"])
    pages, cursor = [first], first.get("next_cursor")
    while cursor:
        pages.append(ask(*queries, max_tokens=1500, customer="Groeb Farms", cursor=cursor))
        cursor = pages[-1].get("next_cursor")
    places = [item["item"] for page in pages for item in page["items"]]
    assert sorted(set(places)) == list(range(1, 18))
    assert "customer" in first
    assert all({"customer", "usual", "lead_times"}.isdisjoint(page) for page in pages[1:])


def test_of_several_things_in_one_item_the_first_is_answered_and_the_others_are_asked_for_apart() -> None:
    [item] = ask("100 HP oilless compressor with a 500 cfm refrigerated dryer")["items"]
    assert "give each as an item of its own" in item["notice"]
    assert item["offers"][0]["model"] == "SES100"
    assert "dryer" not in item["understood"]


def test_the_whole_of_a_long_item_is_looked_for_and_what_goes_with_it_is_told() -> None:
    text = "oilless compressor; 100 HP; with control panel, gauge; 460 V; air cooled; low noise"
    [item] = ask(text)["items"]
    assert {"100 hp (74.6 kW)", "460 V", "air", "quiet"} <= set(item["understood"])
    assert item["notice"].startswith("Named with it and not looked for: control panel")
    assert "reads as" not in item["notice"]


def test_a_service_with_a_machine_in_its_words_is_a_service() -> None:
    [item] = ask("start-up of the existing 100 HP compressors")["items"]
    assert "offers" not in item


def test_an_item_takes_the_current_and_the_flow_of_the_one_compressor() -> None:
    compressor, dryer, receiver = ask("oil-free compressor, 400 cfm, 400 V / 50 Hz", "dryer", "receiver")["items"]
    assert "assumed" not in compressor
    assert dryer["assumed"] == ["50 Hz (item 1)", "400 cfm (item 1)"]
    assert "50 Hz" in dryer["understood"]
    assert "assumed" not in receiver


def test_a_dryer_takes_the_air_of_all_the_compressors_of_an_item_and_two_share_it() -> None:
    items = [{"query": "compressor, 400 cfm", "quantity": 2}, {"query": "dryer"}, {"query": "dryer", "quantity": 2}]
    answers = invoke(handler, {"items": items})["items"]
    assert [item.get("assumed") for item in answers] == [None, ["800 cfm (item 1)"], ["400 cfm (item 1)"]]


def test_where_no_flow_is_said_the_dryer_takes_that_of_the_compressor_to_offer() -> None:
    _, dryer = ask("100 HP oilless compressor", "dryer")["items"]
    assert dryer["assumed"] == ["330 cfm (the SES100 of item 1)"]
    assert "330 cfm" in dryer["understood"][-1]


def test_of_two_compressors_nobody_knows_which_the_dryer_stands_behind() -> None:
    items = ask("compressor, 400 cfm, 460 V", "compressor, 90 cfm, 460 V", "dryer", "dryer, 115/1/60, 90 cfm")[
        "items"
    ]
    assert [item.get("assumed") for item in items] == [None, None, ["60 Hz (item 1)"], None]


def test_a_compressor_and_its_option_of_the_same_flow_tell_the_dryers() -> None:
    *_, dryer = ask("compressor, 400 cfm", "option: oil-free compressor, 400 cfm", "dryer")["items"]
    assert dryer["assumed"] == ["400 cfm (item 1)"]


def test_where_nobody_names_the_current_the_customers_country_does_and_it_is_asked_for() -> None:
    items = ask("compressor, 100 HP", "receiver", customer="Lindqvist & Söhne Apparatebau GmbH")["items"]
    assert [item.get("assumed") for item in items] == [["50 Hz (the customer's country, DE)"], None]
    assert "Which power supply is there: volts, phases, hertz?" in items[0]["ask"]
    [named] = ask("compressor, 100 HP, 460 V", customer="Lindqvist & Söhne Apparatebau GmbH")["items"]
    assert "assumed" not in named


def test_a_budget_is_held_against_list_and_past_prices_and_is_no_need_of_the_thing() -> None:
    [item] = ask("100 HP oilless compressor, no more than 50,000 USD")["items"]
    assert not any("50,000" in need for need in item["understood"])
    words, _, held = item["budget"].partition(": ")
    assert words == "no more than 50,000 USD"
    assert held == "sold in N-3 for 101,000.00 USD, 102 % above."
    [euro] = ask("100 HP oilless compressor, no more than 50,000 EUR")["items"]
    assert euro["budget"].endswith("no list or past price in EUR to hold it against.")


def test_a_trade_in_is_a_matter_for_a_person_and_no_product() -> None:
    alone, beside = ask(
        "Inzahlungnahme unserer alten Kaeser ASD 40", "100 HP oilless compressor, trade-in of our old Kaeser ASD 40"
    )["items"]
    assert "offers" not in alone
    assert "a person has to answer it" in alone["notice"]
    assert alone["ask"] == [WHICH_MACHINE]
    [plain] = ask("100 HP oilless compressor")["items"]
    assert beside["offers"] == plain["offers"]
    assert beside["ask"] == [*plain.get("ask", ()), WHICH_MACHINE]
    assert '"trade-in of our old Kaeser ASD 40"' in beside["notice"]


def test_what_a_named_machine_implies_is_assumed_and_not_said() -> None:
    [item] = ask("Ingersoll Rand Sierra 100 or equal, oilless")["items"]
    assert item["assumed"] == ["about 100 hp (74.6 kW) (by Sierra 100)"]
    assert not any("100 hp" in need for need in item["understood"])


def test_an_option_says_how_its_machine_differs_and_nothing_twice() -> None:
    machine, option = ask("100 HP oilless compressor", "option: 100 HP oil-free compressor")["items"]
    assert option["offers"][0]["model"] != machine["offers"][0]["model"]
    first, *lines = option["characteristics"].splitlines()
    assert first == "As item 1, but:"
    assert any(option["offers"][0]["model"] in line for line in lines)
    assert not set(lines) & set(machine["characteristics"].splitlines()) - {""}
    assert "text" not in option
    alone = ask("option: 100 HP oil-free compressor")["items"][0]
    assert alone["characteristics"].startswith("**")


def test_an_alternate_that_meets_all_says_so_in_a_word() -> None:
    [item] = ask("oil-free or oilless compressor, 100 HP")["items"]
    first, *others = item["offers"]
    assert first["fit"] == "met"
    assert others
    assert {offer["fit"] for offer in others if offer["confidence"] == "likely_good"} <= {"met"}


def test_an_alternate_tells_what_it_leaves_open() -> None:
    [item] = ask("oil-free or oilless compressor, 100 HP, 70 dBA, for CNC hold-down")["items"]
    assert item["offers"][1:]
    assert all("use unknown, asked hold-down" in offer["fit"] for offer in item["offers"][1:])


def test_a_known_customer_who_names_no_size_is_offered_what_it_has() -> None:
    answer = ask("another compressor, the same as last time", customer="Lakeside Foundry")
    [item] = answer["items"]
    assert [(offer["model"], offer["confidence"]) for offer in item["offers"]] == [("SES100", "analog")]
    assert "Powerex SES100 (N-3 line 1, 2026-04-01, won): ask whether it is meant." in item["notice"]
    assert item["source"]["quote_number"] == "N-3"
    sold = "[Powerex SES100 (100 HP, 330 cfm) 101,000.00; start-up service 1,500.00]"
    assert sold in answer["customer"]["history"][0]


def test_whoever_names_a_size_is_not_offered_what_it_has() -> None:
    [item] = ask("oil-flooded compressor, 400 cfm at 125 psi", customer="Lakeside Foundry")["items"]
    assert item["offers"][0]["model"] != "SES100"
    assert "ask whether it is meant" not in item.get("notice", "")


def test_what_is_another_kind_of_thing_is_not_offered() -> None:
    [item] = ask("nitrogen generator, 24 cfm")["items"]
    assert "offers" not in item
    assert "Nothing of this kind is in the catalogue." in item["notice"]


def test_a_start_up_is_priced_as_start_ups_were_and_not_as_installations() -> None:
    [item] = ask("start-up")["items"]
    assert {price.partition("/")[0] for price in item["precedents"]} == {"N-3"}
    assert "1,500.00" in item["precedents"][0]
    assert not any("Sold" in each for each in item.get("prices", ()))


def test_all_items_are_embedded_in_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    real = provider.embed

    def counted(texts: Sequence[str], *, timeout_s: float) -> list[Vector]:
        asked.append(len(texts))
        return real(texts, timeout_s=timeout_s)

    monkeypatch.setattr(provider, "embed", counted)
    ask(*(f"oilless compressor number {word}" for word in ("one", "two", "three", "four")))
    assert len(asked) == 1
    assert asked[0] >= 4


def test_another_tenants_rows_are_not_seen() -> None:
    answer = invoke(handler, {"items": [{"query": OILLESS}], "customer": "Groeb Farms"}, tenant="rival")
    assert "offers" not in answer["items"][0]
    assert [past.partition(",")[0] for past in answer["customer"]["history"]] == ["R-1"]


def test_where_blocks_alone_are_wanted_no_column_stands_beside_them() -> None:
    [row] = invoke(specs, {"models": ["SES100"], "blocks": True})["products"]
    assert {"description", "hp", "psi", "metric"}.isdisjoint(row)
    assert "SES100" in row["characteristics"]
    [both] = invoke(specs, {"models": ["SES100"], "blocks": True, "needs": "100 HP oilless"})["products"]
    assert (both["characteristics"], "hp" in both, both["fit"]) == (
        row["characteristics"], False, "hp 100 met; lubrication oilless met"
    )  # fmt: skip


def test_without_templates_only_the_block_is_missing(deployment: Deployment) -> None:
    with deployment.serving("quarry_read", TEMPLATE_BUCKET=""):
        [item] = ask(OILLESS)["items"]
    assert "TEMPLATE_BUCKET is not set" in item["notice"]
    assert item["offers"][0]["model"] == "SES100"


def test_the_block_of_an_alternate_comes_on_request() -> None:
    answer = invoke(specs, {"models": ["QMB30"], "blocks": True})
    assert "- Horsepower: 30 HP" in answer["products"][0]["characteristics"]
    assert "characteristics" not in invoke(specs, {"models": ["QMB30"]})["products"][0]


def test_sentences_of_another_trade_and_of_another_machine_are_told() -> None:
    _, dryer = ask("30 HP rotary screw compressor, oil-flooded", "RD-500 dryer")["items"]
    told = dryer["source"]["take_out"]
    assert [each.partition(" (")[0] for each in told] == [
        "The brewery is dusty.", "No filter, as compressor is oilless.",
    ]  # fmt: skip


def test_what_a_duct_is_made_of_is_no_other_trade(deployment: Deployment) -> None:
    deployment.put_quotes(quote("M-1", customer="Crossroads", quote_date="2026-05-01", status="won"))
    text = "Training for operators. Sheet-metal exhaust ducts for winter. Bring the brewery crew."
    deployment.put_lines(line("M-1", 1, text, category="TRAINING", family="service", unit_price="900"))
    deployment.embed()
    [item] = ask("training of the operators")["items"]
    assert item["source"]["take_out"] == ["Bring the brewery crew. (brewing)"]


def test_proven_words_in_another_language_than_the_requests_say_so() -> None:
    german, model = ask("ölfreier Kompressor für Lebensmittel, 75 kW", "SES100")["items"]
    assert german["source"]["differs"].startswith("it is in English: translate it, with `Original:`")
    assert "it is in English" in model["source"]["differs"]
    [english] = ask(OILLESS)["items"]
    assert "it is in English" not in english["source"].get("differs", "")


def test_what_leaves_a_dryer_is_judged_by_what_its_compressor_delivers(deployment: Deployment) -> None:
    dryer = {"category": "DESICCANT AIR DRYER", "family": "dryer", "psi": 125, "dewpoint_f": -40, "hp": None,
             "lubrication": None, "manufacturer": "Acme", "voltage": "115/1/60"}  # fmt: skip
    deployment.put_products(
        product("TT-350", cfm=350, description="Heatless desiccant dryer, 15 percent purge.", **dryer),
        product("TX-350", cfm=350, description="Heated desiccant dryer, 7 percent purge.", **dryer),
        product("TT-290", cfm=290, description="Heatless desiccant dryer, 5 percent purge.", **dryer),
    )
    deployment.embed()
    compressor, item = ask("100 HP oilless compressor", "desiccant dryer -40 °F, 290 cfm outlet")["items"]
    assert compressor["offers"][0]["model"] == "SES100"
    assert item["assumed"] == ["330 cfm (the SES100 of item 1)"]
    assert [offer["model"] for offer in item["offers"] if offer["confidence"] != "probable_miss"] == ["TX-350"]
    assert "net flow 306 (330 in, 7 % of 350 purge) met" in item["offers"][0]["fit"]
    assert "- Purge air: 7 percent of the rated flow" in item["characteristics"]
    _, beyond = ask("100 HP oilless compressor", "desiccant dryer -40 °F, 400 cfm outlet")["items"]
    assert not any("SES100" in each for each in beyond["assumed"]), "what gives 330 is before none that gives 400"


def test_a_service_without_a_machine_gets_none() -> None:
    [item] = ask("delivery to dock, freight to Toledo")["items"]
    assert "offers" not in item


def test_work_that_nothing_here_tells_of_is_for_a_person() -> None:
    [item] = ask("service visit and repair of the 5 hp scroll compressor")["items"]
    assert item["notice"].startswith("No past line and no price tells of such work: a person has to answer it.")
    assert "offers" not in item


def test_two_that_give_the_flow_together_are_two_and_no_two_pairs() -> None:
    [item] = ask("two SES100 for 600 cfm together at 100 psi")["items"]
    assert (item["quantity"], item["offers"][0]["model"]) == (2, "SES100")
    assert item["offers"][0]["fit"] == "met"
    assert item["offers"][0].get("machines", 1) == 1


def test_an_item_that_is_wanted_twice_takes_a_pair_each() -> None:
    item = {"query": "oil-flooded compressor, 900 cfm at 125 psi", "quantity": 2}
    [found] = invoke(handler, {"items": [item]})["items"]
    assert found["offers"][0]["machines"] == 2
    assert "quantity 4:" in found["characteristics"]


def test_a_tank_takes_the_pressure_of_the_one_compressor() -> None:
    _, tank = ask("oil-flooded compressor, 900 cfm at 7 bar", "400 gallon vertical receiver")["items"]
    assert "102 psi (item 1)" in tank["assumed"]
    _, own = ask("oil-flooded compressor, 900 cfm at 7 bar", "400 gallon vertical receiver, 200 psi")["items"]
    assert "assumed" not in own


def test_who_asks_is_said_by_the_call_and_by_no_word_of_the_item() -> None:
    [item] = ask(f"{WORDS}, for the Lakeside clinic", customer="Groeb Farms")["items"]
    assert "customer" not in item["source"].get("differs", "")


def test_a_customer_has_its_machines_with_sizes_its_work_and_its_terms(deployment: Deployment) -> None:
    his = {"customer": "St. Brendan's Hospital", "terms": "Net 45, delivered"}
    deployment.put_quotes(
        quote("B-1", quote_date="2024-05-01", status="won", price_rationale="GPO tier, list less 20%.", **his),
        quote("B-2", quote_date="2025-05-01", status="lost", price_rationale="Lost on lead time.", **his),
    )  # fmt: skip
    deployment.put_lines(
        line("B-1", 1, WORDS, unit_price="91000", **SES),
        line("B-1", 2, "Installation of all.", category="INSTALLATION", family="service", unit_price="20000",
             extended_price="20000"),
    )  # fmt: skip
    deployment.embed()
    for name in ("St. Brendan's Hospital", "St. Brendan Hospital"):
        answer = ask(OILLESS, customer=name)
        lost, won = answer["customer"]["history"]
        assert "Lost on lead time." in lost
        assert "Powerex SES100 (100 HP, 330 cfm) 91,000.00; installation 20,000.00" in won
        assert answer["usual"][:2] == [
            "This customer's own terms: Net 45, delivered (B-2)",
            "Priced by group or contract: GPO tier, list less 20%. (B-1)",
        ]


def test_work_has_the_customers_own_words_or_those_that_tell_least_of_a_site(deployment: Deployment) -> None:
    texts = {
        "I-1": "Installation in the hallway closet, landlord's electrician connects.",
        "I-2": "Installation turnkey: rig, set, pipe and connect.",
        "I-3": "Installation with your crew under the mezzanine.",
        "I-4": "Installation on the existing pad, roof by others.",
    }
    years = {"I-1": 2026, "I-2": 2025, "I-3": 2020, "I-4": 2026}
    work = {"category": "INSTALLATION", "family": "service", "unit_price": "9000"}
    for number, text in texts.items():
        customer = "Birch Paper" if number == "I-3" else f"Maker of {number}"
        deployment.put_quotes(quote(number, customer=customer, quote_date=f"{years[number]}-05-01", status="won"))
        deployment.put_lines(line(number, 1, WORDS, unit_price="91000", **SES), line(number, 2, text, **work))
    deployment.embed()
    [item] = ask("installation of the compressor", customer="Birch Paper, Inc.")["items"]
    assert (item["source"]["quote_number"], item["text"]) == ("I-3", texts["I-3"])
    [item] = ask("installation of the compressor", customer="Somebody Else")["items"]
    assert (item["source"]["quote_number"], item["text"]) == ("I-2", texts["I-2"])


def test_a_customer_abroad_has_the_terms_and_references_of_his_currency(deployment: Deployment) -> None:
    deployment.put_quotes(
        quote("E-1", customer="Mahle Werk GmbH", quote_date="2025-05-01", status="won", currency="EUR",
              terms="30 days net, DAP site", industry="metal", reference=True),
    )  # fmt: skip
    deployment.put_lines(
        line("E-1", 1, WORDS, unit_price="80000", currency="EUR", **SES),
        line("E-1", 2, "Inbetriebnahme.", category="START-UP SERVICE", family="service", unit_price="1670",
             currency="EUR"),
    )  # fmt: skip
    deployment.embed()
    answer = ask("100 HP oilless compressor", customer="Kessler GmbH")
    assert "Terms in EUR: 30 days net, DAP site (1 of 1 quotes; newest E-1)" in answer["usual"]
    assert not any("USD" in said for said in answer["usual"])
    assert all("Mahle" in said for said in answer.get("references", []))
    assert "80,000.00 EUR" in answer["items"][0]["precedents"][0]


def test_who_asks_again_is_not_told_the_customers_history_again_and_an_accounts_id_alone_tells_it() -> None:
    first, again = ask(OILLESS, customer="acct_groeb_farms"), ask(OILLESS, customer="acct_groeb_farms", again=True)
    assert first == ask(OILLESS, customer="Groeb Farms")
    assert first["customer"]["history"]
    assert again["customer"] == {"name": "Groeb Farms"}
    assert {"usual", "references"}.isdisjoint(again)
    assert again["items"] == first["items"]
    assert ask(OILLESS, customer="acct_nobody")["customer"]["name"] == "acct_nobody"


def test_an_offer_has_the_price_of_the_accounts_own_book_beside_the_lists() -> None:
    prices = [
        ask("Quincy QMB30 screw compressor", customer=name)["items"][0]["offers"][0]["list_price"]
        for name in ("Groeb Farms", "acct_st_brendans")
    ]
    assert prices == ["20,900.00 USD", "20,273.00 USD (Enterprise US 2026; list 20,900.00)"]


def test_a_price_of_the_accounts_own_book_is_of_no_second_currency(deployment: Deployment) -> None:
    deployment.put_quotes(quote("Q-9", customer="Elm Mills", quote_date="2025-05-05", status="won"))
    deployment.put_lines(
        line("Q-9", 1, "Screw compressor, 30 hp.", manufacturer="Quincy", model="QMB30", unit_price="20000",
             category="COMPRESSOR", family="compressor"),
    )  # fmt: skip
    deployment.embed()
    answer = ask("Quincy QMB30 screw compressor", customer="acct_st_brendans")
    [item] = answer["items"]
    assert item["offers"][0]["list_price"].endswith("list 20,900.00)")
    assert "20,000.00 USD" in item["precedents"][0]
    assert "Amounts are in" not in str(answer.get("notice"))


def test_an_offer_names_what_a_quote_of_it_has_to_have_as_well(deployment: Deployment) -> None:
    with deployment.connect("quarry_owner") as connection, as_tenant(connection, TENANT):
        connection.execute(
            """INSERT INTO cpq.product_relationships (tenant, product_id, kind, related_id)
               VALUES ('acme', 'prod_quincy_qmb30', 'requires', 'prod_sso')"""
        )
    [item] = ask("Quincy QMB30 screw compressor")["items"]
    assert item["offers"][0]["requires"].endswith("(prod_sso)")


def test_that_no_lead_time_is_on_record_is_said() -> None:
    assert ask("Quincy QMB30 screw compressor")["lead_times"] == ["None on record of what is offered: ask the maker."]


def test_a_text_says_what_it_lacks_and_not_what_it_meets() -> None:
    [item] = ask(f"{WORDS}, for CNC hold-down")["items"]
    assert "use" in item["source"].get("differs", "") or "use" in item["offers"][0]["fit"]
    assert not any(each.endswith(" met") for each in item["source"].get("differs", "").split("; "))


def test_who_tells_a_trouble_and_asks_for_no_product_is_offered_none() -> None:
    wanted = "water in the lines, need a dryer, 500 cfm"
    item, dryer = ask("pressure drops to 71 psi at shift change", wanted)["items"]
    assert "offers" not in item
    assert item["notice"].startswith("A trouble is told and no product asked for")
    assert item["understood"] == ["service", "audit"]
    assert dryer["offers"]


def test_a_dryer_much_larger_than_asked_for_is_offered_where_none_is_nearer(deployment: Deployment) -> None:
    cold = {"category": "REFRIGERATED AIR DRYER", "family": "dryer", "dewpoint_f": 37, "voltage": "230/1/50"}
    deployment.put_products(product("CB-177", cfm=177, **cold), product("CB-636", cfm=636, **cold))
    deployment.embed()
    [item] = ask("refrigerated dryer 42 cfm, 230 V 50 Hz")["items"]
    assert [offer["model"] for offer in item["offers"]][:2] == ["CB-177", "CB-636"]
    assert "cfm 177, asked 42: close" in item["offers"][0]["fit"]
    assert item["offers"][0]["confidence"] == "analog"


def test_a_machine_of_no_told_size_and_a_dryer_that_is_bought_again_lend_and_take_no_flow() -> None:
    _, dryer = ask("oilless compressor", "dryer")["items"]
    assert "assumed" not in dryer
    _, again = ask("compressor, 400 cfm", "the same dryer again that we have")["items"]
    assert "assumed" not in again


def put_carton(deployment: Deployment) -> None:
    """A customer with a vane pump of 2018, a claw of 2025, a kit, an option of upkeep and a piece of piping."""
    pump = {"category": "VACUUM PUMP", "family": "vacuum_pump", "manufacturer": "Busch"}
    deployment.put_products(
        product(
            "R5 RA 0155 D", cfm=109, vacuum_inhg=29.3, hp=5, noise_dba=68, **pump, description="Rotary vane pump."
        ),
        product(
            "R5 RA 0400 C", cfm=280, vacuum_inhg=29.3, hp=15, noise_dba=72, **pump, description="Rotary vane pump."
        ),
        product("MM 1322 AV", cfm=180, vacuum_inhg=24, hp=10, noise_dba=74, **pump, description="Claw vacuum pump."),
    )
    his = {"customer": "Northern Carton", "status": "won"}
    deployment.put_quotes(
        quote("C-18", quote_date="2018-05-22", **his),
        quote("C-25", quote_date="2025-07-31", price_rationale="GPO tier, list less 30%.", **his),
        quote("C-26", customer="Hospital of the North", quote_date="2026-01-31", status="won"),
    )
    deployment.put_lines(
        line("C-18", 1, "Oil sealed vane pump for a patcher.", model="R5 RA 0155 D", hp=5, unit_price="3890", **pump),
        line("C-18", 2, "Major kit (vanes, seals, exhaust filter).", category="REPAIR KIT", family="accessory",
             manufacturer="Busch", model="R5 major kit", unit_price="690"),
        line("C-25", 1, "Dry claw pump, 10 hp.", model="MM 1322 AV", hp=10, unit_price="14400", **pump),
        line("C-25", 2, "Maintenance agreement, first year, 5 visits.", category="PLANNED MAINTENANCE AGREEMENT",
             family="service", unit_price="7900", optional=True),
        line("C-25", 3, "Exhaust transition to existing duct, with drip leg.", category="EXHAUST PIPING",
             family="service", unit_price="2100"),
        line("C-26", 1, "Planned maintenance of the pumps, preventive, four visits in one year, three claw pumps.",
             category="PLANNED MAINTENANCE AGREEMENT", family="service", unit_price="11800"),
        line("C-26", 2, "Installation of vacuum pumps 15 HP with preventive care, for one year of three claw pumps.",
             category="INSTALLATION", family="service", unit_price="90000"),
    )  # fmt: skip
    deployment.embed()


def test_a_machine_is_known_by_its_series_and_year(deployment: Deployment) -> None:
    put_carton(deployment)
    [item] = ask("new vacuum pump in place of the R5 of 2018", customer="Northern Carton")["items"]
    assert item["offers"][0]["model"] == "R5 RA 0155 D"
    assert "As the item calls it, this customer's own is Busch R5 RA 0155 D (C-18 line 1" in item["notice"]
    assert (item["source"]["quote_number"], item["source"].get("differs")) == ("C-18", None), (
        "its year asks for no line"
    )


def test_the_same_again_is_offered_as_an_exception_where_it_misses_a_limit(deployment: Deployment) -> None:
    put_carton(deployment)
    text = "Vacuum pump: the same unit as at the first plant, but not above 70 dBA"
    [item] = ask(text, customer="Northern Carton")["items"]
    assert item["offers"][0]["model"] == "MM 1322 AV"
    assert "noise 74 dBA, asked ≤ 70 dBA: contradicted" in item["offers"][0]["fit"]
    assert "An exception: noise 74 dBA" in item["notice"]
    assert item["source"]["quote_number"] == "C-25"
    assert "MM 1322 AV" not in {offer["model"] for offer in item["offers"][1:]}


def test_a_kit_has_its_own_line_and_price_and_no_machine(deployment: Deployment) -> None:
    put_carton(deployment)
    [item] = ask("two major kits with vanes and exhaust filters for the R5 of 2018", customer="Northern Carton")[
        "items"
    ]
    assert "offers" not in item
    assert (item["quantity"], item["source"]["quote_number"], item["source"]["position"]) == (2, "C-18", 2)
    assert "690.00" in item["precedents"][0]


def test_a_customers_own_upkeep_comes_before_what_others_have_and_before_installations(
    deployment: Deployment,
) -> None:
    put_carton(deployment)
    text = "one year preventive maintenance of three claw vacuum pumps, two 15 HP from 2020 and one 10 HP from 2025"
    [item] = ask(text, customer="Northern Carton")["items"]
    assert (item["source"]["quote_number"], item["source"]["position"]) == ("C-25", 2)
    assert "7,900.00" in item["precedents"][0]
    assert item["quantity"] == 3
    assert "reads as" not in item.get("notice", "")
    [others] = ask(text)["items"]
    assert others.get("source", {}).get("position") != 2, "an installation is no upkeep"


def test_a_part_for_a_model_is_no_machine(deployment: Deployment) -> None:
    put_carton(deployment)
    [item] = ask("exhaust transition piece for VP 300", customer="Northern Carton")["items"]
    assert "offers" not in item
    assert (item["source"]["quote_number"], item["source"]["position"]) == ("C-25", 3)
    [price] = item["precedents"]
    assert "2,100.00" in price


def test_a_plant_that_is_not_told_to_be_built_for_patients_is_not_offered_for_them(deployment: Deployment) -> None:
    medical = {
        "category": "MEDICAL AIR COMPRESSOR",
        "hp": 20,
        "cfm": 60,
        "air_quality": "NFPA 99",
        "lubrication": "oilless",
    }
    deployment.put_products(
        product("MED-60", voltage="460/3/60", description="Medical air plant, NFPA 99.", **medical),
        product("QUIET-60", voltage="208/3/60", hp=20, cfm=60, lubrication="oilless"),
    )
    deployment.embed()
    [item] = ask("medical air for two ventilators, NFPA 99, 208 volt three phase, 60 Hz")["items"]
    assert [(offer["model"], offer["confidence"]) for offer in item["offers"]] == [("MED-60", "probable_miss")]


def test_a_reason_that_does_not_square_with_the_list_is_none_to_pass_on(deployment: Deployment) -> None:
    screw = {"manufacturer": "Quincy", "model": "QMB30", "hp": 30, "unit_price": "19000"}
    deployment.put_quotes(
        quote(
            "D-1", customer="Doubtful Dairy", quote_date="2025-05-01", price_rationale="List less 5, small account."
        ),
        quote("D-2", customer="Plain Dairy", quote_date="2025-05-01"),
    )
    deployment.put_lines(
        line("D-1", 1, "30 HP screw.", price_note="List less 20%", **screw),
        line("D-2", 1, "30 HP screw.", price_note="9% off", **screw),
    )
    deployment.embed()
    [item] = ask("Quincy QMB30 screw compressor", customer="Doubtful Dairy")["items"]
    assert 'Do not pass on the reason of D-1: "list less 5" and "list less 20" are both told of it.' in item["prices"]
    [plain] = ask("Quincy QMB30 screw compressor", customer="Plain Dairy")["items"]
    assert not any("Do not pass on" in said for said in plain.get("prices", []))


def test_a_booster_is_no_shop_compressor_and_a_diesel_program_wants_none_on_wheels(deployment: Deployment) -> None:
    booster = {"category": "BOOSTER AIR COMPRESSOR", "hp": 25, "cfm": 180, "psi": 300}
    deployment.put_products(product("CBX-25", manufacturer="Cardinal Air Works", voltage="460/3/60", **booster))
    deployment.embed()
    shop, boost = ask(
        "shop air compressor 180 cfm for vehicle lifts, auto and diesel program, 300 psi", "booster, 300 psi"
    )["items"]
    assert "CBX-25" not in {offer["model"] for offer in shop.get("offers", [])}
    assert "portable" not in shop["understood"]
    assert boost["offers"][0]["model"] == "CBX-25"


def test_a_kit_for_the_pumps_of_another_maker_is_none_for_the_customers_own(deployment: Deployment) -> None:
    put_carton(deployment)
    deployment.put_quotes(quote("P-18", customer="Offset Print", quote_date="2018-07-19", status="won"))
    deployment.put_lines(
        line("P-18", 1, "Dry vane pump, 10 hp.", manufacturer="Becker", model="VTLF 2.250", hp=10, unit_price="8040",
             category="VACUUM PUMP", family="vacuum_pump"),
    )  # fmt: skip
    deployment.embed()
    wanted = "vane sets, major kits for the two dry pumps sold in 2018"
    [item] = ask(wanted, customer="Offset Print")["items"]
    assert not {"offers", "text", "source", "precedents"} & item.keys()
    kit = {"family": "accessory", "category": "REPAIR KIT", "manufacturer": "Busch", "model": "R5 major kit"}
    assert is_for_another_machine(kit, wanted, makers={"Becker"})
    assert not is_for_another_machine(kit, "major kit with vanes for an R5", makers={"Becker"})


def test_no_oil_flooded_compressor_is_offered_for_the_instruments_of_a_hospital(deployment: Deployment) -> None:
    piston = {"category": "RECIPROCATING AIR COMPRESSOR", "psi": 175, "lubrication": "oil-flooded"}
    deployment.put_products(product("QR-5120", hp=25, cfm=92, **piston))
    deployment.embed()
    drills, works = ask(
        "surgical drills need 160 psi instrument air, 92 cfm compressor", "instrument air 160 psi, 92 cfm compressor"
    )["items"]
    assert "QR-5120" not in {offer["model"] for offer in drills.get("offers", [])}
    assert "QR-5120" in {offer["model"] for offer in works["offers"]}


def test_a_customers_own_part_without_a_model_comes_before_a_model_like_it(deployment: Deployment) -> None:
    deployment.put_products(
        product("VIF-6", manufacturer="Northgate Filtration", category="VACUUM INLET FILTER", family="filtration",
                cfm=1000, description="Inlet filter."),
    )  # fmt: skip
    deployment.put_quotes(quote("S-1", customer="Cedar Bay Salmon", quote_date="2025-03-20", status="won"))
    hood = "6 inch inlet filter in weather hood. Stainless bolts."
    deployment.put_lines(
        line("S-1", 1, hood, category="INLET FILTER", family="accessory", unit_price="435"),
        line("N-3", 9, "Particulate filter VIF-6, 1000 scfm.", category="VACUUM INLET FILTER", family="filtration",
             manufacturer="Northgate Filtration", model="VIF-6", unit_price="1490"),
    )  # fmt: skip
    deployment.embed()
    asked = "6 inch inlet filter in weather hood"
    [item] = ask(asked, customer="Cedar Bay Salmon")["items"]
    assert (item["source"]["quote_number"], item["text"]) == ("S-1", hood)
    assert "435.00" in item["precedents"][0]
    [others] = ask(asked, customer="Groeb Farms")["items"]
    assert others["offers"][0]["model"] == "VIF-6"
