"""A draft of a letter as a value: what its writer chose, by ids, and nothing that the server knows itself."""

import json
import re
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import pairwise
from typing import Annotated, Any, Literal, cast

from pydantic import ConfigDict, Field, ValidationError, model_validator
from pydantic.config import JsonDict

from cpq.model import PLAIN, Language, Problem, QuoteId
from quarry.attributes.units import System
from quarry.tool.contract import Args

Role = Literal["item", "option", "alternate"]
Named = Annotated[str, Field(min_length=1, max_length=200), PLAIN]
Words = Annotated[str, Field(min_length=1, max_length=2_000), PLAIN]
DraftId = Annotated[str, Field(pattern=r"^[Dd]-[0-9]{4}-[0-9]{4,}$"), PLAIN]

REFERENCE = re.compile(r"\{\{([^{}]{0,200}+)\}\}")
"""A fact that a text names by id: {{QGV-100.flow}}."""
ITEMS, TOTAL, NET, HOUSE, MUST = "items", "total", "net", "house.", "must."
"""The table, the total that it ends with and before tax; what the house says; a requirement by its number."""
UNSIGNED = "{{unsigned}}"
"""In a page whose sum is not final: there is nothing to sign yet."""
LINE = re.compile(r"(.+/\d+)(?:\.(\w+))?")
"""Of a past quote, with the attribute that is meant."""

LONGEST_PAGE, MOST_UNITS = 20_000, 999_999
MOST_ITEMS, MOST_REQUIREMENTS, MOST_MACHINES = 60, 60, 99


def _unbounded(schema: JsonDict) -> None:
    """Bounds are checked and not shown: they would cost more than they tell."""
    properties = schema["properties"]
    for field in properties.values() if isinstance(properties, dict) else ():
        of_text = field.get("anyOf") if isinstance(field, dict) else None
        for part in (field, *(of_text if isinstance(of_text, list) else ())):
            for key in ("default", "maxItems", "minItems", "minimum", "maxLength", "minLength"):
                if isinstance(part, dict):
                    part.pop(key, None)


class LetterArgs(Args):
    """What is given for a letter."""

    model_config = ConfigDict(json_schema_extra=_unbounded)


class PassageArgs(LetterArgs):
    """Whole sentences of one proven line."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    line: Named = Field(description="As Q24-0101/2.")
    sentences: list[Named] = Field(
        min_length=1,
        max_length=40,
        description="Numbers or first words.",
    )
    wording: Words | None = Field(default=None, description="Translated.")


class DraftItemArgs(LetterArgs):
    product_id: Named = Field(description="Id, SKU or model.")
    quantity: int = Field(default=0, ge=0, le=MOST_UNITS, description="Unset: the quote's, or 1.")
    role: Role = Field(default="item", description="Others are in no total.")
    passages: list[PassageArgs] = Field(default=[], max_length=20, description="Proven.")
    note: Words | None = Field(default=None, description="Printed.")


class RequirementArgs(LetterArgs):
    """A must as the customer wrote it. With a need it is tested on a model, else ``answer`` says how it is met."""

    model_config = ConfigDict(populate_by_name=True, serialize_by_alias=True)

    text: Words = Field(description="As he wrote it.")
    attribute: Named | None = Field(default=None, description="Its need.")
    is_: Named | None = Field(default=None, alias="is", description=">= 400 cfm.")
    model: Named | None = Field(default=None, description="Unset: the first item.")
    machines: int = Field(default=1, ge=1, le=MOST_MACHINES, description="Together.")
    down: int = Field(default=0, ge=0, le=MOST_MACHINES, description="Of these or its units.")
    answer: Words | None = Field(default=None, description="Without a need.")
    met: bool | None = Field(default=None, description="Of answer.")


class ComparedArgs(LetterArgs):
    """A row of the comparison; a model alone will do."""

    model: Named = Field(description="Model.")
    remark: Annotated[str, Field(max_length=2_000), PLAIN] = Field(default="", description="Why or why not.")

    @model_validator(mode="before")
    @classmethod
    def may_be_a_model_alone(cls, value: object) -> object:
        return {"model": value} if isinstance(value, str) else value


class AcceptedArgs(LetterArgs):
    field: Named = Field(description="Of open.")
    who: Named = Field(description="Person.")
    by: date = Field(description="By that day.")


class DraftArgs(LetterArgs):
    """Everything is optional, for a new version says only what it changes."""

    page: Annotated[str, Field(min_length=1, max_length=LONGEST_PAGE), PLAIN] | None = Field(
        default=None,
        description="Markdown, {{items}} for the table. Facts typed or {{total}}, {{net}}, {{QGV-100.flow}}, "
        "{{must.3}}, {{Q24-0101/3}}, {{house.payment_terms}}.",
    )
    request: Annotated[str, Field(max_length=20_000), PLAIN] | None = Field(default=None, description="His mail.")
    account_id: Named | None = Field(default=None, description="Or customer.")
    customer: Named | None = Field(default=None, description="Without account.")
    signed_by: Named | None = Field(default=None, description="Unset: his last.")
    language: Language | None = Field(default=None, description="Unset: his.")
    units: System | None = Field(default=None, description="Unset: his.")
    delivery: Annotated[str, Field(max_length=200), PLAIN] = Field(default="", description="As DAP Graz.")
    quote_ids: list[QuoteId] = Field(
        default=[],
        max_length=10,
        description="Prices; but the first: options.",
    )
    together: bool | None = Field(default=None, description="One order.")
    items: list[DraftItemArgs] = Field(
        default=[],
        max_length=MOST_ITEMS,
        description="Beside a quote's.",
    )
    requirements: list[RequirementArgs] = Field(default=[], max_length=MOST_REQUIREMENTS, description="Musts.")
    comparison: list[ComparedArgs] = Field(default=[], max_length=12, description="A table.")
    terms: list[Words] = Field(default=[], max_length=20, description="Beside the house's.")
    notes: list[Words] = Field(default=[], max_length=40, description="Internal.")
    withdrawn: Annotated[str, Field(max_length=2_000), PLAIN] = Field(default="", description="Why so.")
    accept_open: list[AcceptedArgs] = Field(
        default=[],
        max_length=40,
        description="Told later.",
    )

    def changed_by(self, other: "DraftArgs") -> "DraftArgs":
        """What the other one says takes the place of what this one said; accepted fields stay accepted."""
        said = {name: getattr(other, name) for name in other.model_fields_set if name in DraftArgs.model_fields}
        if "accept_open" in said:
            accepted = {each.field: each for each in (*self.accept_open, *other.accept_open)}
            said["accept_open"] = list(accepted.values())
        return DraftArgs.model_validate({**{name: getattr(self, name) for name in self.model_fields_set}, **said})


def texts_of(content: DraftArgs) -> Iterator[str]:
    """What the draft's writer typed for the customer."""
    yield from filter(None, [content.page, *content.terms, *(each.answer for each in content.requirements)])
    yield from (item.note for item in content.items if item.note)
    yield from (each.remark for each in content.comparison if each.remark)


