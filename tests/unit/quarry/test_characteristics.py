"""Figures of a characteristics block: which are converted for a reader, and which stay as their house reads them."""

from quarry.attributes.model import Attribute, Attributes, Value
from quarry.attributes.systems import preferred
from quarry.attributes.units import shipped
from quarry.characteristics import shown

OWN = [{"symbol": "Wp", "spellings": [], "dimension": "power", "factor": 1.0, "offset": 0.0, "reference": None}]


def told(attribute: Attribute, figure: float) -> str:
    known = Attributes({attribute.name: attribute}, units=shipped().with_own(OWN))
    return shown(Value(figure, figure), attribute, known, beside=preferred()["metric"])


def test_a_figure_of_another_system_is_converted_and_one_in_a_unit_of_the_tenants_own_stays() -> None:
    assert told(Attribute("size", "number", unit="hp"), 10).endswith("(10 hp)")
    assert told(Attribute("peak", "number", unit="Wp"), 445) == "445 Wp"
