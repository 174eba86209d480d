"""Where a customer is, as far as country, name and words tell: the frequency of his mains and his currency."""

import re
from collections.abc import Sequence

from quarry.understanding.countries import COMPANIES, PLACES, SPOKEN, currency_by_form
from quarry.understanding.needs import Language, Request
from quarry.understanding.text import fold
from quarry.units import METRIC_FIGURE, Units
from quotes.drafting.proven_words import US

AT_60_HZ = frozenset((
    "AG", "AI", "AS", "AW", "BM", "BR", "BS", "BZ", "CA", "CO", "CR", "CU", "DO", "EC", "FM", "GT", "GU", "GY", "HN",
    "HT", "KN", "KR", "KY", "MF", "MS", "MX", "NI", "PA", "PE", "PH", "PR", "PW", "SA", "SR", "SV", "TC", "TT", "TW",
    "US", "VE", "VG", "VI",
))  # fmt: skip
"""ISO 3166 codes of the countries with mains at 60 Hz. Source: IEC World Plugs, https://www.iec.ch/world-plugs."""
UNTOLD = frozenset(("JP", "KP", "LR", "MH", "MP", "SX", "UM"))
"""Countries that the same source has at both frequencies, or not at all. All others are at 50 Hz."""
OF_60_HZ = frozenset(("208 V", "460 V", "575 V"))
"""Voltages of three-phase mains at 60 Hz alone, as motors are rated for them: 120/208, 480 and 600 V in table 1 of
IEC 60038:2009."""
OF_50_HZ = "400 V"
"""The same table has 230/400 V at either frequency: it tells 50 Hz unless the customer's country is at 60 Hz."""


SPEAKING_AT_60_HZ = frozenset(("mexico", "canada", "united-states"))
"""Of the countries that a legal form or a language tells, those with mains at 60 Hz."""
OF_CANADA = re.compile(r"quebec|montreal|canad|\bcad\b")
OF_THE_STATES = re.compile(r"\b(?:inc|incorporated|l\.?l\.?c|corp|corporation|l\.?l\.?p)\b")
OF_SPAIN = re.compile(rf"€|\beur(?:os?)?\b|{PLACES['spain'].pattern}")
OF_SWITZERLAND = re.compile(r"schweiz|suisse|switzerland|zurich|geneve|lausanne|\bbasel\b|\bbern\b")
CURRENCIES = (
    ("EUR", re.compile(r"€|\beur(?:os?)?\b")),
    ("USD", re.compile(r"\busd\b|\bus\$|\bus[- ]dollars?\b|\bu\.s\. dollars?\b|\bdolares\b")),
    ("CHF", re.compile(r"\bchf\b|\bfranken\b|\bfrancs suisses\b")),
    ("GBP", re.compile(r"£|\bgbp\b|\bpounds sterling\b")),
    ("CAD", re.compile(r"\bcad\b(?!\s+(?:file|model|drawing))|\bcanadian dollars?\b")),
    ("MXN", re.compile(r"\bmxn\b|\bpesos mexicanos\b")),
)
"""Words of a request, folded, that tell in what it is to be quoted."""
PAID_AT_60_HZ = frozenset(("USD", "CAD", "MXN"))
"""Currencies whose own countries have mains at 60 Hz."""


def mains(read: Sequence[Request | None], *, local: tuple[str, str] | None) -> tuple[str, str] | None:
    """The frequency that an item tells, else that of the customer's country, and what told it."""
    told = ((said, f"item {place}") for place, one in enumerate(read, 1) if (said := _frequency(one, local)))
    return next(told, local)


def _frequency(request: Request | None, local: tuple[str, str] | None) -> str | None:
    """The frequency that a request names, or that its voltage tells in the customer's country."""
    needs = request.needs if request else ()
    said = {value for need in needs if need.attribute == "voltage" for value in need.values}
    told = said & {"50 Hz", "60 Hz"}
    if not told:
        at_50 = OF_50_HZ in said and (local is None or local[0] == "50 Hz")
        told = {hertz for hertz, tells in (("60 Hz", bool(said & OF_60_HZ)), ("50 Hz", at_50)) if tells}
    return told.pop() if len(told) == 1 else None


def likely_mains(
    texts: str, customer: str | None, language: Language, *, units: Units | None
) -> tuple[str, str] | None:
    """50 Hz of a company whose legal form is of Europe, or of a metric request in a language that is; 60 Hz of one
    whose form is of the United States, unless the request is metric; else None.
    """
    name, said = fold(customer or ""), fold(f"{customer or ''}\n{texts}")
    formed = next((countries for form, countries in COMPANIES if form.search(name)), ())
    if formed and not SPEAKING_AT_60_HZ & set(formed):
        return "50 Hz", "the customer's legal form"
    metric = METRIC_FIGURE.search(texts) is not None or units == "metric"
    if OF_THE_STATES.search(name) and not metric:
        return "60 Hz", "the customer's legal form"
    elsewhere = OF_CANADA.search(said) or (language == "es" and not OF_SPAIN.search(said))
    if not metric or US.search(texts) or elsewhere or language not in SPOKEN or "mexico" in formed[:1]:
        return None
    return "50 Hz", "the language and the units of the request"


def of_country(country: str | None) -> tuple[str, str] | None:
    """The frequency of a country by its ISO 3166 code, and what told it."""
    if not country or country in UNTOLD:
        return None
    return "60 Hz" if country in AT_60_HZ else "50 Hz", f"the customer's country, {country}"


def currency_told(texts: str, customer: str | None, language: Language, *, units: Units | None) -> str | None:
    """What to quote in where no account tells: as the request says itself, as the legal form tells, or in euros where
    its language and its units are those of Europe; else None.
    """
    said = fold(f"{customer or ''}\n{texts}")
    named = [code for code, words in CURRENCIES if words.search(said)]
    if len(named) == 1:
        return named[0]
    if by_form := currency_by_form(customer or ""):
        return by_form
    local = likely_mains(texts, customer, language, units=units)
    european = local is not None and local[0] == "50 Hz" and language in SPOKEN
    return None if not european else "CHF" if OF_SWITZERLAND.search(said) else "EUR"


def is_abroad(currency: str | None, hertz: str | None) -> bool:
    """Whether the mains are not those of the countries whose money it is: a Kenyan who pays in dollars."""
    if currency is None or hertz is None:
        return False
    return (currency in PAID_AT_60_HZ) != (hertz == "60 Hz")
