"""trade_check: a proposal of families, attributes and vocabulary held against rows."""

from tests.integration.onboarding.conftest import ATTRIBUTES, FAMILIES, GOODS, MAPPING, Desk


def test_it_says_what_each_attribute_reads_of_a_file_and_what_not_and_declares_nothing(desk: Desk) -> None:
    name = desk.put("goods.csv", GOODS)
    check = desk.ask("load_check", kind="products", file=name, mapping=MAPPING)
    assert check["rows"] == {"read": 4, "rejected": 4}
    answer = desk.ask("trade_check", families=FAMILIES, attributes=ATTRIBUTES, check_id=check["check_id"])
    assert answer["rows"] == 4
    body = "body from Werkstoff: 4 of 4 rows; 1.4408 (2), Grauguss (1), Messing (1)"
    assert answer["attributes"] == ["pressure from PN [bar]: 2 of 4 rows; 16..40 bar", body]
    assert answer["unread"] == ["attributes.pressure is not a number (1): 'viel' in line 5, column 'PN [bar]'"]
    assert "valve: 3 rows" in answer["families"]
    assert answer["unused"] == ["column 'Lager' is read by no field: 4 cells, 'ja' (3), 'nein'"]
    assert desk.rows("SELECT name FROM search.attributes") == []


def test_what_means_two_things_and_what_no_row_has_is_said(desk: Desk) -> None:
    check = desk.ask("load_check", kind="products", file=desk.put("goods.csv", GOODS), mapping=MAPPING)
    answer = desk.ask(
        "trade_check",
        families=FAMILIES,
        attributes=ATTRIBUTES + "size,,number,mm,exactly,,,PN\n",
        vocabulary="term,language,attribute,value\nstrainer,en,body,iron\nbronze,en,body,Rotguss\n",
        check_id=check["check_id"],
    )
    assert "'pn' means attribute pressure and attribute size" in answer["collisions"]
    assert "'strainer' means family filter and a value of body" in answer["collisions"]
    assert "term 'bronze': no row has body 'Rotguss'" in answer["unused"]


def test_rows_that_cannot_be_declared_are_told_with_their_cause(desk: Desk) -> None:
    answer = desk.ask(
        "trade_check", attributes="name,families,kind,unit\nflow,pump,number,furlong\nhead,pump,number,m\n"
    )
    assert any("furlong" in fault for fault in answer["faults"])
    assert "attributes: head: pump is no family of yours and none proposed" in answer["faults"]


def test_stored_values_that_a_narrower_range_would_not_take_are_doubted(declared_desk: Desk) -> None:
    declared_desk.load(kind="products", file=declared_desk.put("goods.csv", GOODS), mapping=MAPPING)
    narrower = "name,families,kind,unit,sense,low,high\npressure,valve,number,bar,at_least,0,20\n"
    answer = declared_desk.ask("trade_check", attributes=narrower)
    assert answer["rows"] == 3
    assert answer["unread"] == ["pressure is not plausible as declared (1): '40 bar' in line 2"]


def test_of_more_than_are_listed_the_rest_is_counted(desk: Desk) -> None:
    many = "".join(f"size_{place},number,mm\n" for place in range(55))
    answer = desk.ask("trade_check", attributes=f"name,kind,unit\n{many}")
    assert answer["attributes"][-1] == "and 15 more: shown=55"
    assert len(answer["attributes"]) == 41
