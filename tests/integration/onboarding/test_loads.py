"""loads: what was loaded."""

from tests.integration.onboarding.conftest import FAMILIES, Desk


def test_loads_are_listed_newest_first_with_counts_and_state(desk: Desk) -> None:
    first = desk.load(kind="families", text=FAMILIES)
    second = desk.load(kind="families", text="family,name,words\npump,Pump,pumps\n")
    desk.ask("load_undo", load_id=second["load_id"])
    newest, oldest = desk.ask("loads")["loads"]
    assert (newest["load_id"], newest["state"], newest.get("can_be_undone")) == (second["load_id"], "undone", None)
    assert (oldest["load_id"], oldest["state"], oldest["can_be_undone"]) == (first["load_id"], "loaded", True)
    assert oldest["rows"] == {"read": 2, "new": 2}
    assert oldest["kind"] == "families"


def test_pages_hold_every_load_once(desk: Desk) -> None:
    made = [desk.load(kind="families", text=f"family,name,words\nf{n},F,f{n}\n")["load_id"] for n in range(5)]
    first = desk.ask("loads", limit=2)
    second = desk.ask("loads", limit=2, before=first["next_before"])
    third = desk.ask("loads", limit=2, before=second["next_before"])
    assert [each["load_id"] for page in (first, second, third) for each in page["loads"]] == made[::-1]
    assert "next_before" not in third


def test_another_tenants_loads_are_not_listed(desk: Desk) -> None:
    desk.load(kind="families", text=FAMILIES)
    assert desk.ask("loads", tenant="neighbour") == {"loads": []}
