"""search_line_items: proven language, line item by line item."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from quarry import retrieval
from quarry.paging.budget import LongText
from quarry.paging.pages import PagedArgs, PagedTexts, Pages
from quarry.retrieval.explanation import EXPLAIN
from quarry.retrieval.search_results import FilteredSearchResult, SearchHit
from quarry.retrieval.vocabulary import LUBRICATION_FILTER, Bound, Lubrication, Query, TopK, refuse_empty_ranges
from quarry.spelling import likeness
from quarry.tool.contract import Part, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve
from quotes import queries
from quotes.model import LineItem, QuoteSource, SameWords

CATEGORIES_SHOWN = 30

TOOL = retrieval_tool(
    "search_line_items",
    title="Search the description library",
    toolset="quotes",
    description="""
        The main retrieval tool: how the company described and priced a thing before, one line item per hit,
        verbatim, with customer, quote number and date to cite. Describe what the line should say, e.g.
        '100HP oilless food grade compressor'. Copy descriptions to the letter; treat prices as precedents.
    """,
)

PAGES = Pages(tool=TOOL, text=LongText("line_item.description"))


class SearchLineItemsArgs(PagedArgs):
    query: Annotated[Query, Field(description="What the line item should say.")]
    category: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description="Hard filter: a printed heading such as INSTALLATION, or a "
        "family: compressor, vacuum_pump, dryer, blower, receiver, filtration, accessory, service.",
    )
    hp_min: Bound | None = Field(default=None, description="Lowest HP; lines that do not say are left out.")
    hp_max: Bound | None = Field(default=None, description="Highest HP.")
    cfm_min: Bound | None = Field(default=None, description="Lowest CFM.")
    cfm_max: Bound | None = Field(default=None, description="Highest CFM.")
    psi_min: Bound | None = Field(default=None, description="Lowest PSIG.")
    psi_max: Bound | None = Field(default=None, description="Highest PSIG.")
    lubrication: Lubrication | None = Field(default=None, description=LUBRICATION_FILTER)
    top_k: Annotated[TopK, Field(description="Most line items to return.")] = 10
    explain: bool = Field(default=False, description=EXPLAIN)

    @model_validator(mode="after")
    def ranges_hold_something(self) -> Self:
        refuse_empty_ranges(self, "hp", "cfm", "psi")
        return self


class FoundLine(Part):
    line_item: LineItem = Field(description="The line, verbatim.")


class LineItemHit(SearchHit, FoundLine):
    source_quote: QuoteSource = Field(description="Cite customer, quote number and date above the text.")
    same_words_count: int = Field(description="Other lines of the same words; this one is the newest of them.")
    same_words: list[SameWords] = Field(
        description="The newest 20 of them: where else it was sold, and at what price."
    )


class SearchLineItemsResult(PagedTexts, FilteredSearchResult[LineItemHit, dict[str, float | str]]):
    """Hits on line items."""


def run(args: SearchLineItemsArgs, caller: Caller) -> SearchLineItemsResult:
    filters = args.model_dump(exclude={"query", "top_k", "explain", "max_tokens", "cursor"})
    outcome = retrieval.search(
        queries.LINE_ITEMS,
        tenant=caller.tenant,
        query=args.query,
        limit=args.top_k,
        filters=filters,
        explain=args.explain,
    )
    notices = [outcome.notice] if outcome.notice else []
    if not outcome.hits and args.category is not None:
        notices.append(_categories_notice(args.category, tenant=caller.tenant))
    hits = [_shape(hit) for hit in outcome.hits]
    page = SearchLineItemsResult(
        results=[],
        degraded=outcome.degraded,
        notice=" ".join(notices) or None,
        applied_filters={name: value for name, value in filters.items() if value is not None},
    )
    keys = [(hit.line_item.quote_number, hit.line_item.position) for hit in hits]
    return PAGES.of_ranking(page, hits, keys=keys, args=args, caller=caller)


def _shape(hit: retrieval.Hit) -> LineItemHit:
    return LineItemHit.of(
        hit,
        line_item={name: hit.row[name] for name in LineItem.model_fields},
        source_quote={name: hit.row[name] for name in QuoteSource.model_fields},
        same_words_count=hit.copies,
        same_words=[SameWords.model_validate(copy) for copy in hit.copied],
    )


def _categories_notice(category: str, *, tenant: str) -> str:
    headings, families = queries.categories(tenant)
    as_family = category.lower().replace("-", "_").replace(" ", "_")
    if category.lower() in {heading.lower() for heading in headings} or as_family in families:
        return "The category exists, but no line of it satisfies the other filters."
    near = sorted(headings, key=lambda heading: (-likeness(heading, category), heading))[:CATEGORIES_SHOWN]
    in_use = "; ".join([*sorted(families), *near])
    more = f", and {len(headings) - len(near)} less alike" if len(headings) > len(near) else ""
    return f"No line item has the category '{category}'. Families and categories in use: {in_use}{more}."


handler = serve(TOOL, SearchLineItemsArgs, run)
