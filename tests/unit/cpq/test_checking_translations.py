"""Letters in another language than the house template's."""

from dataclasses import replace
from decimal import Decimal

import pytest

from cpq.drafts.evidence import OwnLine
from cpq.drafts.findings import Remark
from quarry.characteristics import PARTIALS, BlockWords, Metric, filled
from quarry.understanding.needs import Language
from tests.drafting.composing import TEMPLATES, Item, Letter, products, write
from tests.drafting.letters import report
from tests.unit.cpq.checked_drafts import PAIR, SCROLL, of_models

GERMAN = """\
**Elm Molkerei**

Sehr geehrte Frau Adler, vielen Dank für Ihre Anfrage nach einem Kompressor für Ihre Molkerei. Wir bieten Ihnen an:

### Item 1

{translation}

> **SALESPERSON REVIEW:** 1. Translation, to approve. Original: "{original}"

### Bedingungen

- Zahlung: 30 Tage netto ab Rechnung, mit Kreditzusage

Great Lakes Air & Vacuum (sample house) plant, verkauft, installiert und wartet Druckluft- und Vakuumanlagen.

## Sources (internal)

| item | offered | product_id | words from | precedents | confidence | status |
|---|---|---|---|---|---|---|
| 1 | Powerex SEHX10008-100 | | {words_from} | | likely_good | used with review |
"""


def translated(translation: str, original: str) -> list[tuple[str, str]]:
    item = Item(model="SEHX10008-100", copied=("Q25-0724", 1, SCROLL))
    letter = write(Letter(name="", customer="Elm Molkerei", request="", project="", requirements="", items=[item]))
    words_from = "Huron Bay Semiconductor, Q25-0724, 2025-10-09, line 1"
    text = GERMAN.format(translation=translation, original=original, words_from=words_from)
    faults = report(text, letter.evidence).faults
    return [(each.verdict, each.kind) for each in faults if (each.verdict, each.text) != ("missing", "totals")]


def test_a_translation_rests_on_the_original_in_its_note_and_a_letter_in_german_lacks_no_english_section() -> None:
    ours = "Dichtleisten nach 10.000 Stunden sind die eine große Ausgabe, wir rechnen elf Cent je Stunde."
    assert translated(ours, SCROLL) == []
    assert translated(ours.replace("10.000", "12.000"), SCROLL) == [("unsupported", "number")]
    wrong = translated(ours, SCROLL.replace("eleven", "twelve"))
    assert ("contradicted", "original") in wrong


def german(*lines: str, more: str = "") -> list[Remark]:
    """Faults of a priced German letter for screw, receiver and start-up, with these lines in its second item, but for
    the rows that its totals lack; ``more`` is what the quote says of a warranty.
    """
    price = Decimal("1000")
    items = [Item(model="QGV-100", price=price), Item(model="VR-240", price=price),
             Item(heading="START-UP SERVICE", price=Decimal("1850"))]  # fmt: skip
    letter = Letter(name="", customer="Elm Molkerei", request="", project="", requirements="", items=items)
    opening = GERMAN.partition("### Item 1")[0]
    body = "\n\n".join(["### Item 1", "Quincy QGV-100, Menge 1: Net $1,000.00 Each", "### Item 2", *lines])
    summary = "### Summe\n\n| 1 | Quincy QGV-100 | 1 | $1,000.00 | $1,000.00 |"
    evidence = write(letter).evidence
    if more and evidence.offer is not None:
        line = OwnLine("Extended warranty", "WARRANTY", "", "", more, 1)
        evidence = replace(evidence, offer=replace(evidence.offer, lines=[*evidence.offer.lines, line]))
    faults = report(f"{opening}\n\n{body}\n\n{summary}", evidence).faults
    return [each for each in faults if each.kind != "totals row"]


@pytest.mark.parametrize("heading", ["**INBETRIEBNAHME**", "**START-UP SERVICE**", "#### Mise en service"])
def test_a_service_is_held_to_its_own_line_of_the_quote_in_any_language_and_at_any_place(heading: str) -> None:
    told = "Inbetriebnahme des Kompressors QGV-100 durch unseren Techniker."
    priced = "Inbetriebnahme wie beschrieben, quantity 1: Net $1,850.00 Each"
    assert german(heading, told, priced) == []
    (wrong,) = german(heading, told, priced.replace("1,850", "1,000"))
    assert (wrong.verdict, wrong.right) == ("contradicted", "1,850.00 USD")


def test_a_machine_with_a_service_is_no_service() -> None:
    offered = "VR-240 wie beschrieben, quantity 1: Net $1,850.00 Each"
    (wrong,) = german("**DRUCKBEHÄLTER MIT INBETRIEBNAHME**", offered)
    assert (wrong.verdict, wrong.right) == ("contradicted", "1,000.00 USD")


@pytest.mark.parametrize("line", ["- Ansprechpartner: Bauer", "Die Frequenz in Hertz folgt.", "Gruß, Herr Kaeser"])
def test_a_noun_of_a_german_letter_and_a_person_are_no_makers(line: str) -> None:
    assert german(line) == []
    assert [each.kind for each in german("Die Maschine ist von Kaeser.")] == ["maker"]


