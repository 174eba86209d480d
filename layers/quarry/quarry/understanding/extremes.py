"""Superlatives: of the rows that meet a request, the largest, the quietest or the latest is asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from types import MappingProxyType

from quarry.money import with_code
from quarry.understanding.figures_fit import COLUMNS, PRICES, UNITS, Traits
from quarry.understanding.needs import SIZES, VERDICTS, Finding, Item, Judgement, Need, Verdict

EXTREMES = frozenset(("most", "least"))
"""Attributes of needs that order rows; their value is the attribute that rows are ordered by."""
SHOWN: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "size": ("largest", "smallest"),
        "footprint": ("largest footprint", "smallest footprint"),
        "hp": ("most powerful", "least powerful"),
        "cfm": ("highest flow", "lowest flow"),
        "psi": ("highest pressure", "lowest pressure"),
        "inhg": ("deepest vacuum", "least vacuum"),
        "dewpoint_f": ("highest dew point", "lowest dew point"),
        "dba": ("loudest", "quietest"),
        "lb": ("heaviest", "lightest"),
        "width_in": ("widest", "narrowest"),
        "height_in": ("tallest", "lowest"),
        "length_in": ("longest", "shortest"),
        "price": ("highest price", "lowest price"),
        "date": ("latest", "earliest"),
    }
)
"""How the most and the least of an attribute are said."""
SIZE_COLUMNS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "compressor": ("hp", "cfm"), "vacuum_pump": ("cfm", "hp"), "blower": ("cfm", "hp"), "dryer": ("cfm",),
        "filtration": ("cfm",), "receiver": ("gallons",),
    }
)  # fmt: skip
"""What makes a machine of a family large; the second parts those that are alike in the first."""

Value = tuple[float, ...]


def extreme_of(item: Item) -> Need | None:
    """The superlative of an item; none where nothing else is said of what is meant, or where it is denied."""
    return next((need for need in item.needs if need.attribute in EXTREMES and need.operator == "one_of"), None)


def settled(needs: Sequence[Need]) -> tuple[Need, ...]:
    """Of machines whose power or flow is given, the smallest is the one that takes the least room."""
    given = any(need.attribute in SIZES and need.operator in ("exactly", "about") for need in needs)
    footprint = frozenset({"footprint"})
    return tuple(
        replace(need, values=footprint, shown=SHOWN["footprint"][1])
        if given and need.attribute == "least" and need.values == {"size"}
        else need
        for need in needs
    )


def ordering(need: Need, families: frozenset[str]) -> str:
    """The attribute whose values order the rows of these families: the size of a receiver is its gallons."""
    [attribute] = need.values
    if attribute != "size":
        return attribute
    return SIZE_COLUMNS.get(next(iter(families), ""), ("price",))[0] if len(families) < 2 else "hp"


def ordered(
    need: Need, rows: Sequence[tuple[Judgement, Mapping[str, object], Traits]]
) -> list[tuple[Judgement, int | None]]:
    """Each judgement with the finding of a superlative, and the row's place among those that answer all else best.

    Only rows that are equally good otherwise are compared, and prices only in the currency that most of them have.
    """
    best = min((VERDICTS.index(judgement.overall) for judgement, _, _ in rows), default=0)
    compared = [VERDICTS[best] == judgement.overall != "contradicted" for judgement, _, _ in rows]
    [attribute] = need.values
    values = [_value(attribute, row, traits) if among else None
              for among, (_, row, traits) in zip(compared, rows, strict=True)]  # fmt: skip
    if attribute in ("price", "size"):
        values = _of_one_currency(values, [row for _, row, _ in rows])
    known = sorted({value for value in values if value is not None}, reverse=need.attribute == "most")
    places = {value: place for place, value in enumerate(known)}
    found: list[tuple[Judgement, int | None]] = []
    for (judgement, row, _), value in zip(rows, values, strict=True):
        place = places.get(value) if value is not None else None
        behind = place is not None and place >= (need.machines or 1)
        found.append((_with(judgement, need, place, _has(attribute, row, value), behind=behind), place))
    return found


def _with(judgement: Judgement, need: Need, place: int | None, has: str, *, behind: bool) -> Judgement:
    """Who has the extreme, or is among so many as are asked for, meets the need and the others are close to it.

    What a row is worth otherwise stays: how far the second largest is from right says its place.
    """
    verdict: Verdict = "unknown" if place is None else "close" if behind else "met"
    return replace(
        judgement,
        findings=(*judgement.findings, Finding(verdict, has, need)),
        met=judgement.met + (verdict == "met"),
    )


def _value(attribute: str, row: Mapping[str, object], traits: Traits) -> Value | None:
    if attribute == "size":
        columns = SIZE_COLUMNS.get(str(row.get("family") or ""), PRICES)
        found = [_number(column, row, traits) for column in columns]
        known = [value for value in found if value is not None]
        return tuple(known) or None
    if attribute == "footprint":
        sides = [_number(column, row, traits) for column in ("length_in", "width_in")]
        return (sides[0] * sides[1],) if sides[0] and sides[1] else None
    if attribute == "price":
        return next(((value,) for column in PRICES if (value := _number(column, row, traits)) is not None), None)
    if attribute == "date":
        day = row.get("quote_date")
        return (float(day.toordinal()),) if isinstance(day, date) else _of_text(day)
    value = _number(COLUMNS.get(attribute, attribute), row, traits)
    return None if value is None else (value,)


def _of_text(day: object) -> Value | None:
    try:
        return (float(date.fromisoformat(str(day)[:10]).toordinal()),)
    except ValueError:
        return None


def _number(column: str, row: Mapping[str, object], traits: Traits) -> float | None:
    value = row.get(column)
    if column == "gallons" and value is None:
        return max((float(size) for size in traits.get("gallons", frozenset())), default=None)
    try:
        return None if value is None or value == "" else float(str(value))
    except ValueError:
        return None


def _of_one_currency(values: Sequence[Value | None], rows: Sequence[Mapping[str, object]]) -> list[Value | None]:
    currencies = [str(row.get("currency") or "") for row in rows]
    priced = [currency for value, currency in zip(values, currencies, strict=True) if value is not None]
    usual = max(set(priced), key=lambda currency: (priced.count(currency), currency), default="")
    return [value if currency == usual else None for value, currency in zip(values, currencies, strict=True)]


def _has(attribute: str, row: Mapping[str, object], value: Value | None) -> str:
    if value is None:
        return ""
    if attribute == "date":
        return str(row.get("quote_date"))[:10]
    family = str(row.get("family") or "")
    if attribute == "price" or (attribute == "size" and family not in SIZE_COLUMNS):
        return with_code(Decimal(str(value[0])), str(row.get("currency") or "")).strip()
    if attribute == "footprint":
        return f"{value[0]:g} in²"
    unit = UNITS.get(SIZE_COLUMNS[family][0] if attribute == "size" else attribute, "")
    return f"{value[0]:g} {unit}".strip()
