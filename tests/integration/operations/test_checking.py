"""A check and a load are one function: what a check reports is what the load stores, or why it does not."""

import io
from random import Random
from typing import Any

import pytest

from operations import own_words
from operations.ingest import KINDS, handler
from operations.reading import read
from operations.tables.mapping import Mapping
from quarry.ingestion import Accepted
from tests.deployment import Deployment, invoke
from tests.integration.operations.conftest import BUCKET, House
from tests.sample_rows import product

COUNTED = ("rows_read", "inserted", "updated", "unchanged", "merged", "rejected", "rejects", "removed")
CELLS = {
    "Typ": ("A", "B", "C", "A", "", "D" * 250),
    "Marke": ("Acme", "Złoty Kłos", ""),
    "Art": ("Pumpe", "Verdichter", "Trockner", "unbekannt", ""),
    "Text": ("Eine Pumpe.", "=HYPERLINK(1)", "", "(empty)"),
    "Leistung": ("75 kW", "100", "1,5", "1.234", "viel", "-", "(empty)", "3 l", "10..20 hp"),
    "Lieferzeit": ("2 tyg.", "3", "10 d", "auf Lager", "-", "x"),
    "Kühlung": ("Luft", "Wasser|Luft", "", "(empty)"),
    "Serie": ("S", "T", ""),
}


def mapping(random: Random) -> str:
    """A mapping that may be wrong: swapped columns, units of another dimension, values that are none."""
    swapped = random.sample(["Serie", "Text", "Kühlung"], 3)
    fields = {
        "model": '{ from = "Typ" }',
        "manufacturer": f'{{ from = "{random.choice(["Marke", "Marke", "Serie"])}" }}',
        "category": '{ from = "Art" }',
        "family": '{ from = "Art", values = { "Pumpe" = "vacuum_pump", "Verdichter" = "compressor"'
        + random.choice([" } }", ', "unbekannt" = "rocket" } }', ', "unbekannt" = "Rakete" } }']),
        "description": f'{{ from = "{swapped[0]}" }}',
        "series": f'{{ from = "{swapped[1]}" }}',
        '"attributes.hp"': f'{{ from = "Leistung", unit = "{random.choice(["hp", "kW", "l"])}" }}',
        '"attributes.lead"': '{ from = "Lieferzeit", unit = "d", values = { "2 tyg." = '
        + random.choice(['"14"', '"2 weeks"', '"two weeks"', '"(empty)"'])
        + ', "auf Lager" = "0" } }',
        '"attributes.cooling"': f'{{ from = "{swapped[2]}" }}',
        '"attributes.nobody"': '{ from = "Serie" }',
    }
    left = [name for name in fields if name.startswith('"') and random.random() < 0.4]
    left += ['"attributes.nobody"'] if random.random() < 0.8 else []
    lines = [f"{name} = {rule}" for name, rule in fields.items() if name not in left]
    head = 'kind = "products"\n' + random.choice(["", 'numbers = "1.234,56"\n'])
    return f"{head}[[tables]]\n[tables.fields]\n" + "\n".join(lines) + "\n"


def table(random: Random) -> str:
    rows = [[random.choice(cells) for cells in CELLS.values()] for _ in range(random.randint(1, 12))]
    return "\n".join(";".join(f'"{cell}"' for cell in row) for row in [list(CELLS), *rows]) + "\n"


def check(house: House, kind: str, text: str, *, name: str, mapped: str | None = None) -> dict[str, Any]:
    key = f"{house.tenant}/check/{name}"
    house.s3.put_object(Bucket=BUCKET, Key=key, Body=text.encode())
    event = {"check": True, "bucket": BUCKET, "key": key, "kind": kind, "mapping": mapped}
    answer = invoke(handler, event, tenant=house.tenant)
    return answer if "error" in answer or "code" in answer else answer["reports"][0]


