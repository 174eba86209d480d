"""draft_compose on the sample: what the server adds to a page, what it holds back, and what it refuses."""

import pytest

from cpq import draft_compose
from tests.deployment import Deployment, invoke
from tests.integration.cpq.drafts import rows
from tests.integration.cpq.letters import (
    ONE,
    PAGE,
    TOMORROW,
    change,
    compose,
    doubted,
    got,
    letter_of,
    opened,
    priced,
    refused,
)

pytestmark = pytest.mark.usefixtures("letters")
START_UP = "Q18-0231/3"
PLAIN = "Arlo,\n\nas asked.\n\n{{items}}\n\nCall."


def kept(deployment: Deployment) -> int:
    [row] = rows(deployment, "SELECT count(*) AS drafts FROM cpq.drafts")
    return int(row["drafts"])


def test_prices_totals_characteristics_and_facts_come_from_the_rows() -> None:
    answer = compose()
    assert (answer["version"], answer["net"]) == (1, "USD 66,900.00")
    assert (opened(answer), doubted(answer)) == ([], [])
    letter = letter_of(answer, "customer")
    assert "for USD 66,900.00. It gives 450 cfm." in letter
    assert "| 1 | Quincy QGV-100 rotary screw air compressor, 100 HP | 1 | 66,900.00 | 66,900.00 |" in letter
    assert "| Noise level | 74 dB(A) |" in letter


def test_a_page_that_is_too_long_is_told_so_and_its_tables_do_not_count() -> None:
    table = "\n".join(["| what | why |", "|---|---|", *["| word | word |"] * 300])
    [short, long] = [compose(page=f"{PLAIN}\n\n{table}\n\n{'word ' * many}") for many in (580, 660)]
    assert "notice" not in short
    assert long["notice"] == f"The page has {long['words']} words beside its tables, 600 at most: annex has room."
    assert 660 <= long["words"] < 670
    of_a_few_lines = compose(page=f"{PLAIN}\n\n{'word ' * 360}", request="word " * 20)["notice"]
    assert "320 at most for so short a mail" in of_a_few_lines


def test_the_annex_begins_with_what_its_writer_has_for_it_checked_and_filled_as_the_page() -> None:
    annex = (
        "### How much air\n\nIt gives {{QGV-100.flow}}, not 467 cfm.\n\n| room | air |\n|---|---|\n| 2 | {{must.1}} |"
    )
    must = {"text": "100 HP", "attribute": "power", "is": "100 hp"}
    answer = compose(annex=annex, requirements=[must])
    own = letter_of(answer, "customer").partition("## Annex\n\n")[2]
    assert own.startswith("### How much air\n\nIt gives 450 cfm, not 467 cfm.")
    assert "| 2 | yes (QGV-100: 100 hp) |" in own
    assert "Your requirement" not in own
    assert [text for _, text in doubted(answer)] == ["467 cfm"]
    assert answer["words"] == compose()["words"]
    shorter = change(answer, changes=[{"path": "annex", "old": ", not 467 cfm", "to": ""}])
    assert shorter["findings"] == []


def test_a_matter_without_goods_is_a_letter_of_its_own() -> None:
    page = "Dear Ms. Sturk,\n\nyour claim is with the maker. You hear from us by Friday."
    answer = compose(items=[], page=page)
    letter = letter_of(answer, "customer")
    assert "your claim is with the maker" in letter
    assert not [each for each in ("| # |", "Terms and conditions", "Accepted") if each in letter]
    assert letter_of(answer, "notes")


def test_a_letter_that_nobody_signs_is_told_so() -> None:
    new = {"account_id": None, "customer": "Oakfield Pumps"}
    assert compose(**new)["notice"].startswith("Nobody signs it: give signed_by (Marcy Pruitt, ")
    assert "notice" not in compose(**new, signed_by="Jo Weber")


def test_a_language_without_labels_is_refused_with_those_there_are() -> None:
    _, message = refused(language="sv")
    assert "language: No labels in 'sv': there are cs, de, en, es, fr, it, nl, pl, pt." in message


