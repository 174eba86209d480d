"""draft_compose of quotes: their prices, taxes, terms and approvals; several in one letter."""

import time
from datetime import UTC, date, datetime

import pytest

from cpq import draft_compose, quote_create, quote_get, quote_price
from operations.ingest import KINDS
from quarry.retrieval.here import AGAIN_S
from tests.deployment import TENANT, Deployment, invoke
from tests.integration.cpq.drafts import draft, rows
from tests.integration.cpq.letters import (
    GROEB,
    PAGE,
    TOMORROW,
    compose,
    doubted,
    got,
    letter_of,
    opened,
    priced,
    refused,
)
from tests.integration.cpq.printing import approve

pytestmark = pytest.mark.usefixtures("letters")


def invoke_totals(quote_id: str) -> list[str]:
    pricing = invoke(quote_price.handler, {"quote_id": quote_id})["pricing"]
    return [f"{float(pricing['total']):,.2f}"]


def test_a_quotes_prices_taxes_and_terms_are_the_letters() -> None:
    quote_id = priced(
        {"product_id": "prod_quincy_qgv_100", "quantity": 2}, {"product_id": "prod_startup", "quantity": 1}
    )
    page = PAGE.replace("{{net}}", "{{net}} before tax, {{gross}} with it")
    answer = compose(quote_ids=[quote_id], items=[], page=page)
    [stored] = invoke_totals(quote_id)
    letter = letter_of(answer, "customer")
    assert f"for USD 135,150.00 before tax, USD {stored} with it" in letter
    assert f"**{stored}**" in letter
    _, refusal = refused(page=page.replace("{{gross}}", "{{total}}"))
    assert "{{net}}, the total before tax, or {{gross}}, the one with it" in refusal
    assert "**Michigan sales tax 6%**" in letter  # as the quote's PDF has it
    assert answer["net"] == "USD 135,150.00"  # before tax
    assert "| 2 | Start-up and commissioning | 1 | 1,350.00 per day | 1,350.00 |" in letter
    assert "- Payment: Net 30 days" in letter
    assert f"**Quotation {quote_id}**" in letter
    clause = "A signature below"
    assert clause in letter
    unsigned = letter_of(compose(page=PAGE + "\n\n{{unsigned}}", quote_ids=[quote_id], items=[]), "customer")
    assert clause not in unsigned
    assert "Delivery dates are estimates" in unsigned


def test_what_a_line_of_its_quote_comes_to_is_named_by_id() -> None:
    quote_id = priced({"product_id": "prod_quincy_qgv_100", "quantity": 2, "discount_pct": "5"})
    pages = [f"{PAGE}\n\nBoth: {{{{{quote_id}/{line}}}}}." for line in (1, 7)]
    assert "Both: USD 127,110.00." in letter_of(compose(page=pages[0], quote_ids=[quote_id], items=[]), "customer")
    each = pages[0].replace("/1}}", "/1.each}}")
    assert "Both: USD 63,555.00." in letter_of(compose(page=each, quote_ids=[quote_id], items=[]), "customer")
    asked = {"account_id": GROEB, "line_items": [{"product_id": "prod_quincy_qgv_100", "quantity": 3}]}
    unpriced = invoke(quote_create.handler, asked)["quote"]["id"]
    assert compose(page=f"{PAGE}\n\n{{{{{unpriced}/1.each}}}}", quote_ids=[unpriced], items=[])["open"]
    _, message = refused(page=pages[1], quote_ids=[quote_id], items=[])
    assert f"'{quote_id}/7' is no line of that quote" in message


def test_a_must_of_goods_that_one_way_alone_has_is_answered_in_its_column() -> None:
    one, two = (
        priced(*({"product_id": each, "quantity": 1} for each in ids))
        for ids in (["QGV-100", "KC-650C"], ["QGV-75", "NF-500C"])
    )
    musts = [
        {"text": "400 cfm", "attribute": "cfm", "is": ">= 300 cfm"},
        {"text": "dry air", "attribute": "dewpoint_f", "is": "<= 40 °F", "model": "KC-650C"},
        {"text": "a spare filter", "answer": "in stock", "met": True, "model": "NF-500C"},
    ]
    annex = letter_of(compose(quote_ids=[one, two], items=[], requirements=musts), "customer")
    assert "| dry air | yes (KC-650C: 38 °F) | – |" in annex
    assert "| a spare filter | – | yes (in stock) |" in annex


