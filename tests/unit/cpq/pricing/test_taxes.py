"""Which tax rule holds for a line."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from itertools import permutations

import pytest

from cpq.pricing.books import Buyer, TaxRule, tax_notice, tax_rule_for
from tests.unit.cpq.pricing.orders import TODAY

TEXAN = Buyer(segment="smb", country="US", region="TX")
COUNTRY = TaxRule(id="tax_us", name="US", rate_pct=Decimal(0))
SOFTWARE = replace(COUNTRY, id="tax_us_saas", tax_category="saas", rate_pct=Decimal(5))
STATE = replace(COUNTRY, id="tax_tx", region="TX", rate_pct=Decimal("8.25"))
STATE_SOFTWARE = replace(STATE, id="tax_tx_saas", tax_category="saas", rate_pct=Decimal("6.6"))


def rule(*rules: TaxRule, category: str | None = "saas", buyer: Buyer = TEXAN) -> TaxRule | None:
    return tax_rule_for(rules, buyer=buyer, tax_category=category, on=TODAY)


def test_the_closest_rule_holds_alone_region_before_category() -> None:
    for rules in permutations([COUNTRY, SOFTWARE, STATE, STATE_SOFTWARE]):
        assert rule(*rules) == STATE_SOFTWARE
        assert rule(*rules, category="hardware") == STATE
        assert rule(*rules, category=None) == STATE
        assert rule(*rules, buyer=replace(TEXAN, region="DE")) == SOFTWARE
    assert rule(STATE, SOFTWARE) == STATE


def test_an_exempt_account_pays_none() -> None:
    assert rule(STATE, buyer=replace(TEXAN, tax_exempt=True)) is None


def test_of_two_rates_the_newer_valid_one_holds() -> None:
    old = replace(STATE, id="tax_a", valid_to=date(2026, 2, 25))
    now = replace(STATE, id="tax_b", valid_from=TODAY)
    later = replace(STATE, id="tax_c", valid_from=date(2026, 2, 27))
    assert rule(old, STATE, now, later) == now
    assert rule(old, later) is None


@pytest.mark.parametrize(
    ("ruled", "region", "found", "doubted"),
    [
        ("Île-de-France", "ile de france", "tax_tx", False),
        ("Île-de-France", "IDF", "tax_us", True),
        ("TX", "Texas", "tax_us", True),
        ("TX", "OH", "tax_us", False),
        ("TX", None, "tax_us", False),
    ],
)
def test_a_region_is_its_rules_in_any_spelling_or_is_told(
    ruled: str, region: str | None, found: str, doubted: bool
) -> None:
    rules, buyer = [COUNTRY, replace(STATE, region=ruled)], replace(TEXAN, region=region)
    said = tax_notice(rules, buyer=buyer, on=TODAY) or ""
    held = rule(*rules, buyer=buyer)
    assert (held and held.id, f"'{region}' (they have {ruled})" in said) == (found, doubted)
