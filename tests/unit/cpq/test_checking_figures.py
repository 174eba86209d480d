"""Figures, prices and models of a draft against the catalogue, the quote and the machine that they are said of."""

import re
from dataclasses import replace

import pytest

from tests.drafting.composing import Drafted, Item, Letter, write
from tests.drafting.letters import report
from tests.unit.cpq.checked_drafts import OPTIONS, PAIR, TABLE, letter, of_models, said


def test_a_wrong_specification_is_answered_with_the_right_one(priced: Drafted) -> None:
    (found,) = said(priced, "- Capacity: 129 CFM", "- Capacity: 192 CFM")
    assert (found.verdict, found.right) == ("contradicted", "129 CFM")


def test_a_price_that_is_not_the_quotes_is_answered_with_the_quotes(priced: Drafted) -> None:
    (found,) = said(priced, "Net $21,480.00 Each", "Net $21,840.00 Each")
    assert (found.verdict, found.right) == ("contradicted", "21,480.00 USD")


def test_a_price_with_its_currency_behind_it_is_no_payment_term(priced: Drafted) -> None:
    assert said(priced, "\n\nDelivery:", "\n\nThis machine is Net 21,480.00 USD.\n\nDelivery:") == []
    (found,) = said(priced, "\n\nDelivery:", "\n\nThis machine is Net 21,840.00 USD.\n\nDelivery:")
    assert found.kind == "price"


def test_an_extended_price_is_held_to_the_quote(priced: Drafted) -> None:
    (found,) = said(priced, "| $3,625.00 | $3,625.00 |", "| $3,625.00 | $7,250.00 |")
    assert found.verdict == "contradicted"


@pytest.mark.parametrize(
    ("ours", "metric", "wrong"),
    [
        ("Capacity: 129 CFM", "Capacity: 219 m³/h (129 CFM)", "Capacity: 291 m³/h (129 CFM)"),
        (
            "Dimensions (L x W x H): 51 x 35 x 49 in",
            "Dimensions (L x W x H): 1295 x 889 x 1245 mm (51 x 35 x 49 in)",
            "Dimensions (L x W x H): 1259 x 889 x 1245 mm (51 x 35 x 49 in)",
        ),
    ],
)
def test_a_specification_may_stand_in_metric_with_the_catalogues_behind_it(
    priced: Drafted, ours: str, metric: str, wrong: str
) -> None:
    assert said(priced, ours, metric) == []
    (found,) = said(priced, ours, wrong)
    assert found.verdict == "contradicted"


def test_a_supply_in_words_is_the_supply_in_figures_and_a_label_of_a_list_is_no_figure(priced: Drafted) -> None:
    mail = priced.evidence.request + "\nWe have 575 volt three phase. 7. A screw compressor, 30 HP."
    asked = replace(priced.evidence, request=mail)
    text = "\n\nYou have 575 V, 3 ph.\n\n| 7. A screw compressor, 30 HP | yes |\n\n### Totals"
    assert report(priced.text.replace("\n\n### Totals", text), asked).faults == []
    (found,) = report(priced.text.replace("\n\n### Totals", text.replace("3 ph", "1 ph")), asked).faults
    assert found.text == "1 ph"


def test_a_line_that_is_for_another_kind_of_dryer_has_no_source() -> None:
    items = [Item(model="KC-400R")]
    letter = write(Letter(name="", customer="Elm", request="", project="air", requirements="air", items=items))
    assert "- Refrigerant: " in letter.text
    text = re.sub(r"^- (?:Desiccant|Purge air): .*\n", "", letter.text, flags=re.MULTILINE)
    assert report(text, letter.evidence).faults == []
    (found,) = report(
        text.replace("- Refrigerant: ", "- Purge air: 30 SCFM\n- Refrigerant: "), letter.evidence
    ).faults
    assert (found.verdict, found.right) == ("unsupported", "[NOT IN CATALOGUE – confirm]")


def test_a_machine_is_never_told_to_take_its_oil_otherwise(priced: Drafted) -> None:
    assert said(priced, "\n\nDelivery:", "\n\nIt is oil-flooded.\n\nDelivery:") == []
    for other in ("oil-free", "oilless"):
        (found,) = said(priced, "\n\nDelivery:", f"\n\nIt is {other}.\n\nDelivery:")
        assert (found.verdict, found.right) == ("contradicted", "oil-flooded")