def test_a_way_of_several_machines_is_headed_by_all_and_judged_by_what_its_writer_says_of_them() -> None:
    one, two = (
        priced(*({"product_id": each, "quantity": 1} for each in ids)) for ids in (["QGV-100"], ["QGV-75", "QGV-30"])
    )
    need = {"text": "400 cfm", "attribute": "cfm", "is": ">= 400 cfm"}
    both = {"text": "400 cfm", "answer": "465 cfm of both", "met": True, "model": "QGV-75"}
    for musts, told in (([need], "–"), ([need, both], "yes (465 cfm of both)")):
        letter = letter_of(compose(quote_ids=[one, two], items=[], requirements=musts), "customer")
        assert "| Your requirement | A: QGV-100 | B: QGV-75 + QGV-30 |" in letter
        assert f"| 400 cfm | yes (450 cfm) | {told} |" in letter


def test_what_is_said_of_one_machine_and_of_two_stands_in_the_column_of_each() -> None:
    quotes = [priced({"product_id": "QGV-100", "quantity": count}) for count in (1, 2)]
    said = [(1, "half the hour", False), (2, "all day", True)]
    musts = [
        {"text": "all day", "model": "QGV-100", "machines": count, "answer": answer, "met": met}
        for count, answer, met in said
    ]
    musts.append({"text": "400 cfm", "attribute": "cfm", "is": ">= 400 cfm"})
    letter = letter_of(compose(quote_ids=quotes, items=[], requirements=musts), "customer")
    assert "| all day | no (half the hour) | yes (all day) |" in letter


def test_of_two_needs_of_one_text_the_unknown_one_is_told_beside_the_one_that_is_met() -> None:
    quotes = [priced({"product_id": each, "quantity": 1}) for each in ("QGV-100", "QGV-75")]
    needs = [("cfm", ">= 300 cfm"), ("dewpoint_f", "<= 40 °F")]
    musts = [{"text": "300 cfm, dry", "attribute": name, "is": asked} for name, asked in needs]
    letter = letter_of(compose(quote_ids=quotes, items=[], requirements=musts), "internal")
    assert "| 300 cfm, dry | **[open: requirement 1]**; yes (450 cfm) |" in letter


def test_an_allowance_is_a_budget_off_which_no_discount_of_a_quote_is_taken() -> None:
    freight = {"product_id": "prod_freight_1", "quantity": 1}
    quote = priced({"product_id": "QGV-100", "quantity": 1}, freight, discount=5)
    letter = letter_of(compose(quote_ids=[quote], items=[]), "customer")
    assert "| Freight, zone 1 (allowance, 610.00 to 2,350.00) | 1 | 1,550.00 | 1,550.00 |" in letter
    assert "**64,165.00 – 65,905.00**" in letter


def test_a_verdict_of_a_yes_or_no_says_it_once_and_a_sentence_stands_behind_a_colon() -> None:
    quotes = [priced({"product_id": each, "quantity": 1}) for each in ("QGV-100", "QGV-75")]
    hood = {"text": "with a hood", "attribute": "enclosure", "is": "yes"}
    day = {"text": "by March 1", "answer": "Only if ordered today.", "met": False}
    letter = letter_of(compose(quote_ids=quotes, items=[], requirements=[hood, day]), "customer")
    assert "| with a hood | yes | to follow |" in letter
    assert "| by March 1 | no: Only if ordered today. | no: Only if ordered today. |" in letter


def test_what_the_writer_answers_for_a_machine_stands_alone_and_of_one_that_is_down_nothing_is_left() -> None:
    one, two = (priced({"product_id": each, "quantity": n}) for each, n in (("QGV-100", 1), ("QGV-75", 2)))
    need = {"text": "300 cfm with one out", "attribute": "cfm", "is": ">= 300 cfm", "machines": 2, "down": 1}
    musts = [{**need, "model": "QGV-75"}]
    answer = {"text": need["text"], "model": "QGV-100", "answer": "it is the only one", "met": False}
    for more, told in (([], "no (1 out of service)"), ([answer], "no (it is the only one)")):
        letter = letter_of(compose(quote_ids=[one, two], items=[], requirements=[*musts, *more]), "customer")
        assert f"| {need['text']} | {told} | yes (341 cfm, 1 out of service) |" in letter


