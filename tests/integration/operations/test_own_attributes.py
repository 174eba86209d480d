"""Attributes as a tenant's files declare and state them: read, refused, changed, taken back, told again."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from operations.ingest import handler as ingest
from tests.aws import client
from tests.deployment import Deployment, invoke
from tests.sample_rows import line, quote

BUCKET = "own-attributes"
FILES = {
    "units/u.csv": "symbol,spellings,dimension,factor\nstage,stages|Stufen,stages,1\n",
    "families/f.csv": "family,words\npump,pump|de:Kreiselpumpe\nvalve,valve;gate valve\n",
    "attributes/a.csv": (
        "name,families,kind,unit,sense,met,close,ordered,also,words,labels,position\n"
        "head,pump,number,m,at_least,,0.1,,mH2O,total head|de:Förderhöhe,en:Head|de:Förderhöhe,10\n"
        "npsh,pump,number,m,at_most,,,,,,,\n"
        "stages,pump,number,stage,exactly,,,,,,,\n"
        "body,,text,,,,,,,body material,,\n"
        "protection,pump,text,,at_least,,,IP44|IP54|IP55,,,,\n"
        "atex,pump,flag,,,,,,,,,\n"
        "dn,valve,number,mm,,,,,,,,\n"
    ),
    "products/p.csv": (
        "model;manufacturer;category;family;description;head;NPSH;stages;body material;protection;atex;DN\n"
        "K-30;Acme;PUMP;pump;Centrifugal pump;30;2,5;2;bronze;IP55;yes;\n"
        "K-40;Acme;PUMP;pump;Centrifugal pump;131,2 ft;3,5;3 Stufen;cast iron|bronze;IP 54;no;\n"
        "K-60;Acme;PUMP;pump;Centrifugal pump;6 bar;;;;;;\n"
        "K-X;Acme;PUMP;pump;Centrifugal pump;20..60;2-3,5;;;;;\n"
        "V-80;Acme;VALVE;valve;Gate valve;;;;Grauguss;;;DN 80\n"
    ),
}

Load = Any
VALUES = """
    SELECT doc, corpus, attribute, place, kind, code, low, high, flag, raw, unit FROM search.attribute_values
    ORDER BY corpus, doc, attribute, place
"""
EXPECTED = """
    SELECT d.id AS doc, d.corpus, v.attribute, v.place, v.kind, v.code, v.low, v.high, v.flag, v.raw, v.unit
    FROM (SELECT id, 'equipment.products' AS corpus, attributes FROM equipment.products
          UNION ALL SELECT id, 'quotes.line_items', attributes FROM quotes.line_items) d
    CROSS JOIN LATERAL search.values_of(d.attributes) v ORDER BY d.corpus, d.id, v.attribute, v.place
