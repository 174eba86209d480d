"""What products require and exclude among themselves, and how many of them may be sold."""

from decimal import Decimal

from cpq.catalogue.configuration import (
    MOST_UNITS,
    ConfigurableProduct,
    Relation,
    Wanted,
    broken_relations,
    in_pieces,
    line_problems,
    parts,
)
from quarry.attributes.units import shipped

NAMES = {"a": "Alpha", "b": "Beta", "c": "Gamma"}
REQUIRES = Relation(product_id="a", kind="requires", related_id="b", related_name="Beta")
EXCLUDES = Relation(product_id="a", kind="excludes", related_id="c", related_name="Gamma")
RECOMMENDS = Relation(product_id="a", kind="recommends", related_id="b", related_name="Beta")


def broken(*products: str, relations: tuple[Relation, ...], owned: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    lines = [Wanted(product_id=product, quantity=1, attributes={}) for product in products]
    found = broken_relations(lines, relations, names=NAMES, owned=owned)
    return [(problem.code, problem.path) for problem in found]


def quantity_problems(quantity: int, *, least: int = 1, most: int | None = None) -> list[str]:
    offer = ConfigurableProduct(
        id="a", name="Alpha", active=True, attributes={}, min_quantity=least, max_quantity=most
    )
    line = Wanted(product_id="a", quantity=quantity, attributes={})
    return [problem.code for problem in line_problems(line, offer, path="line_items[0]")]


def test_a_requirement_is_met_by_another_line_or_by_what_the_customer_has() -> None:
    assert broken("a", relations=(REQUIRES,)) == [("REQUIRES", "line_items[0].product_id")]
    assert broken("a", "b", relations=(REQUIRES,)) == []
    assert broken("b", "a", relations=(REQUIRES,)) == []
    assert broken("a", relations=(REQUIRES,), owned=("b",)) == []


def test_every_line_of_a_product_says_what_it_lacks() -> None:
    assert len(broken("a", "a", relations=(REQUIRES,))) == 2


def test_what_one_side_excludes_holds_in_both_orders_and_is_said_once() -> None:
    assert broken("a", "c", relations=(EXCLUDES,)) == [("EXCLUDES", "line_items[1].product_id")]
    assert broken("c", "a", relations=(EXCLUDES,)) == [("EXCLUDES", "line_items[1].product_id")]
    mirrored = Relation(product_id="c", kind="excludes", related_id="a", related_name="Alpha")
    assert len(broken("a", "c", relations=(EXCLUDES, mirrored))) == 1


def test_what_the_customer_has_does_not_exclude_its_replacement() -> None:
    assert broken("a", relations=(EXCLUDES,), owned=("c",)) == []


def test_a_recommendation_binds_nobody() -> None:
    assert broken("a", relations=(RECOMMENDS,)) == []


def test_a_quantity_keeps_the_products_bounds() -> None:
    assert quantity_problems(0) == ["OUT_OF_RANGE"]
    assert quantity_problems(99, least=100) == ["OUT_OF_RANGE"]
    assert quantity_problems(26, most=25) == ["OUT_OF_RANGE"]
    assert quantity_problems(25, most=25) == []
    assert quantity_problems(MOST_UNITS + 1) == ["OUT_OF_RANGE"]


def test_an_inactive_product_is_named() -> None:
    offer = ConfigurableProduct(id="a", name="Alpha", active=False, attributes={}, min_quantity=1, max_quantity=None)
    (problem,) = line_problems(Wanted(product_id="a", quantity=1, attributes={}), offer, path="line_items[3]")
    assert (problem.code, problem.path) == ("INACTIVE", "line_items[3].product_id")


def test_parts_of_a_hundred_that_are_whole_pieces_are_sold() -> None:
    asked = {"per_hundred": "2.5", "per_thousand": "2.5005", "per_unit": "2.5", "per_metre": "2.5", "per_reel": "2.5"}
    refused = [
        unit for unit, count in asked.items() if [*parts(Decimal(count), unit=unit, units=shipped(), path="line")]
    ]
    assert refused == ["per_thousand", "per_unit", "per_reel"]


def test_a_quantity_of_hundreds_or_packs_is_told_in_pieces_and_one_of_pieces_is_not() -> None:
    units = shipped().with_own([{"symbol": "pack", "dimension": "pieces", "factor": "25"}])
    lines: list[tuple[str, Decimal | int, str]]
    lines = [("ql_1", 10_000, "per_thousand"), ("ql_2", Decimal("2.50"), "per_hundred"), ("ql_3", 4, "per_pack"),
             ("ql_4", 150, "per_unit"), ("ql_5", 3, "per_metre"), ("ql_6", 3, "per_seat_per_month")]  # fmt: skip
    assert in_pieces(lines, units) == [
        "Quantities that are no single pieces: ql_1 is 10000 per thousand, 10,000,000 pieces; "
        "ql_2 is 2.5 per hundred, 250 pieces; ql_3 is 4 per pack, 100 pieces."
    ]
    assert in_pieces(lines[3:], units) == []