@pytest.mark.parametrize(
    ("least", "told"), [(400, "yes (450 cfm) | yes (450 cfm)"), (800, "no (450 cfm) | yes (900 cfm)")]
)
def test_a_second_machine_is_a_reserve_where_one_meets_what_is_asked(least: int, told: str) -> None:
    quotes = [priced({"product_id": "QGV-100", "quantity": count}) for count in (1, 2)]
    need = {"text": "the flow", "attribute": "cfm", "is": f">= {least} cfm"}
    letter = letter_of(compose(quote_ids=quotes, items=[], requirements=[need]), "customer")
    assert f"| the flow | {told} |" in letter


@pytest.mark.parametrize("count", [1, 2])
def test_a_product_of_a_quote_may_be_an_option_beside_it(count: int) -> None:
    one, two = (priced({"product_id": each, "quantity": 1}) for each in ("QGV-100", "KC-650C"))
    option = {"product_id": "KC-650C", "quantity": count, "role": "option", "note": "A spare."}
    page = letter_of(compose(quote_ids=[one, two], items=[option]), "page")
    assert f"KC-650C refrigerated air dryer, 650 CFM: A spare. | {count} |" in page


def test_rows_of_ways_stand_where_they_do_in_their_quote() -> None:
    goods, service = ["KC-650C", "QGV-100", "NF-500C"], "prod_startup"
    one, two = (
        priced(*({"product_id": each, "quantity": 1} for each in ids))
        for ids in ([service, *goods], ["KC-650C", "QGV-75", "NF-500C", service])
    )
    page = letter_of(compose(quote_ids=[one, two], items=[]), "customer").partition("## Annex")[0]
    rows = [line for line in page.split("\n") if line.startswith(("| 1 |", "| 2 |", "| 3 |", "| 4 |", "| 5 |"))]
    told = ["KC-650C", "QGV-100", "QGV-75", "NF-500C", "Start-up"]
    assert [name in row for name, row in zip(told, rows, strict=True)] == [True] * 5


def test_a_product_at_two_prices_is_one_row_of_ways_with_the_price_of_each() -> None:
    machine = {"product_id": "QGV-100", "quantity": 1}
    one, two = (priced({**machine, **off}) for off in ({"discount_pct": "5"}, {}))
    page = letter_of(compose(quote_ids=[one, two], items=[]), "customer").partition("## Annex")[0]
    name = "Quincy QGV-100 rotary screw air compressor, 100 HP (less 5% of 66,900.00 / –)"
    assert f"| 1 | {name} | 1 | 63,555.00 / 66,900.00 | 63,555.00 | 66,900.00 |" in page
    assert "| 2 |" not in page


def test_ways_with_the_same_machine_are_named_by_what_only_each_has() -> None:
    first, *others = (
        priced({"product_id": "QGV-100", "quantity": 1}, *({"product_id": each, "quantity": 1} for each in also))
        for also in (["KC-650C"], ["QPNC-500"], [])
    )
    page = letter_of(compose(quote_ids=[first, *others], items=[]), "customer").partition("## Annex")[0]
    assert "☐ A: QGV-100 + KC-650C ☐ B: QGV-100 + QPNC-500 ☐ C: QGV-100\\\nAccepted" in page
    typed = PAGE + "\n\n☐ B: we take the second"
    page = letter_of(compose(quote_ids=[first, *others], items=[], page=typed), "customer")
    assert "☐ A: QGV-100 + KC-650C ☐ C: QGV-100\\\nAccepted" in page


def test_quotes_that_are_ordered_together_have_one_table_and_one_sum() -> None:
    one, two = (priced({"product_id": "prod_quincy_qgv_100", "quantity": count}) for count in (1, 2))
    answer = compose(quote_ids=[one, two], items=[], together=True)
    letter = letter_of(answer, "customer")
    assert answer["net"] == "USD 200,700.00"
    assert letter.count("**212,742.00**") == letter.count("**Total with tax**") == 1
    assert "| 2 | Quincy QGV-100 rotary screw air compressor, 100 HP | 2 | 66,900.00 | 133,800.00 |" in letter
    assert f"☐ {one}: QGV-100 ☐ {two}: 2 × QGV-100\\\nAccepted" in letter


def test_a_letter_is_in_one_currency(letters: Deployment) -> None:
    one, two = (priced({"product_id": "prod_quincy_qgv_100", "quantity": count}) for count in (1, 2))
    rows(letters, "UPDATE cpq.quote_versions SET currency = 'EUR' WHERE quote_id = %s RETURNING quote_id", two)
    assert "these are in USD, EUR: write one for each" in refused(quote_ids=[one, two], items=[])[1]


