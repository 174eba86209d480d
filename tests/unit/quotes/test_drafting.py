"""What a draft is made of, as far as it is decided without a database."""

import re
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from local.files import ROOT
from quarry.characteristics import PARTIALS, BlockWords, block, filled, metric_of
from quarry.precedents.comparable_goods import part_of_a_model
from quarry.precedents.price_history import PastPrice
from quarry.retrieval.confidence import Confidence
from quarry.retrieval.hits import Hit, HitTrace, Outcome
from quarry.retrieval.nearness import off_by_a_limit
from quarry.retrieval.ranking import Answered
from quarry.tool.errors import Unavailable
from quarry.understanding.countries import currency_by_form
from quarry.understanding.fit import judge
from quarry.understanding.names import ModelName, Names, company_key
from quarry.understanding.needs import Need
from quarry.understanding.reading import understand
from quarry.understanding.text import fold
from quarry.understanding.words import Vocabulary
from quarry.units import beside
from quotes.drafting import unmet
from quotes.drafting.needed import NeededItem
from quotes.drafting.offer_prices import Listed, OfferPrices
from quotes.drafting.offers import THE_SAME, Chosen, choices, within_budget
from quotes.drafting.questions import PLATE, to_ask
from quotes.drafting.usual import lead_times
from quotes.drafting.whereabouts import currency_told, is_abroad, likely_mains, mains, of_country
from tests.drafting.composing import products

PARTIAL = (ROOT / "templates" / "characteristics" / "compressor.md").read_text("utf-8")
PRODUCT = {"family": "compressor", "category": "oilless compressor", "manufacturer": "Powerex", "model": "SES100",
           "series": "SES", "hp": 100.0, "psi": 116.0, "cfm": None, "length_in": 60.0, "width_in": 36,
           "height_in": 55, "weight_lb": 1650.0}  # fmt: skip


TRACE = HitTrace(
    cosine=0.9, bm25=None, coverage=0.0, vector_rank=1, text_rank=None, vector_part=0.5, text_part=0.0, named=False,
    relevance=None, terms=None,
)  # fmt: skip


def questions(text: str) -> list[str]:
    return to_ask(understand(text, words=Vocabulary.shipped(), names=Names(), today=date(2026, 1, 1)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("4M Industries, Inc.", "4m industries"),
        ("Müller GmbH & Co. KG", "Muller"),
        ("Conserverie du Léman SA", "conserverie du leman"),
        ("Harvest Moon Juice Co.", "Harvest Moon Juice"),
        ("St. Brendan's Medical Center", "St. Brendan Medical Center"),
    ],
)
def test_a_company_is_the_same_with_and_without_its_legal_form(one: str, other: str) -> None:
    assert company_key(one) == company_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("4M Industries", "4M"),
        ("Lakeside Foundry", "Lakeside"),
        ("Company", "Corp"),
        ("Acme Inc", "Incorporated Acme"),
    ],
)
def test_a_part_of_a_name_is_another_company(one: str, other: str) -> None:
    assert company_key(one) != company_key(other)


def test_a_block_has_the_catalogues_values_and_marks_what_it_does_not_say() -> None:
    block = filled(PARTIAL, PRODUCT, quantity=2, metric=None)
    assert block.startswith("**OILLESS COMPRESSOR**")
    assert "- Series / Model: SES / SES100\n" in block
    assert "- Pressure: 116 PSIG\n" in block
    assert "- Cooling; Lubrication; Air quality; Capacity; " in block
    assert block.count("[NOT IN CATALOGUE – confirm]") == 1
    assert "- Dimensions (L x W x H): 60 x 36 x 55 in\n" in block
    assert "Noise level: [NOT IN CATALOGUE – confirm]\n\nWarranty" in block
    assert "quantity 2: Net $[PRICE] Each" in block
    assert "Delivery: [DELIVERY]" in block


def test_metric_figures_stand_first_with_the_catalogues_behind_them() -> None:
    block = filled(PARTIAL, PRODUCT, quantity=None, metric="m3_h")
    assert "- Pressure: 8 bar (116 PSIG)\n" in block
    assert "- Dimensions (L x W x H): 1520 x 910 x 1400 mm (60 x 36 x 55 in)\n" in block
    assert "quantity [QUANTITY]" in block


def test_a_missing_series_leaves_the_model_alone() -> None:
    block = filled(PARTIAL, {**PRODUCT, "series": None}, quantity=1, metric=None)
    assert "- Model: SES100\n" in block


