"""Composes a printed quote from rows of the database; internal notes, margins and policies stay out of it."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any, Literal
from urllib.parse import quote as encoded

from cpq.approvals.model import Approval
from cpq.documents import wording
from cpq.documents.content import (
    ChangedProduct,
    Charge,
    Customer,
    Heading,
    Line,
    Others,
    QuoteDocument,
    Renewal,
    Seller,
    Side,
    Signature,
    Tax,
    Template,
    Totals,
    TraceStep,
    Watermark,
)
from cpq.documents.wording import DocumentLabels
from cpq.model import Language, QuoteVersion, VersionLine
from cpq.payment import coded
from cpq.pricing.arithmetic import rounded
from cpq.pricing.books import taxes_of
from cpq.pricing.trace import Trace, TracedLine
from cpq.quotes.drafting import last_day
from quarry.money import in_currency
from quarry.precedents.list_prices import recurring

HIGHLIGHTS = 5
"""How many lines a summary lists."""

TENTH = Decimal("0.1")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredQuote:
    """A version of a quote with its lines; ``asked`` are requests for its approval that nobody has decided,
    ``approvals`` those that were granted; ``outdated`` says that policy passed it and would not today.
    """

    version: QuoteVersion
    lines: Sequence[VersionLine]
    asked: Sequence[Approval] = ()
    approvals: Sequence[Approval] = ()
    outdated: str | None = None

    @property
    def priced_at(self) -> datetime:
        if self.version.priced_at is None:
            raise LookupError(f"{self.version.name} has no prices")
        return self.version.priced_at

    def named(self, names: Mapping[str, str]) -> "StoredQuote":
        """Renames products by ``names``, which maps ids to names; products without an entry keep theirs."""
        lines = [replace(line, product_name=names.get(line.product_id, line.product_name)) for line in self.lines]
        return replace(self, lines=lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """One document: a state of a quote, a layout, and what is printed across it.

    ``letterhead`` is the hash of the company's profile and logo; the same options always give the same bytes.
    """

    quote: StoredQuote
    previous: StoredQuote | None
    template: Template
    watermark: Watermark | None
    with_trace: bool
    letterhead: str
    language: Language
    own_language: bool
    """Whether ``language`` is the house's."""
    at_home: bool
    """Whether the customer is in the house's country, where numbers and dates are written as its profile has them."""
    product_names: Mapping[str, str]
    """Names of products in ``language`` by product id, where they are known."""
    lacks: Language | None = None
    """The house's language, where it has no labels and the document is in English instead."""

    @property
    def options(self) -> dict[str, Any]:
        before = self.previous.version if self.previous else None
        return {
            "content_hash": self.quote.version.content_hash,
            "approvals": [approval.id for approval in self.quote.approvals],
            "previous": f"{before.quote_id} v{before.version}" if before else None,
            "watermark": self.watermark,
            "include_pricing_trace": self.with_trace,
            "letterhead": self.letterhead,
            "language": self.language,
            **({"product_names": dict(self.product_names)} if self.product_names else {}),
        }

    @property
    def names(self) -> dict[str, Any]:
        """The key of the document in the table cpq.documents."""
        digest = hashlib.sha256(json.dumps(self.options, sort_keys=True).encode()).hexdigest()
        version = self.quote.version
        quote = {"quote_id": version.quote_id, "version": version.version}
        return {**quote, "template": self.template, "options_sha256": digest}

    def object_key(self, tenant: str, *, sha256: str) -> str:
        parts = (self.template, "trace" if self.with_trace else "", (self.watermark or "").lower(), sha256[:8])
        name, version = "-".join(filter(None, parts)), self.quote.version
        # OF/1 is another quote than OF-1 and must not make a folder. Links would encode a per cent sign twice.
        number = encoded(version.quote_id, safe="").replace("%", "=")
        return f"{tenant}/quotes/{number}/v{version.version}/{name}.pdf"


