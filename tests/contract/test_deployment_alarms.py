"""template.yaml's alarms: what each looks at, when it goes off, whom it tells."""

from typing import Any

import pytest

from quarry.observation import NAMESPACE, Metric
from tests.contract.template import PROPERTIES, RESOURCES, of_type

AWS_METRICS = {
    "AWS/Lambda": {"Errors", "Throttles"},
    "AWS/RDS": {"CPUUtilization", "CPUCreditBalance", "FreeStorageSpace", "FreeableMemory", "DatabaseConnections"},
    "AWS/SQS": {"ApproximateNumberOfMessagesVisible"},
}
ALARMS = of_type("AWS::CloudWatch::Alarm")


@pytest.mark.parametrize("alarm", of_type("AWS::CloudWatch::Alarm").values(), ids=of_type("AWS::CloudWatch::Alarm"))
def test_an_alarm_looks_at_a_metric_that_exists_and_tells_somebody(alarm: dict[str, Any]) -> None:
    properties = alarm["Properties"]
    emitted = AWS_METRICS | {NAMESPACE: {str(metric) for metric in Metric}}
    assert properties["MetricName"] in emitted[properties["Namespace"]]
    assert properties["AlarmActions"] == [{"Ref": "Alarms"}]
    assert "TreatMissingData" in properties


FAILURES = {"InternalErrors", "Errors", "Throttles", "DeadLetters", "ApproximateNumberOfMessagesVisible"}
"""Of which one is one too many."""
TOLERATED = {
    "Latency": (3000, 900),
    "Degraded": (10, 300),
    "QueueDepth": (1000, 3600),
    "CanaryPassed": (1, 3600),
    "CPUUtilization": (85, 900),
    "FreeStorageSpace": (5_000_000_000, 300),
    "CPUCreditBalance": (20, 900),
    "DatabaseConnections": (None, 300),
    "FreeableMemory": (None, 900),
}
"""How much and for how many seconds, as RUNBOOK.md tells; None comes out of the stage's sizes."""
LACKS = {"CanaryPassed", "FreeStorageSpace", "CPUCreditBalance", "FreeableMemory"}
"""Alarms when there is too little."""
OF_WHAT = {
    NAMESPACE: "Stack",
    "AWS/Lambda": "FunctionName",
    "AWS/RDS": "DBInstanceIdentifier",
    "AWS/SQS": "QueueName",
}


@pytest.mark.parametrize("name", ALARMS)
def test_an_alarm_goes_off_when_the_runbook_says_and_tells_when_it_is_over(name: str) -> None:
    alarm = PROPERTIES[name]
    metric, seconds = alarm["MetricName"], alarm["Period"] * alarm["EvaluationPeriods"]
    if metric in FAILURES:
        assert (alarm["Threshold"], alarm["EvaluationPeriods"]) == (0, 1)
        assert seconds <= (60 if "Release" in name else 3600)
    else:
        threshold = alarm["Threshold"]
        assert (threshold if isinstance(threshold, int) else None, seconds) == TOLERATED[metric]
    less = "LessThanThreshold" if metric in LACKS else "GreaterThanThreshold"
    assert alarm["ComparisonOperator"] == less
    # Nothing said of a canary is as bad as a failure; of all else it is that nobody called.
    assert alarm["TreatMissingData"] == ("breaching" if metric == "CanaryPassed" else "notBreaching")
    assert alarm["OKActions"] == alarm["AlarmActions"] == [{"Ref": "Alarms"}]
    assert OF_WHAT[alarm["Namespace"]] in {each["Name"] for each in alarm["Dimensions"]}
    assert ("Statistic" in alarm) is ("ExtendedStatistic" not in alarm)
    assert alarm["AlarmDescription"]


def test_events_of_the_database_reach_the_alarms_and_nothing_else_may_publish_there() -> None:
    events = RESOURCES["DatabaseEvents"]["Properties"]
    assert (events["SnsTopicArn"], events["SourceIds"]) == ({"Ref": "Alarms"}, [{"Ref": "Database"}])
    assert {"failover", "failure", "low storage", "maintenance"} <= set(events["EventCategories"])
    (statement,) = RESOURCES["AlarmsPolicy"]["Properties"]["PolicyDocument"]["Statement"]
    services = set(statement["Principal"]["Service"])
    assert services == {"cloudwatch.amazonaws.com", "events.rds.amazonaws.com"}
    (key,) = [
        each
        for each in RESOURCES["Key"]["Properties"]["KeyPolicy"]["Statement"]
        if each["Sid"] == "AlarmsAndEventsPublish"
    ]
    assert services <= set(key["Principal"]["Service"])