@pytest.mark.parametrize(
    ("said", "kept", "left_out"),
    [
        ({"category": "REFRIGERATED AIR DRYER"}, ["Refrigerant", "Connected power"], ["Desiccant", "Purge air"]),
        ({"category": "AIR DRYER", "description": "Heatless desiccant."}, ["Desiccant"], ["Refrigerant"]),
        ({"category": "AIR DRYER"}, ["Refrigerant", "Desiccant", "Purge air"], []),
    ],
)
def test_a_block_has_no_lines_of_another_kind_of_dryer(
    said: dict[str, str], kept: list[str], left_out: list[str]
) -> None:
    partial = (ROOT / "templates" / "characteristics" / "dryer.md").read_text("utf-8")
    block = filled(partial, {**PRODUCT, "family": "dryer", **said}, quantity=1, metric=None)
    assert all(label in block for label in kept)
    assert not any(label in block for label in left_out)
    assert "<!--" not in block


def test_the_share_that_a_dryer_purges_is_read_from_its_text() -> None:
    partial = (ROOT / "templates" / "characteristics" / "dryer.md").read_text("utf-8")
    heated = {**PRODUCT, "family": "dryer", "category": "DESICCANT AIR DRYER"}
    told = filled(partial, {**heated, "description": "Heated, seven percent purge."}, quantity=1, metric=None)
    assert "- Purge air: 7 percent of the rated flow\n" in told
    assert "; Purge air; " in filled(partial, {**heated, "description": "Heatless."}, quantity=1, metric=None)


def test_the_refrigerant_of_a_dryer_is_read_from_its_text() -> None:
    partial = (ROOT / "templates" / "characteristics" / "dryer.md").read_text("utf-8")
    dryer = {**PRODUCT, "family": "dryer", "category": "REFRIGERATED AIR DRYER"}
    told = filled(partial, {**dryer, "description": "Energy saving control, R513a."}, quantity=1, metric=None)
    assert "- Refrigerant: R-513A\n" in told


def test_a_family_without_a_partial_has_no_block() -> None:
    assert block({**PRODUCT, "family": "receiver", "model": "BRB-3000"}, quantity=2, metric=None) is None


@pytest.mark.parametrize(("name", "code"), [
    ("Kessler Sondermaschinenbau GmbH", "EUR"), ("Fromagerie du Lac SARL", "EUR"), ("Acero S.A. de C.V.", "MXN"),
    ("Smith Ltd", None), ("Groeb Farms, Inc.", None), ("Groeb Farms", None),
])  # fmt: skip
def test_a_legal_form_tells_a_currency_where_its_countries_share_one(name: str, code: str | None) -> None:
    assert currency_by_form(name) == code


@pytest.mark.parametrize(("psi", "inhg", "kept"), [
    (8.0, None, ["Discharge pressure: 8 PSIG"]), (None, 15.0, ["Vacuum: 15 inHg"]),
    (None, None, ["Discharge pressure; ", "Vacuum; "]),
])  # fmt: skip
def test_a_blowers_block_has_the_service_that_the_catalogue_fills(
    psi: float | None, inhg: float | None, kept: list[str]
) -> None:
    partial = (ROOT / "templates" / "characteristics" / "blower.md").read_text("utf-8")
    block = filled(partial, {**PRODUCT, "family": "blower", "psi": psi, "vacuum_inhg": inhg}, quantity=1, metric=None)
    assert "<!--" not in block
    assert [name for name in ("Discharge pressure", "Vacuum") if name in block] == [
        re.split("[:;]", each)[0] for each in kept
    ]
    assert all(each in block for each in kept)


def test_a_flow_is_written_as_the_customer_writes_his() -> None:
    asked = metric_of("ca. 6,5 m³/min bei 8 bar", units="metric")
    assert "- Capacity: 9.77 m³/min (345 CFM)\n" in filled(
        PARTIAL, {**PRODUCT, "cfm": 345.0}, quantity=1, metric=asked
    )
    assert metric_of("390 m³/h", units="metric") == "m3_h"
    assert metric_of("6.5 m3/min", units="us") is None


def test_a_value_of_the_catalogue_is_never_read_for_placeholders() -> None:
    block = filled(PARTIAL, {**PRODUCT, "motor": "[weight_lb] [CATEGORY IN CAPS]"}, quantity=1, metric=None)
    assert "service factor): [weight_lb] [CATEGORY IN CAPS]\n" in block


def test_a_partial_without_its_section_is_said_to_be_at_fault() -> None:
    with pytest.raises(Unavailable, match="publish the templates again"):
        filled("nothing", PRODUCT, quantity=1, metric=None)


