"""Which price book serves a buyer."""

from datetime import date
from itertools import permutations

import pytest

from cpq.pricing.books import PriceBook, Ranking, rank
from tests.unit.cpq.pricing.orders import ACME, TODAY

GENERAL = PriceBook(id="pb_general", name="List", currency="USD")
COUNTRY = PriceBook(id="pb_country", name="US", currency="USD", country="US")
SEGMENT = PriceBook(id="pb_segment", name="SMB", currency="USD", segment="smb")
BOTH = PriceBook(id="pb_both", name="SMB US", currency="USD", segment="smb", country="US")
CAMPAIGN = PriceBook(id="pb_campaign", name="Campaign", currency="USD", priority=10)


def ranking(*books: PriceBook) -> Ranking:
    return rank(books, buyer=ACME, currency="USD", on=TODAY)


def test_the_closer_a_book_fits_the_earlier_it_serves_in_whatever_order_it_is_found() -> None:
    for books in permutations([GENERAL, COUNTRY, SEGMENT, BOTH]):
        assert ranking(*books).fitting == (BOTH, SEGMENT, COUNTRY, GENERAL)


def test_priority_goes_before_fit() -> None:
    assert ranking(BOTH, CAMPAIGN).fitting == (CAMPAIGN, BOTH)


def test_of_equal_books_the_newer_serves_and_then_the_smaller_id() -> None:
    old = PriceBook(id="pb_a", name="2025", currency="USD", valid_from=date(2025, 1, 1))
    new = PriceBook(id="pb_z", name="2026", currency="USD", valid_from=date(2026, 1, 1))
    twin = PriceBook(id="pb_y", name="2026 too", currency="USD", valid_from=date(2026, 1, 1))
    assert ranking(old, new, twin).fitting == (twin, new, old)


@pytest.mark.parametrize(
    ("book", "why"),
    [
        (PriceBook(id="pb", name="", currency="EUR"), "it is in EUR, the quote in USD"),
        (PriceBook(id="pb", name="", currency="USD", active=False), "it is not active"),
        (
            PriceBook(id="pb", name="", currency="USD", segment="enterprise"),
            "it is for segment enterprise, the account is smb",
        ),
        (
            PriceBook(id="pb", name="", currency="USD", country="DE"),
            "it is for country DE, the account is in US",
        ),
        (PriceBook(id="pb", name="", currency="USD", valid_from=date(2026, 2, 27)), "it is valid from 2026-02-27"),
        (PriceBook(id="pb", name="", currency="USD", valid_to=date(2026, 2, 25)), "it was valid until 2026-02-25"),
    ],
)
def test_a_book_that_does_not_fit_says_why(book: PriceBook, why: str) -> None:
    assert ranking(book, GENERAL) == Ranking(fitting=(GENERAL,), refused=((book, why),))


def test_both_ends_of_its_validity_belong_to_a_book() -> None:
    book = PriceBook(id="pb", name="", currency="USD", valid_from=TODAY, valid_to=TODAY)
    assert ranking(book).fitting == (book,)
