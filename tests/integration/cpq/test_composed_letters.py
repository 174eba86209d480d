"""What a composed letter says of its goods, units and terms, what it doubts, and what a withdrawn one is."""

import pytest

from cpq import draft_compose, draft_list, quote_create, quote_price
from equipment import get_specs, search_equipment
from operations.ingest import KINDS
from tests.deployment import Deployment, invoke
from tests.integration.cpq.letters import (
    GROEB,
    ONE,
    PAGE,
    change,
    compose,
    doubted,
    got,
    letter_of,
    opened,
    priced,
    refused,
)
from tests.sample_rows import LINES, product, quote

pytestmark = pytest.mark.usefixtures("letters")
YEARLY = {"product_id": "prod_pm_agreement"}


def test_a_model_with_a_dot_is_read_as_the_longest_model_that_there_is() -> None:
    answer = compose(page=PAGE + "\n\nThe {{SX7.5}} gives {{SX7.5.cfm}}, the {{SAM 4.0-8.model}} controls it.")
    assert "The Kaeser SX7.5 gives 27.5 cfm, the SAM 4.0-8 controls it." in letter_of(answer, "customer")
    assert doubted(answer) == []
    assert "No model 'SX7.6'" in refused(page="{{SX7.6.cfm}} {{items}}")[1]


def test_what_is_paid_each_year_has_a_total_of_its_own_and_is_not_open() -> None:
    answer = compose(items=[*ONE, YEARLY])
    letter = letter_of(answer, "customer")
    assert (opened(answer), answer["net"]) == ([], "USD 66,900.00 + USD 3,600.00 per year")
    assert "| 1 | 3,600.00 per year | 3,600.00 |" in letter
    assert "**Total before tax** |  |  | **66,900.00** |" in letter
    assert "**Total before tax, per year** |  |  | **3,600.00** |" in letter
    assert compose(items=[YEARLY], page="We offer {{net}}.\n\n{{items}}")["net"] == "USD 3,600.00 per year"


def test_a_quotes_line_says_for_how_many_periods_its_amount_is() -> None:
    lines = [{**YEARLY, "quantity": 1}]
    made = invoke(quote_create.handler, {"account_id": GROEB, "line_items": lines, "term_months": 36})["quote"]["id"]
    invoke(quote_price.handler, {"quote_id": made})
    assert "| 1 | 3,600.00 per year × 3 | 10,800.00 |" in letter_of(compose(items=[], quote_ids=[made]), "preview")


def test_a_page_that_says_so_is_not_there_to_be_signed_nor_ordered_by() -> None:
    made = invoke(quote_create.handler, {"account_id": GROEB, "line_items": [{**ONE[0], "quantity": 1}]})["quote"][
        "id"
    ]
    invoke(quote_price.handler, {"quote_id": made})
    given = {"quote_ids": [made], "items": [{"product_id": "KC-650C", "role": "option"}]}
    signed = letter_of(compose(**given), "preview")
    assert "Accepted (" in signed
    assert "not part of the total)" in signed
    unsigned = letter_of(compose(**given, page=PAGE + "\n\n{{unsigned}}"), "preview")
    assert not any(told in unsigned for told in ("Accepted (", "unsigned"))


def test_an_alternate_and_a_small_item_have_a_row_and_no_block_and_nothing_is_told_twice() -> None:
    said = [{"line": "Q18-0064/1", "sentences": ["1"]}]
    items = [{"product_id": "QGV-100", "passages": said}, {"product_id": "TD-1"},
             {"product_id": "QGV-75", "role": "alternate", "passages": said}]  # fmt: skip
    letter = letter_of(compose(items=items), "customer")
    annex = letter[letter.index("## Annex") :]
    assert "\n| Quincy QGV-100 |" not in annex
    assert "\n| Northgate Filtration TD-1 |" in annex
    assert "### Northgate Filtration TD-1" not in annex
    assert "\n| Quincy QGV-75 |" in annex
    assert "| Capacity | 450 cfm |" in annex
    assert "| Lubrication | oil-flooded | oil-flooded |" not in annex
    assert "### Quincy QGV-100" in annex
    assert "### Quincy QGV-75" not in annex