def test_every_partial_of_the_house_belongs_to_a_family() -> None:
    assert {f"{name}.md" for name in PARTIALS.values()} == {
        file.name for file in (ROOT / "templates" / "characteristics").iterdir()
    }


def test_what_was_said_is_not_asked_again() -> None:
    assert questions("100 HP oilless compressor at 125 psi, 460/3/60") == []
    assert questions("100 HP oilless compressor") == [
        "What uses the air: which tools or machines, how many at once, how many hours a day?",
        "At which pressure?",
        "Which power supply is there: volts, phases, hertz?",
        "Where does it stand: in a room or outdoors, how warm, with how much space, and may it be heard?",
    ]


def test_who_counts_in_normal_air_is_asked_whether_he_means_it() -> None:
    (asked,) = questions("oilless compressor 270 Nm3/h at 8 bar, 400 V 3 phase 50 Hz")
    assert asked == "Is the flow in normal cubic metres (0 °C, 1.013 bar) or in free air at the inlet?"


def test_whoever_names_no_figures_is_asked_what_a_salesperson_would() -> None:
    asked = questions("our bakery needs a quiet compressor, 30 cfm, it is 90 °F in there")
    assert asked == [
        "How many hours a day does it run, and how evenly is air used?",
        "At which pressure?",
        "Must the air be free of oil, and of which purity class?",
        "Which power supply is there: volts, phases, hertz?",
    ]


def test_who_knows_his_phases_alone_is_asked_for_the_voltage() -> None:
    (asked,) = questions("10 HP oilless compressor, 38 cfm at 125 psi, three phase")
    assert asked.startswith("Which voltage")


@pytest.mark.parametrize(
    "text",
    ["vacuum pump for damp product, hams", "Vakuumpumpe für feuchte Ware", "bomba de vacío para carne húmeda",
     "pompe à vide, produit humide"],
)  # fmt: skip
def test_what_is_pumped_is_not_asked_where_the_words_tell_it(text: str) -> None:
    assert not any(each.startswith("What is pumped") for each in questions(text))


@pytest.mark.parametrize(
    "text", ["dryer, the same one again", "Trockner, wieder den gleichen", "secador, el mismo", "sécheur, le même"]
)
def test_what_is_wanted_once_more_is_asked_for_its_plate_alone(text: str) -> None:
    assert questions(text) == [PLATE]


def test_of_offers_as_sure_the_nearest_in_size_comes_first() -> None:
    request = understand(
        "refrigerated dryer for 330 cfm", words=Vocabulary.shipped(), names=Names(), today=date(2026, 1, 1)
    )
    rows = [{"manufacturer": "M", "model": f"D{cfm}", "family": "dryer", "category": "refrigerated air dryer",
             "description": "", "cfm": float(cfm)} for cfm in (502, 400, 345)]  # fmt: skip
    hits = [Hit(row, 0.9, "likely_good", (), TRACE, answer=Answered(0, judge(request.items[0], row))) for row in rows]
    found = choices(Outcome(hits, degraded=False, notice=None), request, most=3)
    assert [one.name[1] for one in found] == ["D345", "D400", "D502"]


def offered(text: str, *rows: dict[str, object]) -> list[tuple[str, int]]:
    """(model, how many of it together) of each offer."""
    request = understand(text, words=Vocabulary.shipped(), names=Names(), today=date(2026, 1, 1))
    full = [{"manufacturer": "M", "family": "compressor", "category": "oilless air compressor", "description": "",
             "lubrication": "oilless", **row} for row in rows]  # fmt: skip
    answers = [Answered(0, judge(request.items[0], row)) for row in full]
    sure = {"met": "likely_good", "contradicted": "probable_miss"}
    hits = [
        Hit(row, 0.5, sure.get(answer.judgement.overall, "analog"), (), TRACE, answer=answer)  # type: ignore[arg-type]
        for row, answer in zip(full, answers, strict=True)
    ]
    found = choices(Outcome(hits, degraded=False, notice=None), request, most=4)
    return [(one.name[1], one.machines) for one in found]


SMALL = {"model": "S", "cfm": 15.2, "voltage": "208-230/1/60", "noise_dba": 57.0}


def test_two_of_a_smaller_machine_are_offered_whatever_trade_nobody_knows_it_for() -> None:
    three_phase = {"model": "T", "cfm": 31.0, "voltage": "460/3/60"}
    text = "30 cfm oilless compressor for a brewery, single phase"
    assert offered(text, three_phase, SMALL)[0] == ("S", 2)


