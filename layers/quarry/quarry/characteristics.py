"""The characteristics block of a line: the attributes that a tenant has printed, of one product, in one language."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from quarry.attributes.model import Attribute, Attributes, Value, values_of
from quarry.attributes.units import Beside, Unit, Units, convert, most_read, printed, shipped
from quarry.reading.languages import yes_and_no
from quarry.text import goods_named

DECIMAL_COMMA = frozenset((
    "af", "az", "be", "bg", "bs", "ca", "cs", "da", "de", "el", "es", "et", "eu", "fi", "fo", "fr", "fy", "gl",
    "hr", "hu", "hy", "id", "is", "it", "ka", "kk", "ky", "lb", "lt", "lv", "mk", "nb", "nl", "nn", "no", "pl",
    "pt", "ro", "ru", "sk", "sl", "sq", "sr", "sv", "tg", "tk", "tr", "tt", "uk", "uz", "vi",
))  # fmt: skip
"""Languages that write 7,5 with a comma, according to CLDR."""

TOO_FINE = 0.01
"""A figure that conversion would make smaller than this stays in its own unit."""
TOO_SMALL = 0.1
"""Below it a figure stands in a smaller unit that its reader knows: 51 mm, not 0.0508 m."""
TOO_LARGE = 10_000
"""A larger figure is shown in the system's next unit: 15.9 bar, not 15,900 mbar."""
_BEHIND_FIGURE = re.compile(r"\d\s?([^\d();,]+)")
"""Matches what may be the unit of a figure."""
MISSING = "[NOT IN CATALOGUE – confirm]"


class Characteristics(NamedTuple):
    """The printed characteristics of a product: (label, value) ``rows``, and the labels of ``missing`` ones."""

    heading: str
    name: str
    rows: Sequence[tuple[str, str]]
    missing: Sequence[str]


def block(
    product: Mapping[str, object],
    *,
    attributes: Attributes,
    language: str = "en",
    beside: Beside | None = None,
) -> str | None:
    """Renders the block as Markdown, with figures also in units of ``beside`` and missing values in the last line.
    Returns None for a family without printed attributes.
    """
    mark = "," if language in DECIMAL_COMMA else "."

    def told(value: Value, attribute: Attribute) -> str:
        if value.flag is not None:
            return yes_and_no(language)[not value.flag]
        return shown(value, attribute, attributes, decimal_mark=mark, beside=beside)

    found = characteristics(product, attributes=attributes, language=language, told=told)
    if found is None:
        return None
    lines = [f"**{found.heading}**", "", f"- {found.name}", *(f"- {label}: {value}" for label, value in found.rows)]
    if found.missing:
        lines.append(f"- {'; '.join(found.missing)}: {MISSING}")
    return "\n".join(lines)


def characteristics(
    product: Mapping[str, object],
    *,
    attributes: Attributes,
    language: str,
    told: Callable[[Value, Attribute], str],
) -> Characteristics | None:
    """Collects what is printed of a product, in the order of the attributes' positions; ``told`` renders figures and
    texts. Returns None for a family without printed attributes.
    """
    family = str(product["family"])
    positioned = [one for one in attributes.by_name.values() if one.position is not None and one.is_of(family)]
    if not positioned:
        return None
    values = values_of(product.get("attributes"))  # type: ignore[arg-type]  # a row's jsonb
    rows, missing = [], []
    for attribute in sorted(positioned, key=lambda one: (one.position or 0, one.name)):
        label = label_of(attribute, language, house=attributes.language)
        value = values.get(attribute.name)
        if value is None and attribute.printed != "known":
            missing.append(label)
        elif value is not None:
            rows.append((label, told(value, attribute)))
    series = f"{product['series']} / " if product.get("series") else ""
    maker, name = str(product["manufacturer"]), f"{series}{product['model']}"
    name = name if goods_named(maker, name) == name else f"{maker}: {name}"
    return Characteristics(str(product["category"]).upper(), name, rows, missing)


def label_of(attribute: Attribute, language: str, *, house: str | None) -> str:
    """Returns the label in the language, else in English or the house's language, else the attribute's name."""
    labels = (attribute.label_in(each) for each in (language, "en", house or ""))
    return next(filter(None, labels), attribute.name.replace("_", " "))


