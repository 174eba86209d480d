"""What goes with what is asked for: services sold with the like, lead times of what is offered, references."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from quarry.money import written
from quarry.precedents import references
from quarry.precedents.line_parts import line_text
from quarry.products import PRODUCTS
from quarry.retrieval import requests
from quarry.retrieval.part_numbers import model_key
from quarry.understanding.needs import Request
from quotes.drafting import queries
from quotes.drafting.asked import POWERED
from quotes.drafting.queries import Size

MOST_SERVICES = 5
USUAL = 0.25
"""Share of the quotes with the like that a service has to be in."""
MOST_LEAD_TIMES = 6
OLD = 3
"""Years after which a lead time tells nothing of today's."""
MOST_REFERENCES = 4


@dataclass(frozen=True, slots=True)
class Usual:
    """Sentences: services and lead times with their quotes, references as a letter may say them."""

    services: Sequence[str] = ()
    lead_times: Sequence[str] = ()
    references: Sequence[str] = ()


def told_of(
    tenant: str,
    texts: Iterable[str],
    *,
    models: Iterable[str],
    customer: str | None,
    industries: Collection[str],
    currency: str | None,
) -> Usual:
    """What goes with the things that the texts ask for, and how long the models took to deliver; references are of
    the trade that the texts or the customer's name tell, or of those that his past quotes have, ``industries``.
    """
    read = [requests.read(PRODUCTS, text, tenant=tenant).request for text in texts]
    every = list(dict.fromkeys(size for request in read if request for size in _sizes(request)))
    # Beside a machine a tank or a filter tells nothing of the job: half the archive has one.
    sizes = [size for size in every if size.family in POWERED] or every
    if not sizes:
        return Usual()
    wanted = {value for request in read if request for need in request.needs if need.attribute == "service"
              for value in need.values}  # fmt: skip
    named_so = requests.read(PRODUCTS, customer, tenant=tenant).request if customer else None
    trades = {
        value
        for request in [*read, named_so]
        if request
        for need in request.needs
        if need.attribute == "industry"
        for value in need.values
    }
    services, lines, named = queries.with_the_like(
        tenant,
        sizes,
        keys=[model_key(model) for model in models],
        industries={*trades, *industries},
        currency=currency,
    )
    by_category: dict[str, Mapping[str, Any]] = {}
    for row in sorted(services, key=lambda row: row["currency"] != currency):  # else in its commonest
        by_category.setdefault(row["category"], row)
    said = [
        _service(row, currency=currency)
        for row in by_category.values()
        if row["quotes"] >= USUAL * row["of_quotes"]
        and not (wanted and wanted & _services(row["category"], tenant=tenant))
    ]
    may_be_named = references.fitting(named, customer=customer)
    return Usual(said[:MOST_SERVICES], lead_times(lines, today=date.today()), may_be_named[:MOST_REFERENCES])


def _services(category: str, *, tenant: str) -> set[str]:
    read = requests.read(PRODUCTS, category, tenant=tenant).request
    return {value for need in (read.needs if read else ()) if need.attribute == "service" for value in need.values}


def _sizes(request: Request) -> Iterator[Size]:
    for item in request.items:
        power = item.need("hp")
        hp = None if power is None else power.low if power.low is not None else power.high
        yield from (Size(family, hp) for family in sorted(item.families - {"service"}))


def _service(row: Mapping[str, Any], *, currency: str | None) -> str:
    """Without its prices where they are in another currency than the customer's."""
    said = f"{row['category']}: in {row['quotes']} of {row['of_quotes']} quotes"
    if row["low"] is not None and currency in (None, row["currency"]):
        prices = " to ".join(dict.fromkeys(written(row[end], row["currency"]) for end in ("low", "high")))
        said += f", {prices} {row['currency']}"
    return f"{said}; newest {row['newest']}"


def lead_times(lines: Iterable[Mapping[str, Any]], *, today: date) -> list[str]:
    """The newest of each model; what was told years ago says so."""
    found: dict[str, str] = {}
    for line in lines:
        weeks = line_text(line["description"]).delivery_weeks
        if weeks is not None:
            name = " ".join(filter(None, (line["manufacturer"], line["model"])))
            age = today.year - line["quote_date"].year
            old = f": {age} years old, ask the maker" if age >= OLD else ""
            source = f"{line['quote_number']}/{line['position']}, {line['quote_date']}{old}"
            found.setdefault(model_key(line["model"]), f"{name}: {weeks} weeks ({source})")
    return list(found.values())[:MOST_LEAD_TIMES]


def services_told(tenant: str) -> str:
    """What is told of a service that nothing here tells of."""
    names = [row["name"] for row in queries.services_for_sale(tenant)][:MOST_SERVICES]
    sold = f" Services for sale: {'; '.join(names)}." if names else ""
    return f"No past line and no price tells of such work: a person has to answer it.{sold}"


def service_for_sale(request: Request, *, tenant: str) -> str | None:
    """The service for sale whose name says all that is asked for, where there is one alone."""
    # Of which kind the machines are that it is done on tells no service apart.
    wanted = (need for need in request.needs if need.attribute != "compression")
    asked = {(need.attribute, value) for need in wanted for value in need.values}
    found = []
    for row in queries.services_for_sale(tenant):
        named = requests.read(PRODUCTS, row["name"], tenant=tenant).request
        needs = named.needs if named else ()
        if asked and asked <= {(need.attribute, value) for need in needs for value in need.values}:
            found.append(row["id"])
    return found[0] if len(found) == 1 else None
