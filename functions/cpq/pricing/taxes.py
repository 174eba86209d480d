"""Rules of sales tax, and which one holds for a line."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from cpq.pricing.books import Buyer


@dataclass(frozen=True, slots=True, kw_only=True)
class TaxRule:
    """A rule of sales tax: None for region or tax_category means any; validity includes both days."""

    id: str
    name: str
    country: str
    rate_pct: Decimal
    region: str | None = None
    tax_category: str | None = None
    valid_from: date | None = None
    valid_to: date | None = None


def tax_rule_for(rules: Iterable[TaxRule], *, buyer: Buyer, tax_category: str | None, on: date) -> TaxRule | None:
    """The closest rule: region before category, then the newest, then the id; None for an exempt buyer.

    Rates are never added up: where a state and a county both levy, the region's rule holds their sum.
    """
    if buyer.tax_exempt:
        return None
    holding = [rule for rule in rules if _tax_holds(rule, buyer=buyer, tax_category=tax_category, on=on)]
    return min(holding, key=_tax_closeness, default=None)


def _tax_holds(rule: TaxRule, *, buyer: Buyer, tax_category: str | None, on: date) -> bool:
    return (
        rule.country == buyer.country
        and rule.region in (None, buyer.region)
        and rule.tax_category in (None, tax_category)
        and (rule.valid_from is None or rule.valid_from <= on)
        and (rule.valid_to is None or on <= rule.valid_to)
    )


def _tax_closeness(rule: TaxRule) -> tuple[bool, bool, int, str]:
    newest_first = -(rule.valid_from or date.min).toordinal()
    return (rule.region is None, rule.tax_category is None, newest_first, rule.id)
