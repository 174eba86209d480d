"""Orders, books and policies to price: the sample corpus' examples unless a test says otherwise."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from cpq.model import Tier
from cpq.pricing.books import Buyer, PriceBook, PriceBookEntry, TaxRule, rank
from cpq.pricing.engine import Order, OrderItem, Priced, price
from cpq.pricing.policies import Band, Evaluation, Policy, worded

TODAY = date(2026, 2, 26)
USD, EUR, JPY, KWD = "USD", "EUR", "JPY", "KWD"
ACME = Buyer(segment="smb", country="US", region="DE")

PRO_TIERS = (
    Tier(min=1, max=49, price=Decimal("10.00")),
    Tier(min=50, max=99, price=Decimal("8.00")),
    Tier(min=100, max=None, price=Decimal("6.00")),
)
PRO = PriceBookEntry(
    price_book_id="pb_us",
    product_id="prod_pro_v2",
    version=3,
    price=Decimal("10.00"),
    unit="per_seat_per_month",
    tiers=PRO_TIERS,
)
SSO = PriceBookEntry(
    price_book_id="pb_us", product_id="prod_sso", version=1, price=Decimal("2.00"), unit="per_seat_per_month"
)
SMB = Policy(
    id="pol_discount_cap_smb",
    name="SMB Discount Cap",
    segment_name="SMB",
    auto_approve_pct=Decimal(10),
    bands=(
        Band(max_pct=Decimal(20), approver_role="sales_manager"),
        Band(max_pct=Decimal(30), approver_role="vp_sales"),
        Band(max_pct=Decimal(40), approver_role="cfo"),
    ),
    hard_max_pct=Decimal(40),
    escalation_chain=("sales_manager", "vp_sales", "cfo"),
)
SEATS = OrderItem(line_id="ql_001", product_id="prod_pro_v2", product_name="Pro Plan", quantity=150)
SINGLE_SIGN_ON = OrderItem(line_id="ql_002", product_id="prod_sso", product_name="SSO Add-on", quantity=150)


def order(
    *items: OrderItem,
    currency: str = USD,
    buyer: Buyer = ACME,
    term_months: int | None = 12,
    discount: str = "0",
    on: date = TODAY,
) -> Order:
    return Order(
        currency=currency,
        buyer=buyer,
        term_months=term_months,
        requested_discount_pct=Decimal(discount),
        on=on,
        tax_on=on,
        items=items,
    )


def priced(
    asked: Order,
    *,
    entries: Sequence[PriceBookEntry] = (PRO, SSO),
    tax_rules: Sequence[TaxRule] = (),
    policy: Policy = SMB,
) -> Priced:
    """Out of one book per book id that the entries name, the first of them preferred."""
    names = dict.fromkeys(entry.price_book_id for entry in entries)
    books = [
        PriceBook(id=name, name=f"Book {name}", currency=asked.currency, priority=-place)
        for place, name in enumerate(names)
    ]
    ranking = rank(books, buyer=asked.buyer, currency=asked.currency, on=asked.on)
    return price(asked, ranking=ranking, entries=entries, tax_rules=tax_rules, policy=policy)


def approver(evaluation: Evaluation) -> str | None:
    """Whom a quote with this evaluation is put before."""
    names = {check.subject: "Product" for check in evaluation.checks}
    roles = SMB.deciders(worded(evaluation, SMB, product_names=names))
    return roles[0] if roles else None
