"""What a deployed stack costs: the arithmetic, and that the sizes are the template's."""

from dataclasses import replace

import pytest

from bench.cost import (
    COMPUTE,
    FRONT_MS,
    FUNCTION_MS,
    LOWERED,
    METRIC,
    METRICS,
    SOURCES,
    Line,
    per_million,
    per_month,
    sizes_of,
)

PROD = sizes_of("prod")


def test_twice_the_memory_costs_twice_the_compute_and_nothing_else() -> None:
    dollars = {line.what: line.dollars for line in per_million(PROD)}
    doubled = {line.what: line.dollars for line in per_million(replace(PROD, function_mb=2 * PROD.function_mb))}
    changed = {what for what in dollars if doubled[what] != dollars[what]}
    assert changed == {"Lambda, functions"}
    assert doubled["Lambda, functions"] == pytest.approx(2 * dollars["Lambda, functions"])
    seconds = FUNCTION_MS * PROD.function_mb / 1024 * 1000
    assert dollars["Lambda, functions"] == pytest.approx(seconds * COMPUTE.dollars)
    assert dollars["Lambda, front"] == pytest.approx(FRONT_MS * PROD.front_mb / 1024 * 1000 * COMPUTE.dollars)


def test_only_production_pays_for_a_standby_and_snapshots_and_development_for_no_gateway() -> None:
    dev, staging = sizes_of("dev"), sizes_of("staging")
    assert [each.zones for each in (dev, staging, PROD)] == [1, 1, 2]
    assert [each.gateways for each in (dev, staging, PROD)] == [0, 1, 2]
    assert [each.nat_instances for each in (dev, staging, PROD)] == [1, 0, 0]
    assert [each.addresses for each in (dev, staging, PROD)] == [1, 1, 2]
    assert [bool(each.snapshots_mb) for each in (dev, staging, PROD)] == [False, False, True]
    free = {line.what for line in per_month(dev) if not line.dollars}
    assert free == {"SnapStart", "NAT gateways"}
    assert {"GoldenCanary": 2920, "VerifyAudit": 30}.items() <= PROD.runs.items()


def test_an_idle_month_of_development_costs_no_more_than_45_dollars() -> None:
    idle, _ = METRICS["dev"]
    assert sum(line.dollars for line in per_month(sizes_of("dev"))) + idle * METRIC.dollars <= 45


def test_what_lowers_the_largest_costs_of_production_is_said() -> None:
    largest = sorted(per_month(PROD), key=lambda line: -line.dollars)[:4]
    assert {line.what for line in largest} <= LOWERED.keys()


@pytest.mark.parametrize("line", [*per_million(PROD), *per_month(PROD)], ids=lambda line: line.what)
def test_every_price_says_where_it_was_found(line: Line) -> None:
    assert 1 <= line.price.source <= len(SOURCES)
    assert str(line.price).endswith(f"[{line.price.source}]")