def test_goods_that_a_quote_does_not_have_are_no_item_of_its_letter() -> None:
    quote_id = priced({"product_id": "prod_quincy_qgv_100", "quantity": 1})
    code, message = refused(quote_ids=[quote_id], items=[{"product_id": "QGV-75"}])
    assert code == "VALIDATION_ERROR"
    assert "QGV-75 is not in" in message
    code, message = refused(quote_ids=[quote_id], items=[{"product_id": "QGV-100", "quantity": 3}])
    assert "version 1 has 1" in message
    assert opened(compose(quote_ids=[quote_id], items=[{"product_id": "QGV-75", "role": "option"}])) == []


def test_a_discount_that_people_have_to_approve_keeps_the_letter_back_and_cannot_be_accepted() -> None:
    quote_id = priced({"product_id": "prod_quincy_qgv_100", "quantity": 1}, discount=12)
    answer = compose(quote_ids=[quote_id])
    [approval] = answer["open"]
    assert approval["field"] == f"approval of {quote_id}"
    assert approval["acceptable"] is False
    refusal = got(answer, view="customer")["message"]
    assert refusal.endswith(
        f"No accept_open closes approval of {quote_id}; until it is done, view preview may be read."
    )
    assert "Close them" not in refusal
    assert f"(approval_request with account_id {GROEB})" in approval["who"]
    accepted = [{"field": approval["field"], "who": "Jo", "by": TOMORROW}]
    asked = {"draft_id": answer["draft_id"], "accept_open": accepted}
    assert "cannot be accepted" in invoke(draft_compose.handler, asked)["message"]


def test_what_policy_passed_and_would_not_today_keeps_the_letter_back(letters: Deployment) -> None:
    quote_id = priced({"product_id": "prod_quincy_qgv_100", "quantity": 1}, discount=1)
    caps = "SELECT id, auto_approve_pct FROM cpq.discount_policies"
    before, cap = (
        rows(letters, caps),
        "UPDATE cpq.discount_policies SET auto_approve_pct = %s WHERE id = %s RETURNING id",
    )
    assert compose(quote_ids=[quote_id])["open"] == []
    for row in before:
        rows(letters, cap, 0, row["id"])
    [found] = compose(quote_ids=[quote_id])["open"]
    for row in before:
        rows(letters, cap, row["auto_approve_pct"], row["id"])
    assert (found["field"], found["who"]) == (f"prices of {quote_id}", "quote_price")


def test_an_approval_that_was_asked_for_says_who_is_asked_and_since_when(letters: Deployment) -> None:
    quote_id = priced({"product_id": "prod_quincy_qgv_100", "quantity": 1}, discount=12)
    before = compose(quote_ids=[quote_id])
    rows(
        letters,
        """WITH asked AS (UPDATE cpq.quote_versions SET status = 'pending_approval' WHERE quote_id = %s
               RETURNING tenant, quote_id, version, content_hash)
           INSERT INTO cpq.approval_requests (tenant, id, quote_id, version, content_hash, status, approver_role,
               justification, context, requested_by, expires_at)
           SELECT tenant, replace(quote_id, 'Q-', 'APR-'), quote_id, version, content_hash, 'pending',
               'sales_manager', 'ours', '{}', 'agent:test', now() + interval '1 day' FROM asked RETURNING id""",
        quote_id,
    )
    [approval] = compose(quote_ids=[quote_id])["open"]
    today = datetime.now(UTC).date().isoformat()
    said = f"approval by sales_manager (asked on {today}"
    for told in (approval["who"], letter_of(before, "notes"), letter_of(before, "preview")):
        assert said in told
        assert "approval_request" not in told


def test_an_approval_that_was_given_since_releases_the_customers_copy(letters: Deployment) -> None:
    quote_id = priced({"product_id": "prod_quincy_qgv_100", "quantity": 1}, discount=12)
    draft = compose(quote_ids=[quote_id])
    assert got(draft, view="customer")["code"] == "VALIDATION_ERROR"
    assert "Decides: sales_manager." in letter_of(draft, "notes")
    approve(letters, quote_id)
    told = letter_of(draft, "notes")
    assert "Approved by" in told
    assert "Decides:" not in told
    assert f"**Quotation {quote_id}**" in letter_of(draft, "customer")


