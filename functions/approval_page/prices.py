"""What the goods were charged for before, beside what they cost here: a table with a small plot for each line."""

from decimal import Decimal

from approval_page.html import Child, LineRow, Markup, amount, element, fragment, lines_table, section
from approval_page.review import Review
from cpq.price_guidance import Guidance
from quarry.precedents.price_history import PriceFigures, PriceHistory, QuotedPrice, told

LINES_SHOWN = 8
WIDTH, HEIGHT, EDGE = 160, 36, 8
"""Of a plot, in its own units; a price never stands nearer to a side than the edge."""


def prices_section(review: Review) -> Markup:
    worth = {line.id: line.line_total for line in review.lines}
    found = sorted(review.guidance, key=lambda line: worth[line], reverse=True)
    shown = found[:LINES_SHOWN]
    rest = len(found) - len(shown)
    notices = [
        review.guidance_notice,
        None if found else "No past quote has a price of these goods.",
        f"{rest} further lines, worth less, have prices of before too." if rest else None,
        "Dots are past prices: full sold, hollow lost or offered. The line is the price here." if found else None,
    ]
    heads = ("Line", "Here", "Sold", "Newest sold", "This customer", "Today's list", "Past prices")
    rows = [_row(review.product_names[line], review.guidance[line]) for line in shown]
    table = lines_table(heads, rows, class_="lines prices", labelled_by="prices")
    return section(
        "What was charged before",
        table if shown else None,
        [element("p", notice, class_="soft") for notice in notices if notice],
        class_="lined",
        anchor="prices",
    )


def _row(name: str, guidance: Guidance) -> LineRow:
    history = guidance.history
    sold = next((figures for figures in history.figures if figures.outcome == "sold"), None)
    here = history.standing.price if history.standing else None
    own = next((price for price in history.own if price.outcome == "sold"), None)
    cells: tuple[Child, ...] = (
        None if here is None else amount(here),
        _sold(sold, history),
        None if sold is None else _sourced(sold.newest, sold.newest_in),
        _own(own, history),
        _list(history),
        plot(history),
    )
    return name, f"Prices of {guidance.of}", [cell or "none" for cell in cells]


def _sold(sold: PriceFigures | None, history: PriceHistory) -> Child:
    if sold is None:
        return f"never; {history.count} offered or lost"
    reach = "–".join(dict.fromkeys((amount(sold.low), amount(sold.high))))
    reach = f"{sold.count}×: {reach}"
    if sold.median is None:
        quotes = ", ".join(dict.fromkeys((sold.low_in, sold.high_in)))
        return fragment(reach, _soft(f"{quotes}; too few to call any usual"))
    return fragment(reach, _soft(f"median {amount(sold.median)}; {sold.low_in}–{sold.high_in}"))


def _own(own: QuotedPrice | None, history: PriceHistory) -> Child:
    if own is None:
        return None
    pct = history.standing.own_pct if history.standing else None
    beside = f"{own.quote_number}, {own.quote_date:%Y}" + (f"; here {pct:+}%" if pct is not None else "")
    return fragment(amount(own.unit_price), _soft(beside))


def _list(history: PriceHistory) -> Child:
    if history.list_now is None:
        return None
    pct = history.standing.list_pct if history.standing else None
    return fragment(amount(history.list_now), _soft(f"here {pct:+}%") if pct is not None else None)


def _sourced(price: Decimal, quote: str) -> Markup:
    return fragment(amount(price), _soft(quote))


def _soft(text: str) -> Markup:
    return element("span", text, class_="soft under")


def plot(history: PriceHistory) -> Markup:
    """The newest prices on one axis; the same is said in words to who cannot see it."""
    here = history.standing.price if history.standing else None
    amounts = [price.unit_price for price in history.prices] + ([] if here is None else [here])
    low, high = min(amounts), max(amounts)

    def place(value: Decimal) -> str:
        share = (value - low) / (high - low) if high > low else Decimal("0.5")
        return f"{EDGE + share * (WIDTH - 2 * EDGE):.1f}"

    middle = f"{HEIGHT / 2:g}"
    dots = [
        element("circle", cx=place(price.unit_price), cy=middle, r="4", class_=f"dot {price.outcome}")
        for price in history.prices
    ]
    mark = None if here is None else element("path", d=f"M{place(here)} 3V{HEIGHT - 3}", class_="here")
    axis = element("path", d=f"M{EDGE} {middle}H{WIDTH - EDGE}", class_="axis")
    return element(
        "svg",
        axis,
        dots,
        mark,
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        width=str(WIDTH),
        height=str(HEIGHT),
        role="img",
        aria_label=told(history),
        class_="plot",
    )