@pytest.mark.parametrize(
    "sentence",
    [
        "Halle 4 is where Items 1 and 2 stand.",
        "The room runs from 35F to 95F.",
        "See What we need to know for the panel of this item.",
        "Which of 208, 230 or 460 volts is there?",
        "Compressor 1 stands beside dryer 2.",
        "You asked whether the breaker stays, and your electrician decides it.",
    ],
)
def test_figures_of_the_request_items_and_headings_are_no_fault(sentence: str) -> None:
    drafted = letter("questions, wishes and references")
    asked = drafted.evidence.request + " It is for our Halle 4 in Kent. The dryer stands beside."
    evidence = replace(drafted.evidence, request=asked,
                       machines=[replace(each, values={**each.values, "voltage": "208-230/460/3/60"})
                                 for each in drafted.evidence.machines])  # fmt: skip
    text = drafted.text.replace("- Voltage: 460/3/60", "- Voltage: 208-230/460/3/60")
    text = text.replace("- Power supply: 460/3/60", "- Power supply: 208-230/460/3/60")
    assert report(text.replace("### Totals", f"{sentence}\n\n### Totals"), evidence).faults == []


def test_a_machine_beyond_those_that_the_letter_offers_has_no_number() -> None:
    found = said(letter("questions, wishes and references"), "The room that you describe", "Compressor 7, whose room")
    assert [(each.kind, each.text) for each in found] == [("number", "7")]


def test_a_sentence_that_begins_like_the_heading_of_an_item_is_checked_like_any_other(priced: Drafted) -> None:
    found = said(priced, "\n\nDelivery:", "\n\nItem 1 gives you 7777 CFM at 6666 psig.\n\nDelivery:")
    doubted = " ".join(remark.text for remark in found)
    assert "7777" in doubted
    assert "6666" in doubted


@pytest.mark.parametrize(
    "size",
    [
        "130 x 89 x 124 cm",
        "1.30 x 0.89 x 1.24 m",
        "1295 mm x 889 mm x 1245 mm",
        "1,295 × 889 × 1,245 mm [51 × 35 × 49 in]",
        "1300 x 890 x 1240 mm",
    ],
)
def test_sizes_may_stand_in_metric_in_a_line_and_in_a_sentence(priced: Drafted, size: str) -> None:
    assert said(priced, "51 x 35 x 49 in", size) == []
    told = size.partition(" [")[0]
    assert said(priced, "\n\nDelivery:", f"\n\nIt measures {told}.\n\nDelivery:") == []
    (found,) = said(priced, "\n\nDelivery:", f"\n\nIt measures {told.replace('89', '98', 1)}.\n\nDelivery:")
    assert (found.verdict, found.right) == ("contradicted", "51 x 35 x 49 in")


def test_a_temperature_before_the_word_in_is_no_length() -> None:
    drafted = letter("screw and dryer for a hot foundry")
    evidence = replace(drafted.evidence, request=drafted.evidence.request + " It was 104 °F last year.")
    assert (
        report(drafted.text.replace("### Totals", "Your room had 104 in July.\n\n### Totals"), evidence).faults == []
    )
    (found,) = report(drafted.text.replace("### Totals", "Your gate is 104 in wide.\n\n### Totals"), evidence).faults
    assert "104 in" in found.text


def test_how_many_of_a_model_are_offered_may_be_said_with_a_cross() -> None:
    drafted = letter("screw, dryer and receiver")
    assert said(drafted, "### Totals", "- 2 x QPNC-500\n\n### Totals") == []
    assert [each.text for each in said(drafted, "### Totals", "- 4 x QPNC-500\n\n### Totals")] == ["4"]


