"""What a log may say of an unexpected error."""

import json
from collections.abc import Callable

import psycopg
import pytest
from botocore.exceptions import ClientError
from pydantic import BaseModel

from quarry.observation import described

SECRET = "Meadowbrook's discount"


class Weight(BaseModel):
    pounds: float


def caught(act: Callable[[], object]) -> BaseException:
    with pytest.raises((ValueError, KeyError)) as raised:
        act()
    return raised.value


def test_an_error_that_repeats_an_argument_is_described_without_it() -> None:
    error = caught(lambda: Weight.model_validate({"pounds": SECRET}))
    assert SECRET in str(error)
    (said,) = described(error)
    assert said["type"] == "pydantic_core._pydantic_core.ValidationError"
    assert SECRET not in json.dumps(said)


def test_what_caused_it_is_described_after_it() -> None:
    def act() -> None:
        try:
            json.loads(SECRET)
        except ValueError as error:
            raise KeyError(SECRET) from error

    said = described(caught(act))
    assert [each["type"] for each in said] == ["builtins.KeyError", "json.decoder.JSONDecodeError"]
    assert SECRET not in json.dumps(said)


def test_causes_that_go_in_circles_come_to_an_end() -> None:
    first, second = ValueError("a"), ValueError("b")
    first.__cause__, second.__cause__ = second, first
    assert len(described(first)) == 4


def test_of_the_database_state_and_names_are_told_but_no_values() -> None:
    assert described(psycopg.errors.UniqueViolation(f"Key (name)=({SECRET}) already exists"))[0].keys() == {
        "type",
        "frames",
        "sqlstate",
    }


def test_of_an_aws_service_its_code_is_told() -> None:
    refused = {"Error": {"Code": "AccessDenied", "Message": SECRET}}
    (said,) = described(ClientError(refused, "GetObject"))
    assert said["aws_error"] == "AccessDenied"
    assert SECRET not in json.dumps(said)
