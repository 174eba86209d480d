"""A draft of a letter as its writer's choices, by ids; it holds nothing that the server can look up itself."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from itertools import pairwise
from typing import Annotated, Any, Literal, cast

from pydantic import ConfigDict, Field, StringConstraints, ValidationError, model_validator

from cpq.model import PLAIN, Language, Problem, QuoteId
from cpq.quotes.drafting import refusal
from quarry.attributes.units import System
from quarry.money import Count
from quarry.text import part_key
from quarry.tool.contract import Args

Role = Literal["item", "option", "alternate"]
Named = Annotated[str, Field(min_length=1, max_length=200), PLAIN]
Words = Annotated[str, Field(min_length=1, max_length=2_000), PLAIN]
DraftId = Annotated[str, Field(pattern=r"^[Dd]-[0-9]{4}-[0-9]{4,}$"), PLAIN]

REFERENCE = re.compile(r"\{\{([^{}]{0,200}+)\}\}")
"""A fact that a text names by id: {{QGV-100.flow}}."""
ITEMS, NET, GROSS, TAX, EACH, HOUSE, MUST = "items", "net", "gross", "tax", ".each", "house.", "must."
"""What a text may name: the table, its total before and with tax, a quote's tax, a fact of the house, a must."""
UNSIGNED = "{{unsigned}}"
"""Stands in a page whose sum is not final, so that there is nothing to sign yet."""
LINE = re.compile(r".+/\d+")
"""The name of a past quote's line, such as Q24-0101/2."""

LONGEST_PAGE, MOST_UNITS = 20_000, 999_999
MOST_ITEMS, MOST_REQUIREMENTS, MOST_MACHINES = 60, 60, 99


def _unbounded(schema: dict[str, Any]) -> None:
    """Leaves bounds out of the schema: they are checked, and would cost more than they tell."""
    for field in schema["properties"].values():
        for part in (field, *field.get("anyOf", ())):
            for key in ("default", "maxItems", "minItems", "minimum", "maxLength", "minLength"):
                part.pop(key, None)


class LetterArgs(Args):
    """Arguments about a letter, whose schema shows no bounds."""

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
    quantity: Count = Field(default=Decimal(0), ge=0, le=MOST_UNITS, description="Unset: the quote's, or 1.")
    role: Role = Field(default="item", description="Others are in no total.")
    passages: list[PassageArgs] = Field(default=[], max_length=20, description="Proven.")
    note: Words | None = Field(default=None, description="Printed.")


class RequirementArgs(LetterArgs):
    """A must as the customer wrote it. With a need it is tested on a model, else ``answer`` says how it is met."""

    model_config = ConfigDict(populate_by_name=True, serialize_by_alias=True)

    text: Words = Field(description="His; same: one row.")
    attribute: Named | None = Field(default=None, description="Its need.")
    is_: Named | None = Field(default=None, alias="is", description=">= 400 cfm.")
    model: Named | None = Field(default=None, description="Unset: first, offers.")
    machines: int = Field(default=1, ge=1, le=MOST_MACHINES, description="Together.")
    down: int = Field(default=0, ge=0, le=MOST_MACHINES, description="Of these or its units.")
    answer: Words | None = Field(default=None, description="Without a need; of model.")
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
        description="Markdown, {{items}} for the table. Facts typed or {{net}} before tax, {{gross}}, {{Q-7.net}}, "
        "{{Q-7/2}}, {{Q-7/2.each}}, {{QGV-100.flow}}, {{must.3}}, {{house.delivery}}.",
    )
    annex: Annotated[str, Field(min_length=1, max_length=LONGEST_PAGE), PLAIN] | None = Field(
        default=None, description="Likewise."
    )
    request: Annotated[str, Field(max_length=20_000), PLAIN] | None = Field(default=None, description="His mail.")
    account_id: Named | None = Field(default=None, description="Or customer.")
    customer: Named | None = Field(default=None, description="Without account, else Attn.")
    signed_by: Named | None = Field(default=None, description="Unset: his last.")
    language: Language | None = Field(default=None, description="Unset: his.")
    units: System | None = Field(default=None, description="Unset: his.")
    delivery: Annotated[str, Field(max_length=200), PLAIN] = Field(default="", description="As DAP Graz.")
    quote_ids: list[QuoteId] = Field(
        default=[],
        max_length=10,
        description="Prices; but the first: options.",
    )
    together: bool | None = Field(default=None, description="One sum.")
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
        """Returns the draft with all that the other one says in place; accepted fields stay accepted."""
        said = {name: getattr(other, name) for name in other.model_fields_set if name in DraftArgs.model_fields}
        if "accept_open" in said:
            accepted = {each.field: each for each in (*self.accept_open, *other.accept_open)}
            said["accept_open"] = list(accepted.values())
        return DraftArgs.model_validate({**{name: getattr(self, name) for name in self.model_fields_set}, **said})