"""


@pytest.fixture(scope="module", autouse=True)
def serving(deployment: Deployment, aws_url: str, aws_variables: dict[str, str]) -> Iterator[None]:
    client("s3", aws_url).create_bucket(Bucket=BUCKET)
    with deployment.serving("quarry_ingest", **aws_variables):
        yield


@pytest.fixture
def load(aws_url: str) -> Load:
    """Ingests the text of a file; the report, or the refusal."""

    def load(tenant: str, name: str, text: str) -> dict[str, Any]:
        client("s3", aws_url).put_object(Bucket=BUCKET, Key=f"{tenant}/{name}", Body=text.encode())
        answer = invoke(ingest, {"bucket": BUCKET, "key": f"{tenant}/{name}"}, tenant=tenant)
        report: dict[str, Any] = answer if "error" in answer else answer["reports"][0]
        return report

    return load


@pytest.fixture
def tenant(load: Load) -> str:
    """A dealer in pumps and valves."""
    name = f"ebro-{uuid4().hex[:8]}"
    for file, text in FILES.items():
        report = load(name, file, text)
        assert report.get("rejected") == 0, report
    return name


def attributes(deployment: Deployment, model: str, *, tenant: str) -> dict[str, Any] | None:
    query = "SELECT attributes FROM equipment.products WHERE model = %(model)s"
    stored: dict[str, Any] | None = deployment.rows(query, {"model": model}, tenant=tenant)[0]["attributes"]
    return stored


def test_columns_that_bear_a_name_or_a_word_of_an_attribute_are_that_attribute(
    deployment: Deployment, tenant: str
) -> None:
    assert attributes(deployment, "K-30", tenant=tenant) == {
        "head": 30, "npsh": 2.5, "stages": 2, "body": "bronze", "protection": "IP55", "atex": True,
    }  # fmt: skip
    assert attributes(deployment, "V-80", tenant=tenant) == {"body": "Grauguss", "dn": 80}


def test_a_figure_in_another_unit_is_converted_and_kept_as_it_was_written(
    deployment: Deployment, tenant: str
) -> None:
    stored = attributes(deployment, "K-40", tenant=tenant)
    assert stored is not None
    assert stored["head"] == {"value": 39.9898, "raw": "131,2 ft", "unit": "ft"}
    assert (stored["stages"], stored["atex"], stored["body"]) == (3, False, ["cast iron", "bronze"])
    # A pressure says a head, because the attribute says so.
    assert attributes(deployment, "K-60", tenant=tenant) == {"head": {"value": 61.183, "raw": "6 bar", "unit": "bar"}}


def test_ranges_are_two_ends(deployment: Deployment, tenant: str) -> None:
    assert attributes(deployment, "K-X", tenant=tenant) == {"head": [20, 60], "npsh": [2, 3.5]}


def test_what_does_not_parse_is_a_reject_with_cell_attribute_and_unit(load: Load, tenant: str) -> None:
    report = load(
        tenant, "products/q.csv", "model,manufacturer,category,family,description,head\nA,A,P,pump,P,40 kg\n"
    )
    assert [reject["reason"] for reject in report["rejects"]] == [
        "head: '40 kg' is in kg, which does not measure what head has in m (line 2, column 'head')"
    ]


def test_what_is_declared_for_other_families_is_stored_and_doubted_once(load: Load, tenant: str) -> None:
    rows = "V-90;Acme;VALVE;valve;Gate valve;3\nV-91;Acme;VALVE;valve;Gate valve;4\n"
    report = load(tenant, "products/q.csv", f"model;manufacturer;category;family;description;head\n{rows}")
    assert report["inserted"] == 2
    assert report["doubts"] == [
        "head is declared for pump, but rows of other families have it: declare it for these, or leave it out (2): "
        "'valve' in line 2; 'valve' in line 3"
    ]


def test_a_column_that_nobody_declared_is_refused_with_what_is_declared(load: Load, tenant: str) -> None:
    refused = load(
        tenant, "products/q.csv", "model,manufacturer,category,family,description,colour\nA,A,P,pump,P,red\n"
    )
    assert "unknown columns ['colour']" in refused["message"]
    assert "Attributes that you have declared are atex, body, dn (mm), head (m), npsh (m)" in refused["message"]


def test_json_lines_have_attributes_among_their_fields_or_in_their_own_place(
    deployment: Deployment, load: Load, tenant: str
) -> None:
    row = '"manufacturer": "Acme", "category": "P", "family": "pump", "description": "A pump"'
    told = '{"value": 20, "raw": "65 ft", "unit": "ft", "system": "ETIM", "code": "EF000008"}'
    report = load(
        tenant, "products/j.jsonl",
        f'{{"model": "J-1", {row}, "head": "12 ft", "npsh": null, '
        '"attributes": {"body": ["a", "b"], "atex": true}}\n'
        f'{{"model": "J-2", {row}, "attributes": {{"head": {told}, "dn": [50, 80]}}}}\n'
        f'{{"model": "J-3", {row}, "colour": "red"}}\n'
        f'{{"model": "J-4", {row}, "attributes": {{"head": ["a", "b"]}}}}\n',
    )  # fmt: skip
    assert [reject["reason"].split(";")[0] for reject in report["rejects"]] == [
        "colour: 'red' is no attribute of your goods: "
        "atex, body, dn (mm), head (m), npsh (m), protection, stages (stage)",
        "head: is no number",
    ]
    first = attributes(deployment, "J-1", tenant=tenant)
    assert first == {"head": {"value": 3.6576, "raw": "12 ft", "unit": "ft"}, "body": ["a", "b"], "atex": True}
    second = attributes(deployment, "J-2", tenant=tenant)
    assert second is not None
    assert (second["head"]["code"], second["dn"]) == ("EF000008", [50, 80])


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [
        ("attributes", "name,unit\nflow,florps\n", "unit: 'florps' is no unit that is known"),
        ("attributes", "name,kind,unit\nflow,text,l/s\n", "what has a unit is a number"),
        ("attributes", "name,kind,ordered\nflow,number,1|2\n", "an order is of texts"),
        ("attributes", "name,unit,close\nflow,l/s,-1\n", "close: '-1'"),
        (
            "attributes",
            "name,families,unit\nflow,turbine,l/s\n",
            "families: 'turbine' is no family of yours: pump, valve",
        ),
        ("attributes", "name,unit\nhead,ft\n", "unit: rows have head as a number in m: undo them first"),
        ("attributes", "name,kind\nmodel,text\n", "'model' is a field of every row"),
        ("attributes", "name,labels\nflow,Förderstrom\n", "needs the language before each label"),
        ("units", "symbol,dimension,factor\nx,length,0\n", "factor: '0' is 0"),
        ("vocabulary", "term,attribute,value\nred,colour,red\n", "'colour' is no attribute: family, "),
        ("vocabulary", "term,attribute,value\npot,family,tank\n", "value: 'tank' is no family of yours"),
        ("equivalents", "maker,model\nKSB,X\n", "say what it is worth"),
        (
            "products",
            "model,manufacturer,category,family,description\nA,A,P,tank,P\n",
            "'tank' is no family of yours",
        ),
    ],
)
def test_what_a_declaration_may_not_say(load: Load, tenant: str, kind: str, text: str, reason: str) -> None:
    report = load(tenant, f"{kind}/x.csv", text)
    assert report["rejected"] == 1, report
    assert reason in report["rejects"][0]["reason"]


def test_a_unit_may_be_said_anew_where_its_figures_stay_the_same(
    deployment: Deployment, load: Load, tenant: str
) -> None:
    units = "symbol,spellings,dimension,factor,reference\nmlc,meter of liquid,length,1,\nmlc abs,,length,1,absolute\n"
    assert load(tenant, "units/u.csv", units)["rejected"] == 0
    for unit in ("metre", "mlc", "mlc abs"):
        assert load(tenant, "attributes/x.csv", f"name,unit\nhead,{unit}\n")["rejected"] == 0, unit
    [stored] = deployment.rows("SELECT unit FROM search.attributes WHERE name = 'head'", tenant=tenant)
    assert stored == {"unit": "mlc abs"}


def test_a_known_unit_has_spellings_added_by_its_symbol_alone(
    deployment: Deployment, load: Load, tenant: str
) -> None:
    rows = "symbol,spellings,dimension,factor\nmonths,mths|mnths,,\nmonthz,mz,,\nmonth,mh,,\n"
    assert load(tenant, "units/u.csv", rows)["rejected"] == 2
    assert load(tenant, "attributes/x.csv", "name,unit\nshelf,mnths\n")["rejected"] == 0
    [stored] = deployment.rows("SELECT dimension, factor FROM search.units WHERE symbol = 'months'", tenant=tenant)
    assert stored == {"dimension": "time", "factor": 2629746}


def test_a_term_may_mean_several_values_and_a_competitor_has_attributes(
    deployment: Deployment, load: Load, tenant: str
) -> None:
    words = (
        "term,language,attribute,value\nstainless,en,body,1.4408\nstainless,en,body,1.4401\nVentil,de,family,valve\n"
    )
    assert load(tenant, "vocabulary/v.csv", words)["inserted"] == 3
    assert load(tenant, "equivalents/e.csv", "maker,model,family,head\nKSB,Etanorm,pump,100 ft\n")["inserted"] == 1
    [worth] = deployment.rows("SELECT attributes FROM search.equivalents", tenant=tenant)
    assert worth["attributes"]["head"]["value"] == 30.48


def test_lines_of_quotes_have_attributes_as_products_have(deployment: Deployment, load: Load, tenant: str) -> None:
    deployment.put_quotes(quote("Q-1"), tenant=tenant)
    fields = "quote_number,position,category,family,description,quantity,currency,Förderhöhe"
    report = load(tenant, "line_items/l.csv", f"{fields}\nQ-1,1,PUMP,pump,A pump as agreed,1,EUR,25 m\n")
    assert report["inserted"] == 1, report
    assert deployment.rows("SELECT attributes FROM quotes.line_items", tenant=tenant) == [
        {"attributes": {"head": 25}}
    ]


def test_a_declaration_goes_after_the_rows_that_have_it(load: Load, tenant: str) -> None:
    listed = invoke(ingest, {"ingests": True}, tenant=tenant)["ingests"]
    numbers = {each["kind"]: each["ingest_id"] for each in listed}
    assert "5 products" in invoke(ingest, {"undo": numbers["attributes"]}, tenant=tenant)["message"]
    assert "5 products" in invoke(ingest, {"undo": numbers["families"]}, tenant=tenant)["message"]
    assert invoke(ingest, {"undo": numbers["products"]}, tenant=tenant)["removed"] == 5
    assert invoke(ingest, {"undo": numbers["attributes"]}, tenant=tenant)["removed"] == 7


def test_a_file_taken_back_leaves_the_attributes_as_they_were(
    deployment: Deployment, load: Load, tenant: str
) -> None:
    before = attributes(deployment, "K-30", tenant=tenant), deployment.rows(VALUES, tenant=tenant)
    report = load(
        tenant, "products/r.csv", "model,manufacturer,category,family,description,head\nK-30,Acme,PUMP,pump,New,99\n"
    )
    assert attributes(deployment, "K-30", tenant=tenant) == {**(before[0] or {}), "head": 99}
    assert invoke(ingest, {"undo": report["ingest_id"]}, tenant=tenant)["restored"] == 1
    assert (attributes(deployment, "K-30", tenant=tenant), deployment.rows(VALUES, tenant=tenant)) == before


def test_words_of_a_row_are_its_values_that_are_words(deployment: Deployment, tenant: str) -> None:
    [document] = deployment.rows(
        "SELECT (equipment.product_document(p)).attributes AS words FROM equipment.products p WHERE model = 'K-40'",
        tenant=tenant,
    )
    assert document["words"] == "pump, cast iron, bronze, IP 54"


def test_lines_and_products_of_one_number_are_told_apart(deployment: Deployment, tenant: str) -> None:
    deployment.put_quotes(quote("Q-2"), tenant=tenant)
    deployment.put_lines(line("Q-2", 1, "A pump", family="pump", attributes={"head": 7}), tenant=tenant)
    assert deployment.rows(VALUES, tenant=tenant) == deployment.rows(EXPECTED, tenant=tenant)
    deployment.rows("DELETE FROM equipment.products", tenant=tenant)
    assert [row["low"] for row in deployment.rows(VALUES, tenant=tenant)] == [7]
