"""A statement has the clauses of the filters that are set, and no others."""

from psycopg.sql import SQL

from quarry.precedents.past_lines import LINE_ITEMS
from quarry.products import PRODUCTS
from quarry.retrieval.statements import narrowed, statement


def test_a_condition_keeps_the_clauses_that_read_what_is_given() -> None:
    kept = narrowed(LINE_ITEMS.condition, given=frozenset({"hp_max", "date_to"})).as_string()
    assert kept == "(coalesce(d.hp, p.hp) <= %(hp_max)s::float8) AND (q.quote_date <= %(date_to)s::date)"


def test_every_filter_of_a_corpus_has_a_clause_of_its_own() -> None:
    for name in ("cfm_min", "manufacturer", "cooling", "voltage", "air_quality", "dewpoint_max"):
        kept = narrowed(PRODUCTS.condition, given=frozenset({name})).as_string()
        assert f"%({name})s" in kept
        assert " IS NULL" not in kept
        assert kept.count("(") == kept.count(")")


def test_a_condition_of_another_form_stays_whole() -> None:
    whole = SQL("1 / (%(vector)s::vector IS NULL)::integer = 1")
    assert narrowed(whole, given=frozenset({"vector"})) is whole


def test_without_filters_a_statement_reads_none() -> None:
    assert "%(hp_min)s" not in statement(PRODUCTS, "text_exact", given=frozenset()).as_string()
