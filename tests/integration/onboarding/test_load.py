"""load: what was checked is stored, once."""

import pytest

from onboarding import load
from operations.ingest import handler
from tests.deployment import invoke
from tests.integration.onboarding.conftest import GOODS, LIST, MAPPING, Desk

STORED = "SELECT model, attributes -> 'pressure' AS pressure FROM equipment.products ORDER BY model"


def checked(desk: Desk) -> dict[str, object]:
    return desk.ask("load_check", kind="products", file=desk.put("goods.csv", GOODS), mapping=MAPPING)


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


class Clock:
    """Has time for one chunk and no more."""

    def __init__(self) -> None:
        self._ticks = iter((0.0, 0.0))

    def monotonic(self) -> float:
        return next(self._ticks, 1e6)


def test_what_is_too_long_for_one_run_goes_on_in_the_ingests(
    declared_desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = "".join(f"KH-{number};Kugelhahn;Armatur;16;1.4408;ja\n" for number in range(700))
    name = declared_desk.put("long.csv", LIST + rows)
    check = declared_desk.ask("load_check", kind="products", file=name, mapping=MAPPING)
    assert check["rows"] == {"read": 700, "new": 700}
    monkeypatch.setattr(load, "time", Clock())
    begun = declared_desk.ask("load", check_id=check["check_id"])
    assert (begun["state"], begun["rows"]) == ("goes on", {"read": 500, "new": 500})
    assert declared_desk.ask("loads", limit=1)["loads"][0]["state"] == "goes on"
    resumed = invoke(handler, {"resume": {"ingest_id": begun["load_id"], "tenant": declared_desk.tenant}})
    assert resumed["reports"][0]["finished"] is True
    last = declared_desk.ask("loads", limit=1)["loads"][0]
    assert (last["load_id"], last["state"], last["rows"]) == (begun["load_id"], "loaded", check["rows"])


def test_a_load_that_was_cut_short_goes_on_when_it_is_sent_again(
    declared_desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = "".join(f"KH-{number};Kugelhahn;Armatur;16;1.4408;ja\n" for number in range(700))
    name = declared_desk.put("long.csv", LIST + rows)
    check_id = declared_desk.ask("load_check", kind="products", file=name, mapping=MAPPING)["check_id"]
    with monkeypatch.context() as short:
        short.setattr(load, "time", Clock())
        begun = declared_desk.ask("load", check_id=check_id)
    again = declared_desk.ask("load", check_id=check_id)
    assert (again["load_id"], again["state"]) == (begun["load_id"], "loaded")
    assert again["rows"] == {"read": 700, "new": 700}


def test_rows_refused_for_what_was_lacking_are_stored_once_it_is_there(declared_desk: Desk) -> None:
    words = {"kind": "vocabulary", "text": "term,attribute,value\nKugelhahn,family,ball_valve\n"}
    refused = declared_desk.load(**words)
    assert (refused["rows"], refused["notice"][:18]) == ({"read": 1, "rejected": 1}, "Nothing is stored,")
    assert refused["state"] == "refused"
    declared_desk.load(kind="families", text="family,words\nball_valve,ball valve\n")
    assert declared_desk.load(**words)["rows"] == {"read": 1, "new": 1}