@pytest.mark.parametrize("seed", range(25))
def test_what_a_check_says_is_what_the_load_does_for_any_mapping_and_file(
    house: House, deployment: Deployment, seed: int
) -> None:
    random = Random(seed)
    lead = {"name": "lead", "kind": "number", "unit": "d"}
    deployment.declare(lead, tenant=house.tenant)
    house.load("products", [product("A", hp=5, series="S"), product("B", manufacturer="Złoty Kłos")])
    before = house.rows("equipment.products", "quarry.ingests", "quarry.ingest_rejects", "quarry.embedding_queue")
    text, mapped = table(random), mapping(random)
    checked = check(house, "products", text, name="list.csv", mapped=mapped)
    assert before == house.rows(
        "equipment.products", "quarry.ingests", "quarry.ingest_rejects", "quarry.embedding_queue"
    )
    house.load_text("mappings", mapped, name="list.toml")
    loaded = house.answer("products", text, name="list.csv")
    if "code" in checked:
        assert (checked["code"], checked["message"]) == (loaded["code"], loaded["message"])
        return
    [report] = loaded["reports"]
    assert {name: checked[name] for name in COUNTED} == {name: report[name] for name in COUNTED}
    expected = preview_rows(house, text, mapped)
    stored = {(row["manufacturer"], row["model"]): row for row in house.contents("equipment.products")}
    for key, said in expected.items():
        row = {**stored[key], **(stored[key]["attributes"] or {})}
        assert {name: row.get(name) for name in said} == said
    lines = {reject["line"] for reject in report["rejects"]}
    assert len(lines) == report["rejected"]


def preview_rows(house: House, text: str, mapped: str) -> dict[tuple[str, str], dict[str, Any]]:
    """What make preview would show of the rows, by their keys: the last one of a key stands."""
    rows = read(
        io.BytesIO(text.encode()),
        KINDS["products"],
        file_name="list.csv",
        mappings=[Mapping.parse(mapped, source="test")],
        attributes=own_words.attributes_of(house.tenant),
    )
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for item in rows:
        if isinstance(item, Accepted):
            said = item.row.model_dump(mode="json", include=item.row.model_fields_set - {"attributes"})
            said |= item.row.model_dump(include={"attributes"})["attributes"] or {}
            key = (said["manufacturer"], said["model"])
            emptied = {name.removeprefix("attributes.") for name in item.emptied}
            kept = {name: value for name, value in found.get(key, {}).items() if name not in emptied}
            found[key] = {**kept, **said}
    return found


def test_the_mapping_of_a_load_that_is_taken_back_is_forgotten(house: House) -> None:
    mapped = (
        'kind = "products"\n[[tables]]\n[tables.constants]\nmanufacturer = "Acme"\n'
        'family = "vacuum_pump"\n[tables.fields]\nmodel = { from = "Typ" }\ncategory = { from = "Art" }\n'
        'description = { from = "Art" }\n'
    )
    house.load_text("mappings", mapped, name="a.toml")
    house.answer("products", "Typ;Art\nA;Pumpe\n", name="a.csv")
    [second] = house.answer("products", "Typ;Art\nB;Pumpe\n", name="b.csv")["reports"]
    house.undo(second)
    assert house.answer("products", "Typ;Art\nA;Pumpe\n", name="a.csv")["reports"][0]["unchanged"] == 1
    for report in house.listed():
        if report["undone_at"] is None and report["kind"] == "products":
            house.undo(report)
    refused = house.answer("products", "Typ;Art\nA;Pumpe\n", name="a.csv")
    assert "no mapping says which fields" in refused["message"]
    assert house.rows("quarry.ingest_mappings") == []


def test_a_load_tells_its_rejects_by_cause_with_their_count_and_first_places(house: House) -> None:
    rows = [{**product(f"M-{number}"), "family": "rocket"} for number in range(30)]
    report = house.load("products", rows, rejected=30)
    [cause] = report["causes"]
    assert cause.startswith("family is no family of yours: accessory")
    assert cause.endswith("(30): 'rocket' in line 1; 'rocket' in line 2; 'rocket' in line 3 and 27 more")