def test_the_letter_speaks_the_language_and_the_units_it_is_asked_for() -> None:
    items = [{"product_id": "QGV-100"}, {"product_id": "KC-650C"}]
    letter = letter_of(compose(language="de", units="metric", items=items), "customer")
    assert "It gives 765 m³/h." in letter
    assert "| Quincy QGV-100 Schraubenkompressor, 75 kW | 1 |" in letter
    assert "| Schmierung | öleingespritzt |" in letter
    assert "| Drucktaupunkt | 3,3 °C (38 °F) |" in letter
    assert "**Gesamtbetrag vor Steuer**" in letter


def test_options_and_alternates_stand_beside_the_total_and_never_in_it() -> None:
    items = [*ONE, {"product_id": "QGV-75", "role": "alternate", "note": "smaller"}]
    answer = compose(items=items)
    letter = letter_of(answer, "customer")
    assert answer["net"] == "USD 66,900.00"
    assert "100 HP | 1 | 66,900.00" in letter
    assert "75 HP: smaller | 1 | 42,500.00 | 42,500.00 |" in letter
    assert "Options and alternates (before tax, not part of the total)" in letter


def test_a_model_that_reads_like_a_figure_is_not_converted() -> None:
    items = [{"product_id": "R5 RA 0400 C"}]
    assert "Busch R5 RA 0400 C rotary vane vacuum pump, 15 HP |" in letter_of(
        compose(items=items, units="us", page=PLAIN), "customer"
    )
    assert "Busch R5 RA 0400 C rotary vane vacuum pump, 11 kW |" in letter_of(
        compose(items=items, units="metric", page=PLAIN), "customer"
    )


def test_how_long_goods_took_is_a_source_beside_what_was_told() -> None:
    page = "Arlo,\n\nit takes 3 to 4 weeks; the last one took {} weeks.\n\n{{{{items}}}}\n\nCall."
    kept, other = (compose(page=page.format(weeks), items=[{"product_id": "RB-2200T"}]) for weeks in (4, 5))
    assert doubted(kept) == []
    assert [text for _, text in doubted(other)] == ["5 weeks"]


def test_the_annex_has_the_units_of_the_page_where_no_must_has_any() -> None:
    page = PAGE.replace("{{QGV-100.flow}}", "{}")
    letters = [letter_of(compose(page=page.format(flow), units="metric"), "customer")
               for flow in ("12.7 m³/min", "765 m³/h", "{{QGV-100.flow}}")]  # fmt: skip
    told = ("12.7 m³/min (450 cfm)", "765 m³/h (450 cfm)", "765 m³/h (450 cfm)")
    for letter, flow in zip(letters, told, strict=True):
        assert f"| Capacity | {flow} |" in letter


def test_a_unit_of_the_page_converts_nothing_that_is_of_its_own_system() -> None:
    page = "Arlo,\n\nthe tank is for 100 psi, the pump for {{MM 1322 AV.vacuum_inhg}}.\n\n{{items}}\n\nCall."
    letter = letter_of(compose(page=page, items=[{"product_id": "MM 1322 AV"}]), "customer")
    assert "the pump for 24 inHg." in letter


def test_passages_are_whole_sentences_of_proven_lines_with_their_source_for_the_house_alone() -> None:
    passages = [{"line": START_UP, "sentences": ["Check rotation"]}]
    answer = compose(items=[{**ONE[0], "passages": passages}])
    customers, internal = letter_of(answer, "customer"), letter_of(answer)
    assert (
        "Check rotation of each scroll pump (THEY MUST NOT RUN BACKWARDS), set pressure switch cascade" in customers
    )
    assert START_UP not in customers
    assert f"Verbatim from Groeb Farms, {START_UP}, 2018-06-19: sentences 2; 2 left out." in internal


def test_a_sentence_is_named_by_number_or_first_words_and_another_is_answered_with_what_there_is() -> None:
    code, message = refused(
        items=[{**ONE[0], "passages": [{"line": START_UP, "sentences": ["9", "Check rotaton of"]}]}]
    )
    assert code == "VALIDATION_ERROR"
    assert f"{START_UP} has no sentence '9'. It has 3." in message
    assert "Its sentences begin: 'Check rotation of" in message


def test_another_customers_name_or_price_never_enters_with_a_passage() -> None:
    acme = {"account_id": "acct_acme_001"}
    named = [{"line": START_UP, "sentences": ["Piping, electrical"]}]
    code, message = refused(**acme, items=[{**ONE[0], "passages": named}])
    assert code == "VALIDATION_ERROR"
    assert "names Groeb" in message
    paid = [{"line": "Q18-0064/1", "sentences": ["NET $4,090.00"]}]
    assert "tells what somebody paid" in refused(**acme, items=[{**ONE[0], "passages": paid}])[1]
    silent = [{"line": START_UP, "sentences": ["Check rotation"]}]
    assert opened(compose(**acme, items=[{**ONE[0], "passages": silent}])) == []


