"""search_equipment against a brute-force reading of the same rows."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from equipment.search_equipment import handler
from tests.deployment import Deployment, invoke
from tests.sample_rows import Row, product

MEASURES = ("hp", "cfm", "psi")
SIZES = (5.0, 7.5, 10.0, 100.0)
MODELS = st.sampled_from([f"M-{n}" for n in range(11)] + ["M-1100"])
FIELDS = st.fixed_dictionaries(
    {
        **{name: st.none() | st.sampled_from(SIZES) for name in MEASURES},
        "lubrication": st.none() | st.sampled_from(["oilless", "oil-free", "oil-flooded"]),
        "family": st.sampled_from(["compressor", "dryer"]),
        "manufacturer": st.sampled_from(["Acme", "Zenith"]),
    }
)


def holds_something(filters: dict[str, Any]) -> bool:
    """At least one filter, and no min above its max."""
    return bool(filters) and all(
        filters.get(f"{name}_min", 0) <= filters.get(f"{name}_max", 1e9) for name in MEASURES
    )


FILTERS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        **{f"{name}_{end}": st.sampled_from(SIZES) for name in MEASURES for end in ("min", "max")},
        "lubrication": st.sampled_from(["oilless", "oil-free", "oil-flooded"]),
        "family": st.sampled_from(["compressor", "dryer"]),
    },
).filter(holds_something)


@pytest.fixture(scope="module", autouse=True)
def serving(deployment: Deployment) -> Iterator[None]:
    with deployment.serving("quarry_read"):
        yield


def satisfies(row: Row, filters: dict[str, Any]) -> bool:
    for name, wanted in filters.items():
        measure, _, end = name.partition("_")
        value = row[measure]
        if value is None:
            return False
        if end == "min" and value < wanted:
            return False
        if end == "max" and value > wanted:
            return False
        if not end and str(value).lower() != str(wanted).lower():
            return False
    return True


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.dictionaries(MODELS, FIELDS, max_size=12),
    filters=FILTERS,
    top_k=st.integers(1, 15),
    query=st.sampled_from(["rotary screw compressor M-3", "oilless 100 hp", "zzyzx", "M-1100", "like M-11OO"]),
)
def test_a_filtered_search_is_exactly_the_rows_that_qualify(
    deployment: Deployment, rows: dict[str, Row], filters: dict[str, Any], top_k: int, query: str
) -> None:
    deployment.rows("DELETE FROM equipment.products")
    deployment.put_products(*(product(model, **fields) for model, fields in rows.items()))
    qualifying = {model for model, fields in rows.items() if satisfies(fields, filters)}
    answer = invoke(handler, {"query": query, "top_k": top_k, **filters})
    found = [row[0] for row in answer["rows"]]
    assert len(found) == len(set(found)) == min(top_k, len(qualifying))
    assert set(found) <= qualifying
