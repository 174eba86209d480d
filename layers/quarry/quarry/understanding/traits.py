"""What a product or line-item row offers beyond its columns, read from its text with the words of the trade."""

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from quarry.understanding.electrics import supplies
from quarry.understanding.marks import KIND_OF
from quarry.understanding.service_terms import service_terms
from quarry.understanding.text import fold, tokens
from quarry.understanding.units import LITRES_PER_GALLON
from quarry.understanding.words import Vocabulary

MOST_CHARACTERS = 1_500
"""Of a description; what a machine is stands at its beginning."""
MOST_STORIES = 10_000
"""Stories of quotes of which a process remembers what they are about."""
HEADINGS = ("category", "series", "model")
SAID = frozenset(
    [
        "compression",
        "dryer_kind",
        "arrangement",
        "feature",
        "certificate",
        "industry",
        "use",
        "service",
        "portability",
        "redundancy",
        "filter_kind",
        "accessory_kind",
        "cooling",
        "drive",
        "quiet",
        "lubrication",
        "motor",
    ]
)
PLAIN = frozenset(("service", "lubrication", "compression", "dryer_kind", "filter_kind", "portability", "quiet"))
"""What is also read of rows in German, Spanish and French, whose other words say something else too often."""
BY_COLUMN: Mapping[str, str] = MappingProxyType(
    {"cooling": "cooling", "drive": "drive", "lubrication": "lubrication", "air_quality": "certificate"}
)
PUMPS = re.compile(r"(?<![\d.,])(\d{1,2})\s?x\s?[\d.]+\s?hp")
PLEX = {1: "simplex", 2: "duplex", 3: "triplex", 4: "quadruplex"}
TANK = re.compile(
    r"(?<![\d.,])(\d{1,3}(?:,\d{3})|\d{1,5}(?:\.\d+)?)\s?-?(?:(gal(?:lons?)?)|(l|ltr|liters?|litres?))(?![a-z/])"
)
DRIVES = (
    (re.compile(r"vfd|vsd|variable|inverter|frequency"), "variable-speed"),
    (re.compile(r"belt"), "belt"),
    (re.compile(r"direct|1:1"), "direct"),
    (re.compile(r"gear"), "gear"),
)
OF_FAMILY = frozenset(("dryer_kind", "feature"))
"""What is read of a row by words that mean it of its family alone."""
SINGLE_VALUE = frozenset(("compression", "arrangement", "service"))
FIGURE = r"(?<![\d.,])(\d*[.,]?\d+|[a-z]+)[\s-]?"
SAID_IN_FIGURES = re.compile(rf"{FIGURE}(?:(?P<micron>micron|um\b)|(?P<ppm>ppm|mg\s?/\s?m3)|(?P<tons>tons?\b))")
_NOTHING: frozenset[str] = frozenset()