def test_a_product_without_a_name_in_the_language_is_called_by_maker_model_and_kind(letters: Deployment) -> None:
    letters.rows("UPDATE cpq.products SET names = NULL WHERE id = 'prod_quincy_qgv_75'")
    letter = letter_of(compose(language="de", units="metric", items=[{"product_id": "QGV-75"}]), "customer")
    assert "| 1 | Quincy QGV-75 Schraubenkompressor | 1 |" in letter


def test_a_name_that_was_cut_within_the_model_is_told_once_and_whole(letters: Deployment) -> None:
    [before] = letters.rows("SELECT name FROM cpq.products WHERE id = 'prod_quincy_qgv_75'")
    for name in ("Quincy QGV-7", "qgv", before["name"]):
        letters.rows("UPDATE cpq.products SET name = %(name)s WHERE id = 'prod_quincy_qgv_75'", {"name": name})
        letter = letter_of(compose(items=[{"product_id": "QGV-75"}]), "customer")
        assert ("| 1 | Quincy QGV-75 | 1 |" in letter) is (name != before["name"])


def test_figures_are_told_in_the_unit_in_which_the_customer_wrote_his_must_and_once_as_they_are_printed() -> None:
    must = {"text": "mindestens 12 m³/min", "attribute": "cfm", "is": ">= 12 m³/min"}
    for units in ("metric", None):
        letter = letter_of(compose(language="de", units=units, requirements=[must]), "customer")
        assert "It gives 12,7 m³/min." in letter
        assert "| Volumenstrom | 12,7 m³/min (450 cfm) |" in letter
    assert "It gives 450 cfm." in letter_of(compose(units="us", requirements=[must]), "customer")
    hourly = {**must, "text": "am Kühler 400 m³/h"}
    assert "It gives 765 m³/h." in letter_of(
        compose(language="de", units="metric", requirements=[must, hourly]), "customer"
    )


def test_a_must_is_answered_in_the_unit_in_which_it_was_written_whatever_the_letter_has() -> None:
    musts = [{"text": "mindestens 400 cfm", "attribute": "cfm", "is": ">= 400 cfm", "machines": 2, "down": 1},
             {"text": "und 10 m³/min", "attribute": "cfm", "is": ">= 10 m³/min"}]  # fmt: skip
    page = f"{PAGE}\n\nBleiben 400: {{{{must.1}}}}.\n\n{{{{must.1}}}}"
    letter = letter_of(compose(page=page, language="de", units="metric", requirements=musts), "customer")
    assert "Bleiben 400: 450 cfm." in letter
    assert "\nja (QGV-100: 450 cfm, 2 Maschinen, 1 außer Betrieb)\n" in letter
    assert "| und 10 m³/min | QGV-100: 12,7 m³/min | ja |" in letter


def test_what_answers_a_must_is_in_the_customers_units_and_names_its_machine_once() -> None:
    row = "Kältetrockner für alles"
    musts = [{"text": row, "attribute": "cfm", "is": ">= 400 cfm", "model": "KC-650C"},
             {"text": row, "attribute": "dewpoint_f", "is": "<= 40 °F", "model": "KC-650C"}]  # fmt: skip
    letter = letter_of(compose(language="de", units="metric", requirements=musts), "customer")
    assert f"| {row} | KC-650C: 1100 m³/h, 3,3 °C | ja |" in letter
    set_up = {"text": row, "model": "QGV-100", "machines": 2, "down": 1}
    both = [{**set_up, "attribute": "cfm", "is": ">= 400 cfm"}, {**set_up, "attribute": "psi", "is": ">= 100 psig"}]
    assert f"| {row} | QGV-100: 450 cfm, 125 psig, 2 machines, 1 out of service | yes |" in letter_of(
        compose(requirements=both), "customer"
    )


