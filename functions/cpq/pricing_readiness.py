"""Whether a drafted quote can be sold as it stands today: the catalogue may have changed since."""

from collections.abc import Sequence

from cpq import configuration, pricing_queries
from cpq.model import Problem
from cpq.pricing_queries import Quoted, QuotedLine
from quarry.data.database import Connection


def problems(connection: Connection, tenant: str, *, quote: Quoted, lines: Sequence[QuotedLine]) -> list[Problem]:
    return [*_of_header(quote), *_of_lines(lines), *_of_relations(connection, tenant, quote=quote, lines=lines)]


def _of_header(quote: Quoted) -> list[Problem]:
    found = []
    if not quote.account_active:
        found.append(Problem(code="INACTIVE", path="account_id", message=f"{quote.account_name} is closed."))
    if quote.valid_until < quote.today:
        found.append(
            Problem(
                code="EXPIRED",
                path="valid_until",
                message=f"The offer ended on {quote.valid_until}: revise the quote with quote_create and a new date.",
            )
        )
    return found


def _of_lines(lines: Sequence[QuotedLine]) -> list[Problem]:
    found: list[Problem] = []
    for index, line in enumerate(lines):
        path = f"line_items[{index}]"
        found.extend(configuration.line_problems(line.wanted, line.offer, path=path))
        found.extend(
            Problem(code="MISSING", path=missing, message=f"{line.offer.name} cannot be priced without it.")
            for missing in configuration.missing_attributes(line.wanted, line.offer, path=path)
        )
    return found


def _of_relations(
    connection: Connection, tenant: str, *, quote: Quoted, lines: Sequence[QuotedLine]
) -> list[Problem]:
    names = {line.item.product_id: line.item.product_name for line in lines}
    relations = pricing_queries.relations(connection, tenant, product_ids=names)
    return configuration.broken_relations([line.wanted for line in lines], relations, names=names, owned=quote.owned)
