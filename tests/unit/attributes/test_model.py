"""Attributes as they are declared, values as rows hold them."""

from collections.abc import Callable, Mapping

import pytest

from quarry.attributes.model import Attribute, Attributes, Value, held_in, once, unmarked, value_of, values_of

HEAD = Attribute(
    "head", kind="number", unit="m", also="mH₂O", families=frozenset(("pump",)), words=("de:Förderhöhe",)
)
LENGTH = Attribute("length", kind="number", unit="mm", words=("size",), labels={"de": "Länge"})
WIDTH = Attribute("width", kind="number", unit="mm", words=("size",))
ATTRIBUTES = Attributes({one.name: one for one in (HEAD, LENGTH, WIDTH)})


@pytest.mark.parametrize(
    ("stored", "value"),
    [
        (129, Value(low=129, high=129)),
        ([100, 300], Value(low=100, high=300)),
        ("oil-free", Value(texts=("oil-free",))),
        (["a", "b"], Value(texts=("a", "b"))),
        (True, Value(flag=True)),
        ({"value": 45.08, "raw": "1145 mm", "unit": "mm"}, Value(low=45.08, high=45.08, raw="1145 mm", unit="mm")),
        ({"value": False}, Value(flag=False)),
        (None, None),
        ("", None),
        ([], None),
        ({"raw": "x"}, None),
        ({"value": None}, None),
    ],
)
def test_a_value_is_what_the_column_holds(stored: object, value: Value | None) -> None:
    assert value_of(stored) == value


def test_a_row_without_attributes_has_no_values() -> None:
    assert values_of(None) == {}
    assert values_of({"head": None, "length": 3}) == {"length": Value(low=3, high=3)}


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (Value(low=1200, high=1200), "mm", "1200 mm"),
        (Value(low=100, high=300.5), "cfm", "100..300.5 cfm"),
        (Value(low=3, high=3), None, "3"),
        (Value(low=45.08, high=45.08, raw="1145 mm"), "in", "1145 mm"),
        (Value(low=1.7, high=1.7, raw="1.700 W", unit="W"), "kW", "1.7 kW"),
        (Value(low=1.7, high=1.7, raw="1,700 W", unit="W"), "kW", "1,700 W"),
        (Value(low=31.75, high=31.75, raw="1.250 in", unit="in"), "mm", "1.250 in"),
        (Value(low=1.7, high=1.7, raw="1.700,00 W", unit="W"), "kW", "1.700,00 W"),
        (Value(texts=("a", "b")), None, "a, b"),
        (Value(flag=False), None, "no"),
    ],
)
def test_a_value_is_shown_as_its_file_says_it(value: Value, unit: str | None, shown: str) -> None:
    assert value.shown(unit) == shown


def test_an_attribute_is_found_by_name_label_and_word_unless_several_share_it() -> None:
    assert ATTRIBUTES.named("head") == ATTRIBUTES.named("FÖRDERHÖHE") == HEAD
    assert ATTRIBUTES.named("länge") == LENGTH
    assert ATTRIBUTES.named("size") is None
    assert ATTRIBUTES.named("depth") is None


def test_a_unit_tells_the_attributes_whose_figures_it_may_state() -> None:
    bar, mm = ATTRIBUTES.units.named("bar"), ATTRIBUTES.units.named("mm")
    assert bar is not None
    assert mm is not None
    assert ATTRIBUTES.measured_in(bar) == [HEAD]
    assert ATTRIBUTES.measured_in(bar, families=["valve"]) == []
    assert ATTRIBUTES.measured_in(mm, families=["valve"]) == [LENGTH, WIDTH]


def test_a_place_in_an_order_is_found_in_any_spelling() -> None:
    protection = Attribute("protection", ordered=("IP 54", "IP55"))
    assert protection.place_of("ip-54") == 0
    assert protection.place_of("IP66") is None


@pytest.mark.parametrize(
    ("word", "expected"), [("de:Druck", ("de", "Druck")), ("plain", (None, "plain")), ("a:b", (None, "a:b"))]
)
def test_a_word_may_name_its_language(word: str, expected: tuple[str | None, str]) -> None:
    assert unmarked(word) == expected


def test_what_rows_share_takes_nothing_in_and_is_made_once() -> None:
    shared = held_in('{"hp": 100, "parts": [{"hp": 50}]}')
    assert held_in('{"hp": 100, "parts": [{"hp": 50}]}') is shared
    writes: list[Callable[[], object]] = [
        lambda: shared.update(hp=1), lambda: shared.setdefault("cfm", 2), lambda: shared.pop("hp"),
        lambda: shared["parts"][0].__setitem__("hp", 1),
    ]  # fmt: skip
    for write in writes:
        with pytest.raises(TypeError, match="copy it first"):
            write()
    assert (shared, dict(shared) | {"hp": 1}) == ({"hp": 100, "parts": [{"hp": 50}]}, {**shared, "hp": 1})
    made = list[object]()

    def size(held: Mapping[str, object]) -> int:
        made.append(held)
        return len(held)

    assert [once(shared, size) for _ in range(2)] == [2, 2]
    assert len(made) == 1
    assert once({"hp": 1}, size) == 1
