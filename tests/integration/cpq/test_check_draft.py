"""check_draft on the sample catalogue: what it reads for a draft, and what it says of quotes of ours."""

from collections.abc import Iterator
from typing import Any

import pytest

from cpq import check_draft, quote_price
from operations.ingest import KINDS
from tests.deployment import Deployment, invoke
from tests.integration.cpq.drafts import draft, rows
from tests.sample_rows import LINES, PRODUCTS, QUOTES, product, quote

ITEM = "### Item 1\n\n"
OWN = "acct_groeb_farms"


@pytest.fixture(scope="module", autouse=True)
def served(deployment: Deployment) -> Iterator[None]:
    deployment.put_products(*PRODUCTS)
    deployment.put_quotes(*QUOTES)
    deployment.put_lines(*LINES)
    with deployment.serving("quarry_write"):
        yield


def ask(text: str, **arguments: object) -> dict[str, Any]:
    answer = invoke(check_draft.handler, {"draft": text, **arguments})
    assert "error" not in answer, answer
    return answer


def faults(answer: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["verdict"], each["text"]) for each in answer["findings"]]


def test_a_customer_may_be_named_as_a_reference_where_a_won_quote_says_so(deployment: Deployment) -> None:
    letter = "### References\n\n- Elm Dairy (food), 2022\n- Oak Mill (food), 2022"
    names = [quote(number, customer=customer, quote_date="2022-04-01", industry="food", reference=agreed)
             for number, customer, agreed in (("R-1", "Elm Dairy", True), ("R-2", "Oak Mill", False))]  # fmt: skip
    deployment.put_quotes(*names)
    assert ("foreign", "Oak Mill") in faults(ask(letter))
    assert all("Elm Dairy" not in text for _, text in faults(ask(letter)))


def test_another_customer_is_found_without_the_legal_form(deployment: Deployment) -> None:
    deployment.put_quotes(quote("R-3", customer="Ash Paper GmbH & Co. KG", quote_date="2022-04-01", industry="paper"))
    assert ("foreign", "Ash Paper GmbH & Co. KG") in faults(ask("As Ash Paper has it."))
    assert faults(ask("As ash papers have it.")) == []


def test_a_list_price_of_today_stands_in_a_letter_without_a_quote() -> None:
    table = "### Comparison\n\n| | Quincy QMB30 |\n|---|---|\n| List price | ${} |\n"
    assert ("unsupported", "$23,800.00") not in faults(ask(table.format("23,800.00")))
    assert ("contradicted", "$23,700.00") in faults(ask(table.format("23,700.00")))


def test_figures_of_one_dimension_that_do_not_convert_stand_beside_each_other() -> None:
    answer = ask("Your 380 scfm are 412 acfm at the inlet.", request="We need 380 scfm.")
    assert faults(answer) == [("unsupported", "412 acfm")]


def test_what_is_left_of_a_bare_sum_that_the_customer_named_has_a_source() -> None:
    letter = "Your ${} less $23,800.00 for the Quincy QMB30 leaves ${}."
    budget = "The board set 65,000 for everything, and we need 2 of them."
    assert faults(ask(letter.format("65,000", "41,200.00"), request=budget)) == []
    assert [text for _, text in faults(ask(letter.format("65,000", "42,200.00"), request=budget))] == ["$42,200.00"]
    assert faults(ask(letter.format("65,000", "41,200.00"))) != []


def test_what_a_machine_has_at_a_condition_that_the_draft_states_has_a_source(deployment: Deployment) -> None:
    points = {f"at_{figure}": f"cfm at inlet_heat {figure} °F" for figure in (100, 120)}
    deployment.declare(
        {"name": "inlet_heat", "kind": "number", "unit": "°F"},
        *({"name": name, "kind": "number", "point": point} for name, point in points.items()),
    )
    deployment.put_products(product("RD-640", family="dryer", cfm=640, at_100=1, at_120=0.7))
    with deployment.serving("quarry_write"):
        warm = ask("The RD-640 takes 544 cfm with air at 110 °F.", request="air at 110 °F", full=True)
        assert faults(ask("The RD-640 takes 544 cfm.")) == [("contradicted", "544 cfm")]
    assert warm["faults"] == 0
    assert warm["findings"][0]["source"] == "Acme RD-640 (640 × 0.85 at 110 °F)"


