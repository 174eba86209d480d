"""What a call measures, and how CloudWatch is told."""

import time
from collections.abc import Mapping
from typing import Any

from quarry import observation
from quarry.observation import Metric


def test_what_is_noted_adds_up_within_a_call_and_is_gone_after_it() -> None:
    with observation.measuring() as first:
        observation.note(Metric.HITS, 3)
        observation.note(Metric.HITS, 2)
        observation.note(Metric.CACHE_HITS, 0)
    with observation.measuring() as second:
        observation.note(Metric.CACHE_HITS)
    assert first == {Metric.HITS: 5, Metric.CACHE_HITS: 0}
    assert second == {Metric.CACHE_HITS: 1}


def test_outside_a_call_nothing_is_measured() -> None:
    observation.note(Metric.HITS)
    with observation.measuring() as measured:
        pass
    assert measured == {}


def test_a_search_counts_its_hits_by_confidence() -> None:
    with observation.measuring() as measured:
        observation.note_search(["likely_good", "analog", "analog", None], degraded=False)
    assert measured == {Metric.HITS: 4, Metric.LIKELY_GOOD: 1, Metric.ANALOG: 2, Metric.DEGRADED: 0}


def test_cloudwatch_is_told_unit_dimensions_and_time() -> None:
    told = observation.embedded({Metric.LATENCY: 12.5, Metric.HITS: 5}, stack="quarry-prod", tool="search")
    assert (told["Stack"], told["Tool"], told["Latency"], told["Hits"]) == ("quarry-prod", "search", 12.5, 5)
    made = told["_aws"]
    assert isinstance(made, dict)
    assert abs(made["Timestamp"] - time.time() * 1000) < 60_000
    (directive,) = made["CloudWatchMetrics"]
    assert directive["Metrics"] == [{"Name": "Latency", "Unit": "Milliseconds"}, {"Name": "Hits", "Unit": "Count"}]


def of_release(said: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [each for each in said["_aws"]["CloudWatchMetrics"] if each["Dimensions"] == [["Stack", "Release"]]]


def test_an_internal_error_and_nothing_else_counts_for_the_release() -> None:
    measured = {Metric.CALLS: 1.0, Metric.INTERNAL_ERRORS: 1.0}
    said: Any = observation.embedded(measured, stack="quarry-prod", tool="get_product", release="00000000a1")
    (errors,) = of_release(said)
    assert errors["Metrics"] == [{"Name": "InternalErrors", "Unit": "Count"}]
    assert (said["Release"], said["InternalErrors"]) == ("00000000a1", 1.0)


def test_a_call_without_an_internal_error_makes_no_metric_of_its_release() -> None:
    said: Any = observation.embedded(
        {Metric.CALLS: 1.0}, stack="quarry-prod", tool="get_product", release="00000000a1"
    )
    assert (of_release(said), "Release" in said) == ([], False)
