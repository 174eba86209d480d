"""Versions of quotes and their lines as the database would give them: the fields a test cares for, and any others."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from cpq.model import QuoteVersion, VersionLine


def quote_version(**changes: Any) -> QuoteVersion:
    fields: dict[str, Any] = {
        "quote_id": "Q-2025-0007",
        "version": 2,
        "current_version": 2,
        "account_id": "acct_acme_001",
        "deal_id": None,
        "status": "approved",
        "ended": False,
        "account": {"name": "Acme Corp"},
        "currency": "USD",
        "term_months": 12,
        "start_date": date(2025, 3, 1),
        "end_date": date(2026, 2, 28),
        "billing_frequency": "monthly",
        "payment_terms": "net_45",
        "valid_until": date(2025, 4, 1),
        "notes": None,
        "subtotal": Decimal("9600.00"),
        "discount_total": Decimal("0.00"),
        "tax_total": Decimal("0.00"),
        "total": Decimal("9600.00"),
        "policy_evaluation": None,
        "content_hash": None,
        "priced_at": datetime(2025, 2, 20, tzinfo=UTC),
        "trace": None,
    }
    return QuoteVersion(**{**fields, **changes})


def quote_line(**changes: Any) -> VersionLine:
    fields: dict[str, Any] = {
        "id": "ql_001",
        "sort_order": 1,
        "product_id": "pro",
        "sku": "PRO",
        "product_name": "Pro",
        "description": "",
        "quantity": 1,
        "attributes": {},
        "discount_pct": Decimal(0),
        "notes": None,
        "unit": "per_unit",
        "allowance": None,
        "base_unit_price": Decimal("8.00"),
        "unit_price": Decimal("8.00"),
        "subtotal": Decimal("8.00"),
        "effective_discount_pct": Decimal(0),
        "discount_amount": Decimal("0.00"),
        "tax_rate_pct": Decimal(0),
        "tax_amount": Decimal("0.00"),
        "line_total": Decimal("8.00"),
    }
    return VersionLine(**{**fields, **changes})