def test_who_must_approve_what_is_ordered_together_is_told_where_each_quote_alone_is_free() -> None:
    quotes = [priced({"product_id": f"prod_quincy_{model}", "quantity": 6}) for model in ("qgv_100", "qgv_75")]
    over = "exceeds the limit of 500,000 USD"
    both = f"{' + '.join(f'{quote} version 1' for quote in quotes)}: net amount of 656,400 USD {over}"
    assert both in letter_of(compose(quote_ids=quotes, items=[], together=True), "notes")
    instead = letter_of(compose(quote_ids=quotes, items=[]), "notes")
    assert over not in instead  # of offers side by side one is ordered
    assert "Approvals" not in letter_of(compose(quote_ids=quotes[:1], items=[]), "notes")


def test_another_accounts_quote_is_none_of_this_letters() -> None:
    quote_id = priced({"product_id": "prod_quincy_qgv_100", "quantity": 1})
    code, message = refused(account_id="acct_acme_001", quote_ids=[quote_id])
    assert code == "VALIDATION_ERROR"
    assert "is another account's" in message


def of_seats(deployment: Deployment, *, discount: float = 0) -> str:
    """150 seats for three years from February on, priced."""
    line = ("prod_pro_v2", 150, {"discount_pct": discount})
    quote_id = draft(deployment, line, term_months=36, start_date=date(2027, 2, 1))
    ends = "UPDATE cpq.quote_versions SET end_date = '2030-01-31' WHERE quote_id = %s RETURNING quote_id"
    rows(deployment, ends, quote_id)
    assert not invoke(quote_price.handler, {"quote_id": quote_id}).get("error")
    return quote_id


def test_what_is_sold_and_let_is_told_apart_and_has_its_own_terms(letters: Deployment) -> None:
    sold = {"id": "prod_let", "sku": "H-1", "name": "Rent of a QGV-100", "description": "", "product_type": "simple"}
    named = {"category": "compressor", "manufacturer": "Quincy", "model": "QGV-100"}
    letters.put(KINDS["products_for_sale"], [sold | named])
    price = {"price_book_id": "pb_list_usd", "product_id": "H-1", "price": "900", "unit": "per_unit_per_month"}
    letters.put(KINDS["prices"], [price])
    bought = priced({"product_id": "prod_quincy_qgv_100", "quantity": 1})
    let = priced({"product_id": "prod_let", "quantity": 1}, term_months=24, billing_frequency="monthly")
    letter = letter_of(compose(quote_ids=[bought, let], items=[]), "customer")
    machine = "Quincy QGV-100 rotary screw air compressor, 100 HP"
    assert f"| A: {machine} ({bought}, USD) | B: Rent of a QGV-100 ({let}, USD) |" in letter
    assert "| 900.00 per month × 24 | – | 21,600.00 |" in letter
    assert f"☐ A: {machine} ☐ B: Rent of a QGV-100" in letter
    other = priced({"product_id": "prod_startup", "quantity": 1})
    letter = letter_of(compose(quote_ids=[other, let], items=[]), "customer")
    assert f"| Rent of a QGV-100 ({let}, Annex), 24 months |  |  | 21,600.00 |" in letter
    terms = letter.partition("### Terms")[2]
    assert f"- Term: 24 months ({let})" in terms
    assert f"Each month, 24 times: 900.00, in all 21,600.00 ({let})" in terms
    assert "- Payment: Net 30 days\n" in terms


def test_what_recurs_has_its_term_its_billing_and_what_is_paid_when_in_the_letter(letters: Deployment) -> None:
    quote_id = of_seats(letters, discount=10)
    page = "The licence runs for 36 months, until January 31, 2030; the last month is paid on January 1, 2030.\n\nB."
    answer = compose(account_id="acct_acme_001", quote_ids=[quote_id], items=[], page=page)
    assert doubted(answer) == []
    letter = letter_of(answer, "notes") + letter_of(answer, "preview")
    for told in (
        "- Term: 36 months",
        "- Period: February 1, 2027 – January 31, 2030",
        "- Billing: Monthly",
        "- What is paid when, in USD before tax: Each month, 36 times: 810.00, in all 29,160.00",
        "less 10% of 6.00 | 150 | 5.40 per seat per month × 36 | 29,160.00 |",
    ):
        assert told in letter