def test_a_past_line_may_be_told_to_its_own_customer_with_what_he_paid_and_to_no_other() -> None:
    page = PAGE + "\n\nYou have {{Q18-0231/1}}."
    assert "You have Powerex SED1007-10, USD 17,940.00 (Q18-0231, 2018)." in letter_of(compose(page=page), "customer")
    code, message = refused(account_id="acct_acme_001", page=page)
    assert code == "NOT_FOUND"
    assert "Q18-0231/1 is another customer's, and no reference that may be told" in message
    several = compose(account_id="acct_portage_plating_anodize", page=PAGE + "\n\nYou have {{Q18-0064/1}}.")
    assert "You have 3 × Maumee Blower RB-1100, USD 4,090.00 each (Q18-0064, 2018)." in letter_of(several, "customer")


def test_a_released_reference_is_told_by_name_goods_and_year_without_its_price(letters: Deployment) -> None:
    letters.rows("UPDATE quotes.past_quotes SET reference = true WHERE quote_number = 'Q18-0231'")
    try:
        answer = compose(account_id="acct_acme_001", page=PAGE + "\n\nSee {{Q18-0231/1}}.")
        assert "See Powerex SED1007-10 (Groeb Farms, " in letter_of(answer, "customer")
        assert "17,940" not in letter_of(answer, "customer")
    finally:
        letters.rows("UPDATE quotes.past_quotes SET reference = false WHERE quote_number = 'Q18-0231'")


def test_each_must_is_tested_on_the_machines_as_they_are_set_up() -> None:
    must = {"text": "900 cfm, one machine may fail", "attribute": "cfm", "is": ">= 900 cfm", "machines": 2}
    both, one_down = letter_of(compose(requirements=[must])), letter_of(compose(requirements=[{**must, "down": 1}]))
    assert "| 900 cfm, one machine may fail | QGV-100: 900 cfm, 2 machines | yes |" in both
    assert "QGV-100: 450 cfm, 2 machines, 1 out of service | no |" in one_down
    assert "| 900 cfm, one machine may fail | QGV-100 | 2 machines, 1 down | 450 cfm | contradicted |" in one_down
    uncounted = {**must, "machines": 1, "down": 1}
    of_items = letter_of(compose(requirements=[uncounted], items=[{"product_id": "QGV-100", "quantity": 3}]))
    assert "| 900 cfm, one machine may fail | QGV-100: 900 cfm, 3 machines, 1 out of service | yes |" in of_items


def test_musts_on_a_machine_are_tested_at_the_conditions_among_them_and_so_is_what_stands_beside_it() -> None:
    musts = [
        {"text": "500 scfm", "attribute": "cfm", "is": ">= 500 scfm"},
        {"text": "110 °F at the inlet", "attribute": "inlet_f", "is": "110 °F"},
        {"text": "90 psig", "attribute": "working_psi", "is": "90 psig"},
    ]
    page = (
        "Dear Ms. Sturk,\n\nthe KC-650C takes 524 cfm at 110 °F and 90 psig, not 546 cfm, nor 593 cfm.\n\n{{items}}"
        "\n\nIt takes {{KC-650C.cfm}} and stands {{KC-650C.ambient_max_f}}."
    )
    answer = compose(
        page=page, items=[{"product_id": "KC-650C"}], requirements=musts, comparison=["KC-650C", "QPNC-500", "FX 14"]
    )
    letter, customers = letter_of(answer), letter_of(answer, "customer")
    assert "| 500 scfm | KC-650C: ≈ 524 scfm | yes |" in customers
    assert "| 110 °F at the inlet | KC-650C: 110 °F | yes |" in customers
    alone = letter_of(compose(items=[{"product_id": "KC-650C"}], requirements=musts[1:2]), "customer")
    assert "| 110 °F at the inlet | KC-650C: ≈ 546 cfm | yes |" in alone
    assert "| 650 cfm; ≈ 524 cfm (110 °F, 90 psig) |" in customers
    assert "| KC-650C: 524.2 cfm (650 × 0.84 at 110 °F × 0.96 at 90 psig)" in letter.replace("- KC", "| KC")
    assert "It takes ≈ 524 cfm (110 °F, 90 psig) and stands" in customers
    assert "| Capacity, 110 °F, 90 psig |" in customers
    assert "| Quincy QPNC-500 | ≈ 403 cfm |" in customers
    assert [text for _, text in doubted(answer)] == [
        "593 cfm"
    ]  # those in a room of 110 °F; 546 are at the inlet alone
    hot = [musts[0], {**musts[1], "is": "130 °F"}]
    beyond = compose(page=PAGE + "{{KC-650C.cfm}}", items=[{"product_id": "KC-650C"}], requirements=hot)
    assert opened(beyond) == ["KC-650C.cfm", "requirement 1", "requirement 2"]