def test_the_term_of_delivery_stands_in_one_place_the_drafts_before_the_accounts_before_the_countrys(
    letters: Deployment,
) -> None:
    clause = "Equipment ships FOB factory"
    assert clause in letter_of(compose(), "customer")
    letters.rows('UPDATE quarry.house SET facts = facts || \'{"delivery_us": "DAP your dock"}\'')
    of_country = letter_of(compose(page=PAGE + "\n\nWe deliver {{house.delivery}}."), "customer")
    assert "- Delivery: DAP your dock" in of_country
    assert "We deliver DAP your dock." in of_country
    assert clause not in of_country
    assert "Delivery dates are estimates" in of_country
    letters.rows("UPDATE cpq.accounts SET delivery_terms = 'CIP Adrian' WHERE id = 'acct_groeb_farms'")
    try:
        assert "- Delivery: CIP Adrian" in letter_of(compose(), "customer")
        assert "- Delivery: DAP Adrian, unloaded" in letter_of(compose(delivery="DAP Adrian, unloaded"), "customer")
    finally:
        letters.rows("UPDATE cpq.accounts SET delivery_terms = NULL WHERE id = 'acct_groeb_farms'")
        letters.rows("UPDATE quarry.house SET facts = facts - 'delivery_us'")


@pytest.mark.parametrize(
    ("mail", "told"),
    [("Please quote. Melanie", True), ("Please quote. Ada Lowe", False), ("Please quote.", True), (None, True)],
)
def test_a_letter_goes_to_the_accounts_contact_unless_the_mail_is_anothers(mail: str | None, told: bool) -> None:
    page = PAGE.replace("Ms. Sturk", "Ms. Lowe") if mail and "Lowe" in mail else PAGE
    letter = letter_of(compose(page=page, **({"request": mail} if mail else {})), "customer")
    assert ("Attn. " in letter) is told


def test_a_letter_goes_to_whom_its_writer_names_and_the_companys_name_names_nobody() -> None:
    to_her = letter_of(compose(customer="Ada Lowe", request="Ask Melanie. Ada Lowe"), "customer")
    assert "Groeb Farms\\\nAttn. Ada Lowe\\\n" in to_her
    assert "Attn. Groeb" not in letter_of(compose(customer="Groeb Farms, Inc."), "customer")


def test_services_are_named_by_id_with_what_they_cost_and_may_come_to() -> None:
    page = f"{PAGE}\n\n{{{{SRV-PM-12}}}} costs {{{{SRV-PM-12.price}}}}, the truck {{{{FRT-1.price}}}}."
    letter = letter_of(compose(page=page), "customer")
    assert "Planned maintenance agreement costs USD 3,600.00 per year" in letter
    assert "the truck USD 1,550.00 (allowance, 610.00 to 2,350.00)." in letter
    assert "{{SRV-PM-12.price}}" in refused(page=f"{PAGE} {{{{SRV-PM-12.cfm}}}}")[1]


def test_headings_of_the_writer_stand_below_those_of_the_letter() -> None:
    letter = letter_of(compose(page=f"{PAGE}\n\n## Questions\n\nNone.", annex="# How\n\nWell."), "customer")
    assert "\n#### Questions\n" in letter
    assert "\n## Annex\n\n### How\n" in letter


def test_goods_are_compared_by_what_tells_them_apart() -> None:
    musts = [
        {"text": f"{a} {i}", "attribute": a, "is": i}
        for a, i in (("lubrication", "oil-flooded"), ("cfm", ">= 9 cfm"))
    ]
    letter = letter_of(compose(comparison=["QGV-75"], requirements=musts), "customer")
    head = next(line for line in letter.partition("### Comparison")[2].split("\n") if line.startswith("|"))
    assert head.startswith("|  | Capacity |")
    assert "Lubrication" not in head


def test_goods_are_compared_at_the_conditions_of_their_own_musts() -> None:
    musts = [
        {"text": "400 cfm", "attribute": "cfm", "is": ">= 400 cfm", "model": "QGV-100"},
        {"text": "dryer in a hot room", "attribute": "ambient_f", "is": "110 °F", "model": "KC-650C"},
        {"text": "dries 400 cfm", "attribute": "cfm", "is": ">= 400 cfm", "model": "KC-650C"},
    ]
    letter = letter_of(compose(comparison=["QGV-75", "KC-400R"], requirements=musts), "customer")
    compressors, dryers = (line for line in letter.partition("### Comparison")[2].split("\n") if "| Capacity" in line)
    assert ("110 °F" in compressors, "Capacity, 110 °F" in dryers) == (False, True)


