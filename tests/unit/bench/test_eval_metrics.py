"""Measures of a ranking, against values worked out by hand."""

import json
import math
from pathlib import Path

import pytest

from bench.judging import Collection, ndcg, percentile, recall, reciprocal_rank

GRADES = {"a": 2.0, "b": 1.0}


def test_a_perfect_ranking_has_an_ndcg_of_one() -> None:
    assert ndcg(["a", "b", "x"], GRADES) == pytest.approx(1.0)


def test_ndcg_discounts_by_the_place_and_counts_the_unjudged_as_irrelevant() -> None:
    gained = 1 / math.log2(2) + 2 / math.log2(4)
    assert ndcg(["b", "x", "a"], GRADES) == pytest.approx(gained / (2 / math.log2(2) + 1 / math.log2(3)))


def test_ndcg_stops_at_its_depth() -> None:
    assert ndcg(["x"] * 10 + ["a"], GRADES) == 0.0


def test_recall_is_the_share_of_the_relevant_that_were_found() -> None:
    assert recall(["x", "b"], GRADES) == 0.5


def test_the_reciprocal_rank_is_of_the_first_relevant() -> None:
    assert reciprocal_rank(["x", "b", "a"], GRADES) == 0.5
    assert reciprocal_rank(["x"], GRADES) == 0.0


def test_a_percentile_is_a_value_that_occurred() -> None:
    assert percentile([4.0, 1.0, 3.0, 2.0], 0.5) == 2.0
    assert percentile([4.0, 1.0, 3.0, 2.0], 0.95) == 4.0


def test_a_collection_keeps_every_document_and_the_queries_that_were_judged(tmp_path: Path) -> None:
    documents = [{"id": 1, "title": "t", "text": "body", "brand": "acme"}, {"id": 2, "title": "only a title"}]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, documents)))
    (tmp_path / "queries.jsonl").write_text('{"id": "q1", "text": "one"}\n{"id": "q2", "text": "two"}\n')
    (tmp_path / "qrels.tsv").write_text("query\tdocument\tgrade\nq1\t2\t1\nq2\t1\t0\n")
    collection = Collection(tmp_path)
    assert [(row["quote_number"], row["project"], row["summary"], row["customer"]) for row in collection.rows()] == [
        ("1", "t", "body", "acme"),
        ("2", "only a title", "only a title", "-"),
    ]
    assert [(query.id, query.grades) for query in collection.queries()] == [("q1", {"2": 1.0})]
