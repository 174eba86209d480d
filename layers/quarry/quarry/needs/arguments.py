"""Needs and filters as tools take them: closed rows of short strings, because strict schemas forbid maps."""

import re
from collections.abc import Iterable, Iterator, Sequence

from pydantic import ConfigDict, Field

from quarry.attributes.model import Attributes
from quarry.attributes.units import SIGN
from quarry.money import MONEY, ON_REQUEST
from quarry.needs.grammar import LONGEST_NEED, currency_named, read_need
from quarry.needs.model import Need, Unread
from quarry.reading.languages import spelled
from quarry.text import fold, key_of, written_out
from quarry.tool.contract import Args

AMOUNT = re.compile(r"(.*\d)\s*+(\D.*+)")
"""Matches an amount with what may be its currency."""
_NO_CURRENCY = re.compile("|".join(("not", *map(spelled, ("to", "at_least", "at_most", "about")))))
BEFORE_AMOUNT = re.compile(
    rf"(?<!\d\s)(?<![^\s\d<>=~≥≤≈|.,…–—-])({SIGN} [^\W\d_]{{2,3}}|[^\s\d<>=~≥≤≈|.,…–—-]++)\s?(?=\d)"
)

IS = "As list_attributes says: '350..400 cfm', 'not a | b'."
FIT = "Each need by name: met, close, unknown or contradicted, with what it has."
READ = "Needs given and read from the query, as they can be sent again."
UNREAD = "What could not be read, and how to ask."


class FilterRow(Args):
    """What rows have to say of one attribute to be shown at all."""

    model_config = ConfigDict(populate_by_name=True, serialize_by_alias=True)

    attribute: str = Field(max_length=200, description="As of needs.")
    is_: str = Field(max_length=LONGEST_NEED, alias="is", description="As of needs; ?: no value, 5..9 | ?.")


class NeedRow(FilterRow):
    """What rows are judged by in one attribute."""

    attribute: str = Field(max_length=200, description="Of list_attributes, or family, model, price …")
    is_: str = Field(max_length=LONGEST_NEED, alias="is", description=IS)
    wish: bool = Field(default=False, description="Nice to have.")


def needs_of(rows: Iterable[FilterRow], *, attributes: Attributes) -> tuple[tuple[Need, ...], tuple[Unread, ...]]:
    """Parses rows; returns (needs, rows that could not be read, with how to ask)."""
    found = [
        _read(row, name, asked, attributes)
        for row in rows
        for name, asked in _parted(row.attribute, row.is_, attributes)
    ]
    return (
        tuple(each for each in found if isinstance(each, Need)),
        tuple(each for each in found if isinstance(each, Unread)),
    )


def _read(row: FilterRow, name: str, asked: str, attributes: Attributes) -> Need | Unread:
    need = read_need(name, asked, attributes=attributes, wish=isinstance(row, NeedRow) and row.wish)
    if isinstance(row, NeedRow) and isinstance(need, Need) and (need.is_silence or need.or_silent):
        return Unread(name, asked, "only filters ask for rows that say nothing of it")
    return need


def _parted(name: str, asked: str, attributes: Attributes) -> Iterator[tuple[str, str]]:
    """Splits a currency off an amount, so that no amount in another one meets it; a price may be on request."""
    if name == "price" and key_of(asked) == ON_REQUEST:
        yield "on_request", "yes"
        return
    plain, currencies = written_out(asked.strip()), set[str]()

    def taken(found: re.Match[str]) -> str:
        currency = None if _NO_CURRENCY.fullmatch(fold(found[1])) else currency_named(found[1], attributes)
        currencies.update([currency] if currency else ())
        return "" if currency else found[0]

    if name in MONEY:
        plain = BEFORE_AMOUNT.sub(taken, plain)
        amount = AMOUNT.fullmatch(plain)
        if amount and (behind := currency_named(amount[2], attributes)):
            plain = amount[1]
            currencies.add(behind)
    if len(currencies) == 1:
        yield name, plain
        yield "currency", currencies.pop()
    else:
        yield name, asked


def sent_again(needs: Iterable[Need]) -> list[NeedRow]:
    """Converts needs to rows as a caller may send them."""
    return [NeedRow(attribute=need.name, is_=need.asked, wish=need.wish) for need in needs]


def short_forms(
    bounds: Iterable[tuple[str, str, str]], *, attributes: Attributes
) -> tuple[Sequence[FilterRow], tuple[Unread, ...]]:
    """Returns (filters, unread) of arguments that a seed fixed: (argument, attribute, what it asks)."""
    rows, unread = [], []
    for argument, name, asked in bounds:
        if name in attributes.by_name:
            rows.append(FilterRow(attribute=name, is_=asked))
        else:
            unread.append(Unread(argument, asked, f"nothing here has an attribute {name}"))
    return rows, tuple(unread)