def shown(
    value: Value,
    attribute: Attribute,
    attributes: Attributes,
    *,
    decimal_mark: str = ".",
    beside: Beside | None = None,
    alone: bool = False,
    largest: float | None = None,
) -> str:
    """Renders a value with its unit, converted if ``beside`` has others of its dimension, to the one in which the
    ``largest`` of several values reads well. The wording of its file in another unit stands in brackets, unless the
    converted figure is to stand ``alone``; where it says the figure in both units, nothing is added. A word of it for
    a figure has no unit and stands for itself.
    """
    if value.low is None or value.high is None or (value.raw and not value.unit):
        return value.shown(attribute.unit)
    own = _range(value.low, value.high, attribute.unit, decimal_mark)
    unit = attributes.unit_of(attribute)
    is_said = unit is not None and unit in map(attributes.units.named, _BEHIND_FIGURE.findall(value.raw or ""))
    size = value.high if largest is None else largest
    wanted = _unit_beside(size, unit, beside or {}, attributes.units) if unit else None
    if value.raw and wanted and attributes.units.named(value.unit or "") == wanted:
        return value.raw if alone or is_said else f"{value.raw} ({own})"
    beside_it = value.raw or own
    if value.raw:
        own = value.raw if is_said else _as_filed(value.raw, own, value.low, value.high, attribute.unit, decimal_mark)
    if unit is None or wanted is None:
        return own
    ends = [convert(end, unit, wanted) for end in (value.low, value.high)]
    if ends[0] is None or ends[1] is None:
        return own
    of_zero = not value.low or unit.offset or wanted.offset
    if not of_zero and unit.reference == wanted.reference and abs(ends[0]) < TOO_FINE:
        return own
    if least := 0 if of_zero else _finer_than(value.low, ends[0], unit, wanted):
        converted = f"< {least:.2g} {wanted.symbol}".replace(".", decimal_mark)
    else:
        told = (printed(end, unit, wanted) for end in (value.low, value.high))
        low, high = sorted(end for end in told if end is not None)
        converted = _range(low, high, wanted.symbol, decimal_mark)
    # Where the figure is the same, its own unit tells more: by what it is measured.
    is_same = (unit.factor, unit.offset, "") == (wanted.factor, wanted.offset, wanted.reference) and unit.reference
    return beside_it if is_same else converted if alone else f"{converted} ({beside_it})"


def _as_filed(raw: str, own: str, low: float, high: float, unit: str | None, decimal_mark: str) -> str:
    """Returns a figure with the wording of its file in another unit, first what reads well: 1 m (1000 mm), but 25 mm
    (0.984 in) and 290 kg, which are no 290000 g to anybody.
    """
    if any(end and not TOO_FINE <= abs(end) < TOO_LARGE for end in (low, high)):
        return raw
    is_round = all(float(f"{end:.4g}") == end for end in (low, high))
    rounded = _range(float(f"{low:.3g}"), float(f"{high:.3g}"), unit, decimal_mark)
    return f"{own} ({raw})" if is_round else f"{raw} ({rounded})"


def _finer_than(figure: float, converted: float, unit: Unit, wanted: Unit) -> float | None:
    """Returns one step of the figure's last digit in the other unit, where the converted figure is even smaller. That
    happens where a conversion subtracts the atmosphere: the small rest is below the figure's precision.
    """
    if unit.reference == wanted.reference:
        return None
    decimals = len(f"{figure:.10g}".partition(".")[2])
    coarser = convert(figure - 10**-decimals, unit, wanted)
    step = abs(coarser - converted) if coarser is not None else 0
    return step if abs(converted) < step else None


def _unit_beside(figure: float, unit: Unit, beside: Beside, units: Units) -> Unit | None:
    """Chooses the unit that a figure is converted to; None if its own is of that system already, or is one of the
    tenant's own, which is read as it is. A vacuum becomes the absolute pressure that is left.
    """
    if shipped().named(unit.symbol) is None or unit.symbol in beside.get("", ()):
        return None
    known = [one for symbol in beside.get(unit.dimension, ()) if (one := units.named(symbol)) is not None]
    # A scale that begins at its own zero, as kelvin does, tells other things than the degrees of a system do.
    if not known or unit in known or (known[0].offset and not unit.offset):
        return None
    fit = [one for one in known if unit.reference == "vacuum" and one.reference == "absolute"] or known
    told = {one: abs(convert(figure, unit, one) or 0) for one in fit}
    well = (one for one in fit if one.reference == fit[0].reference
            and TOO_SMALL <= told[one] < most_read().get(one.symbol, TOO_LARGE))  # fmt: skip
    return next(well, None) or next((one for one in fit if told[one] < TOO_LARGE), fit[0])


def _range(low: float, high: float, unit: str | None, decimal_mark: str) -> str:
    figures = [f"{end:.10g}".replace(".", decimal_mark) for end in dict.fromkeys((low, high))]
    return " ".join(filter(None, ["–".join(figures), unit]))
