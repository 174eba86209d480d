"""draft_list: letters in their newest version, by customer."""

from typing import Any

import pytest

from cpq import draft_list
from tests.deployment import TENANT, invoke
from tests.integration.cpq.letters import change, compose

pytestmark = pytest.mark.usefixtures("letters")


def listed(*, tenant: str = TENANT, **given: object) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = invoke(draft_list.handler, given, tenant=tenant)["items"]
    return items


def test_a_letter_is_listed_once_in_its_newest_version_with_what_is_open_in_it() -> None:
    first = compose(requirements=[{"text": "ISO 14001"}])
    change(first, notes=["x"])
    [item] = [each for each in listed() if each["draft_id"] == first["draft_id"]]
    assert (item["version"], item["open"], item["customer"]) == (2, 1, "Groeb Farms")


def test_letters_are_found_by_account_or_a_part_of_the_customers_name_newest_first() -> None:
    for customer in ("Brandt Mill", "Brandt Yard"):
        compose(account_id=None, customer=customer)
    assert [each["customer"] for each in listed(customer="brandt")] == ["Brandt Yard", "Brandt Mill"]
    assert {each["customer"] for each in listed(customer="acct_groeb_farms")} == {"Groeb Farms"}
    assert listed(customer="nobody") == []


def test_pages_hold_each_letter_once_and_say_how_many_there_are() -> None:
    for _ in range(3):
        compose()
    whole = [each["draft_id"] for each in listed(limit=100)]
    pages = [each["draft_id"] for page in range(1, len(whole) + 1) for each in listed(limit=1, page=page)]
    assert pages == whole
    beyond = invoke(draft_list.handler, {"page": 99})
    assert (beyond["items"], beyond["pagination"]["total"]) == ([], len(whole))


def test_another_tenant_sees_none() -> None:
    compose()
    assert listed(tenant="rival") == []