def test_what_may_be_added_has_the_discount_that_all_goods_of_the_quote_have_and_no_data_sheet() -> None:
    option = {"product_id": "KC-650C", "role": "option"}
    two = [{"product_id": each, "quantity": 1, "discount_pct": "2"} for each in ("QGV-100", "QGV-75")]
    as_a_whole = priced({"product_id": "QGV-100", "quantity": 1}, discount=2)
    for quoted in (priced(*two, {"product_id": "prod_startup", "quantity": 1}), as_a_whole):
        letter = letter_of(compose(quote_ids=[quoted], items=[option]), "customer")
        assert "less 2% of 15,560.00 | 1 | 15,248.80 | 15,248.80 |" in letter
    assert "dew point" not in letter
    assert "15,560.00 | 15,560.00 |" in letter_of(compose(items=[*ONE, option]), "customer")


def test_a_list_below_what_was_quoted_last_is_told_whatever_came_of_that_quote(letters: Deployment) -> None:
    letters.put_quotes(quote("Q26-9001", customer="Elm Mill", quote_date="2026-10-01", status="lost"))
    goods = {"model": "QGV-75", "manufacturer": "Quincy", "unit_price": "52800.00", "extended_price": "52800.00"}
    letters.put_lines({**LINES[0], "quote_number": "Q26-9001", "position": 1, "quantity": 1, **goods})
    letter = letter_of(compose(items=[{"product_id": "QGV-75"}]))
    assert "list is below 52,800.00 USD lost 2026-10-01 Q26-9001/1" in letter
    assert "42,500.00 USD (below last quoted)" in letter


def test_one_unit_of_a_duplex_may_be_down_and_of_a_single_machine_it_is_not_judged() -> None:
    must = {"text": "15 cfm with one pump out", "attribute": "cfm", "is": ">= 15 cfm", "down": 1}
    duplex = compose(items=[{"product_id": "SED1007-10"}], page="Hi.\n\n{{items}}", requirements=[must])
    assert "SED1007-10: 15.6 cfm, 1 out of service | yes |" in letter_of(duplex)
    assert opened(compose(requirements=[must])) == ["requirement 1"]


def test_figures_are_written_as_the_customers_country_writes_them_in_the_language(letters: Deployment) -> None:
    letters.rows("UPDATE cpq.accounts SET country = 'MX' WHERE id = 'acct_groeb_farms'")
    try:
        letter = letter_of(compose(language="es", units="metric", items=[{"product_id": "KC-650C"}]))
    finally:
        letters.rows("UPDATE cpq.accounts SET country = 'US' WHERE id = 'acct_groeb_farms'")
    assert "15,560.00" in letter
    assert "| Punto de rocío a presión | 3.3 °C (38 °F) |" in letter


def test_a_page_that_closes_itself_is_closed_once_by_whom_it_says() -> None:
    page = f"{PAGE}\n\nMIT FREUNDLICHEN GRÜSSEN,\n\n**Anna Ebert**\\\nVertrieb"
    letter = letter_of(compose(page=page, language="de"), "customer")
    assert letter.casefold().count("mit freundlichen grüße") + letter.casefold().count("mit freundlichen grüsse") == 1
    assert "Mit freundlichen Grüßen\\\nAnna Ebert\\\nVertrieb\\\n" in letter


def test_a_lead_time_that_was_told_of_a_model_may_be_typed() -> None:
    page = "The {} ships in {} weeks.\n\n{{{{items}}}}"
    items = [{"product_id": "QSV-630"}]
    for weeks in (9, 10, 11):
        assert doubted(compose(page=page.format("QSV-630", weeks), items=items)) == []
    assert doubted(compose(page=page.format("QSV-630", 31), items=items)) != []


