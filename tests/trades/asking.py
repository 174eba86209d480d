"""What is asked of the search tools, as needs or as text, and what they answer; only this module knows how."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from equipment import search_equipment
from quarry.tool.contract import Args
from quotes import search_line_items, search_past_quotes
from tests.deployment import Handler, invoke

Tool = Literal["search_equipment", "search_line_items", "search_past_quotes"]
HANDLERS: Mapping[str, Handler] = {
    "search_equipment": search_equipment.handler,
    "search_line_items": search_line_items.handler,
    "search_past_quotes": search_past_quotes.handler,
}
ARGUMENTS: Mapping[str, type[Args]] = {
    "search_equipment": search_equipment.SearchEquipmentArgs,
    "search_line_items": search_line_items.SearchLineItemsArgs,
    "search_past_quotes": search_past_quotes.SearchPastQuotesArgs,
}
OF_A_HIT = ("confidence", "score")


class NeedRow(BaseModel):
    """As the tools take it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    attribute: str
    is_: str = Field(alias="is")
    wish: bool = False

    def sent(self, *, is_filter: bool = False) -> dict[str, Any]:
        row: dict[str, Any] = {"attribute": self.attribute, "is": self.is_}
        return row | ({"wish": True} if self.wish and not is_filter else {})


class Asked(BaseModel):
    """The arguments that a careful caller passes; ``sort`` is an attribute, with "-" before it the most first."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    query: str = ""
    family: str | None = None
    needs: Sequence[NeedRow] = ()
    filters: Sequence[NeedRow] = ()
    sort: str | None = None

    @property
    def all_needs(self) -> list[NeedRow]:
        """The family among them."""
        family = [NeedRow.model_validate({"attribute": "family", "is": self.family})] if self.family else []
        return [*family, *self.needs]

    @property
    def order(self) -> str | None:
        """Written "-price" or "price desc" in the files."""
        name, _, direction = (self.sort or "").partition(" ")
        return ("-" if direction == "desc" else "") + name or None

    def arguments(self) -> dict[str, Any]:
        sent = {
            "query": self.query,
            "needs": [row.sent() for row in self.all_needs],
            "filters": [row.sent(is_filter=True) for row in self.filters],
            "sort": self.order,
        }
        return {name: value for name, value in sent.items() if value}


@dataclass(frozen=True, slots=True)
class Hit:
    key: str
    confidence: str | None = None
    score: float | None = None
    signs: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """``needs`` are what rows were judged by, as the tool says them, and ``unread`` what it could not take."""

    hits: Sequence[Hit]
    notice: str | None = None
    needs: Sequence[str] = ()
    unread: Sequence[str] = ()


def ask(tool: Tool, arguments: Mapping[str, Any], *, depth: int) -> Answer:
    """Within `Deployment.serving`; what is no argument of the tool is a filter on the attribute of its name."""
    own = ARGUMENTS[tool].model_fields
    sent = {name: value for name, value in arguments.items() if name in own}
    filters = [{"attribute": name, "is": str(value)} for name, value in arguments.items() if name not in own]
    if filters:
        sent["filters"] = [*sent.get("filters", ()), *filters]
    sent |= {"top_k": depth}
    answer = invoke(HANDLERS[tool], sent)
    if "error" in answer:
        raise ValueError(f"{tool} refused {sent}: {answer.get('message')}")
    return read_answer(answer)


def read_answer(answer: Mapping[str, Any]) -> Answer:
    """Every row of the table is a hit; the first ones come with more, in the same order."""
    fit = answer["columns"].index("fit") if "fit" in answer["columns"] else None
    told = answer["results"]
    hits = [
        Hit(
            key=row[0],
            signs="" if fit is None else row[fit],
            **({name: told[place].get(name) for name in OF_A_HIT} if place < len(told) else {}),
        )
        for place, row in enumerate(answer["rows"])
    ]
    needs = [f"{need['attribute']} {need['is']}" for need in answer.get("needs", ())]
    return Answer(hits, answer.get("notice"), needs, answer.get("unread", ()))