def test_what_a_remark_works_out_of_figures_of_the_goods_is_no_finding() -> None:
    remark = "341 cfm are 109 cfm less; two of them give 682 cfm"
    compared = [{"model": "QGV-75", "remark": remark}]
    assert doubted(compose(comparison=compared)) == []
    wrong = [{"model": "QGV-75", "remark": remark.replace("109", "139").replace("682", "692")}]
    assert [text for _, text in doubted(compose(comparison=wrong))] == ["139 cfm", "692 cfm"]


def test_musts_are_all_in_the_annex_unless_the_page_answers_each_by_its_number_with_its_verdict() -> None:
    noise = {"text": "below 70 dB(A)", "attribute": "noise_dba", "is": "< 70 dB(A)", "answer": "with a hood, yes"}
    musts = [noise, {"text": "100 HP", "attribute": "power", "is": "100 hp"}, {"text": "Paint", "answer": "RAL 7035"}]
    page = (
        PAGE + "\n\nNoise: {{must.1}}. Paint: {{must.3}}.\n\n- {{must.1}}\n\n| a | b |\n|---|---|\n| x | {{must.1}} |"
    )
    letter = letter_of(compose(page=page, requirements=musts), "customer")
    assert "Noise: 74 dB(A); with a hood, yes. Paint: RAL 7035." in letter
    assert "\n- no (QGV-100: 74 dB(A); with a hood, yes)\n" in letter
    assert "| x | no (QGV-100: 74 dB(A); with a hood, yes) |" in letter
    assert "| 100 HP | QGV-100: 100 hp | yes |" in letter
    assert "| below 70 dB(A) | QGV-100: 74 dB(A); with a hood, yes | no |" in letter
    assert "| Paint | RAL 7035 | – |" in letter
    answered = page + "\n\n- {{must.2}}"
    assert "below 70 dB(A)" not in letter_of(compose(page=answered, requirements=musts), "customer")
    sentence = answered.replace("\n- {{must.1}}", "").replace("| x | {{must.1}} |", "")
    assert "| below 70 dB(A) | QGV" in letter_of(compose(page=sentence, requirements=musts), "customer")
    assert "'must.4' is none of 3 requirements" in refused(page="{{must.4}}", requirements=musts)[1]


def test_what_cannot_be_tested_is_open_until_somebody_promises_to_tell_it() -> None:
    musts = [{"text": "Stainless tank", "attribute": "material", "is": "stainless"}, {"text": "ISO 14001"}]
    answer = compose(requirements=musts)
    assert opened(answer) == ["requirement 1", "requirement 2"]
    accepted = [{"field": field, "who": "Jonas Weber", "by": TOMORROW} for field in opened(answer)]
    later = change(answer, accept_open=accepted)
    assert (later["version"], opened(later)) == (2, [])
    letter = letter_of(later, "customer")
    assert "| Stainless tank | QGV-100 | to follow |" in letter
    assert "- ISO 14001: Jonas Weber will tell you by " in letter
    assert "[open" not in letter


def test_an_accepted_field_stays_accepted_in_later_versions_and_only_what_is_open_can_be() -> None:
    answer = compose(requirements=[{"text": "ISO 14001"}, {"text": "Marine paint"}])
    first = change(answer, accept_open=[{"field": "requirement 1", "who": "Jo", "by": TOMORROW}])
    second = change(first, accept_open=[{"field": "requirement 2", "who": "Jo", "by": TOMORROW}])
    assert (opened(first), opened(second)) == (["requirement 2"], [])
    asked = {"draft_id": answer["draft_id"], "accept_open": [{"field": "requirement 9", "who": "Jo", "by": TOMORROW}]}
    assert "'requirement 9' is not open" in invoke(draft_compose.handler, asked)["message"]
    past = [{"field": "requirement 1", "who": "Jo", "by": "2020-01-01"}]
    message = invoke(draft_compose.handler, {"draft_id": answer["draft_id"], "accept_open": past})["message"]
    assert "that is past" in message


