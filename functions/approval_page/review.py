"""What an approver is shown: the request, the very version of the quote that it is bound to, and past prices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

from psycopg.sql import SQL

from cpq.approvals import deciding, questions, wording
from cpq.approvals import queries as approvals
from cpq.approvals.deciding import Colleague, Delegation, RequestStanding
from cpq.approvals.model import Approval
from cpq.approvals.queries import CustomerRecord
from cpq.approvals.questions import AskedQuestion
from cpq.approvals.wording import ApproverWording
from cpq.documents import s3
from cpq.model import QuoteVersion, VersionLine
from cpq.pricing.arithmetic import as_precise
from cpq.pricing.trace import Trace
from cpq.quotes import queries, versions
from cpq.quotes.queries import WholeQuote
from quarry.data import database
from quarry.data.database import Connection, rows_of
from quarry.precedents.list_prices import Market, in_words, list_entries, recurring
from quarry.precedents.price_history import PriceFigures, PriceHistory, QuotedPrice, histories, of_models
from quarry.retrieval.here import attributes_of
from quarry.text import goods_named

MODELS = SQL("""
    SELECT id, manufacturer, model FROM cpq.products
    WHERE tenant = %(tenant)s AND id = ANY (%(product_ids)s) AND model IS NOT NULL
""")


@dataclass(frozen=True, slots=True)
class ModelPrices:
    """Past prices of the ``goods`` that a line's product is; the line's own is ``here``, for one of its ``unit``."""

    product: str
    goods: str
    here: Decimal
    unit: str
    history: PriceHistory

    @property
    def per(self) -> str:
        return in_words(self.history.unit)

    @property
    def sold(self) -> PriceFigures | None:
        return next((figures for figures in self.history.figures if figures.outcome == "sold"), None)

    @property
    def not_sold(self) -> PriceFigures | None:
        """Lost and offered prices together: their number, the lowest and the highest."""
        others = [figures for figures in self.history.figures if figures.outcome != "sold"]
        if not others:
            return None
        low, high = min(others, key=lambda each: each.low), max(others, key=lambda each: each.high)
        count = sum(each.count for each in others)
        return low.model_copy(update={"count": count, "high": high.high, "high_in": high.high_in})

    @property
    def own(self) -> QuotedPrice | None:
        """What this customer paid last."""
        return next((price for price in self.history.own if price.outcome == "sold"), None)


def prices_of_lines(
    tenant: str, version: QuoteVersion, lines: Sequence[VersionLine], *, today: date
) -> list[ModelPrices]:
    """Returns the price history of each line's model in the quote's currency, where there is one, those of the lines
    that are worth most first: in the line's own unit, or in another if there is none.

    Recurring charges have none, because past quotes hold prices of goods.
    """
    goods = [line for line in lines if not recurring(line.unit)]
    goods.sort(key=lambda line: line.line_total, reverse=True)
    asked = {"tenant": tenant, "product_ids": sorted({line.product_id for line in goods})}
    models = {row["id"]: (row["manufacturer"], row["model"]) for row in database.fetch(tenant, MODELS, asked)}
    past = of_models(tenant, set(models.values()), customer=version.account["name"])
    entries = list_entries(tenant, [model for _, model in models.values()])
    market, units = Market(version.account["segment"], version.account["country"]), attributes_of(tenant).units
    found = []
    for line in goods:
        if line.product_id not in models:
            continue
        maker, model = models[line.product_id]
        own = [entry for entry in entries if entry["product_id"] == line.product_id]
        net = Fraction(line.unit_price) * (100 - Fraction(line.effective_discount_pct)) / 100
        price = as_precise(net, line.unit_price, currency=version.currency)
        told = histories(
            past[maker, model], entries=own, units=units, today=today, asked=price, asked_per=line.unit,
            currency=version.currency, market=market,
        )  # fmt: skip
        if told and told[0].currency == version.currency:
            found.append(ModelPrices(line.product_name, goods_named(maker, model), price, line.unit, told[0]))
    return found


# Decisions about any quote of the same customer, newest first.
EARLIER = SQL("""
    {requests} AND decided_at IS NOT NULL AND quote_id IN (
        SELECT q.id FROM cpq.quotes q WHERE q.tenant = quarry.current_tenant() AND q.account_id = (
            SELECT account_id FROM cpq.quotes WHERE tenant = quarry.current_tenant() AND id = %(quote_id)s))
    ORDER BY decided_at DESC, id LIMIT %(limit)s
""").format(requests=approvals.REQUESTS)

CLOCK = SQL("""
    SELECT coalesce(p.time_zone, 'UTC') AS time_zone, m.moment,
        m.moment AT TIME ZONE coalesce(p.time_zone, 'UTC') AS local
    FROM cpq.approvers p, unnest(%(moments)s::timestamptz[] || now()) AS m (moment)
    WHERE p.tenant = quarry.current_tenant() AND p.id = %(approver_id)s ORDER BY m.moment = now()
""")

# The version that was approved last, else the one that was asked about last.
ASKED_BEFORE = SQL("""
    SELECT version AS earlier, bool_or(status IN ('approved', 'void') AND decided_at IS NOT NULL) AS approved
    FROM cpq.approval_requests
    WHERE tenant = quarry.current_tenant() AND quote_id = %(quote_id)s AND version < %(version)s
    GROUP BY version ORDER BY approved DESC, version DESC LIMIT 1
