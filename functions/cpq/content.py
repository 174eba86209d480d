"""What an approval is bound to: a hash of everything a version of a quote says and asks for."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

OF_VERSION = (
    "account",
    "currency",
    "term_months",
    "start_date",
    "end_date",
    "billing_frequency",
    "payment_terms",
    "valid_until",
    "notes",
    "subtotal",
    "discount_total",
    "tax_total",
    "total",
    "policy_evaluation",
)
OF_LINE = (
    "id",
    "sort_order",
    "product_id",
    "sku",
    "product_name",
    "description",
    "quantity",
    "attributes",
    "notes",
    "unit",
    "base_unit_price",
    "unit_price",
    "subtotal",
    "effective_discount_pct",
    "discount_amount",
    "tax_rate_pct",
    "tax_amount",
    "line_total",
)


def content_hash(version: Mapping[str, Any], lines: Sequence[Mapping[str, Any]]) -> str:
    """SHA-256 in hex over rows of cpq.quote_versions and cpq.quote_lines; anybody can compute it anew.

    Ids of traces and times of runs stay out: the same content priced again has the same hash.
    """
    content = {
        "quote": {name: _plain(version[name]) for name in OF_VERSION},
        "lines": [
            {name: _plain(line[name]) for name in OF_LINE}
            for line in sorted(lines, key=lambda line: line["sort_order"])
        ],
    }
    return digest(content)


def digest(content: Mapping[str, Any]) -> str:
    """SHA-256 in hex of its JSON, whatever the order of keys."""
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def _plain(value: Any) -> Any:
    """Equal numbers are written alike, whatever scale the database kept them with."""
    match value:
        case Decimal():
            return format(value.normalize(), "f") if value else "0"
        case date():
            return value.isoformat()
        case Mapping():
            return {key: _plain(inner) for key, inner in value.items()}
        case list():
            return [_plain(inner) for inner in value]
        case _:
            return value