TOLD: Mapping[str, Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {
        attribute: {value: re.compile(pattern) for value, pattern in values.items()}
        for attribute, values in {
            "reason": {
                "price": r"on price|first cost|cheap|under ?(cut|bid)|lower (bid|price|offer)|low bid|\d (%"
                r"|points) (below|less)"
                r"|\bless than ours|under us|price gap|too (high|dear)|\d lower|% (darunter|tiefer|billiger"
                r"|mas barato)"
                r"|sur le prix|am preis|wegen preis|por (el )?precio|moins cher|mas barat|guenstiger"
                r"|gunstiger|billiger",
                "delivery": r"deliver|lead time|lieferzeit|liefertermin|delai|plazo|in stock|on the floor|\bweeks",
                "stock": r"\bstock|on the floor|stood in|next day|lagerware|ab lager|existencia|inventario",
                "competitor": r"compet|dealer|lost to|went (to|with)|mitbewerb|wettbewerb|concurren"
                r"|distribuidor|other house"
                r"|another house|low bid|supply house",
                "direct": r"sold direct|sells .{0,20}direct|(bot|an einen) .{0,30}direkt|directement"
                r"|directo del fabricante",
                "rental": r"\brent|lease|\bmiet|location|renta\b|alquil",
                "budget": r"(no|without a) budget|budget (was|is|got|ran|cut|gone|frozen|freeze)|out of budget"
                r"|no money|sin presupuesto"
                r"|presupuesto (no|se)|(kein|ohne) budget|budget (gestrichen|fehlt)|(pas|plus) de budget"
                r"|\blevy|grant (was|money|did)|purse|capital committee|kein geld",
                "stopped": r"cancel|stopp|postpone|put off|put on hold|annule|gestoppt|shelved|idled"
                r"|storniert|verschoben",
                "relocation": r"moved to|verlegt|verlagert|idled|plant closed|relocat|delocalis|trasladad",
                "guarantee": r"guarantee|penalty|garantie|garantia",
                "technical": r"spec|did not (fit|meet)|fit .{0,20}better",
                "auction": r"auction|second.?hand|\bused\b|gave one away|gebraucht|occasion|subasta|versteiger",
                "rebuild": r"rebuil|overhaul|uberhol|reconstru|refait|reparad",
                "service": r"service vor ort|servicestelle|local service|service (nearby|close)",
            },
            "price": {
                "gpo": r"\bgpo\b|price schedule|public bid|\bbid at\b|tender|ausschreibung|licitacion|appel d.offres",
                "rebate": r"rebate|incentive|utility",
                "trade-in": r"trade.?in|buy.?back|core return|altger|reprise",
                "surcharge": r"surcharge|escalator|tariff|price increase|factory increases",
                "margin": r"margin|at cost|cost plus",
                "discount": r"\bless \d|\d ?%? off|\bpoints\b|minus \d|moins \d|menos \d",
                "freight": r"freight (allowed|prepaid|included|free)|free freight|fracht .{0,20}(enthalten|frei)"
                r"|portes pagados|franco",
            },
        }.items()
    }
)
"""How a quote tells why it was lost and how it was priced; folded text."""


RIVAL = re.compile(r"compet|mitbewerb|wettbewerb|concurren|other house|another house")
"""How a quote tells who else was in the running, if it was won too; any other reason is why one was lost."""


@lru_cache(maxsize=MOST_STORIES)
def _uses(story: str) -> frozenset[str]:
    """What the air or vacuum of a quote is for, as its story says."""
    return _said(story[:MOST_CHARACTERS], Vocabulary.shipped(), "").get("use", _NOTHING)


def quote_traits(row: Mapping[str, object]) -> Mapping[str, frozenset[str]]:
    """What a past quote's rationale and summary tell of price and outcome."""
    told = fold(f"{_text(row, 'price_rationale')} {_text(row, 'summary')}")
    found = {
        attribute: frozenset(value for value, pattern in values.items() if pattern.search(told))
        for attribute, values in TOLD.items()
    }
    if row.get("status") != "lost":
        found["reason"] = frozenset({"competitor"}) if RIVAL.search(told) else _NOTHING
    found["use"] = _uses(f"{_text(row, 'project')}. {_text(row, 'summary')}")
    return MappingProxyType({attribute: values for attribute, values in found.items() if values})


def row_traits(row: Mapping[str, object], *, words: Vocabulary | None = None) -> Mapping[str, frozenset[str]]:
    """Traits by attribute; an attribute that the row does not tell is absent. Tank sizes are gallons as figures.

    Without `words` those that ship are read.
    """
    vocabulary = words or Vocabulary.shipped()
    traits: dict[str, frozenset[str]] = {}
    heading = " ".join(_text(row, column) for column in HEADINGS)
    description = _text(row, "description")[:MOST_CHARACTERS]
    family = _text(row, "family")
    titled = _said(heading, vocabulary, family)
    described = _said(f"{description}. {_text(row, 'air_quality')}. {_text(row, 'motor')}", vocabulary, family)
    for attribute in SAID:
        first, second = titled.get(attribute, _NOTHING), described.get(attribute, _NOTHING)
        if attribute == "accessory_kind" and first:
            # "Master controller for machines, dryers and drains" is no drain.
            second = frozenset(value for value in second if KIND_OF.get(value) in first)
        values = (first or second) if attribute in SINGLE_VALUE or attribute in BY_COLUMN else first | second
        if values:
            traits[attribute] = values
    if "service" in titled:
        traits["heading"] = titled["service"]
        traits["told"] = described.get("service", _NOTHING)
    supply = fold(_text(row, "voltage") or description)
    of_columns = {
        "cooling": _cooling(row),
        "drive": _drives(row),
        "arrangement": _arrangement(row),
        "gallons": _tank(row, description),
        "voltage": frozenset(value for each in supplies(supply) for value in each.values),
        **_service_terms(description, vocabulary),
        **_in_figures(f"{description} {_text(row, 'air_quality')}", vocabulary),
    }
    if "frequency drive" in heading.lower():
        traits["accessory_kind"] = traits.get("accessory_kind", _NOTHING) | {"frequency-drive"}
    for attribute, values in of_columns.items():
        if values:
            traits[attribute] = values
    if "medical" in heading.lower():
        traits["industry"] = traits.get("industry", _NOTHING) | {"hospital"}
    return MappingProxyType(traits)


