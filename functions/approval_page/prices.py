"""Tables of prices: the lines of the quote with their margins and totals, and earlier prices of the same goods."""

from collections.abc import Sequence
from decimal import Decimal

from approval_page.html import Child, LineRow, Markup, element, fragment, joined, lines_table, section
from approval_page.review import ModelPrices, Review
from cpq.approvals.wording import ApproverWording
from cpq.documents import wording
from cpq.model import VersionLine
from cpq.pricing.trace import TracedLine
from quarry.precedents.price_history import PriceFigures, PriceHistory, QuotedPrice

LINES_SHOWN = 8
HEADS = ("line", "here", "sold", "not_sold", "newest_sold", "this_customer", "list_today")


def prices_section(review: Review) -> Markup:
    words = review.words
    worth = {line.id: line.line_total for line in review.lines}
    found = sorted(review.past_prices, key=lambda line: worth[line], reverse=True)
    shown = found[:LINES_SHOWN]
    rest = len(found) - len(shown)
    notices = [
        None if found else words.say("no_prices"),
        words.say("more_prices", count=rest) if rest else None,
    ]
    rows = [_row(review.product_names[line], review.past_prices[line], words) for line in shown]
    table = lines_table([words.say(head) for head in HEADS], rows, class_="lines prices", labelled_by="prices")
    return section(
        words.say("charged_before"),
        table if shown else None,
        [element("p", notice, class_="soft") for notice in notices if notice],
        class_="lined",
        anchor="prices",
    )


def _row(name: str, prices: ModelPrices, words: ApproverWording) -> LineRow:
    history = prices.history
    standing, currency = history.standing, history.currency
    sold = next((figures for figures in history.figures if figures.outcome == "sold"), None)
    others = [figures for figures in history.figures if figures.outcome != "sold"]
    own = next((price for price in history.own if price.outcome == "sold"), None)
    cells: tuple[Child, ...] = (
        words.amount(standing.price, currency) if standing else None,
        _sold(sold, history, words),
        _range(others, history, words) if others else None,
        _amount(sold.newest, sold.newest_in, words, currency) if sold else None,
        _own(own, history, words),
        _listed(history, words),
    )
    return name, words.say("prices_of", goods=prices.model), [cell or words.say("none") for cell in cells]


def _sold(sold: PriceFigures | None, history: PriceHistory, words: ApproverWording) -> Child:
    if sold is None:
        return words.say("never_sold", count=history.count)
    told = words.say("too_few")
    if sold.median is not None:
        told = words.say("median", price=words.amount(sold.median, history.currency))
    return _range([sold], history, words, told=told)


def _range(
    figures: Sequence[PriceFigures], history: PriceHistory, words: ApproverWording, *, told: str | None = None
) -> Markup:
    """Shows the number of past prices, the lowest and the highest of them, and the quotes that hold these two."""
    low, high = min(figures, key=lambda each: each.low), max(figures, key=lambda each: each.high)
    amounts = dict.fromkeys(words.amount(value, history.currency) for value in (low.low, high.high))
    quotes = "–".join(dict.fromkeys((low.low_in, high.high_in)))
    count = sum(each.count for each in figures)
    return fragment(f"{count}×: {'–'.join(amounts)}", _soft("; ".join(filter(None, (told, quotes)))))


def _own(own: QuotedPrice | None, history: PriceHistory, words: ApproverWording) -> Child:
    if own is None:
        return None
    beside = _compared(history.standing.own_pct if history.standing else None, words)
    quote = f"{own.quote_number}, {own.quote_date:%Y}"
    return _amount(own.unit_price, "; ".join(filter(None, (quote, beside))), words, history.currency)


def _listed(history: PriceHistory, words: ApproverWording) -> Child:
    if history.list_now is None:
        return None
    beside = _compared(history.standing.list_pct if history.standing else None, words)
    return _amount(history.list_now, beside, words, history.currency)


def _compared(pct: Decimal | None, words: ApproverWording) -> str | None:
    if pct is None:
        return None
    return words.say("here_pct", pct=f"{'+' if pct >= 0 else ''}{words.share(pct)}")


def _amount(price: Decimal, beside: str | None, words: ApproverWording, currency: str) -> Markup:
    return fragment(words.amount(price, currency), _soft(beside) if beside else None)


def _soft(text: str) -> Markup:
    return element("span", text, class_="soft under")


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
            element("td", _sum(value, words, currency), class_="number"),
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


def _sum(value: Decimal | None, words: ApproverWording, currency: str) -> str:
    return words.say("not_on_record") if value is None else words.amount(value, currency).replace("-", "−")


def _line(line: VersionLine, traced: TracedLine | None, words: ApproverWording, *, currency: str) -> LineRow:
    unit = wording.unit(line.unit, term_months=None, labels=words.labels)
    configuration = wording.attributes(line.attributes, labels=words.labels)
    discount = line.discount_pct if line.effective_discount_pct is None else line.effective_discount_pct
    figures: tuple[Child, ...] = (
        words.number(line.quantity),
        fragment(words.amount(line.unit_price, currency), _soft(f" {unit}") if unit else None),
        words.share(discount, decimals=4),
        words.amount(line.line_total, currency),
        _margin(traced, words),
    )
    return (
        line.product_name,
        joined(line.sku, ", ".join(f"{each.name} {each.value}" for each in configuration)),
        figures,
    )


def _margin(traced: TracedLine | None, words: ApproverWording) -> Child:
    """Shows the margin at the line's price, and at list price where that differs."""
    if traced is None or traced.margin_pct is None:
        return words.say("not_known")
    margin, at_list = words.share(traced.margin_pct, decimals=1), traced.list_margin_pct
    if at_list is None or at_list == traced.margin_pct:
        return margin
    told = words.say("of_at_list", margin=words.share(at_list, decimals=1))
    return fragment(margin, " ", _soft(told))