def test_a_blank_that_the_writer_left_is_open_and_a_link_or_a_box_is_none() -> None:
    page = f"{PAGE}\n\nDelivery: [DELIVERY]. See [us](https://greatlakesair.example) and [x] done."
    assert opened(compose(page=page)) == ["DELIVERY"]


def test_a_letter_without_a_quote_is_no_offer_and_names_models_by_id() -> None:
    letter = letter_of(compose(page=PAGE.replace("Quincy QGV-100", "{{QGV-100.manufacturer}} {{QGV-100.model}}")))
    assert "we offer one Quincy QGV-100 for" in letter
    assert "**Price information D-" in letter


def test_a_fact_without_a_value_is_open_and_says_who_knows_it() -> None:
    answer = compose(page=PAGE + "\n\nIts dew point is {{QGV-100.dewpoint_f}}.")
    assert answer["open"] == [{"field": "QGV-100.dewpoint_f", "who": "the maker, asked by the salesperson"}]


def test_typed_figures_prices_models_and_names_without_a_source_are_findings() -> None:
    page = PAGE + "\n\nThe QGV-100 weighs 4181 lb and costs $66,901.00; the QGV-190 is as at Crossroads Plastics."
    answer = compose(page=page)
    assert ("contradicted", "4181 lb") in doubted(answer)
    assert ("contradicted", "$66,901.00") in doubted(answer)
    assert ("unsupported", "QGV-190") in doubted(answer)
    assert opened(answer) == ["finding: Crossroads Plastics"]
    by_id = compose(page=PAGE.replace("{{QGV-100.flow}}", "{{QGV-100.flow}} and weighs 4181 lb"))
    assert by_id["findings"][0]["do"].startswith("write 4180 lb")
    given = compose(page=PAGE + "\n\nIts {{QGV-100.flow}} are less than the KC-650C takes.")
    assert given["findings"] == []
    typed = PAGE + "\n\nThe QGV-100 weighs 4180 lb and costs $66,900.00, you asked for 417 cfm."
    assert doubted(compose(page=typed, request="417 cfm please")) == []


def test_what_the_notes_tell_the_source_of_is_no_finding_but_for_another_customers() -> None:
    page = PAGE + "\n\nOthers lose 14.5 % of it, as at Crossroads Plastics; with a wall of yours $101,140."
    notes = ["14.5 %: mean of two data sheets. Crossroads Plastics agreed by telephone. Wall: USD 101,140 by hand."]
    assert {("unsupported", "14.5 %"), ("unsupported", "$101,140")} <= {*doubted(compose(page=page))}
    assert doubted(compose(page=page, notes=notes)) == [("foreign", "Crossroads Plastics")]
    assert ("unsupported", "14.5 %") in doubted(compose(page=page, notes=["114.5 %: of another."]))


def test_figures_that_a_comma_parts_are_no_model() -> None:
    assert doubted(compose(page=PAGE + "\n\nWe sold you A 2, 460 V.")) == []


def test_the_gravest_findings_are_told_with_what_to_do_and_the_rest_is_counted() -> None:
    prices = "".join(f" It costs USD 9{digit}7.31." for digit in range(1, 9))
    answer = compose(page=f"{PAGE}\n\n{prices} The QGV-100 weighs 4181 lb, 4183 lb and 4187 lb.")
    assert [each["verdict"] for each in answer["findings"]] == ["contradicted"] * 3 + ["unsupported"] * 5
    assert all(each["do"] for each in answer["findings"])
    assert answer["more"] == 3
    assert "- and 3 more" in letter_of(answer, "notes")


