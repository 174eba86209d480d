"""The units that the trade writes, what they measure, and how a value is shown in both systems."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from quarry.understanding.needs import Operator

ATMOSPHERE_INHG = 29.92
INHG_PER_MBAR = 0.02953
INHG_PER_PSI = 2.036
CFM_PER_M3_MIN = 35.315
PSI_PER_BAR = 14.504
HP_PER_KW = 1.341
HP_PER_PS = 0.98632
LITRES_PER_GALLON = 3.785
GALLONS_PER_FT3 = 7.4805
LB_PER_KG = 2.20462
PSI_PER_INH2O = 0.03613
TONS_PER_KW = 1 / 3.517
INCHES: Mapping[str, float] = MappingProxyType(
    {"mm": 1 / 25.4, "cm": 1 / 2.54, "m": 100 / 2.54, "ft": 12.0, "in": 1.0}
)
"""Of a length in each unit."""
LONGEST_IN = 600.0
"""No machine is longer than 50 ft: 220 ft is a pipe, 10,000 ft a site."""


@dataclass(frozen=True, slots=True)
class Unit:
    name: str
    attribute: str
    """What it measures; "pressure" becomes psi or inhg by what is asked for, "" is read and left alone."""
    pattern: str
    factor: float = 1.0
    absolute: bool = False
    """True for a vacuum given as the pressure that is left."""
    large: bool = False
    """True where a point before three digits parts thousands in any language: 1.200 m³/h."""


_PER = r"\s?(?:/|pro|por|per|par|je|each|every|an?|the|in der|die|al|a la|a l'|p\.?)\s?"
_CUBIC = r"(?:n|s|a)?\s?(?:m\s?\^?3|cbm|kubik(?:metern?)?|metros? cubicos?|metres? cubes?|cubic met(?:er|re)s?)"
_EACH = rf"(?:{_PER}|\s)"
"""Between a volume and its time, where a blank may be all: 12 m3 min."""
_PER_POWER = r"(?:\s?/\s?|\s(?:per|pro|por|par|je)\s)"
_CUBIC_FEET = r"(?:cu\.?\s?ft\.?|ft\s?\^?3|cubic f(?:ee|oo)t|pies cubicos|pieds cubes)"
_HOUR = r"(?:h|hr|hrs|std|stunden?|hora|heure|hour)"
_MINUTE = r"(?:min|mn|minutes?|minutos?)"
_SECOND = r"(?:s|sec|sek|sekunde|segundo|seconde|second)"
_LITRE = r"(?:n?l|ltr|lt|liters?|litres?|litern?|litros?)"
_ABS = r"\s?(?:abs(?:olut[aeo]?s?|olu[es]{0,2})?\.?|\(abs\.?\)|\(?a\)?)"

UNITS = (
    Unit(
        "ratio",
        "",
        rf"(?:[asi]?cfm|pcm|{_CUBIC}\s?/\s?{_MINUTE}){_PER_POWER}(?:b?hp|horse(?:power)?|kw|ps|cv|ch)"
        rf"|kw{_PER_POWER}(?:100\s?)?[asi]?cfm",
    ),
    Unit(
        "kw cold",
        "tons",
        r"(?:kw|kilowatts?|kilovatios?)\s(?:(?:of |de )?(?:frio|froid|refrigeration|refrigeracion(?! por))"
        r"|(?:of )?cooling(?: (?:capacity|load|duty|power)|(?=\s*(?:$|[,;.)])))|kalte(?:leistung)?|kuhlleistung"
        r"|frigorifi(?:ques?|cos?|cas?))",
        TONS_PER_KW,
    ),
    Unit("kw", "hp", r"kw|kilowatts?|kilovatios?", HP_PER_KW),
    Unit("hp", "hp", r"b?hp|h\.\s?p\.?|hors(?:es?)?\s?-?power|horses?|caballos?(?: de (?:fuerza|potencia))?"),
    Unit("ps", "hp", r"ps|p\.s\.|pferdestarken?|cv|c\.v\.|ch|chevaux|cavalli", HP_PER_PS),
    Unit(
        "cfm",
        "cfm",
        rf"(?:[asif]|fad |in)?cfm|pcm|c\.f\.m\.?|{_CUBIC_FEET}{_EACH}{_MINUTE}",
        large=True,
    ),
    Unit("cfh", "cfm", rf"[asi]?cfh|{_CUBIC_FEET}{_EACH}{_HOUR}", 1 / 60, large=True),
    Unit("m3/min", "cfm", _CUBIC + _EACH + _MINUTE, CFM_PER_M3_MIN),
    Unit("m3/h", "cfm", rf"(?:{_CUBIC}{_EACH}{_HOUR}|m3h|m3hr|cmh)", CFM_PER_M3_MIN / 60, large=True),
    Unit("m3/s", "cfm", _CUBIC + _PER + _SECOND, CFM_PER_M3_MIN * 60),
    Unit("l/s", "cfm", rf"(?:{_LITRE}{_PER}{_SECOND}|lps)", 2.119, large=True),
    Unit("l/min", "cfm", rf"(?:{_LITRE}{_PER}{_MINUTE}|n?lpm)", CFM_PER_M3_MIN / 1000, large=True),
    Unit(
        "psi",
        "pressure",
        r"psi\s?\(?g\)?|psi|#|p\.s\.i\.?(?:g\.?)?|pounds(?: per square inch)? (?:gauge|pressure)|lbs?\s?/\s?in2|psid",
    ),
    Unit("psia", "psia", r"psi\s?\(?a\)?|psi abs"),
    Unit("mbar abs", "inhg", rf"(?:mbar|hpa|millibars?){_ABS}", INHG_PER_MBAR, absolute=True),
    Unit("mbar", "mbar", r"(?:mbar|hpa|millibars?)(?:\s?\(?g\)?|\s?rel\.?)?", 1.0),
    Unit("bar abs", "bara", rf"bar{_ABS}", PSI_PER_BAR, absolute=True),
    Unit("bar", "pressure", r"bars?(?:\s?\(?(?:g|u|e|o)\)?)?|bar\s?\((?:g|u|e|o)\)|bares", PSI_PER_BAR),
    Unit("kpa", "pressure", r"kpa(?:\s?\(?g\)?)?", PSI_PER_BAR / 100),
    Unit("mpa", "pressure", r"mpa(?:\s?\(?g\)?)?", PSI_PER_BAR * 10),
    Unit("kg/cm2", "pressure", r"k(?:g|gf|p)\s?/\s?cm\s?\^?2(?:\s?g)?", 14.223),
    Unit("atm", "pressure", r"atm|atu", 14.696),
    Unit(
        "inh2o",
        "pressure",
        r"(?:in\.?|inch(?:es)?|\"|'')\s?-?(?:of )?(?:h2o|water(?: column| gauge)?|wc|wg|w\.c\.?|w\.g\.?)|iwc|iwg",
        PSI_PER_INH2O,
    ),
    Unit(
        "inhg",
        "inhg",
        r"in\.?\s?-?hg\.?(?:\s?v)?"
        r"|(?:\"|''|inch(?:es)?|zoll|pulgadas|pouces)\s?(?:of |de )?(?:hgv?|mercury|vac(?:uum)?|mercurio|mercure)"
        r"|hgv?|in\.? of (?:mercury|hg|vac(?:uum)?)",
    ),
    Unit("mtorr", "inhg", r"m(?:illi)?torrs?", 1 / 25_400, absolute=True),
    Unit("torr", "inhg", r"torr(?:\s?abs\.?)?|mm\s?hg(?:\s?abs\.?)?", 1 / 25.4, absolute=True),
    Unit(
        "% vacuum",
        "inhg",
        r"(?:%|percent|per cent|prozent|por ciento|pour cent)\s?(?:of )?(?:de )?(?:vacuum|vac|vakuum|vacio|vide)",
        ATMOSPHERE_INHG / 100,
    ),
    Unit("mm", "in", r"mm|millimet(?:er|re)s?", INCHES["mm"], large=True),
    Unit("cm", "in", r"cm", INCHES["cm"]),
    Unit("metre", "in", r"m|met(?:er|re)s?|metern|metros?", INCHES["m"]),
    Unit("micron", "micron", r"microns?|um|mikron|mikrometer|micras?|micrones"),
    Unit(
        "°f",
        "temperature",
        r"(?:°|deg\.?|degrees?|grad|grados)\s?f(?:ahrenheit)?|fahrenheit|f(?=\s?(?:pdp|dew|dp)\b)",
    ),
    Unit(
        "°c",
        "temperature_c",
        r"(?:°|deg\.?|degrees?|grad|grados|degres)\s?c(?:elsius)?|celsius|c(?=\s?(?:pdp|dew|dp)\b)|grad|grados|degres",
    ),
    Unit("f", "temperature?", r"f"),
    Unit("deg", "temperature?", r"(?:deg\.?|degrees?)(?!\s?[cf]\b)"),
    Unit("c", "temperature_c?", r"c"),
    Unit("gpm", "", r"gal(?:lons?)?\s?(?:per|/)\s?min(?:ute)?"),
    Unit("gal", "gallons", r"(?:us\s?)?gal(?:lons?|\.)?|usg|galones|galon|gallonen", large=True),
    Unit("l", "gallons", _LITRE, 1 / LITRES_PER_GALLON, large=True),
    Unit("m3", "gallons", _CUBIC, 1000 / LITRES_PER_GALLON),
    Unit("ft3", "gallons", _CUBIC_FEET, GALLONS_PER_FT3),
    Unit(
        "ton", "tons", r"tons?(?: of (?:refrigeration|cooling))?|toneladas?(?: de refrigeracion)?|tonnes?|tonnen|tr"
    ),
    Unit("dba", "dba", r"db\s?\(?a?\)?|decibels?|dezibel|decibeles|decibelios"),
    Unit("ppm", "ppm", r"ppm|mg\s?/\s?m3"),
    Unit("lb", "lb", r"lbs?\.?|pounds?|libras?", large=True),
    Unit("kg", "lb", r"kgs?|kilos?|kilogram(?:m|me|mes|s)?", LB_PER_KG, large=True),
    Unit("ft", "in", r"ft\.?|feet|foot", INCHES["ft"]),
    Unit(
        "in",
        "in",
        r"inch(?:es)?|\"|''|zoll|pulgadas?|pouces?"
        r"|in\.?(?=\s*(?:$|[,;x)\n]|(?:wide|high|long|tall|deep|max|or less)\b))",
    ),
    Unit("%", "percent", r"%|percent|prozent|por ciento|pour cent|per cent"),
    Unit(
        "other",
        "",
        r"rpm|u/min|gpm|amps?|ma|a(?!\s(?:(?:19|20)\d\d|l[ae]s?\b|l'|los\b|el\b|une?\b))|hz|v|volts?|vac|vdc|ph|phases?|hours?|hrs?|std|stunden|horas|heures|years?|yrs?|jahren?|anos?|ans|annees"
        r"|days?|tagen?|dias|jours|weeks?|wks?|wochen?|semanas|semaines|months?|monaten?|meses|mois|minutes?|mins?|seconds?|stages?|stufen?"
        r"|shifts?|mgd|miles?|km|acres?|users?|chairs?|beds?|betten|stuhle|sillones|fauteuils"
        r"|operatories|fps|btu|st|nd|rd|th|(?<=1)er|eme",
        large=True,
    ),
)
BY_NAME = {unit.name: unit for unit in UNITS}
_GUARD = r"(?![a-z0-9])"


@cache
def _any_unit() -> re.Pattern[str]:
    """Made when a text is first read: it takes longer than the rest of the module, and many tools read none."""
    units = "|".join(f"(?P<u{place}>(?:{unit.pattern}){_GUARD})" for place, unit in enumerate(UNITS))
    return re.compile(rf"\s?-?\s?(?:{units})")


def unit_at(folded: str, position: int) -> tuple[Unit, int] | None:
    """The unit that begins at `position`, and where it ends."""
    match = _any_unit().match(folded, position)
    if match is None or match.lastgroup is None:
        return None
    return UNITS[int(match.lastgroup[1:])], match.end()


def fahrenheit(celsius: float) -> float:
    return celsius * 9 / 5 + 32


_OTHER_SYSTEM: dict[str, tuple[str, str, Callable[[float], float]]] = {
    "hp": ("hp", "kW", lambda value: value / HP_PER_KW),
    "cfm": ("cfm", "m³/min", lambda value: value / CFM_PER_M3_MIN),
    "net_cfm": ("cfm net", "m³/min", lambda value: value / CFM_PER_M3_MIN),
    "purge": ("% purge", "", float),
    "psi": ("psi", "bar", lambda value: value / PSI_PER_BAR),
    "inhg": ("inHg", "mbar abs", lambda value: (ATMOSPHERE_INHG - value) / INHG_PER_MBAR),
    "dewpoint_f": ("°F", "°C", lambda value: (value - 32) * 5 / 9),
    "ambient_f": ("°F", "°C", lambda value: (value - 32) * 5 / 9),
    "inlet_f": ("°F", "°C", lambda value: (value - 32) * 5 / 9),
    "gallons": ("gal", "l", lambda value: value * LITRES_PER_GALLON),
    "lb": ("lb", "kg", lambda value: value / LB_PER_KG),
    "in": ("in", "mm", lambda value: value / INCHES["mm"]),
    "altitude_ft": ("ft altitude", "m", lambda value: value / 3.28084),
}
SIDES = {"height_in": " high", "width_in": " wide", "length_in": " long"}
SIGN: Mapping[Operator, str] = {"at_least": "at least ", "at_most": "at most ", "about": "about "}


def figure(value: float) -> str:
    """Three digits that matter, and never an exponent: 74.6, 308, 1060."""
    size = abs(value)
    return (
        f"{value:.0f}" if size >= 100 else f"{value:.3g}" if size >= 1 else f"{value:.2g}" if size >= 0.001 else "0"
    )


def shown(attribute: str, operator: Operator, low: float | None, high: float | None, *, hourly: bool = False) -> str:
    """A value in both systems: "100 hp (74.6 kW)", "350–400 cfm (9.91–11.3 m³/min)"; ``hourly`` where the request
    counts a flow so.
    """
    ends = [value for value in (low, high) if value is not None]
    if not ends:
        return ""
    if ends[0] == ends[-1]:
        ends = ends[:1]
    if attribute.endswith("_class"):
        return f"ISO 8573-1 {attribute.replace('_', ' ')} {ends[0]:g}"
    ours, theirs, convert = _OTHER_SYSTEM.get(
        attribute if not attribute.endswith("_in") else "in", (attribute, "", float)
    )
    if hourly and attribute == "cfm":
        theirs, convert = "m³/h", lambda value: value / CFM_PER_M3_MIN * 60
    plain = "–".join(f"{value:g}" if value == round(value, 1) else figure(value) for value in ends)
    ours = {"dba": "dBA", "discount": "% off"}.get(ours, ours)
    other = f" ({'–'.join(figure(convert(value)) for value in ends)} {theirs})" if theirs else ""
    return f"{SIGN.get(operator, '')}{plain} {ours}{SIDES.get(attribute, '')}{other}"
