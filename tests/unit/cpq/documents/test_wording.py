"""Codes of a quote in words."""

from decimal import Decimal

import pytest

from cpq.documents import wording
from cpq.documents.composition import words_among
from cpq.documents.wording import DocumentLabels
from tests.unit.cpq.documents.printed_quotes import LAYOUTS

ENGLISH = DocumentLabels.read(LAYOUTS, "en")


def test_a_discount_has_the_decimals_that_its_amount_takes_at_most_four() -> None:
    given, whole = Decimal("9.8125"), Decimal("19100.00")
    assert wording.discount(given, whole=whole, net=Decimal("17225.81")) == given
    assert wording.discount(given, whole=Decimal("10.00"), net=Decimal("9.02")) == Decimal("9.81")
    assert wording.discount(Decimal("5.0000"), whole=whole, net=Decimal("18145.00")) == Decimal(5)
    assert wording.discount(None, whole=whole, net=whole) is None


def test_words_are_told_from_codes_and_figures() -> None:
    assert words_among(["stoneware", "IP55", 5, True, "2 of oak"]) == ["stoneware", "2 of oak"]


@pytest.mark.parametrize(
    ("code", "term_months", "words"),
    [
        ("per_unit", None, None),
        ("per_seat", 12, "per seat"),
        ("per_seat_per_month", 12, "per seat per month × 12"),
        ("per_seat_per_month", 1, "per seat per month"),
        ("per_unit_per_year", 36, "per year × 3"),
        ("per_unit_per_year", 18, "per year × 3/2"),
        ("per_unit_per_year", 12, "per year"),
    ],
)
def test_a_unit_says_how_often_it_is_charged(code: str, term_months: int | None, words: str | None) -> None:
    assert wording.unit(code, term_months=term_months, labels=ENGLISH) == words


def test_billing_reads_as_a_person_writes_it() -> None:
    assert wording.billing("one_time", labels=ENGLISH) == "Once"
    assert wording.months(1, labels=ENGLISH) == "1 month"
    assert wording.months(None, labels=ENGLISH) is None


def test_an_address_leaves_out_what_is_not_known() -> None:
    whole = {"lines": ["1 Anvil Square", "Suite 600"], "city": "Portland", "region": "OR", "postal_code": "97209"}
    assert wording.address({"billing_address": whole}) == ["1 Anvil Square", "Suite 600", "Portland, OR 97209"]
    assert wording.address({"billing_address": {"city": "Lüneburg", "postal_code": "21335"}}) == ["Lüneburg 21335"]
    german = {"lines": ["Hauptstraße 1"], "city": "Lüneburg", "postal_code": "21335", "country": "DE"}
    assert wording.address({"billing_address": german}) == ["Hauptstraße 1", "21335 Lüneburg"]
    assert wording.address({"billing_address": {**german, "country": None}, "country": "DE"})[1] == "21335 Lüneburg"
    for lines in (["33-100 Tarnów"], ["33-100", "TARNÓW"], []):
        town = {"lines": lines, "city": "Tarnów", "postal_code": "33-100", "country": "PL"}
        assert wording.address({"billing_address": town}) == ["33-100 Tarnów"]
    assert wording.address({"billing_address": None, "shipping_address": whole})[0] == "1 Anvil Square"
    faroes = {"city": "Klaksvík", "postal_code": "FO-700", "country": "FO"}
    assert wording.address({"billing_address": faroes}) == ["FO-700 Klaksvík"]
    assert wording.address({}) == []


def test_attributes_are_listed_without_those_that_are_not_set() -> None:
    shown = wording.attributes(
        {"billing": "annual", "food_grade": True, "options": ["a", 2], "seats": 150, "x": None}, labels=ENGLISH
    )
    values = [("Billing", "annual"), ("Food grade", "yes"), ("Options", "a, 2"), ("Seats", "150")]
    assert [(each.name, each.value) for each in shown] == values


@pytest.mark.parametrize(
    ("customer", "name"),
    [
        ("Acme Corp", "Acme_Corp_Q-2026-0042_v1.pdf"),
        ("Lindqvist & Söhne / Apparatebau", "Lindqvist_Söhne_Apparatebau_Q-2026-0042_v1.pdf"),
        ("株式会社みどり製作所", "株式会社みどり製作所_Q-2026-0042_v1.pdf"),
        ("Zakłady Mięsne ŁÓDŹ, Øster Straße", "Zakłady_Mięsne_ŁÓDŹ_Øster_Straße_Q-2026-0042_v1.pdf"),
        ('"; filename=evil.exe\r\nX: y', "filename_evil_exe_X_y_Q-2026-0042_v1.pdf"),
    ],
)
def test_a_file_name_is_safe_in_a_header_and_on_a_disk(customer: str, name: str) -> None:
    assert wording.file_name(customer, quote_id="Q-2026-0042", version=1) == name


def test_a_price_by_length_or_weight_is_told_by_its_symbol_and_what_has_no_label_as_the_catalogue_has_it() -> None:
    german = DocumentLabels.read(LAYOUTS, "de")
    codes = ["per_metre", "per_kg_per_month", "per_unit_per_year", "per_each", "per_week", "per_pallet"]
    told = [wording.unit(code, term_months=None, labels=german) for code in codes]
    assert told == ["pro m", "pro kg pro Monat", "pro Jahr", None, "pro Woche", "pro pallet"]
    assert [wording.measure(code) for code in codes] == ["m", "kg", "", "", "", ""]
    assert [wording.counts(code) for code in ("per_metre", "per_hundred", "per_unit", None)] == ["m", "× 100", "", ""]
    assert wording.without_label(codes, german) == ["pallet"]
    own = [wording.unit(code, term_months=None, labels=DocumentLabels.read(LAYOUTS, "fr"))
           for code in ("per_box", "per_täyttö")]  # fmt: skip
    assert own == ["par boîte", "par täyttö"]
    assert wording.without_label(codes, ENGLISH) == []


@pytest.mark.parametrize("text", ["For Pompy Sp. z o.o.. Decide", "It takes 3..5 days", "So on...", "v1.. 2"])
def test_the_point_of_an_abbreviation_ends_the_sentence_and_other_points_stay(text: str) -> None:
    assert wording.one_point(text) == text.replace("o.o..", "o.o.")