def test_one_that_is_large_comes_before_two_that_are_small() -> None:
    large = {"model": "L", "cfm": 56.0, "voltage": "230/1/60"}
    assert offered("30 cfm oilless compressor, single phase", SMALL, large)[:2] == [("L", 1), ("S", 2)]


def test_one_that_is_a_little_over_a_limit_stands_beside_two_that_are_small() -> None:
    heavy = {"model": "H", "cfm": 31.0, "noise_dba": 66.0}
    louder = {"model": "L", "cfm": 31.0, "noise_dba": 90.0}
    text = "30 cfm oilless compressor, max 60 dBA"
    assert offered(text, louder, SMALL, heavy) == [("S", 2), ("H", 1)]


def test_two_dryers_share_the_air_that_one_alone_is_too_small_for() -> None:
    dryers = (
        {"family": "dryer", "category": "desiccant air dryer", "lubrication": None, "dewpoint_f": -40.0, **each}
        for each in ({"model": "D", "cfm": 70.0, "psi": 150.0}, {"model": "E", "cfm": 150.0, "psi": 125.0})
    )
    assert offered("desiccant dryer, at least 105 cfm, dew point -40 F, at least 150 psi", *dryers)[0] == ("D", 2)


def test_where_nothing_fits_what_lacks_least_is_nearest() -> None:
    two_faults = {"model": "A", "cfm": 10.0, "psi": 100.0}
    one_fault = {"model": "B", "cfm": 95.0, "psi": 100.0}
    assert offered("oilless compressor, 90 cfm at 145 psi", two_faults, one_fault) == [("B", 1), ("A", 1)]


DESICCANT: dict[str, object] = {
    "family": "dryer", "category": "desiccant air dryer", "lubrication": None, "cfm": 300.0, "dewpoint_f": -40.0,
    "psi": 125.0,
}  # fmt: skip


def test_where_nothing_fits_the_supply_that_was_asked_for_comes_before_a_higher_rating() -> None:
    abroad = {**DESICCANT, "model": "A", "psi": 230.0, "voltage": "230/1/50"}
    rated_lower = {**DESICCANT, "model": "B", "voltage": "460/3/60"}
    text = "desiccant dryer, dew point -40 °F, 286 cfm at 145 psi, 460/3/60"
    assert offered(text, abroad, rated_lower) == [("B", 1), ("A", 1)]
    hits = hits_of(text, rated_lower, abroad, {**rated_lower, "model": "C"})
    notice = unmet.told(hits, [Chosen(hits[0])], assumed=None)
    assert off_by_a_limit(hits[0])
    assert notice is not None
    assert "ask the maker for the highest allowed); also C; A has it, but voltage" in notice


@pytest.mark.parametrize(
    "text",
    [
        "refrigerated dryer, pressure dew point -40 °F, 280 cfm",
        "Kältetrockner, Drucktaupunkt -40 °C, 480 m³/h",
        "secador frigorífico, punto de rocío -40 °C, 480 m³/h",
        "sécheur frigorifique, point de rosée -40 °C, 480 m³/h",
    ],
)
def test_a_dew_point_below_freezing_names_the_dryers_of_the_other_kind(text: str) -> None:
    cold: dict[str, object] = {**DESICCANT, "model": "R", "category": "refrigerated air dryer", "dewpoint_f": 37.0}
    hits = hits_of(text, cold, {**DESICCANT, "model": "D"})
    notice = unmet.told(hits, [Chosen(hits[0])], assumed=None)
    assert notice is not None
    assert notice.startswith("No refrigerated dryer reaches at most -40 °F")
    assert notice.endswith("of another kind do: D.")


def test_of_machines_as_fitting_the_quieter_comes_first_where_that_is_wished() -> None:
    loud, quiet = {"model": "L", "cfm": 31.0, "noise_dba": 67.0}, {"model": "Q", "cfm": 31.0, "noise_dba": 58.0}
    assert offered("a quiet oilless compressor, 30 cfm", loud, quiet) == [("Q", 1), ("L", 1)]


def test_what_keeps_to_a_budget_comes_first_of_offers_as_sure_and_before_none_that_is_surer() -> None:
    rows = [{"manufacturer": "M", "model": model, "family": "compressor"} for model in ("dear", "cheap", "unsure")]
    sure: list[Confidence] = ["likely_good", "likely_good", "analog"]
    offers = [Chosen(Hit(row, 0.5, each, (), TRACE)) for row, each in zip(rows, sure, strict=True)]
    above = {("M", "dear"): 3.0, ("M", "cheap"): 0.0, ("M", "unsure"): 0.0}
    assert [one.name[1] for one in within_budget(offers, above=above)] == ["cheap", "dear", "unsure"]