def test_a_withdrawn_letter_is_listed_so_goes_to_nobody_and_can_be_brought_back() -> None:
    draft = compose()
    edited = {"draft_id": draft["draft_id"], "withdrawn": "He bought.", "page": "Dear Ann,"}
    lost = invoke(draft_compose.handler, edited)
    assert (lost["code"], "Send withdrawn without page" in lost["message"]) == ("VALIDATION_ERROR", True)
    draft = change(draft, withdrawn="He bought elsewhere.")
    [item] = [each for each in invoke(draft_list.handler, {})["items"] if each["draft_id"] == draft["draft_id"]]
    assert (item["version"], item["withdrawn"]) == (2, "He bought elsewhere.")
    assert got(draft)["withdrawn"] == "He bought elsewhere."
    refusal = got(draft, view="customer")
    assert (refusal["code"], "was withdrawn: He bought elsewhere." in refusal["message"]) == ("CONFLICT", True)
    assert "We appreciate" not in got(change(draft, withdrawn=""), view="customer").get("message", "")


def test_a_list_price_of_a_month_says_so_where_goods_are_compared(letters: Deployment) -> None:
    letters.put_products(product("RENT-9", manufacturer="Quincy", hp=9, description="Rental compressor."))
    sold = {"id": "prod_rent_9", "sku": "RENT-9", "name": "Rental", "description": "", "product_type": "simple"}
    named = {"category": "compressor", "manufacturer": "Quincy", "model": "RENT-9"}
    letters.put(KINDS["products_for_sale"], [sold | named])
    price = {"price_book_id": "pb_list_usd", "product_id": "RENT-9", "price": "42", "unit": "per_unit_per_month"}
    letters.put(KINDS["prices"], [price])
    assert "| USD 42.00 per month |" in letter_of(compose(comparison=["RENT-9"]), "customer")


def test_what_is_compared_has_the_discount_of_what_is_offered(letters: Deployment) -> None:
    offered = priced({"product_id": "QGV-100", "quantity": 1}, discount=2)
    # Of a model that is sold as two products nobody knows which would be offered.
    letters.put_products(product("NEW-9", manufacturer="Quincy", hp=90, description="Compressor."))
    sold = {"name": "New", "description": "", "product_type": "simple", "category": "compressor"}
    named = {"manufacturer": "Quincy", "model": "NEW-9"}
    letters.put(KINDS["products_for_sale"], [{"id": f"prod_{each}", "sku": each} | sold | named for each in "ab"])
    letters.put(KINDS["prices"], [{"price_book_id": "pb_list_usd", "product_id": "a", "price": "900"}])
    told = letter_of(compose(quote_ids=[offered], items=[], comparison=["QGV-75", "NEW-9"]), "customer")
    rows = [line for line in told.split("\n") if line.startswith("| Quincy ")]
    for model, price in {"QGV-100": "65,562.00", "QGV-75": "41,650.00", "NEW-9": "List price: USD 900.00"}.items():
        assert [price in row for row in rows if model in row] == [True], rows


def test_a_discount_that_one_line_alone_has_is_none_of_another_models() -> None:
    offered = priced({"product_id": "QGV-100", "quantity": 1, "discount_pct": "2"})
    option = {"product_id": "KC-650C", "role": "option"}
    told = letter_of(compose(quote_ids=[offered], items=[option], comparison=["QGV-75"]), "customer")
    assert "List price: USD 42,500.00 |" in told
    assert "15,560.00 | 15,560.00 |" in told


def test_a_discount_that_waits_for_approval_is_none_of_another_models() -> None:
    offered = priced({"product_id": "QGV-100", "quantity": 1}, discount=15)
    told = letter_of(compose(quote_ids=[offered], items=[], comparison=["QGV-75"]), "preview")
    assert "List price: USD 42,500.00 |" in told


def test_offers_that_stand_side_by_side_are_compared_by_remarks_alone() -> None:
    quotes = [priced({"product_id": each, "quantity": 1}) for each in ("QGV-100", "QGV-75")]
    remark = {"model": "QGV-100", "remark": "The quieter one."}

    def comparison(*compared: object) -> str:
        letter = letter_of(compose(quote_ids=quotes, items=[], comparison=list(compared)), "customer")
        return letter.partition("### Comparison")[2].partition("###")[0]

    alone = comparison(remark, "QGV-75")
    assert "| QGV-100 | The quieter one. |" in alone
    assert "USD" not in alone
    assert comparison("QGV-100", "QGV-75") == ""
    assert "| Quincy QGV-75 |" in comparison(remark, "QGV-75", "QMB30")


