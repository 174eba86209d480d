"""The sample corpus: its counts, its arithmetic, and the properties retrieval tests lean on."""

import csv
import json
import re
from collections import Counter, defaultdict
from datetime import date
from decimal import Decimal
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

CORPUS = Path(__file__).resolve().parents[2] / "local" / "corpus"
FAMILIES = {"compressor", "vacuum_pump", "dryer", "blower", "receiver", "filtration", "accessory", "service"}
LUBRICATIONS = {"oilless", "oil-free", "oil-flooded"}
SLIPS = re.compile(
    r"reciev|reciept|recevier|compresser|seperat|vaccum|warrent[yi]|oiless|inlcude|dessicant|drier|presure|"
    r"maintainance|lubercated|coalesing|regenarative|stainles\b|capcity|guarentee|suprised|licenced|couplng|aproxim",
    re.IGNORECASE,
)

type Record = dict[str, Any]


def read_lines(name: str) -> list[Record]:
    with (CORPUS / name).open(encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


@pytest.fixture(scope="module")
def products() -> list[dict[str, str]]:
    with (CORPUS / "products.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, strict=True))


@pytest.fixture(scope="module")
def quotes() -> dict[str, Record]:
    rows = read_lines("past_quotes.jsonl")
    by_number = {row["quote_number"]: row for row in rows}
    assert len(by_number) == len(rows), "a quote number is used twice"
    return by_number


@pytest.fixture(scope="module")
def items() -> list[Record]:
    return read_lines("line_items.jsonl")


def product(products: list[dict[str, str]], model: str) -> dict[str, str]:
    (found,) = [row for row in products if row["model"] == model]
    return found


def test_the_catalogue_has_240_products_of_twelve_makers_without_a_repeated_key(
    products: list[dict[str, str]],
) -> None:
    keys = {(row["manufacturer"], row["model"]) for row in products}
    assert len(keys) == len(products) >= 240
    assert len({row["manufacturer"] for row in products}) >= 12
    assert {row["family"] for row in products} <= FAMILIES
    assert {row["lubrication"] for row in products} <= LUBRICATIONS | {""}
    assert all(len(row["description"]) > 40 and row["source"] for row in products)


def test_qmb30_has_every_spec_a_compressor_has(products: list[dict[str, str]]) -> None:
    row = product(products, "QMB30")
    specs = list(row)[: list(row).index("air_quality") + 1]
    assert {name for name in specs if not row[name]} == {"vacuum_inhg", "dewpoint_f"}
    assert (row["manufacturer"], row["series"], row["hp"]) == ("Quincy", "QMB", "30")


def test_qsync_100_says_oil_flooded_in_its_column_and_nowhere_else(products: list[dict[str, str]]) -> None:
    row = product(products, "Q$ync 100")
    assert (row["hp"], row["lubrication"]) == ("100", "oil-flooded")
    assert not re.search(r"\boil|lubric|flood|fluid|inject|coolant", row["description"], re.IGNORECASE)


def test_about_a_tenth_of_the_catalogue_are_compressors_of_unknown_lubrication(
    products: list[dict[str, str]],
) -> None:
    unknown = [row for row in products if row["family"] == "compressor" and not row["lubrication"]]
    assert 0.07 <= len(unknown) / len(products) <= 0.13
    assert any(row["family"] == "compressor" and not row["cfm"] for row in products)
    assert any(not row["weight_lb"] for row in products)


def test_hundred_horsepower_comes_oilless_oil_free_and_oil_flooded(products: list[dict[str, str]]) -> None:
    hundred = Counter(row["lubrication"] for row in products if row["hp"] == "100")
    assert hundred["oilless"] >= 2
    assert hundred["oil-free"] >= 4
    assert hundred["oil-flooded"] >= 4


def test_flow_per_horsepower_is_true_to_the_type_of_compressor(products: list[dict[str, str]]) -> None:
    rated = [row for row in products if row["hp"] and row["cfm"]]
    screws = [row for row in rated if row["category"] == "ROTARY SCREW AIR COMPRESSOR"]
    scrolls = [row for row in rated if row["category"] == "OILLESS SCROLL AIR COMPRESSOR"]
    assert len(screws) >= 20
    assert len(scrolls) >= 10
    assert all(3.5 <= float(row["cfm"]) / float(row["hp"]) <= 5.1 for row in screws)
    assert all(2.8 <= float(row["cfm"]) / float(row["hp"]) <= 3.7 for row in scrolls)


def test_the_catalogue_names_no_price(products: list[dict[str, str]]) -> None:
    assert not [row["model"] for row in products if re.search(r"\$\s?\d", row["description"])]


def test_quotes_cover_nine_years_and_the_customers_the_requirements_name(quotes: dict[str, Record]) -> None:
    customers = Counter(row["customer"] for row in quotes.values())
    assert len(quotes) >= 200
    assert len(customers) >= 100
    assert min(customers[name] for name in ("4M Industries", "Groeb Farms", "Henry Ford Hospital")) >= 2
    assert {date.fromisoformat(row["quote_date"]).year for row in quotes.values()} == set(range(2018, 2027))
    assert {row["status"] for row in quotes.values()} == {"won", "lost", "open"}
    assert len({row["industry"] for row in quotes.values()}) >= 20


def test_every_quote_says_what_it_was_and_why_it_cost_that(quotes: dict[str, Record]) -> None:
    for number, row in quotes.items():
        assert 2 <= len(re.findall(r"[.!?](?:\s|$)", row["summary"])) <= 4, number
        assert len(row["price_rationale"]) > 40, number
        assert row["terms"], number


def test_a_quotes_total_is_the_sum_of_its_items_that_are_not_optional(
    quotes: dict[str, Record], items: list[Record]
) -> None:
    sums: defaultdict[str, Decimal] = defaultdict(Decimal)
    for item in items:
        extended = Decimal(item["extended_price"])
        assert extended == Decimal(item["unit_price"]) * item["quantity"]
        if not item["optional"]:
            sums[item["quote_number"]] += extended
    assert sums == {number: Decimal(row["total_price"]) for number, row in quotes.items()}
    assert sum(item["optional"] for item in items) >= 15


def test_line_items_are_numbered_from_one_within_each_quote(quotes: dict[str, Record], items: list[Record]) -> None:
    positions: defaultdict[str, list[int]] = defaultdict(list)
    for item in items:
        positions[item["quote_number"]].append(item["position"])
    assert len(items) >= 1_000
    assert positions.keys() == quotes.keys()
    assert all(found == list(range(1, len(found) + 1)) for found in positions.values())


def test_line_items_link_to_the_catalogue_except_older_models_and_services(
    products: list[dict[str, str]], items: list[Record]
) -> None:
    catalogue = {(row["manufacturer"], row["model"]) for row in products}
    linked = [item for item in items if (item["manufacturer"], item["model"]) in catalogue]
    older = [item for item in items if item["model"] and item not in linked]
    assert len(linked) >= 600
    assert 3 <= len(older) <= 20
    assert all(item["model"] is None for item in items if item["category"] == "INSTALLATION")


def test_a_spec_column_is_filled_only_when_the_text_states_it(items: list[Record]) -> None:
    for item in items:
        stated = {float(n.replace(",", "")) for n in re.findall(r"\d[\d,]*\.?\d*", item["description"]) if n}
        for name in ("hp", "cfm", "psi", "vacuum_inhg"):
            assert item[name] is None or item[name] in stated, (item["quote_number"], item["position"], name)
        if item["lubrication"]:
            said = r"oil|lub|flood|splash|öl|huile|aceite"
            assert re.search(said, item["description"], re.IGNORECASE), item["quote_number"]


def test_a_price_printed_in_the_text_is_the_unit_price(items: list[Record]) -> None:
    printed = [
        (Decimal(amount.replace(",", "")), Decimal(item["unit_price"]))
        for item in items
        for amount in re.findall(r"(?i)\bnet \$([\d,]+\.\d\d)", item["description"])
    ]
    assert len(printed) >= 120
    assert all(found == price for found, price in printed)


def test_six_installation_blocks_are_longer_than_two_thousand_tokens(items: list[Record]) -> None:
    blocks = [item["description"] for item in items if item["category"] == "INSTALLATION"]
    long = [text for text in blocks if len(text) > 9_500]
    assert len(long) == len({text[:400] for text in long}) >= 6
    assert len([text for text in blocks if len(text) < 2_000]) >= 12


def test_a_fifth_of_the_descriptions_carry_a_misspelling(items: list[Record]) -> None:
    slipped = [item for item in items if SLIPS.search(item["description"])]
    assert 0.15 <= len(slipped) / len(items) <= 0.35


def test_near_duplicates_exist_but_are_few(items: list[Record]) -> None:
    shingles = []
    for item in items:
        words = item["description"].lower().split()
        shingles.append({tuple(words[at : at + 4]) for at in range(max(1, len(words) - 3))})
    alike = {
        at
        for one, two in combinations(range(len(items)), 2)
        if len(shingles[one] & shingles[two]) > 0.5 * len(shingles[one] | shingles[two])
        for at in (one, two)
    }
    assert 0.03 <= len(alike) / len(items) <= 0.12


def test_the_golden_query_has_its_answers_and_its_distractors(quotes: dict[str, Record], items: list[Record]) -> None:
    def answers(customer: str, lubrications: set[str]) -> list[Record]:
        return [
            item
            for item in items
            if quotes[item["quote_number"]]["customer"] == customer
            and item["hp"] == 100
            and item["lubrication"] in lubrications
            and re.search(r"food[- ]grade", item["description"], re.IGNORECASE)
        ]

    assert answers("Groeb Farms", {"oilless"})
    assert answers("4M Industries", {"oilless", "oil-free"})
    assert [item for item in answers("Harvest Moon Juice Co.", {"oilless"}) if item["manufacturer"] == "Powerex"]
    assert answers("Midland Meats", {"oil-flooded"}), "the oil-flooded machine with food grade lubricant"
    assert [item for item in items if item["hp"] == 10 and "dental" in item["description"].lower()]


def test_a_model_whose_price_moved_says_why(quotes: dict[str, Record], items: list[Record]) -> None:
    sold: defaultdict[tuple[str, str], dict[str, Record]] = defaultdict(dict)
    for item in items:
        if item["model"]:
            sold[item["manufacturer"], item["model"]].setdefault(item["unit_price"], item)
    moved = [list(prices.values()) for prices in sold.values() if len(prices) > 1]
    explained = [same for same in moved if any(item["price_note"] for item in same)]
    assert len(explained) >= 20
    cited = {number for item in items for number in re.findall(r"Q\d\d-\d{4}", item["price_note"] or "")}
    assert cited <= quotes.keys()


def test_no_price_note_cites_a_quote_from_its_own_future(quotes: dict[str, Record], items: list[Record]) -> None:
    for item in items:
        for cited in re.findall(r"Q\d\d-\d{4}", item["price_note"] or ""):
            assert quotes[cited]["quote_date"] <= quotes[item["quote_number"]]["quote_date"], cited


# What the goods are told apart by

OF_PRODUCTS = {"model", "manufacturer", "series", "category", "family", "description", "source"}
OF_LINES = {
    "quote_number", "position", "category", "family", "manufacturer", "model", "description", "quantity",
    "unit_price", "extended_price", "currency", "optional", "price_note",
}  # fmt: skip


def read_csv(name: str) -> list[dict[str, str]]:
    with (CORPUS / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, strict=True))


@pytest.fixture(scope="module")
def attributes() -> dict[str, dict[str, str]]:
    return {row["name"]: row for row in read_csv("attributes.csv")}


def told(products: list[dict[str, str]], items: list[Record]) -> list[tuple[str, str, list[Any]]]:
    """Family, attribute and values of every cell of a product and every key of a line that says something."""
    cells = [
        (row["family"], name, value.split("..") if re.fullmatch(r"[\d.]+\.\.[\d.]+", value) else value.split("|"))
        for row in products
        for name, value in row.items()
        if value and name not in OF_PRODUCTS
    ]
    keys = [
        (item["family"], name, value if isinstance(value, list) else [value])
        for item in items
        for name, value in item.items()
        if value is not None and name not in OF_LINES
    ]
    return cells + keys


def test_every_value_is_of_a_declared_attribute_of_its_family_and_kind(
    products: list[dict[str, str]], items: list[Record], attributes: dict[str, dict[str, str]]
) -> None:
    for family, name, values in told(products, items):
        declared = attributes[name]
        assert not declared["families"] or family in declared["families"].split("|"), (family, name)
        for value in values:
            if declared["kind"] == "number":
                assert float(declared["low"] or "-inf") <= float(value) <= float(declared["high"] or "inf"), (
                    name,
                    value,
                )
            elif declared["kind"] == "flag":
                assert value in ("yes", "no", True, False), (name, value)
            elif declared["ordered"]:
                assert value in declared["ordered"].split("|"), (name, value)


def test_a_pump_draws_less_the_deeper_it_draws_and_nothing_beyond_its_depth(products: list[dict[str, str]]) -> None:
    points = (10, 15, 20, 25, 28)
    rated = [row for row in products if row["family"] == "vacuum_pump" and row["cfm"]]
    assert len(rated) >= 30
    for row in rated:
        flows = {at: float(row[f"cfm_{at}_inhg"]) for at in points if row[f"cfm_{at}_inhg"]}
        assert set(flows) == {at for at in points if at < float(row["vacuum_inhg"]) - 0.35}, row["model"]
        assert max(flows.values()) <= float(row["cfm"]), row["model"]
        # A ring of water draws best where it is rated, at 20 inHg.
        falling = [flow for at, flow in flows.items() if row["compression"] != "liquid-ring" or at >= 20]
        assert falling == sorted(falling, reverse=True), row["model"]


def test_a_dryer_has_factors_of_one_where_it_is_rated_and_smaller_ones_where_it_is_harder(
    products: list[dict[str, str]],
) -> None:
    for row in (row for row in products if row["family"] == "dryer"):
        inlet, room, pressure = (
            [float(row[name]) for name in row if name.startswith(kind) and name.endswith("_factor") and row[name]]
            for kind in ("inlet_", "ambient_", "working_")
        )
        assert inlet, row["model"]
        assert inlet == sorted(inlet, reverse=True), row["model"]
        assert room == sorted(room, reverse=True), row["model"]
        assert pressure == sorted(pressure), row["model"]


def test_a_lead_time_was_kept_only_by_what_was_sold_and_told(quotes: dict[str, Record], items: list[Record]) -> None:
    # A line's own text may tell how the maker has kept its times on other orders.
    kept = [item for item in items if "lead_time_kept" in item and "told" not in item["description"]]
    assert len(kept) >= 60
    assert all("lead_time" in item and quotes[item["quote_number"]]["status"] == "won" for item in kept)


def test_the_eight_families_and_every_attribute_have_names_in_four_languages(
    attributes: dict[str, dict[str, str]],
) -> None:
    families = read_csv("families.csv")
    assert {row["family"] for row in families} == FAMILIES
    for row in [*families, *attributes.values()]:
        assert {word[:3] for word in row["words"].split("|")} >= {"de:", "es:", "fr:"}, row
    for row in attributes.values():
        assert [label[:3] for label in row["labels"].split("|")] == ["en:", "de:", "es:", "fr:", "it:"], row["name"]


def test_a_term_means_a_value_of_an_attribute_or_a_built_in(
    quotes: dict[str, Record], attributes: dict[str, dict[str, str]]
) -> None:
    industries = {row["industry"] for row in quotes.values()}
    known = {"family": FAMILIES, "industry": industries, "status": {"won", "lost", "open"}}
    terms = read_csv("vocabulary.csv")
    assert len({(row["term"].casefold(), row["attribute"], row["value"]) for row in terms}) == len(terms)
    for row in terms:
        name, value = row["attribute"], row["value"]
        assert name in {*known, *attributes, "manufacturer"}, row
        assert value in known.get(name, {value}), row
        if name in attributes and attributes[name]["kind"] == "number":
            assert float(value) >= 0, row
        if name in attributes and attributes[name]["kind"] == "flag":
            assert value in ("yes", "no"), row