@pytest.mark.parametrize(
    ("query", "sought", "given"),
    [
        ("Trade-in of our old Kaeser ASD 40", "trade-in", "Trade-in of our old Kaeser ASD 40"),
        ("Inzahlungnahme unserer alten Kaeser ASD 40", "trade-in", "Inzahlungnahme unserer alten Kaeser ASD 40"),
        ("Reprise de notre ancien compresseur GA37", "trade-in", "Reprise de notre ancien compresseur GA37"),
        ("entrega a cuenta de nuestro compresor viejo", "trade-in", "entrega a cuenta de nuestro compresor viejo"),
        (
            "75 HP screw compressor with trade-in of our old ASD 40, 460 V",
            "75 HP screw compressor, 460 V",
            "trade-in of our old ASD 40",
        ),
        (
            "Schraubenkompressor 55 kW, unsere alte ASD 40 möchten wir in Zahlung geben",
            "Schraubenkompressor 55 kW",
            "unsere alte ASD 40 möchten wir in Zahlung geben",
        ),
        ("trade in our ASD 40 for a 75 HP screw", "75 HP screw", "trade in our ASD 40"),
        ("vacuum pump for a trade shop", "vacuum pump for a trade shop", None),
        ("dryer, take air back to the inlet", "dryer, take air back to the inlet", None),
        ("reprise du condensat", "reprise du condensat", None),
    ],
)
def test_a_machine_that_is_given_in_payment_is_not_looked_for(query: str, sought: str, given: str | None) -> None:
    item = NeededItem(query=query)
    assert (item.sought, item.given_in_payment) == (sought, given)


def test_a_supply_that_only_the_country_tells_is_asked_for() -> None:
    request = understand(
        "100 HP oilless compressor at 125 psi, 50 Hz",
        words=Vocabulary.shipped(),
        names=Names(),
        today=date(2026, 1, 1),
    )
    assert to_ask(request) == []
    assert to_ask(request, supply_assumed=True) == ["Which power supply is there: volts, phases, hertz?"]


BUDGET = Need("price", "at_most", None, 40_000.0, frozenset({"USD"}), "40k tops")


@pytest.mark.parametrize(
    ("count", "currency", "held"),
    [
        (1, "USD", "Quincy QMB30 lists at 30,000.00 USD, 25 % below; sold in Q1 for 20,000.00 USD, 50 % below."),
        (2, "USD", "2 × Quincy QMB30 lists at 60,000.00 USD, 50 % above; 2 as sold in Q1: 40,000.00 USD, just that."),
        (1, "EUR", "no list or past price in USD to hold it against."),
    ],
)
def test_a_budget_is_held_against_list_and_past_prices_in_its_currency(count: int, currency: str, held: str) -> None:
    name = ("Quincy", "QMB30")
    sold = PastPrice(quote_number="Q1", position=1, customer="Elm", quote_date=date(2026, 1, 1), outcome="sold",
                     quantity=Decimal(1), unit_price=Decimal(20_000), currency=currency)  # fmt: skip
    prices = OfferPrices({}, {name: Listed(Decimal(30_000), currency)}, [], [sold])
    assert prices.against(BUDGET, counts={name: count}) == f"40k tops: {held}"


@pytest.mark.parametrize(
    ("first", "country", "assumed"),
    [
        ("compressor 30 HP, 460 V", None, "60 Hz (item 1)"),
        ("compressor 30 HP, 480 V", "DE", "60 Hz (item 1)"),
        ("compressor 30 kW, 380 V", "DE", "50 Hz (item 1)"),
        ("compressor 30 kW, 400 V", "JP", "50 Hz (item 1)"),
        ("compressor 30 kW, 400 V", "SA", "60 Hz (the customer's country, SA)"),
        ("compressor 30 kW", "BR", "60 Hz (the customer's country, BR)"),
        ("compressor 30 kW", "NL", "50 Hz (the customer's country, NL)"),
        ("compressor 30 kW", "JP", None),
        ("compressor 30 kW, 230 V", None, None),
        ("compressor 30 kW, 400 V or 460 V", None, None),
    ],
)
def test_a_voltage_tells_its_frequency_where_it_has_one_alone_and_else_the_country_does(
    first: str, country: str | None, assumed: str | None
) -> None:
    read = [understand(text, words=Vocabulary.shipped(), names=Names()) for text in (first, "dryer, 100 cfm")]
    found = mains(read, local=of_country(country))
    assert (found and f"{found[0]} ({found[1]})") == assumed


