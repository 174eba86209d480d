"""What keeps an order from being priced, all of it at once."""

from collections.abc import Iterable

from cpq.model import Problem
from cpq.pricing.books import Ranking
from cpq.pricing.engine import Item, Order, sources
from cpq.pricing.entries import Entry


def problems(order: Order, *, ranking: Ranking, entries: Iterable[Entry]) -> list[Problem]:
    """Empty when ``engine.price`` may run."""
    if not ranking.fitting:
        return [_no_book(order, ranking)]
    prices = sources(ranking.fitting, entries)
    found = []
    for index, item in enumerate(order.items):
        priced = prices.get(item.product_id)
        if priced is None:
            found.append(_no_price(index, item, order, ranking))
        elif priced[1].recurring and order.term_months is None:
            found.append(_no_term(item, priced[1]))
    return found


def _no_book(order: Order, ranking: Ranking) -> Problem:
    refusals = "; ".join(f"{book.id}: {why}" for book, why in ranking.refused) or "there is none"
    return Problem(
        code="NO_PRICE_BOOK",
        path="price_book_id",
        message=f"No price book fits this quote in {order.currency.code} on {order.on}: {refusals}.",
    )


def _no_price(index: int, item: Item, order: Order, ranking: Ranking) -> Problem:
    books = ", ".join(book.id for book in ranking.fitting)
    return Problem(
        code="NO_PRICE",
        path=f"line_items[{index}].product_id",
        message=f"{item.product_name} ({item.product_id}) has no price in {order.currency.code} in {books}. "
        "Name another price_book_id, or revise the quote without the product.",
    )


def _no_term(item: Item, entry: Entry) -> Problem:
    unit = entry.unit.replace("_", " ")
    return Problem(
        code="MISSING",
        path="term_months",
        message=f"{item.product_name} is priced {unit}: revise the quote with quote_create and give term_months.",
    )
