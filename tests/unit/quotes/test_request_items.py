"""What follows for an item from the one that it serves."""

from quarry.attributes.model import Attribute, Attributes, Value
from quarry.attributes.units import shipped
from quotes.request_items import First, RequestItem, asked_for


def flow(name: str, *families: str) -> Attribute:
    return Attribute(name, "number", frozenset(families), unit="m³/h", sense="at_least")


OWN = Attributes(
    {one.name: one for one in (flow("flow", "pump", "filter"), flow("flow_at_depth", "pump"))},
    families={"pump": (), "filter": ()}, units=shipped(),
)  # fmt: skip


def test_what_stands_behind_a_machine_takes_its_flow_and_nothing_that_only_such_machines_have() -> None:
    first = First("P 1", {name: Value(low=90.0, high=90.0) for name in OWN.by_name}, machines=2)
    family = {"attribute": "family", "is": "filter"}
    item = RequestItem.model_validate({"what": "inlet filter", "for": 1, "quantity": 2, "needs": [family]})
    asked = asked_for(item, served={1: first}, attributes=OWN, tenant="acme")
    assert [need.name for need in asked[0]] == ["family", "flow"]


def test_the_family_of_what_serves_another_may_be_told_by_an_attribute_that_it_alone_has() -> None:
    own = Attributes(
        {**OWN.by_name, "grade": Attribute("grade", families=frozenset({"filter"}))}, families=OWN.families,
        units=shipped(),
    )  # fmt: skip
    first = First("P 1", {"flow": Value(low=90.0, high=90.0)}, machines=1)
    needs = [{"attribute": "grade", "is": "fine"}]
    item = RequestItem.model_validate({"what": "inlet filter", "for": 1, "needs": needs})
    asked = asked_for(item, served={1: first}, attributes=own, tenant="acme")
    assert [need.name for need in asked[0]] == ["grade", "flow"]


def test_work_is_of_the_family_that_is_called_a_service_in_whatever_language() -> None:
    families = {
        "pump": ("Pompa", "en:pump"),
        "usluga": ("Usługa", "montaż"),
        "extra": ("Kosten", "de:Dienstleistungen"),
    }
    item = RequestItem.model_validate({"what": "start-up of the pump", "kind": "service"})
    [need], _, _ = asked_for(item, served={}, attributes=Attributes({}, families=families), tenant="acme")
    assert [choice.value for choice in need.choices] == ["usluga", "extra"]