def test_a_dryer_is_asked_for_its_flow_dew_point_pressure_and_room() -> None:
    asked = questions("we need a dryer")
    assert len(asked) == 5
    assert asked[0].startswith("Which flow passes the dryer")


def test_of_a_request_that_names_nothing_the_whole_is_asked() -> None:
    assert questions("please call me") == ["What is it for, and which sizes (power, flow, pressure or vacuum)?"]


TODAY = date(2026, 11, 23)


def line(text: str, **fields: object) -> dict[str, object]:
    return {"description": text, "manufacturer": "Quincy", "model": "QMB30", "family": "compressor",
            "quote_number": "Q-1", "position": 1, "quote_date": date(2026, 3, 2), **fields}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "weeks"),
    [
        ("Delivery: 14-16 weeks after reciept of approved drawings.", "14-16"),
        ("Shipment 15 weeks.", "15"),
        ("Lieferzeit 8 bis 10 Wochen", "8-10"),
        ("lead time is about 5 wks ARO", "5"),
    ],
)
def test_a_lead_time_is_read_from_prose_with_its_source(text: str, weeks: str) -> None:
    assert lead_times([line(text)], today=TODAY) == [f"Quincy QMB30: {weeks} weeks (Q-1/1, 2026-03-02)"]


def test_weeks_of_something_else_are_no_lead_time() -> None:
    assert (
        lead_times(
            [line("Rebuilt every 52 weeks. Delivered price."), line("Lead pump rotates every start.")], today=TODAY
        )
        == []
    )


def test_a_lead_time_of_years_ago_says_so() -> None:
    [said] = lead_times([line("Shipment 8 weeks.", quote_date=date(2018, 6, 19))], today=TODAY)
    assert said == "Quincy QMB30: 8 weeks (Q-1/1, 2018-06-19: 8 years old, ask the maker)"


def test_of_a_model_only_the_newest_is_told() -> None:
    assert len(lead_times([line("Delivery 5 weeks"), line("Delivery 9 weeks")], today=TODAY)) == 1


@pytest.mark.parametrize("label", ["Pos 5", "Pos. 5:", "Item 12 -", "3.", "Artikel 7", "Position 5"])
def test_the_label_of_a_list_is_no_figure_of_its_thing(label: str) -> None:
    assert NeededItem(query=f"{label} Dew point monitor").sought == "Dew point monitor"


@pytest.mark.parametrize("query", ["50 HP screw", "3.5 bar blower", "1060 gallon tank", "No 5 fuel pump", "item"])
def test_what_belongs_to_a_thing_is_no_label(query: str) -> None:
    assert NeededItem(query=query).sought == query


def test_a_past_price_is_a_sentence_with_its_currency() -> None:
    past = PastPrice(
        quote_number="Q-1",
        position=1,
        customer="C",
        quote_date=date(2026, 1, 1),
        outcome="sold",
        quantity=Decimal(1),
        unit_price=Decimal(100),
        currency="CAD",
    )
    prices = OfferPrices({}, {("M", "X"): Listed(Decimal(90), "EUR")}, (), [past, replace(past, quantity=Decimal(2))])
    assert prices.newest(most=2) == [
        "Q-1/1, 2026-01-01, C, sold 100.00 CAD", "Q-1/1, 2026-01-01, C, sold 100.00 CAD ×2"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "customer", "assumed"),
    [
        ("Schraubenkompressor 37 kW, 10 bar", None, "50 Hz"),
        ("compresseur à vis 37 kW", None, "50 Hz"),
        ("compresseur 50 hp, 125 psi", None, None),
        ("compresseur 37 kW, Montréal", None, None),
        ("compresor de tornillo 37 kW", None, None),
        ("compresor de tornillo 37 kW, hasta 20.000 €", None, "50 Hz"),
        ("screw compressor 50 hp", "Alpenmilch GmbH", "50 Hz"),
        ("screw compressor 50 hp", "Lakeside Foundry, Inc.", "60 Hz"),
        ("screw compressor 37 kW", "Lakeside Foundry, Inc.", None),
        ("screw compressor 37 kW", None, None),
    ],
)
def test_legal_form_or_language_with_metric_units_tell_the_mains(
    text: str, customer: str | None, assumed: str | None
) -> None:
    language = understand(text, words=Vocabulary.shipped(), names=Names()).language
    found = likely_mains(text, customer, language, units=None)
    assert (found and found[0]) == assumed


