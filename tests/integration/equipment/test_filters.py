"""Filters, listings and groups of search_equipment on real Postgres."""

from collections.abc import Iterator
from typing import Any

import pytest

from equipment.list_attributes import handler as list_attributes
from equipment.search_equipment import handler
from operations.own_words import FAMILIES, VOCABULARY
from tests.deployment import Deployment, invoke
from tests.sample_rows import PRODUCTS, product


@pytest.fixture(scope="module", autouse=True)
def serving(deployment: Deployment) -> Iterator[None]:
    deployment.put_products(*PRODUCTS)
    with deployment.serving("quarry_read"):
        yield


def search(**arguments: Any) -> dict[str, Any]:
    answer = invoke(handler, arguments)
    assert "error" not in answer, answer
    return answer


def where(attribute: str, asked: str) -> dict[str, Any]:
    return {"filters": [{"attribute": attribute, "is": asked}]}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (where("hp", ">= 100"), {"Q$ync 100", "OFX-100", "SES100", "HX-100"}),
        ({"hp_min": 100}, {"Q$ync 100", "OFX-100", "SES100", "HX-100"}),
        ({"cfm_min": 300, "cfm_max": 420}, {"OFX-100", "SES100", "VP 300"}),
        ({"psi_min": 232, "hp_min": 1}, set()),
        (where("lubrication", "oilless"), {"SES100"}),
        (where("lubrication", "not oilless"), {"QMB30", "Q$ync 100", "OFX-100"}),
        (where("lubrication", "oilless | oil-free"), {"SES100", "OFX-100"}),
        (where("dewpoint_f", "<= 38"), {"RD-500"}),
        ({"family": "blower", **where("manufacturer", "zenith")}, {"AX-5"}),
        ({"family": "blower", "filters": [*where("manufacturer", "not Nobody")["filters"]] * 12}, {"AX 5", "AX-5"}),
        (where("manufacturer", "%"), set()),
        (where("category", "%"), set()),
    ],
)
def test_only_and_all_rows_that_say_so_pass(arguments: dict[str, Any], expected: set[str]) -> None:
    answer = search(**arguments)
    assert {row[0] for row in answer["rows"]} == expected
    assert answer["total"] == len(expected)


def test_without_words_all_rows_are_listed_and_three_are_told() -> None:
    answer = search()
    assert (len(answer["rows"]), answer["total"], len(answer["results"])) == (len(PRODUCTS), len(PRODUCTS), 3)


def test_rows_come_in_the_order_of_an_attribute() -> None:
    rows = search(sort="cfm", top_k=3, columns=["lubrication"])["rows"]
    assert [row[:2] for row in rows] == [["QMB30", "125 cfm"], ["VP 300", "300 cfm"], ["SES100", "330 cfm"]]


def test_groups_count_what_filters_leave() -> None:
    answer = search(group="manufacturer", family="compressor")
    assert [row[:2] for row in answer["rows"]] == [
        ["Quincy", "2"], ["Acme", "1"], ["Atlas", "1"], ["Powerex", "1"],
    ]  # fmt: skip
    assert invoke(handler, {"group": "hp", "query": "x"})["code"] == "VALIDATION_ERROR"


def test_a_filter_on_what_rows_of_another_search_have_hides_none_and_is_told() -> None:
    answer = search(**where("discount_pct", ">= 10"))
    assert answer["total"] == len(PRODUCTS)
    assert answer["unread"] == [
        "Not filtered by discount_pct >= 10: rows of this search have none; those of another search may"
    ]


def test_filters_that_leave_nothing_say_what_each_leaves() -> None:
    assert "hp >= 200 0, hp <= 1000 7" in search(hp_min=200, hp_max=1000, group="family")["notice"]
    assert "hp >= 200 0, hp <= 1000 7" in search(hp_min=200, hp_max=1000)["notice"]
    assert "Nobody here has lubrication 'greasy'" in search(**where("lubrication", "greasy"))["notice"]