def compose(edition: Edition, *, seller: Seller, labels: DocumentLabels) -> QuoteDocument:
    now, names = edition.quote.named(edition.product_names), edition.product_names
    version, lines = now.version, now.lines
    before = edition.previous.named(names) if edition.previous else None
    trace = Trace.model_validate(version.trace)
    ranked = sorted(lines, key=lambda line: line.line_total, reverse=True)
    rest = ranked[HIGHLIGHTS:]
    account = version.account
    return QuoteDocument(
        language=edition.language,
        country=wording.country(account),
        title=labels.title,
        watermark=edition.watermark,
        seller=in_language(seller, labels, own=edition.own_language, at_home=edition.at_home),
        customer=Customer(
            name=account["name"],
            contact=account.get("contact_name"),
            email=account.get("contact_email"),
            address=wording.address(account),
            country=wording.country(account),
            tax_id=account.get("tax_id"),
        ),
        quote=heading(edition.quote, labels=labels),
        lines=[
            _line(line, edition, described=own.is_described, labels=labels)
            for line, own in zip(lines, edition.quote.lines, strict=True)
        ],
        highlights=[line.sort_order for line in ranked[:HIGHLIGHTS]],
        others=Others(count=len(rest), amount=sum((line.line_total for line in rest), Decimal(0))),
        totals=Totals(
            subtotal=version.subtotal,
            discount=version.discount_total or None,
            net=version.net,
            taxes=taxes(trace.lines, labels=labels),
            tax=version.tax_total,
            total=version.total,
        ),
        charges=charges(now),
        approvals=[
            Signature(
                role=(role := wording.role(each.approver_role, labels=labels)),
                name=each.approver_name or role,
                decided=each.ended_at.astimezone(UTC).date(),
            )
            for each in edition.quote.approvals
        ],
        trace=_steps(trace, names) if edition.with_trace else [],
        previous=renewal(before, now=now, labels=labels) if before else None,
    )


def left_over(edition: Edition, seller: Seller, labels: DocumentLabels) -> list[str]:
    """Lists what a document says in another language than its own: texts that the house wrote in its language, and
    codes that the labels have no word for.
    """
    version, lines = edition.quote.version, edition.quote.lines
    units = [] if edition.own_language else wording.without_label((line.unit for line in lines), labels)
    nameless = [line.product_name for line in lines if line.product_id not in edition.product_names]
    described = [line for line in lines if line.is_described]
    payment, is_whole = version.payment_terms, edition.template != "executive" and edition.previous is None
    said = [each for line in lines for each in line.attributes.items()]
    attributes = [one for name, value in said for one in (name, *(value if isinstance(value, list) else [value]))]
    written = [
        *dict.fromkeys(f"'{name}'" for name in nameless),
        "descriptions of products" if described and is_whole else "",
        *(f"'{each}'" for each in words_among(attributes) if is_whole),
        *foreign_terms(seller, edition.language),
        f"'{payment}'" if wording.payment(payment, labels=labels) == payment == coded(payment) else "",
    ]
    codes = [
        *units,
        *(each.approver_role for each in edition.quote.approvals if each.approver_role not in labels.roles),
        "how each line was priced" if edition.with_trace else "",
    ]
    found = [*([] if edition.own_language else written), *([] if edition.language == "en" else codes)]
    return list(dict.fromkeys(filter(None, found)))


def words_among(values: Iterable[object]) -> list[str]:
    """Returns the texts that are words; a single one with a digit, such as IP55, is of no language."""
    texts = (each for each in values if isinstance(each, str) and re.search(r"[^\W\d_]{2}", each))
    return list(dict.fromkeys(each for each in texts if " " in each or not re.search(r"\d", each)))


def foreign_terms(seller: Seller, language: Language) -> list[str]:
    """Returns what to call the house's terms of sale where it has none in the language."""
    has_own = any(term.language == language for term in seller.terms)
    return ["terms of sale"] if seller.terms and not has_own else []