def test_a_figure_of_a_comparison_is_of_the_model_at_the_head_of_its_column() -> None:
    good = "| Noise | 55 dBA | 80 dBA |\n| Flow | 8.8 CFM | 17.9 CFM |\n| Tank | | 80 gallons |\n"
    assert of_models(TABLE + good.replace("80 gallons", "[NOT IN CATALOGUE – confirm]"), *PAIR) == []
    wrong = of_models(TABLE + "| Noise | 55 dBA | 55 dBA |\n| Flow | 17.9 CFM | 8.8 CFM |\n", *PAIR)
    assert [each[1:] for each in wrong] == [
        ("55 dBA", "80 dBA"), ("17.9 CFM", "8.8 CFM"), ("8.8 CFM", "17.9 CFM"),
    ]  # fmt: skip
    request = "We need 17.9 CFM at 55 dBA."
    assert len(of_models(TABLE + "| Noise | 55 dBA | 80 dBA |\n| Flow | 8.8 CFM | 8.8 CFM |\n", *PAIR)) == 1
    assert of_models(TABLE + good.partition("| Tank")[0], *PAIR, request=request) == []


@pytest.mark.parametrize(
    ("body", "models", "wrong"),
    [
        (OPTIONS + "| Quincy QR-325 instead | 1 | 8.8 CFM; 55 dBA | $[PRICE] |", PAIR,
         [("8.8 CFM", "17.9 CFM"), ("55 dBA", "80 dBA")]),
        (OPTIONS + "| Becker VTLF 2.250 | 1 | oilless, 212 cfm | $[PRICE] |", ("VTLF 2.250", "QR-325"),
         [("212 cfm", "176 CFM")]),
        ("### More\n\n| | QR-325 | QT-7.5 |\n|---|---|---|\n| Noise | 80 dBA | 72 dBA |", ("QR-325", "QT-7.5"),
         [("72 dBA", "82 dBA")]),
        ("### More\n\nThe QR-325 gives 8.8 CFM.", PAIR, [("8.8 CFM", "17.9 CFM")]),
        ("### More\n\nThe SES2-3 gives 8.8 CFM, the QR-325 8.8 CFM.", PAIR, [("8.8 CFM", "17.9 CFM")]),
        ("### More\n\n8.8 CFM for the QR-325 is what the sheet has.", PAIR, [("8.8 CFM", "17.9 CFM")]),
        ("### More\n\nThe QR-325 holds 3.2 lb of refrigerant.", PAIR, [("3.2 lb", "")]),
        (TABLE + "| Tank | none | 80 dBA |", PAIR, [("Tank: none", "[NOT IN CATALOGUE – confirm]")]),
    ],
)  # fmt: skip
def test_a_figure_is_of_the_model_that_its_row_or_its_sentence_names(
    body: str, models: tuple[str, ...], wrong: list[tuple[str, str]]
) -> None:
    assert [each[1:] for each in of_models(body, *models)] == wrong


@pytest.mark.parametrize(
    "sentence",
    [
        "The QR-325 gives 17.9 CFM instead of 8.8 CFM.",
        "The QR-325 gives 17.9 against 8.8 CFM.",
        "The QR-325 gives 17.9 against 8.8 CFM of the SES2-3.",
        "17.9 CFM for the QR-325 stand beside 8.8 CFM for the SES2-3.",
        "The SES2-3 and the QR-325 have 3 HP and 5 HP.",
        "Both 17.9 CFM and 8.8 CFM are in the catalogue.",
        "Is your 230 volts single-phase or three-phase?",
        "Is cooling water available? It bears on the quieter alternate.",
        "Does the QR-999 have 12 HP?",
        "You may call me any time.",
        "You can reach us at (616) 555-0140.",
        "Sie können mich jederzeit anrufen.",
    ],
)
def test_figures_of_both_models_questions_and_courtesy_are_no_fault(sentence: str) -> None:
    assert of_models(f"### More\n\n{sentence}", *PAIR) == []


@pytest.mark.parametrize("name", ["R-513A", "R134a", "R1234yf"])
def test_a_refrigerant_is_no_model(name: str) -> None:
    told = of_models(f"### More\n\nThe refrigerant is {name}.", *PAIR)
    assert "model" not in [kind for kind, _, _ in told]


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [('It has "a scroll of 30" and no tank.', ["30"]), ('It is 30" long.', ['30"']),
     ("Please tell us the hours on each of the three meters.", []),
     ("The hours are told, and the line is three meters long.", ["three meters"])],
)  # fmt: skip
def test_a_closing_mark_and_a_meter_of_hours_are_no_lengths(sentence: str, wrong: list[str]) -> None:
    assert [text for _, text, _ in of_models(f"Dear Sir:\n\n{sentence}", *PAIR)] == wrong