def test_what_is_offered_together_with_tax_or_with_what_its_allowances_come_to_is_no_finding() -> None:
    large = priced(
        {"product_id": "prod_quincy_qgv_100", "quantity": 1}, {"product_id": "prod_freight_1", "quantity": 1}
    )
    small = priced({"product_id": "prod_quincy_qgv_75", "quantity": 1}, {"product_id": "prod_startup", "quantity": 1})
    page = "First USD 68,450.00, second USD 43,850.00, both USD 112,300.00; by freight USD 67,510.00 to 69,250.00."
    own, right = {"quote_ids": [large, small], "items": []}, f"{PAGE}\n\n{page}"
    assert doubted(compose(page=right, **own)) == []
    wrong = right.replace("112,300", "112,347").replace("67,510", "67,533")
    assert [text for _, text in doubted(compose(page=wrong, **own))] == ["USD 112,347.00", "USD 67,533.00"]


def test_a_fact_that_ends_with_a_point_ends_the_sentence(letters: Deployment) -> None:
    letters.rows('UPDATE quarry.house SET facts = facts || \'{"soonest": "in 5 wks."}\'')
    letter = letter_of(
        compose(page=f"{PAGE}\n\nSoonest {{{{house.soonest}}}}. Or {{{{house.soonest}}}} so."), "customer"
    )
    letters.rows("UPDATE quarry.house SET facts = facts - 'soonest'")
    assert "Soonest in 5 wks. Or in 5 wks. so." in letter


def test_what_the_house_says_of_itself_is_written_by_name_and_may_be_typed() -> None:
    letter = letter_of(compose(page=f"{PAGE}\n\nOn dates ask {{{{house.lead_times}}}}."), "customer")
    assert "On dates ask Tina Vance, inside sales, (616) 555-0151" in letter
    typed = "On warranty ask service@greatlakesair.example, who answer within 1 working day."
    assert doubted(compose(page=f"{PAGE}\n\n{typed}")) == []
    assert doubted(compose(page=f"{PAGE}\n\n{typed.replace('service@', 'elsewhere@other-')}")) != []


def test_a_wrong_id_is_answered_with_the_nearest_and_nothing_is_written(letters: Deployment) -> None:
    before = kept(letters)
    code, message = refused(
        account_id="acct_groeb_farm",
        page="{{QGV-1OO.flow}} {{house.validty}}",
        items=[{"product_id": "prod_quincy_qgv_10", "passages": [{"line": "Q18-0231/99", "sentences": ["1"]}]}],
        quote_ids=["Q-1999-0001"],
        comparison=["QGV-7S"],
    )
    assert code == "NOT_FOUND"
    for nearest in (
        "acct_groeb_farms",
        "QGV-100",
        "prod_quincy_qgv_100",
        "Q18-0231/3",
        "QGV-75",
        "No quote 'Q-1999-0001'",
    ):
        assert nearest in message
    assert kept(letters) == before


def test_a_fact_of_a_quote_that_the_letter_lacks_says_where_to_add_it(letters: Deployment) -> None:
    number = rows(letters, "SELECT quote_id FROM cpq.quote_versions LIMIT 1")[0]["quote_id"]
    _, message = refused(page=f"It costs {{{{{number}.net}}}}.")
    assert f"{number} is no quote of this letter: add it to quote_ids" in message


def test_a_customer_without_an_account_gets_the_list_price_of_everybody() -> None:
    answer = invoke(draft_compose.handler, {"customer": "Brandt & Soehne", "page": PAGE, "items": ONE})
    assert answer["net"] == "USD 66,900.00"


def test_the_sheet_warns_of_a_list_below_the_newest_sale_and_tells_what_such_goods_were_sold_with() -> None:
    letter = letter_of(compose(items=[{"product_id": "KC-400R"}]))
    assert "| KC-400R | 5,850.00 USD (below sale) | 6,120.00 USD" in letter
    assert "list is below 6,120.00 USD won 2024-" in letter
    assert "### Sold with such goods and not in the draft" in letter
    lacking = letter_of(compose(), "notes").split("### Sold with such goods and not in the draft")[1]
    assert lacking.startswith("\n\n- QGV-100 recommends Start-up and commissioning (prod_startup)")


def test_notes_are_in_the_internal_copy_alone() -> None:
    answer = compose(notes=["Ask Melanie about the slab."])
    assert "> **SALESPERSON REVIEW:** 1. Ask Melanie about the slab." in letter_of(answer)
    assert "Melanie about" not in letter_of(answer, "customer")