def in_language(seller: Seller, labels: DocumentLabels, *, own: bool, at_home: bool = True) -> Seller:
    """Returns the profile for a document in the labels' language. Its marks of figures and dates hold ``at_home`` in
    the house's ``own`` language, its signatory in that language. Terms in the language replace those without one;
    where there are some and the language is not its own, the closing sentence is left out.
    """
    marks = {name: getattr(labels, name) for name in wording.MARKS}
    said = {name: getattr(seller, name) for name in marks if own and at_home and getattr(seller, name) is not None}
    if "decimal_mark" in said:
        marks["amount_mark"] = None
    if labels.language != "en" and re.search("repr:(long|short)", said.get("date_format") or ""):
        del said["date_format"]  # Typst knows only English names of months.
    theirs = [term for term in seller.terms if term.language == labels.language]
    terms = theirs or [term for term in seller.terms if term.language is None]
    closing = seller.closing if own or not theirs else None
    signatory = seller.signatory if own else None
    return seller.model_copy(update=marks | said | {"terms": terms, "closing": closing, "signatory": signatory})


def heading(quote: StoredQuote, *, labels: DocumentLabels) -> Heading:
    """Returns the facts that stand beside the address, of this quote or of the one that it renews."""
    version = quote.version
    return Heading(
        id=version.quote_id,
        version=version.version,
        issued=quote.priced_at.astimezone(UTC).date(),
        valid_until=version.valid_until,
        reference=version.deal_id,
        term=wording.months(version.term_months, labels=labels),
        start_date=version.start_date,
        end_date=version.end_date,
        billing=wording.billing(version.billing_frequency, labels=labels),
        payment=wording.payment(version.payment_terms, labels=labels),
        currency=version.currency,
    )


def renewal(before: StoredQuote, *, now: StoredQuote, labels: DocumentLabels) -> Renewal:
    """Compares the agreement before with the quote now, product by product."""
    old, new = before.version, now.version
    comparable = old.currency == new.currency
    change = new.total - old.total if comparable else None
    return Renewal(
        heading=heading(before, labels=labels),
        total=old.total,
        change=change,
        change_pct=(100 * change / old.total).quantize(TENTH) if change and old.total else None,
        lines=_compared(before.lines, now.lines, comparable=comparable),
    )


def _line(line: VersionLine, edition: Edition, *, described: bool, labels: DocumentLabels) -> Line:
    currency = edition.quote.version.currency
    allowance = wording.allowance(line.allowance, currency, labels=labels)
    return Line(
        position=line.sort_order,
        name=line.product_name,
        sku=line.sku,
        description=line.description if described else None,
        attributes=wording.attributes(line.attributes, labels=labels),
        note="; ".join(filter(None, [allowance, line.notes])) or None,
        quantity=line.quantity,
        measure=wording.counts(line.unit) or None,
        unit=wording.unit(line.unit, term_months=edition.quote.version.term_months, labels=labels),
        list_price=in_currency(line.base_unit_price, currency),
        unit_price=in_currency(line.unit_price, currency),
        subtotal=line.subtotal,
        discount_pct=wording.discount(line.effective_discount_pct, whole=line.subtotal, net=line.line_total),
        discount=line.discount_amount or None,
        amount=line.line_total,
    )


MONTHS_OF_INVOICE = {"monthly": 1, "quarterly": 3, "annual": 12}
PERIODS: Mapping[int, Literal["month", "quarter", "year"]] = {1: "month", 3: "quarter", 12: "year"}


