"""The synthetic catalogue of bench.scale: reproducible and of the asked shape."""

from bench.scale.catalogue import BASES, COLUMNS, Catalogue, cfm_at_least
from equipment.ingestion import ProductRow

CATALOGUE = Catalogue(chunk=500)


def rows(count: int, *, start: int = 0) -> list[dict[str, object]]:
    parts = CATALOGUE.slices(count, start=start)
    return [dict(zip(COLUMNS, row, strict=True)) for part in parts for row in CATALOGUE.rows(part, tenant="t")]


def test_a_row_is_the_same_whatever_the_size() -> None:
    assert rows(1000)[:500] == rows(500)
    assert rows(1000)[500:] == rows(500, start=500)


def test_every_row_is_a_product_that_ingest_takes() -> None:
    for row in rows(300):
        ProductRow.model_validate({name: value for name, value in row.items() if name not in ("id", "tenant")})


def test_later_rows_are_relatives_of_the_first() -> None:
    [part] = CATALOGUE.slices(500, start=BASES)
    assert part.bases.max() < BASES
    assert len(set(part.bases.tolist())) > 400


def test_the_bound_on_cfm_admits_the_share_it_names() -> None:
    flows = [row["attributes"]["cfm"] for row in rows(4000)]  # type: ignore[index]  # an object
    for share in (0.5, 0.1, 0.01):
        found = sum(isinstance(cfm, float) and cfm >= cfm_at_least(share) for cfm in flows) / len(flows)
        assert abs(found - share) < 0.4 * share


def test_queries_ask_for_part_numbers_needs_and_words() -> None:
    number, need, words = CATALOGUE.queries(3, rows=1000)
    assert number.count("-") == 2
    assert "HP" in need
    assert "psi" in need
    assert len(words.split()) >= 4
