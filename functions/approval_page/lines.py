"""The lines of the quote as a table, with their margins and the totals."""

from decimal import Decimal

from approval_page.html import Child, LineRow, Markup, element, fragment, joined, lines_table, section
from approval_page.review import Review
from cpq.approvals.wording import ApproverWording
from cpq.documents import wording
from cpq.model import VersionLine
from cpq.pricing.trace import TracedLine


def lines_section(review: Review) -> Markup:
    words, version = review.words, review.version
    currency = version.currency
    traced = {line.line_id: line for line in review.trace.lines}
    heads = [
        words.say(head, currency=currency)
        for head in ("product", "quantity", "unit_price_in", "discount", "net_in", "margin_head")
    ]
    rows = [_line(line, traced.get(line.id), words, currency=currency) for line in review.lines]
    sums = {
        "before_discount": version.subtotal,
        "discount": -version.discount_total,
        "tax": version.tax_total,
        "total_in": version.total,
    }
    totals = [
        element(
            "tr",
            element("th", words.say(label, currency=currency), scope="row"),
            element("td", words.amount(value, currency).replace("-", "−"), class_="number"),
        )
        for label, value in sums.items()
    ]
    return section(
        words.say("lines"),
        lines_table(heads, rows, class_="lines", labelled_by="lines"),
        element("table", element("tbody", totals), class_="totals", aria_label=words.say("totals")),
        class_="lined",
        anchor="lines",
    )


def _line(line: VersionLine, traced: TracedLine | None, words: ApproverWording, *, currency: str) -> LineRow:
    unit = wording.unit(line.unit, term_months=None, labels=words.labels)
    configuration = wording.attributes(line.attributes, labels=words.labels)
    figures: tuple[Child, ...] = (
        words.number(line.quantity),
        fragment(
            words.amount(line.unit_price, currency),
            element("span", f" {unit}", class_="soft under") if unit else None,
        ),
        words.share(_pct(line), decimals=4),
        words.amount(line.line_total, currency),
        _margin(traced, words),
    )
    return (
        line.product_name,
        joined(line.sku, ", ".join(f"{each.name} {each.value}" for each in configuration)),
        figures,
    )


def _margin(traced: TracedLine | None, words: ApproverWording) -> Child:
    """At the price, and at list where that is another."""
    if traced is None or traced.margin_pct is None:
        return words.say("not_known")
    margin, at_list = words.share(traced.margin_pct, decimals=1), traced.list_margin_pct
    if at_list is None or at_list == traced.margin_pct:
        return margin
    told = words.say("of_at_list", margin=words.share(at_list, decimals=1))
    return fragment(margin, " ", element("span", told, class_="soft under"))


def _pct(line: VersionLine) -> Decimal:
    return Decimal(line.discount_pct if line.effective_discount_pct is None else line.effective_discount_pct)