def facts_named(content: DraftArgs) -> list[str]:
    """The facts of past lines and models that the texts name by id; a model may look like a line."""
    own = {f"{each.upper()}.{TOTAL}" for each in content.quote_ids}
    names = dict.fromkeys(match[1].strip() for text in texts_of(content) for match in REFERENCE.finditer(text))
    return [name for name in names if ("." in name or LINE.fullmatch(name)) and name not in own
            and not name.startswith((HOUSE, MUST))]  # fmt: skip


def things_in(fact: str) -> list[str]:
    """What a fact may be of, the longest first, for a model may have dots: SX7.5.flow, SX7.5, SX7."""
    parts = fact.split(".")
    return [".".join(parts[:end]) for end in range(len(parts), 0, -1)]


MOST_CHANGES = 100


class ChangeArgs(LetterArgs):
    """``to`` takes the place of ``old`` in a text, else of the whole; unset, that goes."""

    path: Named = Field(description="As items/1/note.")
    old: str | None = Field(default=None, max_length=LONGEST_PAGE, description="Part of a text.")
    to: str | None = Field(default=None, max_length=LONGEST_PAGE, description="Rows as JSON.")


def changed(content: DraftArgs, changes: Sequence[ChangeArgs]) -> tuple[DraftArgs, list[Problem]]:
    """The draft with all changes, in their order, and what is wrong with them; with a problem nothing is changed."""
    tree = content.model_dump(mode="json", by_alias=True, exclude_unset=True)
    problems = []
    for number, change in enumerate(changes, 1):
        if told := _change(tree, change):
            problems.append(Problem(code="NOT_FOUND", path=f"changes/{number} ({change.path})", message=told))
    if problems:
        return content, problems
    try:
        return DraftArgs.model_validate({name: value for name, value in tree.items() if value != []}), []
    except ValidationError as error:
        return content, [
            Problem(
                code="INVALID",
                path="/".join(str(part + 1 if isinstance(part, int) else part) for part in each["loc"]),
                message=f"{each['msg']}.",
            )
            for each in error.errors()
        ]


def _change(tree: dict[str, Any], change: ChangeArgs) -> str | None:
    """Makes it in the tree; what is wrong with it where it cannot be made."""
    names, holder = change.path.split("/"), cast("Any", tree)
    for name, following in pairwise(names):
        if following == "1" and isinstance(holder, dict):
            holder.setdefault(name, [])
        holder = _at(holder, name)
        if holder is None:
            return f"'{name}' is not there; {_there(tree)}"
    last = names[-1]
    now = _at(holder, last)
    if change.old is not None:
        count = now.count(change.old) if isinstance(now, str) else 0
        if count != 1:
            return f"the old text stands there {count} times and has to stand once."
        return _put(holder, last, now.replace(change.old, change.to or ""))
    if change.to is None:
        if now is None:
            return f"it is not there; {_there(tree)}"
        del holder[last if isinstance(holder, dict) else int(last) - 1]
        return None
    return _put(holder, last, _value(change.to))


def _at(holder: object, name: str) -> Any:
    if isinstance(holder, list):
        return holder[int(name) - 1] if _is_place(name, of=len(holder)) else None
    return holder.get(name) if isinstance(holder, dict) else None


def _is_place(name: str, *, of: int) -> bool:
    return name.isascii() and name.isdecimal() and len(name) < 4 and 1 <= int(name) <= of


def _put(holder: Any, name: str, value: object) -> str | None:
    if isinstance(holder, dict):
        holder[name] = value
    elif not isinstance(holder, list) or not _is_place(name, of=len(holder) + 1):
        return f"'{name}' is no place in a list of {len(holder) if isinstance(holder, list) else 0}."
    elif int(name) > len(holder):
        holder.append(value)
    else:
        holder[int(name) - 1] = value
    return None


def _value(text: str) -> object:
    """A row or a list where the text is one as JSON, else the text: fields read numbers from it themselves."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _there(tree: dict[str, Any]) -> str:
    counts = [f"{name} ({len(value)})" if isinstance(value, list) else name for name, value in sorted(tree.items())]
    return f"the draft has {', '.join(counts) or 'nothing'}."
