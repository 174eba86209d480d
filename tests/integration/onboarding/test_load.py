"""load: what was checked is stored, once."""

from tests.integration.onboarding.conftest import GOODS, TABLES, Desk

STORED = "SELECT model, attributes -> 'pressure' AS pressure FROM equipment.products ORDER BY model"


def checked(desk: Desk) -> dict[str, object]:
    return desk.ask("load_check", kind="products", file=desk.put("goods.csv", GOODS), tables=TABLES)


def test_what_was_checked_is_stored_row_for_row(declared_desk: Desk) -> None:
    check = checked(declared_desk)
    answer = declared_desk.ask("load", check_id=check["check_id"])
    assert (answer["state"], answer["rows"]) == ("loaded", check["rows"])
    assert answer["rejects"] == ["line 5: attributes.pressure: 'viel' is not a number (line 5, column 'PN [bar]')"]
    stored = [(row["model"], row["pressure"]) for row in declared_desk.rows(STORED)]
    assert stored == [("KH-10", 16), ("KH-15", 40), ("SF-20", None)]


def test_the_same_check_twice_loads_once(declared_desk: Desk) -> None:
    check_id = checked(declared_desk)["check_id"]
    first, second = (declared_desk.ask("load", check_id=check_id) for _ in range(2))
    assert (second["load_id"], second["notice"]) == (first["load_id"], "It was loaded before.")
    assert second["rows"] == first["rows"]
    assert len(declared_desk.rows("SELECT id FROM quarry.ingests WHERE kind = 'products'")) == 1


def test_a_file_that_changed_since_is_refused(declared_desk: Desk) -> None:
    check_id = checked(declared_desk)["check_id"]
    declared_desk.put("goods.csv", GOODS.replace("KH-10", "KH-11"))
    assert declared_desk.refused("load", check_id=check_id).startswith("CONFLICT 'goods.csv' is not the file")
    assert declared_desk.rows(STORED) == []


def test_a_check_is_its_tenants_alone(declared_desk: Desk) -> None:
    check_id = checked(declared_desk)["check_id"]
    assert declared_desk.refused("load", tenant="neighbour", check_id=check_id).startswith("NOT_FOUND")


def test_after_it_was_taken_back_the_same_check_loads_again(declared_desk: Desk) -> None:
    check_id = checked(declared_desk)["check_id"]
    first = declared_desk.ask("load", check_id=check_id)
    declared_desk.ask("load_undo", load_id=first["load_id"])
    assert declared_desk.rows(STORED) == []
    again = declared_desk.ask("load", check_id=check_id)
    assert again["load_id"] > first["load_id"]
    assert len(declared_desk.rows(STORED)) == 3


def test_what_is_too_long_for_one_run_goes_on_where_it_stood(declared_desk: Desk, monkeypatch: object) -> None:
    from onboarding import load
    from operations.ingest import handler
    from tests.deployment import invoke

    check_id = checked(declared_desk)["check_id"]
    monkeypatch.setattr(load, "SECONDS", -1.0)  # type: ignore[attr-defined]
    begun = declared_desk.ask("load", check_id=check_id)
    assert begun["state"] in ("goes on", "stopped")
    resumed = invoke(handler, {"resume": {"ingest_id": begun["load_id"], "tenant": declared_desk.tenant}})
    assert resumed