@pytest.mark.parametrize(
    ("text", "customer", "currency"),
    [
        ("compresseur à vis 30 kW, 8 bar", "Biscuiterie de l'Arguenon", "EUR"),
        ("Schraubenkompressor 30 kW", None, "EUR"),
        ("Schraubenkompressor 30 kW, Preise in Franken", None, "CHF"),
        ("compresor de tornillo 37 kW", None, None),
        ("screw compressor 9.5 m3/min, price in USD", "Rift Lakes Tannery Ltd", "USD"),
        ("screw compressor 50 hp", "Alpenmilch GmbH", "EUR"),
        ("screw compressor 50 hp", "Lakeside Foundry, Inc.", None),
    ],
)
def test_a_new_customers_request_tells_in_what_it_is_quoted(
    text: str, customer: str | None, currency: str | None
) -> None:
    language = understand(text, words=Vocabulary.shipped(), names=Names()).language
    assert currency_told(text, customer, language, units=None) == currency


def test_whose_mains_are_not_those_of_his_money_is_abroad() -> None:
    assert is_abroad("USD", "50 Hz")
    assert is_abroad("EUR", "60 Hz")
    assert not any((is_abroad("USD", "60 Hz"), is_abroad("CHF", "50 Hz"), is_abroad("USD", None)))


def test_volts_of_one_phase_or_three_leave_the_phases_to_ask() -> None:
    assert "Single-phase or three-phase, and at how many hertz?" in questions("5 hp compressor, 230 volts, 125 psi")
    assert not any("Single-phase" in each for each in questions("5 hp compressor, 460 volts, 125 psi"))


LOUD = {"manufacturer": "M", "family": "compressor", "category": "rotary screw air compressor", "description": "",
        "hp": 50.0, "lubrication": "oil-flooded", "voltage": "460/3/60"}  # fmt: skip


def hits_of(text: str, *rows: dict[str, object]) -> list[Hit]:
    [item] = understand(text, words=Vocabulary.shipped(), names=Names(), today=date(2026, 1, 1)).items
    return [
        Hit(row, 0.1, "probable_miss", (), TRACE, answer=Answered(0, judge(item, row)))
        for row in ({**LOUD, **each} for each in rows)
    ]


def test_a_limit_that_nothing_keeps_is_named_with_what_is_nearest_to_it() -> None:
    loud, quieter, small = {"model": "A", "noise_dba": 77}, {"model": "B", "noise_dba": 70}, {"model": "C", "hp": 5.0}
    text = "50 hp screw compressor, not above 62 dB(A)"
    hits = hits_of(text, loud, quieter, {**small, "noise_dba": 60})
    request = understand(text, words=Vocabulary.shipped(), names=Names())
    offered = choices(Outcome(hits, degraded=False, notice=None), request, most=3)
    assert [one.name[1] for one in offered] == ["B", "A", "C"]
    assert [off_by_a_limit(one.hit) for one in offered] == [True, True, False]
    notice = unmet.told(hits, offered, assumed=None)
    assert notice is not None
    assert "has at most 62 dBA; nearest is B: noise 70 dBA" in notice
    assert "C has it, but hp 5" in notice


def test_offers_of_the_other_frequency_alone_are_told_with_the_nearest_at_the_right_one() -> None:
    hits = hits_of(
        "50 hp screw compressor, 50 Hz", {"model": "A"}, {"model": "D", "hp": 100.0, "voltage": "400/3/50"}
    )
    notice = unmet.told(hits, [Chosen(hits[0])], assumed="the language")
    assert notice is not None
    assert notice.startswith(
        "All offers are for 60 Hz, and 50 Hz is asked for, as the language tells; nearest at 50 Hz"
    )
    assert "D: hp 100" in notice


def test_what_keeps_a_limit_to_the_letter_comes_before_what_makers_round() -> None:
    text = "refrigerated dryer for 300 cfm, dew point at most 3 °C"
    request = understand(text, words=Vocabulary.shipped(), names=Names())
    rows = [{"manufacturer": "M", "model": f"D{dew}", "family": "dryer", "category": "refrigerated air dryer",
             "description": "", "cfm": 300.0, "dewpoint_f": dew} for dew in (38.0, 37.0)]  # fmt: skip
    hits = [Hit(row, 0.9, "likely_good", (), TRACE, answer=Answered(0, judge(request.items[0], row))) for row in rows]
    found = choices(Outcome(hits, degraded=False, notice=None), request, most=2)
    assert [one.name[1] for one in found] == ["D37.0", "D38.0"]