def test_a_tax_of_nothing_says_by_its_rule_why(letters: Deployment) -> None:
    rows(letters, "UPDATE cpq.tax_rules SET rate_pct = 0, name = 'Reverse charge' WHERE country = 'US' RETURNING id")
    quote_id = priced({"product_id": "prod_quincy_qgv_100", "quantity": 1})
    letter = letter_of(compose(quote_ids=[quote_id], items=[]), "customer")
    assert "|  | **Reverse charge 0%** |  |  | **0.00** |\n|  | **Total** |  |  | **66,900.00** |" in letter


def test_what_is_measured_is_quoted_in_parts_and_pieces_are_not(letters: Deployment) -> None:
    rows(
        letters,
        "UPDATE cpq.price_book_entries SET unit = 'per_metre' WHERE product_id = 'prod_startup' RETURNING product_id",
    )
    lines = [{"product_id": "prod_startup", "quantity": 12.75}, {"product_id": "QGV-75", "quantity": 2.5}]
    asked = {"account_id": GROEB, "line_items": lines, "valid_until": TOMORROW}
    refusal = invoke(quote_create.handler, asked)
    assert [one["path"] for one in refusal["details"]["problems"]] == ["line_items[1].quantity"]
    assert "only what is measured is sold in parts" in refusal["message"]
    quote_id = priced(lines[0])
    [line] = invoke(quote_get.handler, {"quote_id": quote_id})["line_items"]
    assert (line["quantity"], line["line_total"]) == (12.75, "17212.50")
    answer = compose(page=PAGE + "\n\nIt takes 12,75 m.", quote_ids=[quote_id], items=[], language="de")
    assert "| 12,75 m | 1.350,00 pro m | 17.212,50 |" in letter_of(answer, "customer")
    assert "12,75 m" not in str(doubted(answer))
    # A unit of the house's own is measured, too, once it says what.
    book = (
        "UPDATE cpq.price_book_entries SET unit = 'per_morgen' WHERE product_id = 'prod_startup' RETURNING product_id"
    )
    rows(letters, book)
    asked["line_items"] = lines[:1]
    assert "have the unit declared (units)" in invoke(quote_create.handler, asked)["message"]
    unit = {"symbol": "morgen", "dimension": "area", "factor": 2500}
    letters.put(KINDS["units"], [KINDS["units"].row.model_validate(unit).model_dump(mode="json")], tenant=TENANT)
    assert invoke(quote_create.handler, asked)["quote"]["status"] == "draft"


def test_what_is_sold_by_length_is_counted_in_it_and_what_has_no_label_is_noticed(letters: Deployment) -> None:
    book = "UPDATE cpq.price_book_entries SET unit = %s WHERE product_id = %s RETURNING product_id"
    for unit, product in (("per_metre", "prod_startup"), ("per_pallet", "prod_quincy_qgv_75")):
        rows(letters, book, unit, product)
    goods = [{"product_id": "prod_startup", "quantity": 3}, {"product_id": "QGV-75", "role": "option"}]
    answer = compose(items=goods, language="de", page="Hallo\n\n{{items}}")
    assert "| 3 m | 1.350,00 pro m | 4.050,00 |" in letter_of(answer, "preview")
    assert answer["notice"] == ("In de, but for 'pallet' (put into composed.units of labels/de.toml): tell the user.")
    assert "notice" not in compose(items=goods[:1], language="de", page="Hallo\n\n{{items}}")
    rows(letters, "UPDATE cpq.products SET names = '{}' WHERE id = %s RETURNING id", "prod_startup")
    rows(letters, "UPDATE cpq.accounts SET country = 'DE' WHERE id = %s RETURNING id", GROEB)
    rows(letters, "UPDATE cpq.accounts SET billing_address = NULL WHERE id = %s RETURNING id", GROEB)
    answer = compose(items=goods[:1], language="de", page="Hallo\n\n{{items}}")
    assert answer["notice"] == (
        "In de, but for 'Start-up and commissioning' (put into names of products_for_sale): tell the user."
    )
    assert "\nDeutschland\n" in letter_of(answer, "customer")


def test_a_letter_in_the_houses_language_has_labels_just_loaded_and_says_which_are_english(
    letters: Deployment,
) -> None:
    letters.rows("UPDATE quarry.house SET language = 'de'")
    compose(language="de")
    letters.rows("UPDATE search.attributes SET labels = labels - 'de' || '{\"en\": \"Flow\"}' WHERE name = 'cfm'")
    time.sleep(AGAIN_S)
    answer = compose(language="de")
    assert answer["notice"] == "In de, but for 'Flow' (put into labels of attributes): tell the user."
    assert "| Flow | " in letter_of(answer, "preview")
