"""A statement has the clauses of the filters that are given, and no others."""

from quarry.attributes.model import Attribute, Attributes
from quarry.corpora import PRODUCTS
from quarry.needs.grammar import read_need
from quarry.needs.model import Need
from quarry.retrieval.clauses import of_filters
from quarry.retrieval.statements import statement

HEAD = Attribute("head", kind="number", unit="m", sense="at_least")
ATTRIBUTES = Attributes({"head": HEAD, "body": Attribute("body")}, families={"pump": ()})


def filters(**asked: str) -> list[Need]:
    found = [read_need(name, said, attributes=ATTRIBUTES) for name, said in asked.items()]
    return [need for need in found if isinstance(need, Need)]


def test_what_a_caller_writes_never_stands_in_a_statement() -> None:
    condition = of_filters(PRODUCTS, filters(head=">= 40.5 m", body="'; DROP TABLE x"), attributes=ATTRIBUTES)
    written = statement(PRODUCTS, "text_exact", condition=condition).as_string()
    assert "40.5" not in written
    assert "DROP" not in written
    assert any(isinstance(value, float) and abs(value - 40.5) < 1e-6 for value in condition.parameters.values())


def test_the_same_shape_of_filters_is_one_statement() -> None:
    one, other = (of_filters(PRODUCTS, filters(head=asked), attributes=ATTRIBUTES) for asked in (">= 40 m", ">= 7 m"))
    assert statement(PRODUCTS, "rows", condition=one) == statement(PRODUCTS, "rows", condition=other)


def test_without_filters_a_statement_reads_no_values() -> None:
    none = of_filters(PRODUCTS, [], attributes=ATTRIBUTES)
    assert not none
    assert "attribute_values" not in statement(PRODUCTS, "text_exact", condition=none).as_string()