def _text(row: Mapping[str, object], column: str) -> str:
    value = row.get(column)
    return value if isinstance(value, str) else ""


def _said(text: str, vocabulary: Vocabulary, family: str) -> dict[str, frozenset[str]]:
    words = tokens(fold(text))
    language = vocabulary.language_of(words)
    found: dict[str, set[str]] = {}
    place = 0
    while place < len(words):
        count, meanings = vocabulary.match(words, place)
        for meaning in meanings:
            told = meaning.language in ("en", "") or (meaning.language == language and meaning.attribute in PLAIN)
            of_kind = not meaning.family or (meaning.family == family and meaning.attribute in OF_FAMILY)
            if meaning.attribute in SAID and of_kind and told:
                found.setdefault(meaning.attribute, set()).add(meaning.value)
        place += count or 1
    return {attribute: frozenset(values) for attribute, values in found.items()}


def _cooling(row: Mapping[str, object]) -> frozenset[str]:
    value = _text(row, "cooling").lower()
    return frozenset(kind for kind in ("air", "water") if kind in value)


def _drives(row: Mapping[str, object]) -> frozenset[str]:
    column = _text(row, "drive").lower()
    if not column:
        return _NOTHING
    text = f"{column} {_text(row, 'motor')} {_text(row, 'series')}".lower()
    found = {name for pattern, name in DRIVES if pattern.search(column)}
    if DRIVES[0][0].search(text):
        return frozenset(found | {"variable-speed"})
    return frozenset(found | {"fixed-speed"})


def _arrangement(row: Mapping[str, object]) -> frozenset[str]:
    motor = _text(row, "motor").lower()
    pumps = PUMPS.search(motor) or PUMPS.search(_text(row, "description")[:MOST_CHARACTERS].lower())
    if pumps is not None:
        return frozenset({PLEX.get(int(pumps[1]), "multiplex")})
    return frozenset({"simplex"}) if motor and " hp" in motor else _NOTHING


def _service_terms(description: str, vocabulary: Vocabulary) -> dict[str, frozenset[str]]:
    """Visits of a line, and the years that it tells first: what is said of years behind is of other things."""
    found: dict[str, set[str]] = {}
    for each in service_terms(fold(description), numbers=vocabulary.numbers):
        if each.attribute == "visits" or "years" not in found:
            found.setdefault(each.attribute, set()).add(each.value)
    return {attribute: frozenset(values) for attribute, values in found.items()}


def _in_figures(text: str, vocabulary: Vocabulary) -> dict[str, frozenset[str]]:
    """Microns that a filter holds back, ppm that it leaves and tons that a chiller cools, as figures."""
    found: dict[str, set[str]] = {"micron": set(), "ppm": set(), "tons": set()}
    for match in SAID_IN_FIGURES.finditer(fold(text)):
        said = match[1].replace(",", ".")
        value = vocabulary.numbers.get(said) if said.isalpha() else float(said)
        if value is not None:
            found[str(match.lastgroup)].add(f"{value:g}")
    return {attribute: frozenset(values) for attribute, values in found.items()}


def _tank(row: Mapping[str, object], description: str) -> frozenset[str]:
    sizes = set()
    column = row.get("gallons")
    if isinstance(column, int | float) and not isinstance(column, bool):
        return frozenset({f"{float(column):g}"})
    for match in TANK.finditer(fold(description)):
        value = float(match[1].replace(",", "")) / (1 if match[2] else LITRES_PER_GALLON)
        sizes.add(f"{value:g}")
    return frozenset(sizes)