def texts_of(content: DraftArgs) -> Iterator[tuple[str, str]]:
    """Yields (model, text) of what the draft's writer typed for the customer, the page first; a model where it is of
    one.
    """
    yield from (("", text) for text in (content.page, content.annex, *content.terms) if text)
    of_models = [*((item.product_id, item.note) for item in content.items),
                 *((each.model, each.remark) for each in content.comparison),
                 *((each.model, each.answer) for each in content.requirements)]  # fmt: skip
    yield from ((model or "", text) for model, text in of_models if text)


def facts_named(content: DraftArgs) -> list[str]:
    """Returns the facts of past lines and models that texts name by id; a model may look like a line."""
    quotes = [each.upper() for each in content.quote_ids]
    own = {f"{each}.{what}" for each in quotes for what in (NET, GROSS, TAX)}
    others = (HOUSE, MUST, *(f"{each}/" for each in quotes))
    names = dict.fromkeys(match[1].strip() for _, text in texts_of(content) for match in REFERENCE.finditer(text))
    return [name for name in names if ("." in name or LINE.fullmatch(name)) and name not in own
            and not name.startswith(others)]  # fmt: skip


def things_in(fact: str) -> list[str]:
    """Returns what a fact may be of, the longest first, because a model may have dots: SX7.5.flow, SX7.5, SX7."""
    parts = fact.split(".")
    return [".".join(parts[:end]) for end in range(len(parts), 0, -1)]


def machine_in(fact: str, machines: Mapping[str, object]) -> str:
    """Returns the machine that a fact is of, as the fact names it; empty where it is of none."""
    return next((thing for thing in things_in(fact) if part_key(thing) in machines), "")


MOST_CHANGES = 100
Verbatim = Annotated[str, StringConstraints(strip_whitespace=False)]
"""A piece of a text, whose blanks at its ends part it from what stands around it."""


class ChangeArgs(LetterArgs):
    """A change of one field: ``to`` replaces ``old`` in its text, else the whole; without ``to`` that is removed."""

    path: Named = Field(description="items/1/note: the first.")
    old: Verbatim | None = Field(default=None, max_length=LONGEST_PAGE, description="Part of a text.")
    to: Verbatim | None = Field(default=None, max_length=LONGEST_PAGE, description="Rows as JSON.")


def changed(content: DraftArgs, changes: Sequence[ChangeArgs]) -> DraftArgs:
    """Returns the draft with all changes made in order. Raises a ToolError that says all that is wrong with them."""
    tree, problems = content.model_dump(mode="json", by_alias=True, exclude_unset=True), list[Problem]()
    for number, change in enumerate(changes, 1):
        try:
            _change(tree, change)
        except LookupError as error:
            path = f"changes/{number} ({change.path})"
            problems.append(Problem(code="NOT_FOUND", path=path, message=str(error)))
    if problems:
        raise refusal(problems)
    try:
        return DraftArgs.model_validate({name: value for name, value in tree.items() if value != []})
    except ValidationError as error:
        for each in error.errors():
            path = "/".join(str(part + 1 if isinstance(part, int) else part) for part in each["loc"])
            problems.append(Problem(code="INVALID", path=path, message=f"{each['msg']}."))
        raise refusal(problems) from error


def _change(tree: dict[str, Any], change: ChangeArgs) -> None:
    """Makes one change in the tree. Raises LookupError that says what is there where it cannot be made."""
    holder, (*names, last) = cast("Any", tree), change.path.split("/")
    for name, following in pairwise((*names, last)):
        if following == "1" and isinstance(holder, dict):
            holder.setdefault(name, [])
        holder = holder[_place(name, holder, tree)]
    if change.old is not None:
        place = _place(last, holder, tree)
        count = holder[place].count(change.old) if isinstance(holder[place], str) else 0
        if count != 1:
            raise LookupError(f"the old text stands there {count} times and has to stand once.")
        holder[place] = holder[place].replace(change.old, change.to or "")
    elif change.to is None:
        del holder[_place(last, holder, tree)]
    elif isinstance(holder, dict):
        holder[last] = _value(change.to)
    else:
        place = _place(last, [*holder, None] if isinstance(holder, list) else holder, tree)
        holder[place : place + 1] = [_value(change.to)]


def _place(name: str, holder: object, tree: dict[str, Any]) -> Any:
    """Returns the key of a field or an index in a list. Raises LookupError where there is none."""
    if isinstance(holder, dict) and name in holder:
        return name
    if isinstance(holder, list) and name.isdecimal() and len(name) < 4 and 1 <= int(name) <= len(holder):
        return int(name) - 1
    counts = [f"{key} ({len(value)})" if isinstance(value, list) else key for key, value in sorted(tree.items())]
    from_one = ": lists count from 1" if isinstance(holder, list) and name == "0" else ""
    raise LookupError(f"'{name}' is not there{from_one}; the draft has {', '.join(counts) or 'nothing'}.")


def _value(text: str) -> object:
    """Parses a row or a list written as JSON; other text stays text, because fields read numbers from it."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
