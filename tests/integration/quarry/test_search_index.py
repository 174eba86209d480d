"""The search index against its rows: it stays exact through every kind of write, alone and in parallel."""

import random
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.rows import DictRow

from tests.deployment import Deployment, as_tenant
from tests.sample_rows import line, product, quote

WORDS = ("oilless", "scroll", "100HP", "1,200 CFM", "TN-2110", "café", '28"Hg', "the", "ÄÖ", "…", "Q$ync")
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
KEYS = st.integers(1, 6)


def inconsistencies(deployment: Deployment, tenant: str) -> list[DictRow]:
    return deployment.rows(
        "SELECT c.corpus, i.* FROM search.corpora c CROSS JOIN LATERAL search.inconsistencies(c.corpus) i",
        tenant=tenant,
    )


def postings(deployment: Deployment, tenant: str) -> list[tuple[object, ...]]:
    rows = deployment.rows(
        "SELECT t.term, t.df, p.doc, p.tf, p.length FROM equipment.products_postings p"
        " JOIN equipment.products_terms t USING (tid) ORDER BY p.doc, t.term",
        tenant=tenant,
    )
    return [tuple(row.values()) for row in rows]


@pytest.mark.parametrize(
    ("raw", "normalised"),
    [
        ("100HP", "100 hp"),
        ("100-HP", "100 hp"),
        ("100 horsepower", "100 hp"),
        ("1,200 CFM", "1200 cfm"),
        ("1,200,000 BTU", "1200000 btu"),
        ("TN-2110", "tn 2110 tn2110 tn2110"),
        ("QMB 30", "qmb 30 qmb30"),
        ("QMB30", "qmb30"),
        ("Q$ync", "qync qsync"),
        ('28"Hg', "28 inhg"),
        ("28 in. Hg", "28 inhg"),
        ("28 inches of Hg", "28 inhg"),
        ("café", "cafe"),
        ("125 PSIG", "125 psi"),
        ("500 SCFM", "500 scfm cfm"),
        ("oil-less", "oil less oilless"),
        ("460/3/60", "460 3 60 460360"),
        ("1.15 S.F.", "1.15 s f"),
        ("", ""),
    ],
)
def test_units_and_part_numbers_have_one_spelling(deployment: Deployment, raw: str, normalised: str) -> None:
    [row] = deployment.rows("SELECT search.normalise(%(raw)s) AS text", {"raw": raw})
    assert " ".join(row["text"].split()) == normalised


@pytest.mark.parametrize(
    "pair", [("100HP", "100 hp"), ("1,200 CFM", "1200cfm"), ("QMB 30", "qmb30"), ("café", "CAFE")]
)
def test_two_spellings_share_a_term(deployment: Deployment, pair: tuple[str, str]) -> None:
    found = [
        {row["term"] for row in deployment.rows("SELECT term FROM search.query_terms(%(t)s)", {"t": text})}
        for text in pair
    ]
    assert found[0] & found[1] - {"30"}


def test_a_row_is_found_by_what_tells_goods_apart_in_words_and_not_by_figures(deployment: Deployment) -> None:
    deployment.put_products(
        product("W-1", description="Plain.", hp=731, cooling="glycol", enclosure=True, outdoor=False), tenant="words"
    )
    terms = {row[0] for row in postings(deployment, "words")}
    assert {"glycol", "enclosur"} <= terms
    assert not {"731", "731hp", "hp", "cool", "outdoor"} & terms


STEPS = st.lists(
    st.tuples(st.sampled_from(["put", "many", "delete", "reprice"]), KEYS, TEXTS), min_size=1, max_size=8
)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_it_is_exact_after_any_sequence_of_writes(deployment: Deployment, steps: list[tuple[str, int, str]]) -> None:
    for step, key, text in steps:
        if step == "put":
            deployment.put_products(product(f"M{key}", description=text))
        elif step == "many":
            deployment.put_quotes(*(quote(f"Q{n}", summary=text) for n in range(1, key + 1)))
            deployment.put_lines(
                *(line(f"Q{n}", 1, text, manufacturer="Acme", model="M1") for n in range(1, key + 1))
            )
        elif step == "delete":
            deployment.rows("DELETE FROM equipment.products WHERE model = %(model)s", {"model": f"M{key}"})
            deployment.rows("DELETE FROM quotes.past_quotes WHERE quote_number = %(number)s", {"number": f"Q{key}"})
        else:
            deployment.rows("UPDATE quotes.line_items SET unit_price = %(price)s", {"price": key})
            deployment.rows("UPDATE equipment.products SET series = %(series)s", {"series": f"S{key}"})
    assert inconsistencies(deployment, "acme") == []


def test_an_inconsistent_index_is_reported_and_rebuilt_to_the_same_postings(deployment: Deployment) -> None:
    deployment.put_products(*(product(f"R{n}", description=" ".join(WORDS)) for n in range(5)), tenant="mend")
    before = postings(deployment, "mend")
    deployment.rows("UPDATE equipment.products_terms SET df = df + 1", tenant="mend")
    deployment.rows("DELETE FROM equipment.products_documents WHERE doc % 2 = 0", tenant="mend")
    problems = {row["problem"] for row in inconsistencies(deployment, "mend")}
    assert {"terms whose document frequency is off", "rows without an index document"} <= problems
    [rebuilt] = deployment.rows("SELECT search.rebuild('equipment.products') AS rows", tenant="mend")
    assert rebuilt["rows"] == 5
    assert inconsistencies(deployment, "mend") == []
    assert postings(deployment, "mend") == before


def test_it_is_exact_after_many_writers_at_once(deployment: Deployment) -> None:
    def write(seed: int) -> int:
        """How many of the writes lost a deadlock and were rolled back."""
        chance = random.Random(seed)
        deadlocks = 0
        with deployment.connect("quarry_ingest") as connection:
            for _ in range(30):
                try:
                    with as_tenant(connection, "busy"):
                        for key in chance.sample(range(1, 9), k=chance.choice([1, 1, 2])):
                            one_write(connection, chance, key)
                except psycopg.errors.DeadlockDetected:
                    deadlocks += 1
        return deadlocks

    deployment.put_products(*(product(f"M{n}") for n in range(1, 9)), tenant="busy")
    with ThreadPoolExecutor(4) as pool:
        deadlocks = sum(pool.map(write, range(4)))
    assert inconsistencies(deployment, "busy") == []
    assert deadlocks < 60


def one_write(connection: psycopg.Connection[DictRow], chance: random.Random, key: int) -> None:
    if chance.random() < 0.3:
        connection.execute("DELETE FROM equipment.products WHERE model = %s", [f"M{key}"])
    else:
        connection.execute(
            "INSERT INTO equipment.products (tenant, model, manufacturer, category, family, description)"
            " VALUES ('busy', %s, 'Acme', 'DRYER', 'dryer', %s)"
            " ON CONFLICT (tenant, manufacturer, model) DO UPDATE SET description = excluded.description",
            [f"M{key}", " ".join(chance.choices(WORDS, k=4))],
        )


def test_a_write_that_is_rolled_back_leaves_no_trace(deployment: Deployment) -> None:
    deployment.put_products(product("KEEP"), tenant="undo")
    before = postings(deployment, "undo")
    with deployment.connect("quarry_ingest") as connection, as_tenant(connection, "undo"):
        connection.execute("UPDATE equipment.products SET description = 'gone'")
        raise psycopg.Rollback
    assert postings(deployment, "undo") == before
