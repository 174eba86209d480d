"""What a draft may say in the customer's own words and of his own things, and where that tells too much."""

from dataclasses import replace
from datetime import date

import pytest

from cpq.drafts.evidence import Evidence, OwnLine, OwnQuote, PastQuote, SourceText
from tests.drafting.composing import Item, Letter, write
from tests.drafting.letters import report
from tests.unit.cpq.checked_drafts import of_models

COLUMN = "### Compliance\n\n| Your requirement | Offered | Complies |\n|---|---|---|\n"
TOTAL = "### Totals\n\n| Item | Description | Quantity | Net each | Extended |\n|---|---|---|---|---|\n"


def _evidence(*models: str, request: str = "", customer: str = "Elm") -> Evidence:
    items = [Item(model=model) for model in models]
    return write(
        Letter(name="", customer=customer, request=request, project="", requirements="", items=items)
    ).evidence


def _told(body: str, evidence: Evidence) -> list[tuple[str, str, str]]:
    faults = report(body, evidence).faults
    return [(each.kind, each.text, each.right) for each in faults if each.kind not in ("section", "customer")]


def test_a_model_that_reads_as_a_voltage_is_one_where_it_is_written_so() -> None:
    assert of_models("### Item 1\n\nThe 1807V gives 109 cfm and has 67 dBA.", "1807V") == []
    assert of_models("### Item 1\n\nThe 1807V gives 110 cfm.", "1807V") == [("specification", "110 cfm", "109 CFM")]


@pytest.mark.parametrize(
    ("wish", "cell"),
    [
        ('Return the column "Complies / Exception / Not offered".', "Complies"),
        ('Schreiben Sie "erfüllt" oder "weicht ab".', "erfüllt"),
        ('Indiquen "cumple", "no cumple" o "excepción".', "Cumple"),
        ("Notez « conforme / non conforme ».", "conforme"),
    ],
)
def test_the_last_column_has_the_words_that_the_mail_prescribes(wish: str, cell: str) -> None:
    row = f"{COLUMN}| 325 scfm | QHD-325, 325 SCFM | {cell} |\n"
    assert "compliance" not in {kind for kind, *_ in _told(row, _evidence("QHD-325", request=f"325 scfm. {wish}"))}
    assert ("compliance", cell) in {each[:2] for each in _told(row, _evidence("QHD-325", request="325 scfm."))}


def test_a_row_of_the_totals_may_have_the_customers_own_name_of_its_item() -> None:
    body = f"### Item 1\n\n**X**\n\nQuincy QR-325\n\n{TOTAL}| 1 (A) | QR-325 | 1 | $[PRICE] | $[PRICE] |\n"
    assert _told(body, _evidence("QR-325")) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "We put one below as Item 2, with its own price.",
        "It stands below as Item 3, an exception to your 70 dBA.",
        "A dryer is Item 2, priced by itself.",
        "Under Terms stand those of your quote of 2025.",
        "Its other values stand in the comparison.",
        "Er steht unten als Position 3.",
    ],
)
def test_a_sentence_on_a_place_of_the_letter_promises_nothing(sentence: str) -> None:
    body = f"### Your questions\n\n**What of the dryer?**\n\n{sentence}\n"
    request = "What of the dryer? 70 dBA at most. Our quote of 2025 had items 1, 2 and 3."
    assert [each for each in _told(body, _evidence("QR-325", request=request)) if each[0] == "promise"] == []


@pytest.mark.parametrize(
    ("sentence", "doubted"),
    [
        ("A dryer is in the total.", True),
        ("The smallest machine that meets your 70 dBA is Item 1.", True),
        ("Die leiseste Maschine, die Ihre 70 dBA einhält, ist die QR-325.", True),
        ("Which is the smallest machine that meets your 70 dBA?", False),
    ],
)
def test_what_only_a_look_at_all_machines_tells_is_a_promise(sentence: str, doubted: bool) -> None:
    body = f"### Your questions\n\n**What of it?**\n\n{sentence}\n"
    found = _told(body, _evidence("QR-325", request="What of it? 70 dBA at most."))
    assert ("promise" in {kind for kind, *_ in found}) == doubted


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        ("| Presión final de 150 mbar absolutos o inferior | OVK-500V, 153 mbar abs | sí |", True),
        ("| Enddruck 150 mbar absolut oder niedriger | OVK-500V, 153 mbar abs | ja |", True),
        ("| Pression finale de 150 mbar absolus ou moins | OVK-500V, 153 mbar abs | oui |", True),
        ("| Presión final de 160 mbar absolutos o inferior | OVK-500V, 153 mbar abs | sí |", False),
        ("| Screw compressor, oil-flooded | HGS-37, oil-flooded | yes |", True),
        ("| Screw compressor, air cooled | HGS-37, air cooled | yes |", False),
        ("| Blower, max. 80 dBA at 1 m | EQ-TURBO 100: 75 dBA at 1 m | yes |", True),
    ],
)
def test_a_yes_rests_on_the_catalogue_in_any_language(row: str, wrong: bool) -> None:
    evidence = _evidence("OVK-500V", "HGS-37", "EQ-TURBO 100", request=row.split("|")[1])
    assert ("compliance" in {kind for kind, *_ in _told(f"{COLUMN}{row}\n", evidence)}) == wrong


