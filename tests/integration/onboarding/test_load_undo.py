"""load_undo: one load is taken back."""

from tests.integration.onboarding.conftest import FAMILIES, GOODS, LIST, MAPPING, Desk


def test_new_rows_go_and_changed_fields_are_as_before(declared_desk: Desk) -> None:
    declared_desk.load(kind="products", file=declared_desk.put("goods.csv", GOODS), mapping=MAPPING)
    newer = LIST + "KH-10;Kugelhahn DN10;Armatur;25;1.4408;ja\nKH-20;Kugelhahn DN20;Armatur;25;1.4408;ja\n"
    load = declared_desk.load(kind="products", file=declared_desk.put("new.csv", newer), mapping=MAPPING)
    answer = declared_desk.ask("load_undo", load_id=load["load_id"])
    assert (answer["removed"], answer["restored"]) == (1, 1)
    stored = declared_desk.rows("SELECT model, attributes -> 'pressure' AS bar FROM equipment.products ORDER BY 1")
    assert [(row["model"], row["bar"]) for row in stored] == [("KH-10", 16), ("KH-15", 40), ("SF-20", None)]


def test_taken_back_twice_is_taken_back_once(desk: Desk) -> None:
    load_id = desk.load(kind="families", text=FAMILIES)["load_id"]
    assert desk.ask("load_undo", load_id=load_id)["removed"] == 2
    assert desk.ask("load_undo", load_id=load_id)["notice"].startswith("It was taken back on ")


def test_another_tenants_load_is_not_found(desk: Desk) -> None:
    load_id = desk.load(kind="families", text=FAMILIES)["load_id"]
    assert desk.refused("load_undo", tenant="neighbour", load_id=load_id).startswith("NOT_FOUND")
    assert len(desk.rows("SELECT family FROM search.families")) == 2


def test_what_a_person_said_of_approvers_only_a_person_takes_back(desk: Desk) -> None:
    desk.load(kind="families", text=FAMILIES)
    [row] = desk.rows(
        f"INSERT INTO quarry.ingests (tenant, kind, source) VALUES ('{desk.tenant}', 'approvers', 'f') RETURNING id"  # noqa: S608
    )
    assert desk.refused("load_undo", load_id=row["id"]).startswith("PERMISSION_DENIED")
