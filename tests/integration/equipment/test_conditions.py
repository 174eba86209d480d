"""A dealer of pumps in Polish, whose files say what a pump delivers at which head, asked through the tools."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from equipment import get_specs, list_attributes, search_equipment
from operations.ingest import handler as ingest
from operations.own_words import attributes_of
from quarry.corpora import PRODUCTS
from quarry.retrieval import legs
from quotes import search_line_items
from tests.aws import client
from tests.deployment import Deployment, invoke

BUCKET = "conditions"
DECLARED = (
    "name;families;kind;unit;sense;met;close;adds;words;point\n"
    "wydajnosc;pompa;number;m³/h;at_least;;0,1;sum;pl:wydajność;\n"
    "podnoszenie;pompa;number;m;at_least;;;;pl:wysokość podnoszenia;\n"
    "gestosc;pompa;number;kg/m³;;;;;pl:gęstość;\n"
    "q_10;pompa;;m³/h;;;;;pl:Q przy 10 m;wydajnosc at podnoszenie 10 m\n"
    "q_20;pompa;;m³/h;;;;;pl:Q przy 20 m;wydajnosc at podnoszenie 20 m\n"
    "q_30;pompa;;l/min;;;;;pl:Q przy 30 m;wydajnosc at podnoszenie 30 m\n"
    "woda;pompa;;;;;;;pl:współczynnik dla wody;wydajnosc at gestosc 1000 kg/m³\n"
    "solanka;pompa;;;;;;;pl:współczynnik dla solanki;wydajnosc at gestosc 1200 kg/m³\n"
)
FILES = (
    ("families", "family;name;words\npompa;Pompa;pl:pompa wirowa\n"),
    ("attributes", DECLARED),
    (
        "products",
        "model;manufacturer;category;family;description;Wydajność;Q przy 10 m;Q przy 20 m;Q przy 30 m;woda;solanka\n"
        "PW-40;Hydro;POMPA;pompa;Pompa wirowa;40 m³/h;36;28;300;1,00;0,80\n"
        "PW-60;Hydro;POMPA;pompa;Pompa wirowa;60 m³/h;54;42;450;1,00;0,80\n"
        "PW-90;Hydro;POMPA;pompa;Pompa wirowa;90 m³/h;80;;;;\n"
        "PX-50;Hydro;POMPA;pompa;Pompa wirowa;50 m³/h;;;;;\n",
    ),
    ("past_quotes", "quote_number,customer,quote_date,project,summary,status,currency\n"
        "O-1,Zakład,2025-03-04,Studnia,Pompa,won,PLN\n",
    ),
    (
        "line_items",
        "quote_number,position,category,family,manufacturer,model,description,quantity\n"
        "O-1,1,POMPA,pompa,Hydro,PW-60,Pompa do studni,1\n",
    ),
)  # fmt: skip
type Load = Callable[[str, str], dict[str, Any]]


@pytest.fixture
def dealer() -> str:
    return f"pompy-{uuid4().hex[:8]}"


@pytest.fixture
def load(deployment: Deployment, aws_url: str, aws_variables: dict[str, str], dealer: str) -> Load:
    s3 = client("s3", aws_url)
    s3.create_bucket(Bucket=BUCKET)

    def load(kind: str, text: str) -> dict[str, Any]:
        s3.put_object(Bucket=BUCKET, Key=f"{dealer}/{kind}/{kind}.csv", Body=text.encode())
        with deployment.serving("quarry_ingest", **aws_variables):
            [report] = invoke(ingest, {"bucket": BUCKET, "key": f"{dealer}/{kind}/{kind}.csv"}, tenant=dealer)[
                "reports"
            ]
        return dict(report)

    return load


def test_a_pump_is_judged_at_the_head_of_the_job_in_every_tool_that_judges(
    deployment: Deployment, load: Load, dealer: str
) -> None:
    for kind, text in FILES:
        report = load(kind, text)
        assert report["rejected"] == 0, report
    needs = [{"attribute": "wydajność", "is": ">= 30 m³/h"}, {"attribute": "wysokość podnoszenia", "is": "25 m"}]
    with deployment.serving("quarry_read"):
        found = invoke(search_equipment.handler, {"needs": needs}, tenant=dealer)
        brine = invoke(
            search_equipment.handler,
            {"needs": [{"attribute": "wydajnosc", "is": ">= 30 m³/h"}, {"attribute": "podnoszenie", "is": "2000 cm"},
                       {"attribute": "gestosc", "is": "1100 kg/m³"}]},
            tenant=dealer,
        )  # fmt: skip
        legs.sizes()[dealer, PRODUCTS] = 1_000_000  # of a large catalogue SQL takes only rows that meet the needs
        of_many = invoke(search_equipment.handler, {"needs": needs}, tenant=dealer)
        specs = invoke(get_specs.handler, {"models": ["PW-40"], "needs": needs}, tenant=dealer)
        sold = invoke(search_line_items.handler, {"needs": needs}, tenant=dealer)
        listed = invoke(list_attributes.handler, {"families": ["pompa"]}, tenant=dealer)
    rows = {row[0]: dict(zip(found["columns"], row, strict=True)) for row in found["rows"]}
    assert found["rows"][0][0] == "PW-60"
    assert {model: (row["fit"], row["wydajnosc"]) for model, row in rows.items()} == {
        "PW-60": ("++", "34.5 m³/h at 25 m"),
        "PW-90": ("??", "90 m³/h, not known at 25 m"),
        "PX-50": ("+?", "50 m³/h"),
        "PW-40": ("-+", "23 m³/h at 25 m"),
    }
    assert of_many["rows"] == found["rows"]
    assert brine["rows"][0][:2] == ["PW-60", "+++"]
    assert "37.8" in str(brine["results"][0]["fit"])
    assert "(42 at 20 m × 0.9 at 1100 kg/m³)" in str(brine["results"][0]["fit"])
    assert specs["products"][0]["fit"] == [
        "wydajnosc contradicted: 23 m³/h at 25 m", "podnoszenie met: 10..30 m",
    ]  # fmt: skip
    assert sold["results"][0]["fit"][0] == "wydajnosc met: 34.5 m³/h at 25 m"
    lines = listed["attributes"][0]["attributes"].splitlines()
    assert "podnoszenie (m): 10..30 [3] · a need, at which wydajnosc is judged" in lines
    assert not any(line.startswith(("q_10", "solanka")) for line in lines)
    load("products", "model;manufacturer;category;family;description;podnoszenie\n"
         "PX-20;Hydro;POMPA;pompa;Pompa;20\nPX-70;Hydro;POMPA;pompa;Pompa;70\n")  # fmt: skip
    with deployment.serving("quarry_read"):
        filters = [{"attribute": "podnoszenie", "is": ">= 25 m"}]
        hidden = invoke(search_equipment.handler, {"filters": filters}, tenant=dealer)
    assert {row[0] for row in hidden["rows"]} == {"PW-40", "PW-60", "PW-90", "PX-70"}, "with points, or 70 m itself"
    assert "hides no row with points of wydajnosc" in hidden["unread"][0]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("q;pompa;;m³/h;;;;;;wydajnosc przy podnoszenie 10 m",
         "point: 'wydajnosc przy podnoszenie 10 m' says no point: write the attribute, 'at', the condition"),
        ("q;pompa;;m³/h;;;;;;wydajnosc at glebokosc 10 m", "'glebokosc' is no attribute of yours: declare it"),
        ("q;pompa;;m³/h;;;;;;q_10 at podnoszenie 10 m", "'q_10' is no other number that is itself no point"),
        ("q;pompa;;m³/h;;;;;;wydajnosc at podnoszenie 10 kg",
         "'10 kg' is no figure of podnoszenie, which is in m"),
        ("q;pompa;;kW;;;;;;wydajnosc at podnoszenie 10 m", "kW is no unit of wydajnosc, in m³/h: give it one"),
        ("q;pompa;text;;;;;;;wydajnosc at podnoszenie 10 m", "a point is a number, in a unit of wydajnosc"),
    ],
)  # fmt: skip
def test_a_point_that_says_nothing_is_refused_with_what_to_write(load: Load, row: str, told: str) -> None:
    load("families", FILES[0][1])
    report = load("attributes", f"{DECLARED}{row}\n")
    assert (report["inserted"], report["rejected"]) == (8, 1)
    assert told in str(report)


def test_a_point_is_taken_back_with_its_load(
    deployment: Deployment, load: Load, dealer: str, aws_variables: dict[str, str]
) -> None:
    load("families", FILES[0][1])
    load("attributes", DECLARED)
    changed = load("attributes", "name;point\nq_10;wydajnosc at podnoszenie 12 m\n")
    assert (changed["updated"], changed["rejected"]) == (1, 0), changed
    with deployment.serving("quarry_ingest", **aws_variables):
        points = [attributes_of(dealer).by_name["q_10"].point]
        invoke(ingest, {"undo": changed["ingest_id"]}, tenant=dealer)
        points.append(attributes_of(dealer).by_name["q_10"].point)
    assert points == ["wydajnosc at podnoszenie 12 m", "wydajnosc at podnoszenie 10 m"]