def test_rows_that_say_nothing_of_a_filter_or_an_order_are_counted_where_goods_of_their_kind_could(
    deployment: Deployment,
) -> None:
    goods = [product("N-1", family="nozzle", bore=4), product("N-2", family="nozzle"), product("P-1", family="pipe")]
    deployment.declare({"name": "bore", "families": ["nozzle"], "kind": "number"}, families=["nozzle", "pipe"],
                       tenant="nozzles")  # fmt: skip
    deployment.put_products(*goods, tenant="nozzles")

    def notice(**arguments: Any) -> str | None:
        answer = invoke(handler, arguments, tenant="nozzles")
        assert "error" not in answer, answer
        told: str | None = answer.get("notice")
        return told

    silent = "Rows that say nothing of what is asked and satisfy the rest: bore 1."
    assert notice(**where("bore", ">= 2")) == silent
    assert notice(sort="-bore") == silent
    assert notice(family="pipe", sort="-bore") is None
    assert notice() is None


def test_what_could_not_be_read_is_told_before_the_rows_that_it_did_not_filter() -> None:
    answer = search(**where("colour", "red"), needs=[{"attribute": "hp", "is": "many"}])
    assert [each.partition(":")[0] for each in answer["unread"]] == ["Not filtered by colour red", "hp many"]
    assert list(answer).index("unread") < list(answer).index("rows")


@pytest.mark.parametrize(
    ("need", "first"),
    [
        ({"attribute": "description", "is": "scroll"}, {"SES100"}),
        ({"attribute": "lubrication", "is": "oilless", "wish": True}, {"SES100"}),
        ({"attribute": "description", "is": "not scroll"}, {row["model"] for row in PRODUCTS} - {"SES100"}),
    ],
)
def test_a_need_alone_is_never_answered_with_silence(need: dict[str, Any], first: set[str]) -> None:
    assert search(needs=[need])["rows"][0][0] in first


def test_a_value_is_filtered_and_grouped_by_however_its_file_wrote_it(deployment: Deployment) -> None:
    terms = {"verz.": "zinc coated", "galv.": "zinc coated", "inox": "Stainless"}
    told = {"A": ("verz.", "zinc coated"), "B": ("galv.", "zinc coated"), "C": ("inox", "Stainless"),
            "D": ("lid/galv.", ["lid", "zinc coated"])}  # fmt: skip
    rows = [product(model, finish={"value": value, "raw": raw}) for model, (raw, value) in told.items()]
    deployment.put_products(*rows, product("E", finish="plain"), tenant="terms")
    deployment.put(
        VOCABULARY, [{"term": term, "attribute": "finish", "value": of} for term, of in terms.items()], tenant="terms"
    )
    for asked, expected in {
        "verz.": "ABD", "galv.": "ABD", "zinc coated": "ABD", "not verz.": "CE", "inox": "C", "Stainless": "C",
        "not inox": "ABDE", "plain": "E",
    }.items():  # fmt: skip
        answer = invoke(handler, where("finish", asked), tenant="terms")
        assert {row[0] for row in answer["rows"]} == set(expected), asked
        need = {"needs": where("finish", asked)["filters"], "top_k": 50}
        judged = invoke(handler, need, tenant="terms")
        met = {row[0] for row in judged["rows"] if row[judged["columns"].index("fit")] == "+"}
        assert met == set(expected), asked
    groups = invoke(handler, {"group": "finish"}, tenant="terms")["rows"]
    assert sorted(int(row[1]) for row in groups) == [1, 1, 1, 2]
    [family] = invoke(list_attributes, {"families": ["compressor"]}, tenant="terms")["attributes"]
    assert "finish: zinc coated 3, Stainless 1, lid 1, plain 1" in family["attributes"]


def test_a_family_that_the_house_lacks_is_told_with_those_it_has(deployment: Deployment) -> None:
    deployment.put(FAMILIES, [{"family": "valve", "name": "Valve"}, {"family": "pump", "name": "Pump"}], tenant="few")
    deployment.put_products(product("A", family="pump"), tenant="few")
    for asked, told in (("pompa", "nearest: pump."), ("gasket", "there are pump, valve.")):
        answer = invoke(handler, {"family": asked}, tenant="few")
        assert f"Nobody here has family '{asked}'; {told}" in answer["notice"]
    assert invoke(handler, {"family": "Pump"}, tenant="few")["total"] == 1
