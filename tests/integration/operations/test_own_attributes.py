"""Attributes of a tenant's own families: declared, ingested, found, filtered, judged, taken back."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from equipment.get_product import handler as get_product
from equipment.search_equipment import handler as search_equipment
from operations.ingest import handler as ingest
from quotes.search_line_items import handler as search_line_items
from tests.aws import client
from tests.deployment import Deployment, invoke
from tests.sample_rows import line, product, quote

BUCKET = "own-attributes"
TENANT = "ebro-attributes"
FILES = {
    "families/f.csv": "family,words\npump,pump;Kreiselpumpe\nvalve,valve;gate valve\n",
    "attributes/a.csv": (
        "name,families,unit,bound,words\n"
        "head,pump,m,at_least,total head;Förderhöhe\nnpsh,pump,m,at_most,\nimpeller,pump,,,Laufrad\n"
        "dn,valve,mm,,\npn,valve,bar,,\nbody,valve,,,body material\n"
    ),
    "products/p.csv": (
        "model;manufacturer;category;family;description;hp;attributes.head;attributes.npsh;attributes.impeller;"
        "attributes.dn;attributes.pn;attributes.body\n"
        "K-30;Acme;PUMP;pump;Centrifugal pump;10;30;2,5;bronze;;;\n"
        "K-40;Acme;PUMP;pump;Centrifugal pump;15;131,2 ft;3,5;cast iron;;;\n"
        "K-60;Acme;PUMP;pump;Centrifugal pump;20;60;5;cast iron;;;\n"
        "V-80-10;Acme;VALVE;valve;Gate valve;;;;;DN 80;PN10;bronze\n"
        "V-80-16;Acme;VALVE;valve;Gate valve;;;;;80;16;cast iron\n"
        "V-100-16;Acme;VALVE;valve;Gate valve;;;;;100;1600 kPa;cast iron\n"
        "SOFT;Acme;VALVE;valve;A valve that says nothing of itself;;;;;;;\n"
    ),
}


@pytest.fixture(scope="module", autouse=True)
def loaded(deployment: Deployment, aws_url: str, aws_variables: dict[str, str]) -> Iterator[None]:
    client("s3", aws_url).create_bucket(Bucket=BUCKET)
    with deployment.serving("quarry_ingest", **aws_variables):
        for name, text in FILES.items():
            assert load(aws_url, name, text)["rejected"] == 0
    deployment.put_quotes(quote("Q-1"), tenant=TENANT)
    deployment.put_lines(
        line("Q-1", 1, "Pump as agreed", model="K-40", family="pump", manufacturer="Acme"), tenant=TENANT
    )
    deployment.embed()
    with deployment.serving("quarry_read", **aws_variables):
        yield


def load(aws_url: str, name: str, text: str) -> dict[str, Any]:
    client("s3", aws_url).put_object(Bucket=BUCKET, Key=f"{TENANT}/{name}", Body=text.encode())
    answer = invoke(ingest, {"bucket": BUCKET, "key": f"{TENANT}/{name}"}, tenant=TENANT)
    assert "error" not in answer, answer
    report: dict[str, Any] = answer["reports"][0]
    return report


@contextmanager
def ingesting(deployment: Deployment, aws_variables: dict[str, str]) -> Iterator[None]:
    with deployment.serving("quarry_ingest", **aws_variables):
        yield


def search(query: str, **arguments: Any) -> dict[str, Any]:
    return invoke(search_equipment, {"query": query, "top_k": 50, **arguments}, tenant=TENANT)


def models(query: str, **arguments: Any) -> list[str]:
    answer = search(query, **arguments)
    assert "error" not in answer, answer
    return [hit["product"]["model"] for hit in answer["results"]]


@pytest.mark.parametrize(
    ("filters", "satisfying"),
    [
        ("head>=40", {"K-60"}),
        ("head>=39", {"K-40", "K-60"}),
        ("head >= 128 ft; npsh<=4", {"K-40"}),
        ("dn=80", {"V-80-10", "V-80-16"}),
        ("DN: 80 mm; pn=16", {"V-80-16"}),
        ("pn>=11; pn<=20", {"V-80-16", "V-100-16"}),
        ("body=bronze", {"V-80-10"}),
        ("impeller=Cast Iron", {"K-40", "K-60"}),
    ],
)
def test_filters_on_own_attributes_are_never_lossy_and_unknown_never_matches(
    filters: str, satisfying: set[str]
) -> None:
    assert set(models("goods", attributes=filters)) == satisfying


def test_a_filter_on_something_else_is_refused_with_what_there_is() -> None:
    refused = search("pump", attributes="haed>=40")
    assert refused["code"] == "VALIDATION_ERROR"
    assert "body, dn (mm), head (m), impeller, npsh (m), pn (bar)" in refused["message"]
    assert "no figure for head" in search("pump", attributes="head>=40 hp")["message"]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("pump with a head of at least 55 m", "K-60"),
        ("Kreiselpumpe Förderhöhe 38 m", "K-40"),
        ("bronze impeller pump", "K-30"),
        ("gate valve DN80 PN16", "V-80-16"),
        ("DN 80 PN 10 valve", "V-80-10"),
        ("DN 100, 16 bar PN", "V-100-16"),
    ],
)
def test_what_own_attributes_ask_for_decides_what_comes_first(query: str, first: str) -> None:
    assert models(query)[0] == first


def test_understood_needs_and_fit_name_them_in_their_unit() -> None:
    answer = search("pump, head at least 131 ft")
    assert answer["understood"] == ["pump, head at least 39.929 m"]
    fits = {hit["product"]["model"]: hit["fit"] for hit in answer["results"]}
    assert "head 60 m met" in fits["K-60"]
    assert "head 30 m, asked ≥ 39.9 m: contradicted" in fits["K-30"]


def test_a_product_shows_what_it_has_with_its_unit() -> None:
    shown = invoke(get_product, {"model": "K-40"}, tenant=TENANT)["product"]
    assert shown["attributes"] == {"head": "39.99 m", "impeller": "cast iron", "npsh": "3.5 m"}


def test_a_line_has_the_attributes_of_its_product() -> None:
    def lines(**arguments: Any) -> list[dict[str, Any]]:
        answer = invoke(search_line_items, {"query": "pump", **arguments}, tenant=TENANT)
        return answer["results"]  # type: ignore[no-any-return]  # a list, as the tool declares

    assert [hit["line_item"]["model"] for hit in lines(attributes="head>=39")] == ["K-40"]
    assert lines(attributes="head>=60") == []
    assert "head 39.99 m met" in lines(query="pump with 39 m head")[0]["fit"]


def test_an_attribute_nobody_declared_or_of_another_type_is_a_reject(
    deployment: Deployment, aws_url: str, aws_variables: dict[str, str]
) -> None:
    rows = "model,manufacturer,category,family,description,attributes.head,attributes.colour\n"
    with ingesting(deployment, aws_variables):
        report = load(aws_url, "products/q.csv", rows + "A,Acme,P,pump,A pump,,red\nB,Acme,P,pump,A pump,high,\n")
    reasons = [reject["reason"] for reject in report["rejects"]]
    assert report["rejected"] == 2
    assert reasons[0].startswith("attributes: 'colour' is none of yours: body, dn, head, impeller, npsh, pn")
    assert reasons[1] == "attributes: head has to be a number in m"


def test_a_unit_stays_while_products_are_in_it_and_a_declaration_goes_after_them(
    deployment: Deployment, aws_url: str, aws_variables: dict[str, str]
) -> None:
    with ingesting(deployment, aws_variables):
        report = load(aws_url, "attributes/b.csv", "name,families,unit\nhead,pump,ft\nhp,pump,hp\nflow,turbine,l/s\n")
        kept = {each["ingest_id"]: each for each in invoke(ingest, {"ingests": True}, tenant=TENANT)["ingests"]}
        declared = min(number for number, each in kept.items() if each["kind"] == "attributes")
        refused = invoke(ingest, {"undo": declared}, tenant=TENANT)
    assert [reject["reason"].split(":")[0] for reject in report["rejects"]] == ["unit", "row", "families"]
    assert refused["code"] == "CONFLICT"
    assert "7 products" not in refused["message"]
    assert "6 products refer to what" in refused["message"]


def test_a_file_taken_back_leaves_the_attributes_as_they_were(
    deployment: Deployment, aws_url: str, aws_variables: dict[str, str]
) -> None:
    held = "SELECT attributes FROM equipment.products WHERE tenant = %(tenant)s AND model = 'K-30'"
    before = deployment.rows(held, {"tenant": TENANT}, tenant=TENANT)
    rows = "model,manufacturer,category,family,description,attributes.head\nK-30,Acme,PUMP,pump,Centrifugal pump,99\n"
    with ingesting(deployment, aws_variables):
        report = load(aws_url, "products/r.csv", rows)
        assert deployment.rows(held, {"tenant": TENANT}, tenant=TENANT) == [{"attributes": {"head": 99}}]
        assert invoke(ingest, {"undo": report["ingest_id"]}, tenant=TENANT)["restored"] == 1
    assert deployment.rows(held, {"tenant": TENANT}, tenant=TENANT) == before


def test_products_without_own_attributes_are_as_they_were(deployment: Deployment) -> None:
    deployment.put_products(product("PLAIN", hp=5), tenant="plain-house")
    [stored] = deployment.rows(
        "SELECT attributes, equipment.attributes_shown(attributes) AS shown FROM equipment.products "
        "WHERE tenant = 'plain-house'",
        tenant="plain-house",
    )
    assert stored == {"attributes": None, "shown": None}
