"""Arguments as models write them."""

from typing import Any, Literal

import pytest
from pydantic import Field, ValidationError

from quarry.tool.contract import Args


class Inner(Args):
    maker: str | None = Field(default=None, min_length=1)


class Search(Args):
    query: str = Field(min_length=1)
    tags: list[str] | None = Field(default=None, min_length=1)
    status: Literal["open", "closed"] = "open"
    note: str | None = None
    top_k: int = Field(default=3, ge=1)
    inner: Inner = Inner()


@pytest.mark.parametrize(
    "given",
    [{"tags": []}, {"status": ""}, {"status": "  "}, {"note": ""}, {"top_k": "3"}, {"top_k": ""},
     {"inner": {"maker": ""}}, {"tags": [], "status": "", "top_k": ""}, {"top_k": None, "status": None},
     {"inner": None}, {"inner": {"maker": None}}, {"status": "Open "}, {"tags": "[]"}],
)  # fmt: skip
def test_blanks_and_numbers_in_quotes_are_taken_as_models_mean_them(given: dict[str, Any]) -> None:
    assert Search.model_validate({"query": "x", **given}) == Search(query="x")


@pytest.mark.parametrize(
    "given",
    [
        {"query": ""},
        {"status": "ajar"},
        {"top_k": "three"},
        {"top_k": 0},
        {"top_k": "0"},
        {"typo": ""},
        {"tags": "[1"},
    ],
)
def test_what_is_wrong_otherwise_stays_wrong(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Search.model_validate({"query": "x", **given})