def charges(quote: StoredQuote) -> list[Charge]:
    """Returns what is paid once and what each month, quarter or year, before tax; empty where nothing recurs.

    Where invoices do not divide the term evenly, it is told by the month.
    """
    version, lines = quote.version, quote.lines
    repeated = [line for line in lines if recurring(line.unit)]
    months = MONTHS_OF_INVOICE.get(version.billing_frequency)
    if not repeated or months is None or not version.term_months:
        return []
    if version.term_months % months:
        months = 1
    total = sum((line.line_total for line in repeated), Decimal(0))
    count = version.term_months // months
    share = Fraction(total) / count
    each = rounded(share, version.currency)
    once = sum((line.line_total for line in lines if not recurring(line.unit)), Decimal(0))
    found = [Charge(period=PERIODS[months], count=count, each=each, exact=Fraction(each) == share, total=total)]
    return [Charge(period="once", count=1, each=once, exact=True, total=once), *found] if once else found


def payment_days(version: QuoteVersion, paid: Iterable[Charge]) -> list[date]:
    """When each period of what is paid begins; empty while nobody said from when on."""
    start, months = version.start_date, {period: count for count, period in PERIODS.items()}
    if start is None:
        return []
    return [
        last_day(start, months=place * months[each.period]) + timedelta(days=1)
        for each in paid if each.period != "once"
        for place in range(each.count)
    ]  # fmt: skip


def taxes(lines: Sequence[TracedLine], *, labels: DocumentLabels) -> list[Tax]:
    """Sums the taxes of the lines by rule; the highest rate comes first, and of a rule that stands for several taxes
    the last one has what the others leave.
    """
    rules = {line.tax.id: line.tax for line in lines if line.tax is not None}
    found = []
    for rule in sorted(rules.values(), key=lambda rule: (-rule.rate_pct, rule.name)):
        taxed = [line for line in lines if line.tax is not None and line.tax.id == rule.id]
        base = sum((line.line_total for line in taxed), Decimal(0))
        amount = sum((line.tax_amount for line in taxed if line.tax_amount is not None), Decimal(0))
        named = taxes_of(rule.name, rule.rate_pct)
        due = [(base * rate / 100).quantize(amount, ROUND_HALF_UP) for _, rate in named]
        # Of several quotes, or of lines rounded one by one: equal taxes stay equal, else the last has the rest
        if sum(due) != amount and len({rate for _, rate in named}) == 1:
            due = [(amount * rate / (rule.rate_pct or 1)).quantize(amount, ROUND_HALF_UP) for _, rate in named]
        shares = due[:-1]
        parts = zip(named, [*shares, amount - sum(shares)], strict=True)
        found += [Tax(name=wording.tax(*each, labels=labels), base=base, amount=part) for each, part in parts]
    return found


def _steps(trace: Trace, names: Mapping[str, str]) -> list[TraceStep]:
    return [
        TraceStep(
            subject=f"{position}. {names.get(line.product_id, line.product_name)}",
            rules=line.steps,
            result=line.line_total + (line.tax_amount or 0),
        )
        for position, line in enumerate(trace.lines, start=1)
    ]


def _sides(lines: Iterable[VersionLine]) -> dict[str, Side]:
    """Sums the lines of each product, in the order of the quote."""
    sides: dict[str, Side] = {}
    for line in lines:
        known = sides.get(line.product_id)
        sides[line.product_id] = Side(
            quantity=line.quantity + (known.quantity if known else 0),
            price=line.unit_price if known is None or known.price == line.unit_price else None,
            amount=line.line_total + (known.amount if known else 0),
        )
    return sides


def _compared(before: Sequence[VersionLine], now: Sequence[VersionLine], *, comparable: bool) -> list[ChangedProduct]:
    """Compares the products of today's quote first, then those that end."""
    old, new, found = _sides(before), _sides(now), list[ChangedProduct]()
    named = {line.product_id: line for line in (*before, *now)}
    for product_id in dict.fromkeys((*new, *old)):
        was, is_now, line = old.get(product_id), new.get(product_id), named[product_id]
        change = Decimal(is_now.amount if is_now else 0) - (was.amount if was else 0)
        found.append(ChangedProduct(name=line.product_name, sku=line.sku, before=was, now=is_now,
                                    change=change if comparable else None))  # fmt: skip
    return found
