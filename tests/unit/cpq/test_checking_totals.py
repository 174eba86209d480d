"""The table of totals, other quotes of the account, past prices and figures that a review note leaves open."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

from cpq.drafts.evidence import Evidence, OwnLine, OwnQuote, PastQuote, SourceText
from cpq.drafts.findings import Remark
from tests.drafting.composing import Item, Letter, write
from tests.drafting.letters import report
from tests.unit.cpq.checked_drafts import letter

HEAD = "### Totals\n\n| Item | Description | Quantity | Net each | Extended |\n|---|---|---|---|---|\n"


def _line(model: str, quantity: int, price: str) -> OwnLine:
    each = Decimal(price)
    return OwnLine(model, model, "", model, "", quantity, unit_price=each, total=each * quantity)


def _evidence(*models: str, request: str = "", lines: tuple[OwnLine, ...] = ()) -> Evidence:
    items = [Item(model=model) for model in models]
    drafted = write(Letter(name="", customer="Elm", request=request, project="", requirements="", items=items))
    total = sum((line.total for line in lines if line.total), Decimal(0))
    offer = OwnQuote("Q-2026-0008", "Elm", "USD", "Net 30 days", date(2026, 12, 23), lines, total) if lines else None
    return replace(drafted.evidence, offer=offer)


def _faults(body: str, evidence: Evidence) -> list[Remark]:
    return [each for each in report(body, evidence).faults if each.kind not in ("section", "customer")]


OPEN_DRYER = "\n\n".join(
    (
        "### Item 1",
        "**COMPRESSOR**\n\nModel SEHX10010-100HP as described above, quantity 1: Net $207,200.00 Each",
        "### Item 2",
        "**DESICCANT AIR DRYER**\n\nThis item stays open.\n\nNet $[PRICE] Each",
        "### Item 3",
        "**AIR RECEIVER TANK**\n\nModel VR-620E as described above, quantity 2: Net $5,550.00 Each",
    )
)
SCROLL = (_line("SEHX10010-100HP", 1, "207200"), _line("VR-620E", 2, "5550"))
ROWS = (
    "| 1 | Powerex SEHX10010-100HP | 1 | $207,200.00 | $207,200.00 |\n",
    "| 2 | Desiccant dryer, open | 1 | $[PRICE] | $[PRICE] |\n",
    "| 3 | Wabash Vessel VR-620E lined tank | 2 | $5,550.00 | $11,100.00 |\n",
)


def test_a_row_of_an_open_item_has_no_line_that_another_item_names() -> None:
    evidence = _evidence("SEHX10010-100HP", "VR-620E", lines=SCROLL)
    total = "| | **Total** | | | **$218,300.00** |\n"
    assert _faults(f"{OPEN_DRYER}\n\n{HEAD}{''.join(ROWS)}{total}", evidence) == []
    (found,) = _faults(f"{OPEN_DRYER}\n\n{HEAD}{''.join(ROWS)}{total}".replace("218,300", "229,400"), evidence)
    assert found.right == "218,300.00 USD"


def test_a_total_that_leaves_a_priced_item_out_is_found() -> None:
    evidence = _evidence("SEHX10010-100HP", "VR-620E", lines=SCROLL)
    rows = ROWS[0] + ROWS[1] + "| | **Total** | | | **$207,200.00** |\n"
    (found,) = _faults(f"{OPEN_DRYER}\n\n{HEAD}{rows}", evidence)
    assert (found.verdict, found.kind, found.text) == ("missing", "totals row", "Item 3: VR-620E")


def test_each_alternate_may_have_a_total_of_its_own() -> None:
    totals = [
        f"| | **Total {name}** | | | **${amount}** |\n" for name, amount in (("A", "207,200.00"), ("B", "11,100.00"))
    ]
    rows = ROWS[0] + totals[0] + ROWS[2] + totals[1]
    assert _faults(f"{OPEN_DRYER}\n\n{HEAD}{rows}", _evidence("SEHX10010-100HP", "VR-620E", lines=SCROLL)) == []


def test_a_row_that_offers_nothing_names_no_machine_of_a_table_of_near_misses() -> None:
    evidence = _evidence("U5.300", "VTLF 2.250", "MM 1322 AV", lines=(_line("U5.300", 1, "9450"),))
    body = (
        "### Item 1\n\nModel U5.300 as described above, quantity 1: Net $9,450.00 Each\n\n### Item 2\n\n"
        "**VACUUM PUMP**\n\n| Pump | Flow | Misses |\n|---|---|---|\n| Becker VTLF 2.250 | 176 cfm | the depth |\n"
        f"| Busch MM 1322 AV | 180 cfm | the depth |\n\n{HEAD}| 1 | Becker U5.300 | 1 | $9,450.00 | $9,450.00 |\n"
        "| 2 | Dry vacuum pump: not offered | | | |\n| | **Total** | | | **$9,450.00** |\n"
    )
    assert _faults(body, evidence) == []


def test_a_dryer_that_takes_less_than_its_compressor_gives_needs_a_note() -> None:
    evidence = _evidence("BRK-400V", "BRT-50")
    body = (
        "### Item 1\n\nModel BRK-400V as described above, quantity 1: Net $[PRICE] Each\n\n### Item 2\n\n"
        f"Model BRT-50 as described above, quantity 1: Net $[PRICE] Each\n\n{HEAD}"
        "| 1 | Birkhagen BRK-400V | 1 | $[PRICE] | $[PRICE] |\n| 2 | Birkhagen BRT-50 | 1 | $[PRICE] | $[PRICE] |\n"
    )
    (found,) = _faults(body, evidence)
    assert found.why == "BRT-50 takes 177 cfm and BRK-400V gives 184: say so in a review note"
    note = "\n\n> **SALESPERSON REVIEW:** The compressor gives 313 m³/h, the dryer takes 301 m³/h.\n\n### Totals"
    assert _faults(body.replace("\n\n### Totals", note), evidence) == []
    assert _faults(body.replace("BRT-50", "BRT-180"), _evidence("BRK-400V", "BRT-180")) == []


def test_a_figure_without_a_source_is_open_where_the_note_behind_it_repeats_it() -> None:
    evidence = _evidence("U5.300")
    said = "That is 64.5 percent of the heat.\n\n"
    note = "> **SALESPERSON REVIEW:** 64.5 % is a guess of the engineer, please confirm.\n"
    assert any(each.text.startswith("64.5") for each in _faults(said, evidence))
    assert not any(each.text.startswith("64.5") for each in _faults(said + note, evidence))
    assert any(each.text.startswith("64.5") for each in _faults(said + note.replace("64.5", "64"), evidence))
    weeks = "Warranty: 24 months.\n\n> **SALESPERSON REVIEW:** 24 months are what another maker gives.\n"
    assert any(each.text == "24" for each in _faults(weeks, evidence))


def test_prices_and_figures_of_a_past_quote_to_this_customer_are_his() -> None:
    past = PastQuote("Q23-0212", "Elm", (), date(2023, 3, 9), "Net 30", Decimal(281320), (Decimal(61200),))
    line = SourceText(
        "Q23-0212 line 4", "past quote", "Load: rinser 150, knife 64, misc 25 = 278 of 286 CFM.", "", "Q23-0212", 4
    )
    evidence = replace(_evidence("U5.300", lines=(_line("U5.300", 1, "9450"),)), lines=[line],
                       past_quotes={"Q23-0212": past}, customer="Elm")  # fmt: skip
    said = (
        "Q23-0212 came to $281,320.00, and $61,200.00 of it was installation.",
        "In 2023 we figured 64 cfm of the 278 for the knife.",
        "Of the demand the knife alone was figured at 64 in 2023.",
    )
    for sentence in said:
        assert not [each for each in _faults(sentence, evidence) if each.kind in ("price", "specification", "number")]
    other = replace(evidence, customer="Oak")
    for sentence in (*said, "In 2023 the knife took 65 cfm."):
        assert _faults(sentence, evidence if sentence not in said else other)


def test_an_alternate_is_priced_in_another_version_and_numbers_may_be_several() -> None:
    evidence = _evidence("U5.300", "R5 RA 0302 D", lines=(_line("U5.300", 1, "9450"),))
    told = "The Busch R5 RA 0302 D comes to $11,290.00."
    assert [each.kind for each in _faults(told, evidence)] == ["price"]
    version = replace(_line("R5 RA 0302 D", 1, "11290"), name="Q-2026-0008")
    priced = replace(evidence, priced=(version,), quotes=frozenset(("Q-2026-0008", "Q-2026-0013")))
    assert _faults(told, priced) == []
    assert _faults("The U5.300 comes to $11,290.00.", priced) != []
    assert _faults("Proposal No. Q-2026-0008 (A), Q-2026-0013 (B)", priced) == []
    assert _faults("Proposal No. Q-2026-0008 (A), Q-2026-0014 (B)", priced) != []
    stale = replace(priced, priced=(replace(_line("U5.300", 1, "8900"), name="Q-2026-0008"),))
    assert _faults("The U5.300 comes to $8,900.00.", stale) != []


def test_accessories_may_be_counted_before_their_model() -> None:
    options = "### Options\n\n| Option | For item | What it changes | Net |\n|---|---|---|---|\n"
    row = "| 2 filtres coalescents NF-500C et 1 filtre NF-500A | 1 | Cartouche | €[PRICE] |\n"
    assert _faults(options + row, _evidence("BRK-400V", "NF-500C", "NF-500A")) == []


def test_the_row_of_an_option_has_its_own_machines_measures() -> None:
    options = "### Options\n\n| Option | Poste | Ce qu'elle change | Net |\n|---|---|---|---|\n"
    row = "| BRT-180, 400/3/50 | 2 | Remplace le BRT-50 s'il ne suffit pas ; 1067 x 914 x 1524 mm | €[PRICE] |\n"
    assert _faults(options + row, _evidence("BRT-50", "BRT-180")) == []
    assert _faults(options + row.replace("1067", "1167"), _evidence("BRT-50", "BRT-180")) != []


def test_what_an_exception_is_held_against_is_no_figure_of_the_machine() -> None:
    table = "### Compliance with your specification\n\n| Your requirement | Offered | Complies |\n|---|---|---|\n"
    row = "| 400 V triphasé | BRT-50 : 230/1/50 au lieu de 400 V triphasé | exception |\n"
    assert _faults(table + row, _evidence("BRT-50", request="réseau 400 V triphasé 50 Hz")) == []


def test_a_row_without_model_and_price_is_open_though_its_item_tells_what_comes_near() -> None:
    drafted = letter("priced small screw with receiver")
    row = next(line for line in drafted.text.splitlines() if line.startswith("| 2 |"))
    model = drafted.letter.items[1].model
    for cells, kinds in (
        ("| 2 | Tank, open | 1 | $[PRICE] | $[PRICE] |", []),
        ("| 2 | Tank | 1 | $5.00 | $5.00 |", ["model"]),
    ):
        faults = report(drafted.text.replace(row, cells), drafted.evidence).faults
        assert [each.kind for each in faults if each.right == model] == kinds


VAGUE = "Our compressor by the front desk is too loud: we want an oilless one, 60 dBA at most. What would it cost?"
ONE_MACHINE = (
    "### Item 1\n\n**OILLESS SCROLL AIR COMPRESSOR**\n\nModel SES2-3 as described above, quantity 1: "
    f"Net $6,060.00 Each\n\n{HEAD}| 1 | Powerex SES2-3 | 1 | $6,060.00 | $6,060.00 |\n"
    "| | **Total** | | | **$6,060.00** |\n"
)
CANDIDATES = """\
### What we need to know

