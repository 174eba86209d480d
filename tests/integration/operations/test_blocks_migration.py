"""Migration 0055: an index of single postings is put into blocks and says the same as before."""

import psycopg

from local.database import OWNER
from local.files import ROOT
from operations import migrations
from tests.deployment import DIMENSIONS, MODEL, PASSWORD, Deployment

PROBLEMS = "SELECT * FROM search.inconsistencies('equipment.products')"
BEFORE = """
    INSERT INTO quarry.tenants VALUES ('acme'), ('rival') ON CONFLICT DO NOTHING;
    INSERT INTO search.families (tenant, family) VALUES ('acme', 'dryer');
    INSERT INTO equipment.products (tenant, model, manufacturer, category, family, description)
    SELECT 'acme', 'TN-' || n, 'maker', 'gadget', 'dryer', 'zorp klim ' || n % 50 || ' dralk' || n % 90
    FROM generate_series(1, 700) AS n;
    DELETE FROM equipment.products WHERE model LIKE 'TN-%7';
"""
INDEXED = """
    SELECT t.term, t.df, p.doc, round(10 * p.tf::numeric) AS tf, round(10 * p.length::numeric) AS length
    FROM equipment.products_postings p JOIN equipment.products_terms t USING (tid) ORDER BY 1, 3
"""


def migrated(connection: psycopg.Connection, *, before: str = "") -> None:
    """To the end, or up to a migration; what follows is the tenant's."""
    found = migrations.read(ROOT / "migrations")
    end = next((place for place, one in enumerate(found) if before and one.name.endswith(before)), None)
    migrations.apply(connection, found[:end], model=MODEL, dimensions=DIMENSIONS)
    connection.execute("SELECT set_config('quarry.tenant', 'acme', false)")


def test_an_index_of_the_release_before_is_converted(blank: Deployment) -> None:
    with psycopg.connect(blank.superuser_dsn, user=OWNER, password=PASSWORD, autocommit=True) as connection:
        migrated(connection, before="_blocks")
        connection.execute(BEFORE)
        held = connection.execute(INDEXED).fetchall()
        migrated(connection)
        assert connection.execute(INDEXED).fetchall() == held
        assert connection.execute(PROBLEMS).fetchall() == []
        layers = connection.execute("SELECT count(DISTINCT layer) FROM equipment.products_blocks").fetchone()
        assert layers is not None
        assert layers[0] > 1
        connection.execute("UPDATE equipment.products SET description = 'vext ' || description WHERE id % 3 = 0")
        assert connection.execute(PROBLEMS).fetchall() == []


OVERLAPPING = """
    INSERT INTO quarry.tenants VALUES ('acme'), ('rival') ON CONFLICT DO NOTHING;
    INSERT INTO search.families (tenant, family) VALUES ('acme', 'dryer');
    CREATE TEMP TABLE words AS SELECT n, (ARRAY['zorp', 'klim', 'vext', 'brumt', 'dralk'])[n % 5 + 1] AS word
    FROM generate_series(0, 99) AS n;
    INSERT INTO equipment.products (tenant, model, manufacturer, category, family, description)
    SELECT 'acme', 'TN-' || n, 'maker', 'gadget', 'dryer', 'zorp zorp ' || word
    FROM words WHERE n BETWEEN 22 AND 91 ORDER BY n;
    UPDATE equipment.products p SET description = 'zorp dralk ' || word FROM words w
    WHERE p.model = 'TN-' || n AND n BETWEEN 22 AND 87;
    INSERT INTO equipment.products (tenant, model, manufacturer, category, family, description)
    SELECT 'acme', 'TN-' || n, 'maker', 'gadget', 'dryer', 'zorp dralk ' || word
    FROM words WHERE n BETWEEN 18 AND 21 ORDER BY n;
    SELECT setval(pg_get_serial_sequence('equipment.products', 'id'), 140);
    UPDATE equipment.products p SET description = 'dralk ' || word FROM words w
    WHERE p.model = 'TN-' || n AND n BETWEEN 18 AND 69;
    INSERT INTO equipment.products (tenant, model, manufacturer, category, family, description)
    SELECT 'acme', 'TN-' || n, 'maker', 'gadget', 'dryer', 'dralk ' || word
    FROM words WHERE n BETWEEN 0 AND 17 ORDER BY n;
    UPDATE equipment.products SET description = 'zorp brumt' WHERE model = 'TN-18';
    INSERT INTO equipment.products (tenant, model, manufacturer, category, family, description)
    SELECT 'acme', 'XN-' || n, 'maker', 'gadget', 'dryer', 'fluent ' || n % 50 FROM generate_series(1, 600) AS n;
    SELECT search.merge('equipment.products');
    UPDATE equipment.products_blocks SET weights[1] = weights[1] + 1 WHERE ctid = (
        SELECT ctid FROM equipment.products_blocks WHERE layer > 0 LIMIT 1);
"""


def test_an_index_whose_blocks_overlap_is_put_right(blank: Deployment) -> None:
    with psycopg.connect(blank.superuser_dsn, user=OWNER, password=PASSWORD, autocommit=True) as connection:
        migrated(connection, before="_disjoint_blocks")
        connection.execute(OVERLAPPING)
        assert connection.execute(PROBLEMS).fetchall() == [
            ("terms whose postings are not those of the documents", 1),
            ("terms whose best postings are off", 1),
        ]
        migrated(connection)
        assert connection.execute(PROBLEMS).fetchall() == []
        connection.execute("UPDATE equipment.products SET description = 'vext ' || description WHERE id % 3 = 0")
        connection.execute("SELECT search.merge('equipment.products')")
        assert connection.execute(PROBLEMS).fetchall() == []