def test_a_unit_of_the_tenants_own_is_read(deployment: Deployment) -> None:
    deployment.put(KINDS["units"], [{"symbol": "kanna", "dimension": "volume", "factor": 0.002617}])
    with deployment.serving("quarry_write"):
        assert faults(ask("Each holds 3 kanna.", request="at least 7.85 l")) == []
        assert faults(ask("Each holds 4 kanna.", request="at least 7.85 l")) == [("unsupported", "4 kanna")]


def priced(deployment: Deployment) -> str:
    quote_id = draft(deployment, ("prod_quincy_qmb30", 2), account=OWN)
    answer = invoke(quote_price.handler, {"quote_id": quote_id})
    assert "error" not in answer, answer
    return quote_id


def test_a_figure_of_the_catalogue_is_supported_and_another_is_contradicted_with_the_right_one() -> None:
    answer = ask(ITEM + "The QMB30 gives 125 cfm at 120 psi.", products=["QMB30"])
    assert faults(answer) == [("contradicted", "120 psi")]
    assert answer["findings"][0]["right"] == "125 psi"


def test_a_price_is_that_of_the_named_quote_and_never_the_cost(deployment: Deployment) -> None:
    quote_id = priced(deployment)
    (line,) = rows(deployment, "SELECT unit_price FROM cpq.quote_lines WHERE quote_id = %s", quote_id)
    (product,) = rows(deployment, "SELECT cost FROM cpq.products WHERE id = 'prod_quincy_qmb30'")
    right = f"{ITEM}Model QMB30 as described above, quantity 2: Net ${line['unit_price']:,.2f} Each"
    assert faults(ask(right, quote_id=quote_id)) == []
    wrong = right.replace(f"{line['unit_price']:,.2f}", f"{product['cost']:,.2f}")
    answer = ask(wrong, quote_id=quote_id)
    assert answer["findings"][0]["verdict"] == "unsupported"  # too far from what the line says to be meant for it
    assert "pays" not in str(answer)


def test_what_one_piece_comes_to_in_the_named_quote_is_right_and_comes_before_tiers_of_the_list(
    deployment: Deployment,
) -> None:
    quote_id = draft(deployment, ("prod_pro_v2", 60, {"discount_pct": "12.34"}))
    assert "error" not in invoke(quote_price.handler, {"quote_id": quote_id})
    given = {"quote_id": quote_id, "products": ["prod_pro_v2"]}
    assert faults(ask(ITEM + "The Pro Plan is USD 7.01 each.", **given)) == []  # 8.00 less 12.34 % is 7.0128
    [wrong] = ask(ITEM + "The Pro Plan is USD 6.05 each.", **given)["findings"]  # a tier of other quantities is 6.00
    assert (wrong["verdict"], wrong["right"], wrong["source"]) == ("contradicted", "7.01 USD", f"{quote_id} line 1")


def test_another_quote_of_the_account_may_be_named_and_prices_its_alternate(deployment: Deployment) -> None:
    quote_id, other = priced(deployment), draft(deployment, ("prod_quincy_qmb25", 1), account=OWN)
    assert "error" not in invoke(quote_price.handler, {"quote_id": other})
    (line,) = rows(deployment, "SELECT unit_price FROM cpq.quote_lines WHERE quote_id = %s", other)
    text = f"See {other}: the Quincy QMB25 comes to ${line['unit_price']:,.2f}."
    given = {"quote_id": quote_id, "account": OWN, "products": ["QMB30", "QMB25"]}
    of_figures = [each for each in ask(text, **given)["findings"] if each["kind"] in ("price", "quote number")]
    assert of_figures == []
    wrong = ask(text.replace(f"${line['unit_price']:,.2f}", "$1,234.00"), **given)
    assert ("unsupported", "$1,234.00") in faults(wrong)


def test_a_figure_of_a_past_quote_has_a_source_and_its_price_is_another_customers() -> None:
    note = f"{ITEM}> **SALESPERSON REVIEW:** 1. words from {LINES[3]['quote_number']}, line 1\n\n"
    assert faults(ask(note + "The pump gives 125 cfm.", account=OWN)) == []
    told = ask("As before, $98,500.00 for the package.", past_quotes=["Q-24-101"], account="Nobody & Sons")
    assert ("foreign", "$98,500.00") in faults(told)
    assert faults(ask("As before, $98,500.00 for the package.", past_quotes=["Q-24-101"], account=OWN)) == []