def test_who_won_jobs_before_and_has_no_account_is_entered_with_what_past_quotes_say(letters: Deployment) -> None:
    lines = [{"product_id": "prod_quincy_qgv_100", "quantity": 1}]
    letters.put_quotes(quote("Q26-9002", customer="Red Elm Plastics", contact="Ada Lowe"))
    answer = invoke(quote_create.handler, {"account_id": "Red Elm Plastics", "line_items": lines})
    assert not answer.get("error"), answer
    assert "entered as a prospect, acct_red_elm_plastics in US" in answer["notice"]
    assert answer["addressee"]["name"]
    unknown = invoke(quote_create.handler, {"account_id": "Nobody Ever Inc", "line_items": lines})
    assert unknown["code"] == "NOT_FOUND"


def test_what_is_no_longer_sold_is_compared_without_a_price(letters: Deployment) -> None:
    letters.rows("UPDATE equipment.products SET withdrawn = true WHERE model = 'QGV-75'")
    asked = {"text": "a motor", "attribute": "hp", "is": "100 hp"}
    annex = letter_of(compose(comparison=["QGV-75"], requirements=[asked]), "customer").partition("## Annex")[2]
    [row] = [line for line in annex.split("\n") if line.startswith("| Quincy QGV-75 |")]
    assert "no longer sold" in row
    assert "USD" not in row


def test_an_item_of_which_one_value_alone_is_known_has_no_block(letters: Deployment) -> None:
    letters.rows("UPDATE equipment.products SET attributes = '{\"cfm\": 650}' WHERE model = 'KC-650C'")
    annex = letter_of(compose(items=[*ONE, {"product_id": "KC-650C"}]), "customer").partition("## Annex")[2]
    assert "### Quincy QGV-100" in annex
    assert "Kettle Creek" not in annex


def test_of_several_values_the_customer_reads_the_one_that_he_asked_for(letters: Deployment) -> None:
    letters.rows(
        'UPDATE equipment.products SET attributes = attributes || \'{"material": ["painted", "stainless"]}\''
        " WHERE model = 'QGV-100'"
    )
    asked = {"text": "Stainless", "attribute": "material", "is": "stainless"}
    assert "| Stainless | QGV-100: stainless | yes |" in letter_of(compose(requirements=[asked]), "customer")


def test_models_in_another_script_are_found_by_every_tool_and_apart(letters: Deployment) -> None:
    models = ("НЦ-50", "ЗСК-50", "弁-50", "ปั๊ม-50", "ปุ้ม-50")
    named = {"manufacturer": "KMZ", "category": "compressor"}
    sold = {"description": "", "product_type": "simple", **named}
    letters.put_products(*(product(model, hp=at, description="x", **named) for at, model in enumerate(models, 5)))
    goods = [{"id": f"prod_own_{at}", "sku": f"S{at}", "name": each, "model": each, **sold}
             for at, each in enumerate(models)]  # fmt: skip
    letters.put(KINDS["products_for_sale"], goods)
    prices = [{"price_book_id": "pb_list_usd", "product_id": row["id"], "price": "9"} for row in goods]
    letters.put(KINDS["prices"], prices)
    specs = invoke(get_specs.handler, {"models": list(models)})
    assert [each["product_id"] for each in specs["products"]] == [row["id"] for row in goods]
    for at, model in enumerate(models):
        asked = {"filters": [{"attribute": "model", "is": model}]}
        assert [row[0] for row in invoke(search_equipment.handler, asked)["rows"]] == [model]
        assert compose(page=f"It has {{{{{model}.hp}}}} hp.\n\n{{{{items}}}}", items=[{"product_id": model}],
                       comparison=[model])["draft_id"]  # fmt: skip
        quoted = {"account_id": GROEB, "line_items": [{"product_id": model, "quantity": 1}]}
        [line] = invoke(quote_create.handler, quoted)["line_items"]
        assert line["product_id"] == goods[at]["id"]
        typed = compose(page=f"The {model} has 99 hp.\n\n{{{{items}}}}", items=[{"product_id": model}])
        assert doubted(typed) == [("contradicted", "99 hp")]