""")

DOCUMENT = SQL("""
    SELECT bucket, key FROM cpq.documents
    WHERE tenant = quarry.current_tenant() AND quote_id = %(quote_id)s AND version = %(version)s
    ORDER BY generated_at DESC LIMIT 1
""")

EARLIER_SHOWN = 5
DOCUMENT_SECONDS = 900


@dataclass(frozen=True, slots=True)
class PageReader:
    """The person who reads a page: their wording, time zone, ``local`` times by moment, and the date there."""

    words: ApproverWording
    zone: str
    local: Mapping[datetime, datetime]
    today: date

    def time(self, moment: datetime) -> str:
        return self.words.moment(self.local[moment], self.zone)


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Two versions of a quote, of which the one ``before`` was requested earlier, or even ``approved``."""

    before: WholeQuote
    after: WholeQuote
    approved: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A request that is not open; ``by`` names who made the newer version that ``changes`` compares."""

    standing: RequestStanding
    reader: PageReader
    changes: Changes | None = None
    by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """All that the page shows; ``earlier`` are decisions about this customer and ``undecided`` the requests about
    this quote that ended without one, newest first. ``colleagues`` may decide in the approver's place, ``deputy``
    does so now.
    """

    standing: RequestStanding
    version: QuoteVersion
    lines: list[VersionLine]
    trace: Trace
    earlier: list[Approval]
    requester: str
    record: CustomerRecord
    reader: PageReader
    changes: Changes | None
    questions: list[AskedQuestion]
    undecided: list[Approval]
    colleagues: list[Colleague]
    deputy: Delegation | None
    document: str | None
    past_prices: list[ModelPrices]

    @property
    def words(self) -> ApproverWording:
        return self.reader.words

    @property
    def reasons(self) -> list[str]:
        evaluation = self.version.evaluation
        of_deal = self.words.reasons(evaluation.violations if evaluation else [], self.trace)
        return of_deal + self.words.cost_reasons(self.trace)


def review(standing: RequestStanding, *, tenant: str) -> Review:
    approval = standing.approval
    named: dict[str, Any] = {"quote_id": approval.quote_id, "version": approval.version}
    with database.transaction(tenant) as connection:
        version = versions.find(connection, **named)
        lines = queries.lines(connection, **named)
        wanted = {"quote_id": approval.quote_id, "limit": EARLIER_SHOWN}
        earlier = rows_of(connection, Approval, EARLIER, wanted)
        asked = [
            one for one in questions.of_quote(connection, quote_id=approval.quote_id) if one.request_id == approval.id
        ]
        undecided = [one for one in approvals.of_quote(connection, quote_id=approval.quote_id) if one.left_undecided]
        moments = [approval.expires_at, *(one.asked_at for one in asked)]
        moments += [one.ended_at for one in (*earlier, *undecided)]
        before = connection.execute(ASKED_BEFORE, named).fetchone()
        document, file_name = connection.execute(DOCUMENT, named).fetchone(), f"{approval.quote_id}.pdf"
        today = queries.today(connection)
        complete = partial(
            Review,
            standing=standing,
            version=version,
            lines=lines,
            trace=Trace.model_validate(version.trace),
            earlier=earlier,
            requester=approvals.named(connection, subject=approval.requested_by),
            record=approvals.customer_record(connection, account_id=version.account_id),
            reader=reader_of(connection, standing, tenant=tenant, moments=moments),
            changes=_changes(connection, approval.quote_id, later=approval.version, **before) if before else None,
            questions=asked,
            undecided=undecided[:EARLIER_SHOWN],
            colleagues=deciding.colleagues(connection, standing),
            deputy=deciding.delegation_of(connection, approver_id=standing.link.approver_id),
            document=s3.link(file_name=file_name, seconds=DOCUMENT_SECONDS, **document)[0] if document else None,
        )
    return complete(past_prices=prices_of_lines(tenant, version, lines, today=today))


def ended(standing: RequestStanding, *, tenant: str) -> Ended:
    approval = standing.approval
    with database.transaction(tenant) as connection:
        moments = [approval.ended_at, *filter(None, [approval.voided_at])]
        reader = reader_of(connection, standing, tenant=tenant, moments=moments)
        newest = queries.history(connection, quote_id=approval.quote_id)[-1]
        if newest.version == approval.version or standing.state not in ("void", "superseded"):
            return Ended(standing=standing, reader=reader)
        both = {"earlier": approval.version, "later": newest.version}
        changes = _changes(connection, approval.quote_id, **both, approved=False)
        by = approvals.named(connection, subject=newest.created_by)
        return Ended(standing=standing, reader=reader, changes=changes, by=by)


def reader_of(
    connection: Connection, standing: RequestStanding, *, tenant: str, moments: Sequence[datetime] = ()
) -> PageReader:
    """Returns the approver as a reader; Postgres converts times, because Python on Lambda may lack time zones."""
    named = {"approver_id": standing.link.approver_id, "moments": list(moments)}
    rows = connection.execute(CLOCK, named).fetchall()
    local = {row["moment"]: row["local"] for row in rows}
    words = wording.of_house(connection, tenant=tenant)
    return PageReader(words, rows[-1]["time_zone"], local, rows[-1]["local"].date())


def _changes(connection: Connection, quote_id: str, *, earlier: int, later: int, approved: bool) -> Changes:
    before, after = (versions.whole(connection, quote_id=quote_id, version=version) for version in (earlier, later))
    return Changes(before=before, after=after, approved=approved)