- {question}

### Comparison

| | Powerex SES2-3 | Powerex SED1007-10 |
|---|---|---|
| Capacity | 8.8 CFM | 31.2 CFM |
| List price | $6,060.00 | $22,200.00 |
"""
LISTS = {"ses23": (Decimal("6060.00"),), "sed100710": (Decimal("22200.00"),)}


def test_a_price_of_a_machine_whose_size_nobody_told_is_doubted() -> None:
    def doubted(request: str) -> list[str]:
        evidence = _evidence("SES2-3", request=request, lines=(_line("SES2-3", 1, "6060.00"),))
        return [each.why for each in _faults(ONE_MACHINE, evidence) if "candidates" in each.why]

    assert len(doubted(VAGUE)) == 1
    assert len(doubted("Wir suchen einen leisen Kompressor, ölfrei, höchstens 60 dB(A).")) == 1
    for told in ("It has 3 HP.", "We use 8 cfm.", "Necesitamos 0,25 m³/min.", "We had a SES2-3."):
        assert doubted(f"{VAGUE} {told}") == []


def test_candidates_with_list_prices_lack_nothing_and_another_price_is_no_list_price() -> None:
    evidence = replace(_evidence("SES2-3", "SED1007-10", request=VAGUE), offer=None, lists=LISTS)
    english = CANDIDATES.format(question="How much air do your presses need?")
    german = CANDIDATES.format(question="Wie viel Luft brauchen Ihre Maschinen, und bei welchem Druck laufen sie?")
    for text in (english, german.replace("What we need to know", "Was wir noch wissen müssen")):
        kinds = {(each.verdict, each.kind, each.text) for each in report(text, evidence).faults}
        assert not {("missing", "section", name) for name in ("line-item", "totals", "terms")} & kinds
        assert not any(kind == "price" for _, kind, _ in kinds)
    for now in ("$20,200.00", "$6,060.00"):
        faults = _faults(english.replace("$22,200.00", now), evidence)
        assert [each.line for each in faults if each.kind == "price"] == [10]
    hidden = replace(evidence, house=replace(evidence.house, shows_list=False))
    assert len([each for each in _faults(english, hidden) if each.kind == "price"]) == 2