def words(language: str) -> BlockWords:
    return BlockWords.read((ROOT / "templates" / "pdf" / "labels" / f"{language}.toml").read_text("utf-8"))


def test_a_block_is_in_the_customers_language_and_its_numbers_too() -> None:
    row = {**PRODUCT, "cfm": 345.0, "cooling": "Air", "lubrication": "oilless", "motor": "75 kW, 1480 RPM, 1.15 SF"}
    written = filled(PARTIAL, row, quantity=2, metric="m3_min", words=words("de"))
    assert "TECHNISCHE DATEN\n\n- Hersteller: Powerex\n- Baureihe / Modell: SES / SES100\n" in written
    assert "- Kühlung: Luft\n" in written
    assert "- Schmierung: öllos\n" in written
    assert "- Volumenstrom: 9,77 m³/min (345 CFM)\n" in written
    assert "1,15 SF" in written
    assert "Modell SES100 wie oben beschrieben, Menge 2: netto $[PRICE] je Stück" in written
    alone = filled(PARTIAL, {**row, "series": None}, quantity=2, metric=None, words=words("es"))
    assert "- Modelo: SES100\n" in alone


@pytest.mark.parametrize("language", ["de", "es", "fr"])
def test_every_label_of_a_partial_and_every_kind_of_its_machines_has_its_word(language: str) -> None:
    known = words(language).words
    for path in sorted((ROOT / "templates" / "characteristics").iterdir()):
        section = path.read_text("utf-8").partition("<!-- section: characteristics -->")[2].partition("<!-- end")[0]
        labels = re.findall(r"^(?:- )?([A-Z][^\[\n]*?)(?:: .*)?$", section, re.MULTILINE)
        assert not {label for label in labels if not label.startswith("Model")} - known.keys()
    kinds = {row["category"] for row in products().values() if row["family"] in PARTIALS}
    assert not kinds - known.keys()


@pytest.mark.parametrize(("column", "value", "text", "shown"), [
    ("dewpoint_f", 37.0, "Drucktaupunkt +3 °C", "+3 °C"), ("dewpoint_f", 37.0, "", "+3 °C"),
    ("vacuum_inhg", 29.92, "650 m3/h, below 0.1 mbar", "< 0.1 mbar abs"), ("vacuum_inhg", 29.92, "", None),
    ("vacuum_inhg", 25.4, "Enddruck 140 mbar abs", "153 mbar abs"),
    ("gallons", 264.0, "1000 l (264 gallon)", "1000 l"),
    ("cfm", 177.0, "Kältetrockner 5 m3/min", "300 m³/h"), ("hp", 125.0, "90 kW oil-injected screw", "90 kW"),
    ("length_in", 42.0, "", "1070 mm"), ("psi", 125.0, "9,8 m3/min bei 8,5 bar", "8.5 bar"),
])  # fmt: skip
def test_a_metric_figure_is_the_makers_own_where_his_text_has_it(
    column: str, value: float, text: str, shown: str | None
) -> None:
    assert beside(column, {column: value, "description": text}) == shown


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("the same unit as at the first office", True),
        ("one more identical compressor", True),
        ("noch einmal dieselbe Vakuumpumpe", True),
        ("die gleiche Anlage wie in Halle 2", True),
        ("la misma bomba que la otra planta", True),
        ("la même pompe que l'an dernier", True),
        ("a dryer for the same pressure", False),
        ("auf derselben Etage ein Trockner", False),
    ],
)
def test_who_wants_what_he_has_again_is_understood(text: str, again: bool) -> None:
    assert (THE_SAME.search(fold(text)) is not None) is again


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("exhaust transition piece for the ZT75", ["exhaust", "transition", "piece"]),
        ("Dichtung für ZT75", ["Dichtung"]),
        ("proposal for ZT75", []),
        ("two more for ZT75", []),
        ("ZT75 with exhaust transition", []),
    ],
)
def test_what_is_for_a_model_is_a_part_and_not_the_machine(text: str, part: list[str]) -> None:
    names = Names(models={"zt75": [ModelName("ZT75", "Atlas Copco")]})
    read = understand(text, words=Vocabulary.shipped(), names=names, today=date(2026, 1, 1))
    assert list(part_of_a_model(read)) == part