def test_a_new_version_says_only_what_changes_and_guards_what_it_read(letters: Deployment) -> None:
    first = compose(notes=["Keep me."])
    second = change(first, expected_version=1, items=[{"product_id": "QGV-75"}])
    assert (second["draft_id"], second["version"]) == (first["draft_id"], 2)
    assert "Keep me." in letter_of(second)
    stale = invoke(draft_compose.handler, {"draft_id": first["draft_id"], "expected_version": 1, "notes": ["x"]})
    assert stale["code"] == "CONFLICT"
    with pytest.raises(Exception, match="append-only"):
        rows(letters, "UPDATE cpq.drafts SET open = 0 RETURNING id")


def test_a_new_version_tells_what_became_of_the_letter_beside_what_was_typed() -> None:
    first = compose(notes=["Keep me."])
    assert change(first, notes=["Else."])["changed"] == ["nothing else"]
    typed = change(first, page=PAGE.replace("Please send", "Do send"))
    assert typed["changed"] == ["nothing else"]
    piece = change(first, changes=[{"path": "page", "old": "Do send", "to": "Now send"}])
    assert piece["changed"] == ["Now send us your order."]
    other = change(first, items=[{"product_id": "QGV-75"}])["changed"]
    assert any("QGV-75" in line and "42,500.00" in line for line in other)
    assert not any("QGV-100" in line and "66,900.00" in line for line in other)


def test_a_change_by_path_mends_adds_and_takes_away_and_leaves_the_rest() -> None:
    first = compose(notes=["Keep me.", "Drop me."])
    changes = [
        {"path": "page", "old": "one ", "to": "two new "},
        {"path": "items/1/quantity", "to": "2"},
        {"path": "items/2", "to": '{"product_id": "QGV-75", "role": "alternate"}'},
        {"path": "items/2/note", "to": "smaller"},
        {"path": "notes/2"},
        {"path": "requirements/1", "to": '{"text": "400 cfm", "attribute": "flow", "is": ">= 400 cfm"}'},
    ]
    second = change(first, changes=changes)
    letter = letter_of(second)
    assert second["net"] == "USD 133,800.00"
    assert "we offer two new Quincy QGV-100 for USD 133,800.00" in letter
    assert "75 HP: smaller | 1 | 42,500.00" in letter
    assert ("Keep me." in letter, "Drop me." in letter) == (True, False)
    third = change(second, changes=[{"path": "items/2"}, {"path": "requirements"}, {"path": "notes/1"}])
    assert got(third, arguments=True)["arguments"].keys() == {"account_id", "page", "items"}


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"path": "items/3/quantity", "to": "2"}, "'3' is not there; the draft has account_id, items (1), page."),
        ({"path": "items/0/quantity", "to": "2"}, "'0' is not there: lists count from 1; the draft has account_id"),
        ({"path": "page", "old": "Quincy QGV-900", "to": "x"}, "stands there 0 times"),
        ({"path": "page", "old": "e", "to": "x"}, "has to stand once"),
        ({"path": "items/1/quantity", "to": "many"}, "items/1/quantity: Input should be a valid decimal"),
        ({"path": "terms", "to": "net 30"}, "terms: Input should be a valid list"),
        ({"path": "colour", "to": "blue"}, "colour: Extra inputs are not permitted"),
        ({"path": "items/1/product_id"}, "items/1/product_id: Field required"),
    ],
)
def test_a_change_that_cannot_be_made_changes_nothing_and_says_what_is_there(
    wrong: dict[str, str], told: str
) -> None:
    first = compose()
    changes = [{"path": "page", "old": "one", "to": "1"}, wrong]
    answer = invoke(draft_compose.handler, {"draft_id": first["draft_id"], "changes": changes})
    assert answer["error"] is True
    assert told in answer["message"]
    assert got(first)["version"] == 1


def test_a_retry_with_its_key_is_one_draft_even_after_the_draft_went_on() -> None:
    first = compose(idempotency_key="once")
    change(first, notes=["later"])
    again = compose(idempotency_key="once")
    assert again == first


def test_each_version_is_in_the_audit_with_who_did_it(letters: Deployment) -> None:
    answer = change(compose(), notes=["x"])
    said = rows(
        letters, "SELECT action, actor, after FROM cpq.audit WHERE subject_id = %s ORDER BY seq", answer["draft_id"]
    )
    assert [row["action"] for row in said] == ["draft.composed", "draft.revised"]
    assert said[1]["after"]["version"] == 2