def test_what_has_a_source_is_counted_and_told_only_on_request() -> None:
    text = f"{ITEM}The QMB30 gives 125 cfm."
    short, full = (ask(text, full=full) for full in (False, True))
    assert short["supported"] == full["supported"] == 1
    assert short["findings"] == []
    assert full["findings"][0]["source"] == "Quincy QMB30"


def test_another_customer_is_found_however_the_name_is_written() -> None:
    written = "НЕNRY-FОRD HOS\u00adPI-\ntal"
    assert ("foreign", "Henry Ford Hospital") in faults(ask(f"We served {written} in the same way.", account=OWN))


def test_a_link_that_is_neither_the_houses_nor_the_customers_is_a_finding() -> None:
    assert [kind for kind, _ in faults(ask("See [pay](//evil.example) for more.", account=OWN))] == ["unsupported"]
    assert faults(ask("Write to quotes@greatlakesair.example or purchasing@groebfarms.example.", account=OWN)) == []


def test_another_customers_quote_number_is_foreign_and_one_that_there_is_not_has_no_source() -> None:
    assert ("foreign", "Q-24-102") in faults(ask("As in Q-24-102.", account=OWN))
    assert ("unsupported", "Q-24-999") in faults(ask("As in Q-24-999.", account=OWN))
    assert faults(ask("As in Q-24-101.", account=OWN)) == []


def test_a_model_that_there_is_not_and_a_maker_that_is_another_are_told() -> None:
    found = ask("The QMB31 fits.")["findings"]
    assert [(each["text"], each["right"]) for each in found] == [("QMB31", "QMB30")]
    wrong = ask("The Powerex QMB30 fits.")["findings"]
    assert [(each["verdict"], each["text"], each["right"]) for each in wrong] == [
        ("contradicted", "Powerex", "Quincy")
    ]


def test_another_customer_is_foreign_and_the_drafts_own_is_not() -> None:
    other = str(QUOTES[0]["customer"])
    text = f"{ITEM}This is what {other} has."
    assert ("foreign", other) in faults(ask(text, account="Nobody & Sons"))
    assert ("foreign", other) not in faults(ask(text, account=other))


def test_sources_that_are_not_here_are_named() -> None:
    answer = ask("Dear Sir:", products=["QMB31"], past_quotes=["Q99-0001"])
    assert answer["notice"] == "Not found: QMB31, Q99-0001."


def test_a_model_without_a_digit_is_known_by_its_name_where_the_call_says_it(deployment: Deployment) -> None:
    deployment.put_products(product(model="Alder", attributes={"hp": 30}))
    answer = ask("The Alder has 40 hp.", products=["Alder"])
    assert "notice" not in answer
    assert faults(answer) == [("contradicted", "40 hp")]


def test_past_quotes_to_the_customer_are_known_where_the_letter_names_them(deployment: Deployment) -> None:
    terms = "Net 45 days, FOB Destination, freight prepaid, valid 60 days"
    deployment.put_quotes(quote("Q20-9001", customer="Elm Foundry", quote_date="2020-04-01", terms=terms))
    line = {"quote_number": "Q20-9001", "position": 1, "description": "Screw machine for the test bay, 227 CFM."}
    deployment.put_lines({**LINES[0], **line, "model": None})
    letter = "### What we have on file\n\nIn 2020 (Q20-9001) the test bay got a machine of 227 CFM."
    told = "### Terms\n\n- Payment: Net 45 days"
    for text in (letter, told):
        assert faults(ask(text, account="Elm Foundry")) == []
        assert faults(ask(text, account="Oak Foundry")) != []


def test_the_same_fault_is_told_once_with_all_its_lines() -> None:
    answer = ask("It gives 999 cfm.\n\nIt gives 999 cfm.\n\nIt gives 998 cfm.", products=["QMB30"])
    found = [(each["text"], each["line"], each.get("also")) for each in answer["findings"]]
    assert found == [("999 cfm", 1, [3]), ("998 cfm", 5, None)]
    assert answer["faults"] > len(answer["findings"])
