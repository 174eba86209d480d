"""account_search: customers by name, domain, deal or city, or a table of those that filters leave."""

from pydantic import Field

from cpq import accounts
from cpq.accounts import FoundAccount
from cpq.model import Pagination
from quarry.data import database
from quarry.money import plain
from quarry.needs.arguments import FilterRow
from quarry.needs.grammar import LONGEST_NEED
from quarry.precedents import accounts as precedents
from quarry.tool.contract import Args, LeanResult, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve

TOOL = retrieval_tool(
    "account_search",
    title="Find a customer",
    toolset="cpq",
    description="""
        Customers by name, domain, deal, city or addressee, in part, with their quotes; without query a table by
        filters.
    """,
)


TABLE = (
    "account_id", "name", "city", "country", "segment", "salesperson", "discount_pct", "payment_terms", "active",
    "won",
)  # fmt: skip


class AccountFilter(FilterRow):
    attribute: str = Field(max_length=200, description="city, country, segment, salesperson, won …")
    is_: str = Field(max_length=LONGEST_NEED, alias="is", description="'>= 10', 'not a | b'; ?: says nothing of it.")


class AccountSearchArgs(Args):
    query: str | None = Field(
        default=None, min_length=2, max_length=300, description="'acme', 'acme.example', 'Portland' or a deal's id."
    )
    filters: list[AccountFilter] = Field(default=[], max_length=12, description="All hold.")
    sort: str | None = Field(default=None, max_length=100, description="Attribute; '-': highest first.")
    limit: int = Field(default=5, ge=1, le=200, description="Most customers of a page.")
    page: int = Field(default=1, ge=1, le=10_000, description="Page, from 1.")


class AccountSearchResult(LeanResult):
    unread: list[str] = Field(default=[], description="Filters that could not be read: they hid nobody.")
    accounts: list[FoundAccount] = Field(description="Who is meant exactly first; empty when nobody matches.")
    columns: list[str] = Field(default=[], description="Of the table.")
    rows: list[list[str]] = Field(default=[], description="Without query, a row a customer.")
    pagination: Pagination = Field(description="Where this page stands.")
    notice: str | None = Field(description="What to try where nobody matches, or null.")


def run(args: AccountSearchArgs, caller: Caller) -> AccountSearchResult:
    with database.transaction(caller.tenant) as connection:
        total, rows, strange = precedents.search(
            connection,
            args.query,
            limit=args.limit,
            offset=(args.page - 1) * args.limit,
            filters=args.filters,
            sort=args.sort,
        )
        lost = not total and not args.filters and args.page == 1
        lacking = [] if total else precedents.nobody_has(connection, args.filters, tenant=caller.tenant)
        notice = " ".join(lacking) or None
        if args.query is not None and lost:
            notice = accounts.nobody(connection, args.query)
    found = accounts.found(rows)
    shown: dict[str, object] = {"accounts": found}
    if args.query is None:
        table = [[plain(getattr(each, name), name, {}) for name in TABLE] for each in found]
        shown = {"accounts": [], "columns": list(TABLE), "rows": table}
        if not total:
            notice = notice or "No customer meets all filters: with fewer, or another spelling, some may."
    page = Pagination.of(total=total, page=args.page, per_page=args.limit)
    answer = {**shown, "unread": list(map(str, strange)), "pagination": page, "notice": notice}
    return AccountSearchResult.model_validate(answer)


handler = serve(TOOL, AccountSearchArgs, run)