VALIDITY, PAYMENT = "30 days from the date above", "Net 30 days from invoice, on approved credit"


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("- Gültigkeit: 60 Tage", VALIDITY),
        ("- Gültigkeit: sechzig Tage", VALIDITY),
        ("Das Angebot gilt zwei Monate.", VALIDITY),
        ("- Validez: 60 días", VALIDITY),
        ("- Validité : 60 jours", VALIDITY),
        ("- Zahlung: 60 Tage netto", PAYMENT),
        ("Rechnungen sind zahlbar innerhalb von 14 Tagen.", PAYMENT),
        ("- Gültigkeit: 30 Tage ab obigem Datum", None),
        ("- Validité : un mois, trente jours", None),
        ("- Paiement : 30 jours nets", None),
        ("Sie wünschen eine Zahlung nach [ANSWER] Tagen.", None),
    ],
)
def test_a_term_of_the_house_is_held_to_its_length_in_any_language(line: str, right: str | None) -> None:
    found = german(f"### Bedingungen\n\n{line}")
    assert [(each.verdict, each.kind, each.right) for each in found] == (
        [("contradicted", "house fact", right)] if right else []
    )


@pytest.mark.parametrize(
    "years", ["Die Garantie beträgt {} Jahre.", "Garantía ampliada a {} años.", "Garantie étendue à {} ans."]
)
@pytest.mark.parametrize("count", [("fünf", "cinco", "cinq"), ("sieben", "siete", "sept")])
def test_years_of_a_warranty_are_held_to_the_quote_in_any_language(years: str, count: tuple[str, ...]) -> None:
    said = years.format(count[("Jahre", "años", "ans").index(years.split()[-1].rstrip("."))])
    found = german("**GARANTIEVERLÄNGERUNG**", said, more="Extended warranty of five years on the airend")
    assert bool(found) is (count[0] == "sieben")


def test_a_number_in_words_is_held_to_the_original_of_the_translation() -> None:
    ours = "Dichtleisten nach 10.000 Stunden sind die eine große Ausgabe, wir rechnen zwölf Cent je Stunde."
    assert translated(ours, SCROLL) == [("unsupported", "number")]
    assert translated(ours.replace("zwölf", "11"), SCROLL) == []
    assert translated(ours.replace("zwölf", "siebzig"), SCROLL) == [("unsupported", "number")]


def test_the_totals_table_may_have_the_heads_of_another_language() -> None:
    table = "| Item | Beschreibung | Menge | Netto je Stück | Gesamt |\n|---|---|---|---|---|\n"
    rows = "| 1 | Quincy QR-325 | {} | $[PRICE] | $[PRICE] |\n"
    body = "### Item 1\n\nQuincy QR-325 wie oben beschrieben, Menge 1: Netto $[PRICE]\n\n### Summe\n\n" + table + rows
    assert of_models(body.format(1), *PAIR) == []
    assert [kind for kind, _, _ in of_models(body.format(3), *PAIR)] == ["quantity"]


def block_in(language: Language, model: str, *, metric: Metric = "m3_min") -> str:
    row = products()[model]
    words = BlockWords.read((TEMPLATES / f"pdf/labels/{language}.toml").read_text("utf-8"))
    partial = (TEMPLATES / f"characteristics/{PARTIALS[row['family']]}.md").read_text("utf-8")
    return filled(partial, row, quantity=2, metric=metric, words=words)


def of_block(text: str, model: str) -> list[tuple[str, str]]:
    """What is said of a block in a quote of two at EUR 12,705.00 each."""
    priced = Item(model=model, quantity=2, price=Decimal("12705.00"))
    letter = Letter(name="", customer="Elm", request="", project="", requirements="", currency="EUR", items=[priced])
    faults = report(f"Elm\n\n### Item 1\n\n{text}", write(letter).evidence).faults
    return [(each.kind, each.right) for each in faults if each.verdict != "missing"]


@pytest.mark.parametrize("model", ["BRT-180", "BRK-800", "OVS-650", "OVK-250"])
@pytest.mark.parametrize(("language", "price"), [
    ("de", "12.705,00 EUR"), ("es", "12.705,00 EUR"), ("fr", "12 705,00 EUR"),
])  # fmt: skip
def test_a_block_in_the_customers_language_is_the_catalogues(language: Language, price: str, model: str) -> None:
    assert of_block(block_in(language, model), model) == []
    assert of_block(block_in(language, model, metric="m3_h").replace("$[PRICE]", price), model) == []


@pytest.mark.parametrize(("was", "now", "kind", "right"), [
    ("+3 °C", "+8 °C", "specification", "+3 °C (37 °F)"),
    ("18 m³/min", "19 m³/min", "specification", "18 m³/min (636 SCFM)"),
    ("327 kg", "337 kg", "specification", "327 kg (720 lb)"),
    ("1070 x", "1090 x", "specification", "1070 x 910 x 1520 mm (42 x 36 x 60 in)"),
    ("Kühlung: Luft", "Kühlung: Wasser", "specification", "Luft"),
    ("Menge 2", "Menge 3", "quantity", "2"),
    ("$[PRICE]", "12.706,00 EUR", "price", "12,705.00 EUR"),
])  # fmt: skip
def test_a_change_in_a_german_block_is_found(was: str, now: str, kind: str, right: str) -> None:
    block = block_in("de", "BRT-180")
    assert was in block
    assert of_block(block.replace(was, now), "BRT-180") == [(kind, right)]


def test_a_block_may_say_in_one_line_what_the_catalogue_does_not() -> None:
    said = "- Volumenstrom angegeben bei; Anschlüsse Saugseite / Druckseite: [NOT IN CATALOGUE – confirm]"
    assert said in block_in("de", "OVS-650")