@pytest.mark.parametrize(
    "apart",
    ["DAP Requena; the freight is not in the total.", "DAP Requena; el transporte no está en el total.",
     "DAP Requena, ohne Fracht", "DAP Requena, transport non compris"],
)  # fmt: skip
def test_a_term_by_which_the_house_pays_the_freight_leaves_it_not_out(apart: str) -> None:
    evidence = _evidence("QR-325", request="Freight: DAP Requena.")
    body = "### Terms\n\n- Freight: {}\n"
    assert ("delivery term", apart, "") in _told(body.format(apart), evidence)
    assert "delivery term" not in {kind for kind, *_ in _told(body.format("DAP Requena"), evidence)}
    waiting = "The prices are without freight; its term is not settled yet. [FREIGHT]"
    assert _told(body.format(waiting), evidence) == []


def test_a_wish_for_how_long_the_offer_holds_wants_an_answer() -> None:
    wish = "Please keep the offer valid till end of March."
    evidence = _evidence("QR-325", request=f"We need a compressor. {wish}")
    assert ("question", wish, "") in _told("### Item 1\n\nQR-325\n", evidence)
    body = f"### Your questions\n\n**{wish}**\n\nYour wish is with our management; it is not granted yet. [ANSWER]\n"
    assert "question" not in {kind for kind, *_ in _told(body, evidence)}


def test_a_machine_has_no_price_where_the_mail_tells_no_size() -> None:
    body = f"### Item 1\n\n**X**\n\nQuincy QR-325\n\n{TOTAL}| | **Total** | | | **$6,060.00** |\n"
    unsized = [each for each in report(body, _evidence("QR-325", request="Something quiet.")).faults
               if each.why and "candidates" in each.why]  # fmt: skip
    assert [each.kind for each in unsized] == ["price"]
    sized = report(body, _evidence("QR-325", request="Something quiet of 17 cfm.")).faults
    assert not any(each.why and "candidates" in each.why for each in sized)


def test_a_gap_is_none_where_the_catalogue_has_the_value() -> None:
    gap = "- Noise level: [NOT IN CATALOGUE – confirm]"
    body = f"### Item 1\n\nCHARACTERISTICS\n\n- Series / Model: SED / SED1007-10\n{gap}\n"
    assert ("specification", gap.removeprefix("- "), "60 dBA") in _told(body, _evidence("SED1007-10"))


def test_the_customers_past_quotes_are_his_with_and_without_his_legal_form() -> None:
    line = SourceText("Q22-0470 line 1", "past quote", "Major kit with vanes for the R5, fitted in your north hall.",
                      "R5 major kit", "Q22-0470", 1)  # fmt: skip
    past = PastQuote("Q22-0470", "Cornerstone Corrugated", (), date(2022, 5, 1), "Net 30")
    body = "### Item 1\n\nMajor kit with vanes for the R5, fitted in your north hall.\n\nR5 major kit\n"
    for customer, foreign in (("Cornerstone Corrugated, Inc.", False), ("Oak Mill", True)):
        evidence = replace(_evidence("SES2-3", customer=customer), lines=[line], past_quotes={"Q22-0470": past})
        assert any(each.verdict == "foreign" for each in report(body, evidence).faults) == foreign
        assert ("model" in {kind for kind, *_ in _told(body, evidence)}) == foreign
    marked = '### Item 1\n\n"Major kit with vanes for the R5, fitted in your north hall."\n'
    evidence = replace(_evidence("SES2-3", customer="Cornerstone Corrugated"), lines=[line],
                       past_quotes={"Q22-0470": past})  # fmt: skip
    assert _told(marked, evidence) == []


def test_a_catalogue_number_of_our_quote_is_a_source() -> None:
    service = OwnLine("Planned maintenance agreement", "SRV-PM-12", "", "", "One visit a quarter.", 1)
    offer = OwnQuote("Q-2026-0010", "Elm", "USD", "Net 30 days", date(2026, 12, 23), [service])
    body = ("### Item 1\n\nPlanned maintenance agreement, one year\n\nOne visit a quarter.\n\n"
            "> **Attribution:** catalogue SRV-PM-12\n")  # fmt: skip
    evidence = replace(_evidence("SES2-3"), offer=offer)
    assert _told(body, evidence) == []
    assert _told(body.replace("PM-12", "PM-13"), evidence)[0][0] == "attribution"
