"""list_attributes on real Postgres."""

from collections.abc import Iterator

import pytest

from equipment.list_attributes import MOST_CHARACTERS, handler
from tests.deployment import Deployment, invoke
from tests.sample_rows import PRODUCTS, product

TENANT = "wordy-values"


@pytest.fixture(scope="module", autouse=True)
def serving(deployment: Deployment) -> Iterator[None]:
    deployment.put_products(*PRODUCTS)
    many = [product(f"M{n}", manufacturer=f"House of long names, number {n}", series=f"S{n}") for n in range(200)]
    deployment.put_products(*many, tenant=TENANT)
    with deployment.serving("quarry_read"):
        yield


def test_unasked_it_tells_families_and_how_many_rows_each_has() -> None:
    answer = invoke(handler, {})
    families = {row["family"] for row in PRODUCTS}
    assert families <= answer["families"].keys()
    assert all(answer["families"][one] == sum(row["family"] == one for row in PRODUCTS) for one in families)
    assert "attributes" not in answer


def test_of_a_family_it_tells_each_attribute_that_rows_have() -> None:
    [told] = invoke(handler, {"families": ["compressor"]})["attributes"]
    lines = told["attributes"].splitlines()
    assert told["rows"] == sum(row["family"] == "compressor" for row in PRODUCTS)
    assert {"category", "manufacturer"} <= {line.partition(":")[0] for line in lines}


def test_however_many_values_rows_have_the_text_of_a_family_has_a_bound() -> None:
    [told] = invoke(handler, {"families": ["compressor"]}, tenant=TENANT)["attributes"]
    assert 0 < len(told["attributes"]) <= MOST_CHARACTERS


def test_a_family_that_the_house_has_not_is_named() -> None:
    answer = invoke(handler, {"families": ["compressor", "zeppelin"]})
    assert answer["unknown"] == ["zeppelin"]
    assert [each["family"] for each in answer["attributes"]] == ["compressor"]
