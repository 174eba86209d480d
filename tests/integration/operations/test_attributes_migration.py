"""Migration 0036: what rows said in columns of one trade stands in their attributes, and nothing else changes."""

from typing import Any

import psycopg
import pytest

from local.database import OWNER
from local.files import ROOT
from operations import migrations
from tests.deployment import DIMENSIONS, MODEL, PASSWORD, TENANT, Deployment

BEFORE = """
    INSERT INTO quarry.tenants VALUES ('acme'), ('rival');
    INSERT INTO quarry.ingests (tenant, kind, source) VALUES ('acme', 'products', 'old.csv');
    SELECT set_config('quarry.ingest', (SELECT max(id)::text FROM quarry.ingests), false);
    INSERT INTO search.attributes (tenant, name, type, unit, bound)
    VALUES ('acme', 'head', 'number', 'm', 'at_least');
    INSERT INTO search.vocabulary (tenant, term, attribute, value) VALUES ('acme', 'dry', 'lubrication', 'oil-free');
    INSERT INTO equipment.products (
        tenant, model, manufacturer, category, family, description, hp, cfm, lubrication, attributes)
    VALUES ('acme', 'QMB30', 'Quincy', 'ROTARY SCREW', 'compressor', 'A compressor on a 120 gallon tank.',
            30, 125, 'oil-free', '{"head": 40}');
    INSERT INTO quotes.past_quotes (tenant, quote_number, customer, quote_date, project, summary, status, currency)
    VALUES ('acme', 'Q1', 'Groeb', '2024-01-01', 'Air', 'Air for honey.', 'won', 'USD');
    INSERT INTO quotes.line_items (tenant, quote_id, position, category, family, description, quantity, currency, hp)
    SELECT 'acme', id, 1, 'ROTARY SCREW', 'compressor', 'A compressor', 1, 'USD', 50 FROM quotes.past_quotes;
    INSERT INTO search.equivalents (tenant, maker, model, family, hp, cooling)
    VALUES ('acme', 'Kaeser', '', 'dryer', 40, 'air');
    UPDATE search.attributes SET unit = 'ft';
    INSERT INTO quarry.ingests (tenant, kind, source) VALUES ('acme', 'products', 'new.csv');
    SELECT set_config('quarry.ingest', (SELECT max(id)::text FROM quarry.ingests), false);
    UPDATE equipment.products SET hp = 35;
    UPDATE search.attributes SET bound = 'exactly';
"""


@pytest.fixture
def migrated(blank: Deployment) -> Deployment:
    found = migrations.read(ROOT / "migrations")
    before = next(place for place, one in enumerate(found) if one.name.endswith("_attributes") and one.version == 36)
    with psycopg.connect(blank.superuser_dsn, user=OWNER, password=PASSWORD, autocommit=True) as connection:
        migrations.apply(connection, found[:before], model=MODEL, dimensions=DIMENSIONS)
        connection.execute("SELECT set_config('quarry.tenant', 'acme', false)")
        connection.execute(BEFORE)
        connection.execute("SELECT set_config('quarry.ingest', '', false)")
        migrations.apply(connection, found, model=MODEL, dimensions=DIMENSIONS)
        for role in ("quarry_ingest", "quarry_read"):
            connection.execute(f"ALTER ROLE {role} PASSWORD '{PASSWORD}'")
    return blank


def attributes(deployment: Deployment, table: str) -> dict[str, Any]:
    content: dict[str, Any] = deployment.rows(f"SELECT attributes FROM {table}")[0]["attributes"]  # noqa: S608
    return content


def test_columns_become_attributes_of_the_same_names(migrated: Deployment) -> None:
    assert attributes(migrated, "equipment.products") == {
        "hp": 35, "cfm": 125, "lubrication": "oil-free", "gallons": 120, "head": 40,
    }  # fmt: skip
    assert attributes(migrated, "quotes.line_items") == {"hp": 50}
    assert attributes(migrated, "search.equivalents") == {"hp": 40, "cooling": "air"}


def test_what_rows_have_is_declared_and_their_families_are_there(migrated: Deployment) -> None:
    declared = {row["name"]: row for row in migrated.rows("SELECT * FROM search.attributes")}
    assert {"hp", "cfm", "lubrication", "gallons", "cooling", "head"} == set(declared)
    assert (declared["hp"]["kind"], declared["hp"]["unit"]) == ("number", "hp")
    assert declared["lubrication"]["kind"] == "text"
    assert (declared["head"]["kind"], declared["head"]["unit"], declared["head"]["close"]) == ("number", "ft", 0.1)
    assert [row["family"] for row in migrated.rows("SELECT family FROM search.families ORDER BY 1")] == [
        "compressor", "dryer",
    ]  # fmt: skip
    assert migrated.rows("SELECT * FROM search.attributes", tenant="rival") == []


def test_the_narrow_table_and_the_index_of_words_know_them(migrated: Deployment) -> None:
    values = migrated.rows(
        "SELECT attribute, low, code FROM search.attribute_values WHERE corpus = 'equipment.products'"
    )
    assert {"attribute": "hp", "low": 35.0, "code": ""} in values
    assert {"attribute": "lubrication", "low": None, "code": "oil free"} in values
    for corpus in ("equipment.products", "quotes.line_items"):
        assert migrated.rows("SELECT * FROM search.inconsistencies(%(corpus)s)", {"corpus": corpus}) == []


def test_ingests_of_before_can_still_be_undone(migrated: Deployment) -> None:
    newer, older = [row["id"] for row in migrated.rows("SELECT id FROM quarry.ingests ORDER BY id DESC")]
    migrated.rows("SELECT quarry.undo_ingest(%(ingest)s)", {"ingest": newer})
    assert attributes(migrated, "equipment.products")["hp"] == 30
    assert migrated.rows("SELECT sense FROM search.attributes WHERE name = 'head'") == [{"sense": "at_least"}]
    migrated.rows("SELECT quarry.undo_ingest(%(ingest)s)", {"ingest": older})
    for table in ("equipment.products", "search.vocabulary", "search.equivalents", "search.attribute_values"):
        assert migrated.rows(f"SELECT * FROM {table} WHERE tenant = '{TENANT}'") == []  # noqa: S608
