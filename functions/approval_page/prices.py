"""What the goods were charged for before, beside what they cost here: a table with a small plot for each line."""

from decimal import Decimal

from approval_page.html import Child, LineRow, Markup, element, fragment, lines_table, section
from approval_page.review import Review
from cpq.approvals.wording import ApproverWording
from cpq.price_guidance import Guidance
from quarry.precedents.price_history import PriceFigures, PriceHistory, QuotedPrice

LINES_SHOWN = 8
WIDTH, HEIGHT, EDGE = 160, 36, 8
"""Of a plot, in its own units; a price never stands nearer to a side than the edge."""

HEADS = ("line", "here", "sold", "newest_sold", "this_customer", "list_today", "past_prices")


def prices_section(review: Review) -> Markup:
    words = review.words
    worth = {line.id: line.line_total for line in review.lines}
    found = sorted(review.guidance, key=lambda line: worth[line], reverse=True)
    shown = found[:LINES_SHOWN]
    rest = len(found) - len(shown)
    notices = [
        words.say("search_down") if review.search_down else None,
        None if found else words.say("no_prices"),
        words.say("more_prices", count=rest) if rest else None,
        words.say("plot_key") if found else None,
    ]
    rows = [_row(review.product_names[line], review.guidance[line], words) for line in shown]
    table = lines_table([words.say(head) for head in HEADS], rows, class_="lines prices", labelled_by="prices")
    return section(
        words.say("charged_before"),
        table if shown else None,
        [element("p", notice, class_="soft") for notice in notices if notice],
        class_="lined",
        anchor="prices",
    )


def _row(name: str, guidance: Guidance, words: ApproverWording) -> LineRow:
    history = guidance.history
    standing, currency = history.standing, history.currency
    sold = next((figures for figures in history.figures if figures.outcome == "sold"), None)
    own = next((price for price in history.own if price.outcome == "sold"), None)
    cells: tuple[Child, ...] = (
        words.amount(standing.price, currency) if standing else None,
        _sold(sold, history, words),
        _amount(sold.newest, sold.newest_in, words, currency) if sold else None,
        _own(own, history, words),
        _listed(history, words),
        plot(history, words),
    )
    return name, words.say("prices_of", goods=guidance.of), [cell or words.say("none") for cell in cells]


def _sold(sold: PriceFigures | None, history: PriceHistory, words: ApproverWording) -> Child:
    if sold is None:
        return words.say("never_sold", count=history.count)
    low, high = (words.amount(value, history.currency) for value in (sold.low, sold.high))
    quotes = "–".join(dict.fromkeys((sold.low_in, sold.high_in)))
    told = words.say("too_few")
    if sold.median is not None:
        told = words.say("median", price=words.amount(sold.median, history.currency))
    return fragment(f"{sold.count}×: {'–'.join(dict.fromkeys((low, high)))}", _soft(f"{told}; {quotes}"))


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


def plot(history: PriceHistory, words: ApproverWording) -> Markup:
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
    told = words.say(
        "plot",
        sold=sum(price.outcome == "sold" for price in history.prices),
        other=sum(price.outcome != "sold" for price in history.prices),
        low=words.amount(low, history.currency),
        high=words.amount(high, history.currency),
    )
    return element(
        "svg",
        axis,
        dots,
        mark,
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        width=str(WIDTH),
        height=str(HEIGHT),
        role="img",
        aria_label=told,
        class_="plot",
    )
