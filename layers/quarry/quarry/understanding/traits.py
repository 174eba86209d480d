"""What a product or line-item row offers beyond its columns, read from its text with the words of the trade."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from quarry.understanding.controlled import machines_told
from quarry.understanding.electrics import supplies
from quarry.understanding.heads import AN
from quarry.understanding.marks import KIND_OF
from quarry.understanding.negation import DENYING
from quarry.understanding.packages import DRYER_INSIDE
from quarry.understanding.service_terms import service_terms
from quarry.understanding.text import Token, fold, text_of, tokens
from quarry.understanding.units import LITRES_PER_GALLON
from quarry.understanding.words import Vocabulary

MOST_CHARACTERS = 1_500
"""Of a description; what a machine is stands at its beginning."""
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
ON_ITS_TANK = re.compile(
    r"\b(?:on|over|auf|sobre|sur) (?:an? |its |una? |une? |einem )?[\d.,]+\s?-?(?:gal\w*|l|liters?|litres?|litros) ?"
    r"(?:\w+ ){0,2}(?:tank|receiver|behalter|kessel|tanque|deposito|cuve|reservoir)"
)
"""How the text of a compressor tells that it stands on a tank of its own."""
DRIVES = (
    (re.compile(r"vfd|vsd|variable|inverter|frequency"), "variable-speed"),
    (re.compile(r"belt"), "belt"),
    (re.compile(r"direct|1:1"), "direct"),
    (re.compile(r"gear"), "gear"),
)
REFRIGERANT = re.compile(r"(?<![a-z0-9])r[\s-]?(1234(?:yf|ze)|134a|600a|[45]\d\d[a-f])(?![a-z0-9])")
"""Refrigerants of dryers by their number of ASHRAE 34."""
VARIABLE = re.compile(
    r"\b(?:vfd|vsd|inverter|variable[\s-](?:speed|frequency)|frequency drive|frequenzumrichter|drehzahlregelung"
    r"|variador|variateur)\b"
)
OPTIONS = (("variable-speed", VARIABLE), ("integrated-dryer", DRYER_INSIDE))
"""What a machine comes with or without."""
AS_AN_OPTION = re.compile(
    r"\b(?:optional\w*|options?|available|can be had|erhaltlich|lieferbar|auf wunsch|opcional\w*|disponibles?)\b"
)
DENIED = re.compile(rf"\b(?:{DENYING}|without|ohne|sin|sans|ne)\b")
DENIED_BEHIND = frozenset(
    (("not", "available"), ("not", "offered"), ("not", "included"), ("does", "not"), ("nicht", "lieferbar"))
)
"""Words behind a thing by which a text denies it: "AIS not available"."""
SENTENCE = re.compile(r"[^.;!?\n]+")
MUCH_LONGER = 1.3
"""Times by which one side of a vessel tells how it stands."""
OF_FAMILY = frozenset(("dryer_kind", "feature"))
"""What is read of a row by words that mean it of its family alone."""
IN_ONE_WORD = PLAIN | {"feature"}
UNMISTAKABLE = 7
"""Letters of a word of another language that is meant as one within an English text too: stehend, feuerverzinkt."""
DENIABLE = frozenset(("certificate", "feature", "industry"))
"""Of which a text says as well that a thing has it not."""
SINGLE_VALUE = frozenset(("compression", "arrangement", "service"))
FIGURE = r"(?<![\d.,])(\d*[.,]?\d+|[a-z]+)[\s-]?"
SAID_IN_FIGURES = re.compile(rf"{FIGURE}(?:(?P<micron>micron|um\b)|(?P<ppm>ppm|mg\s?/\s?m3)|(?P<tons>tons?\b))")
PURGE = re.compile(
    r"(?<![\d.,])(\d{1,2}(?:[.,]\d)?|[a-z]+)\s?(?:%|percent|per cent|prozent|por ciento|pour cent)\s(?:of \w+ )?"
    r"(?:purge|(?:cooling )?sweep|spulluft|regenerationsluft|de purga|de purge)|"
    r"\b(?:purge|sweep)(?: air)?(?: of|:| takes)?\s(\d{1,2}(?:[.,]\d)?|[a-z]+)\s?(?:%|percent|per cent)|"
    r"(?<![\d.,])(\d{1,2}(?:[.,]\d)?|[a-z]+)\s?(?:%|percent|per cent|prozent|por ciento|pour cent)"
    r"(?: (?:or|oder|o|ou) (?:none|less|weniger|keine|menos|nada|moins|rien))?"
    r" (?:in|while|during|for|beim|zum|en|durante|pendant|au) (?:the |la |el |le )?"
    r"(?:cooling|kuhlen|enfriamiento|refroidissement)"
)
"""The share of its rating that a desiccant dryer takes to regenerate."""
_NOTHING: frozenset[str] = frozenset()


def row_traits(row: Mapping[str, object], *, words: Vocabulary | None = None) -> Mapping[str, frozenset[str]]:
    """Traits by attribute; an attribute that the row does not tell is absent. Tank sizes are gallons as figures.

    Without `words` those that ship are read.
    """
    vocabulary = words or Vocabulary.shipped()
    traits: dict[str, frozenset[str]] = {}
    heading = " ".join(text_of(row, column) for column in HEADINGS)
    description = text_of(row, "description")[:MOST_CHARACTERS]
    family = text_of(row, "family")
    titled = said_in(heading, vocabulary, family)
    denied: set[str] = set()
    described = said_in(
        f"{description}. {text_of(row, 'air_quality')}. {text_of(row, 'motor')}", vocabulary, family, denied=denied
    )
    for attribute in SAID:
        first, second = titled.get(attribute, _NOTHING), described.get(attribute, _NOTHING)
        if attribute == "accessory_kind" and first:
            # "Master controller for machines, dryers and drains" is no drain.
            second = frozenset(value for value in second if KIND_OF.get(value) in first)
        values = (first or second) if attribute in SINGLE_VALUE or attribute in BY_COLUMN else first | second
        if values:
            traits[attribute] = values
    if told_not := denied - {value for values in traits.values() for value in values}:
        traits["denied"] = frozenset(told_not)
    if "service" in titled:
        traits["heading"] = titled["service"]
        traits["told"] = described.get("service", _NOTHING)
    told = fold(description)
    supply = fold(text_of(row, "voltage")) or told
    of_columns = {
        "cooling": _cooling(row),
        "drive": _drives(row),
        "arrangement": _arrangement(row),
        "pumps": _pumps(row, said=traits.get("arrangement", _NOTHING)),
        "gallons": _tank(row, told),
        "voltage": frozenset(value for each in supplies(supply) for value in each.values),
        **_service_terms(told, vocabulary),
        "controls": (
            machines_told(told, vocabulary.numbers)
            if "sequencer" in traits.get("accessory_kind", _NOTHING)
            else _NOTHING
        ),
        **_in_figures(f"{description} {text_of(row, 'air_quality')}", vocabulary),
        "purge": _purge(told, vocabulary) if family == "dryer" else _NOTHING,
    }
    if cooled := frozenset(refrigerant(match) for match in REFRIGERANT.finditer(told)):
        traits["feature"] = traits.get("feature", _NOTHING) | cooled
    optional = {value for value, wanted in OPTIONS if _is_to_be_had(told, wanted)}
    if optional:
        traits["option"] = frozenset(optional)
    if DRYER_INSIDE.search(told):
        dried = frozenset({"integrated-dryer"})
        has = traits.get("feature", _NOTHING) | dried
        traits["feature"] = has - dried if optional & dried else has
    if "sound-enclosure" in traits.get("accessory_kind", _NOTHING):
        traits["feature"] = traits.get("feature", _NOTHING) | {"enclosure"}
    features = traits.get("feature", _NOTHING)
    if family == "receiver" and not features & {"vertical", "horizontal"}:
        features |= _stands(row)
    if family == "compressor" and ON_ITS_TANK.search(told):
        features |= {"tank-mounted"}
    if features:
        traits["feature"] = features
    if "frequency drive" in heading.lower():
        traits["accessory_kind"] = traits.get("accessory_kind", _NOTHING) | {"frequency-drive"}
    for attribute, values in of_columns.items():
        if values:
            traits[attribute] = values
    if "medical" in heading.lower():
        traits["industry"] = traits.get("industry", _NOTHING) | {"hospital"}
    return MappingProxyType(traits)


def refrigerant(match: re.Match[str]) -> str:
    """The name of a match of REFRIGERANT as makers write it: R-513A, R-134a."""
    number = match[1]
    return f"R-{number.upper() if number[0] in '45' else number}"


def _is_to_be_had(folded: str, wanted: re.Pattern[str]) -> bool:
    """Whether a sentence says that it comes with that too: "also with VFD, optional"."""
    return any(
        wanted.search(each) and AS_AN_OPTION.search(each) and not DENIED.search(each)
        for each in SENTENCE.findall(folded)
    )


def said_in(
    text: str, vocabulary: Vocabulary, family: str, *, denied: set[str] | None = None
) -> dict[str, frozenset[str]]:
    """What the words of a text say by attribute; what it says that the thing is not is put among the ``denied``."""
    words = tokens(fold(text))
    language = vocabulary.language_of(words)
    found: dict[str, set[str]] = {}
    place = 0
    while place < len(words):
        count, meanings = vocabulary.match(words, place)
        not_so = _is_denied(words, place, place + count)
        for meaning in meanings:
            foreign = meaning.attribute in PLAIN and meaning.language == language
            unmistakable = meaning.attribute in IN_ONE_WORD and len(words[place].text) >= UNMISTAKABLE
            told = meaning.language in ("en", "") or foreign or unmistakable
            of_kind = not meaning.family or (meaning.family == family and meaning.attribute in OF_FAMILY)
            if meaning.attribute in SAID and of_kind and told and not_so:
                if denied is not None and meaning.attribute in DENIABLE:
                    denied.add(meaning.value)
            elif meaning.attribute in SAID and of_kind and told:
                found.setdefault(meaning.attribute, set()).add(meaning.value)
        place += count or 1
    return {attribute: frozenset(values) for attribute, values in found.items()}


def _is_denied(words: Sequence[Token], first: int, last: int) -> bool:
    """Whether the words right before or behind say that it is not so: "Not ASME", "not an ASME vessel"."""
    before = first - 1 if first and words[first - 1].text not in AN else first - 2
    denied = (
        before >= 0
        and DENIED.fullmatch(words[before].text) is not None
        and all(token.soft for token in words[before + 1 : first + 1])
    )
    return denied or tuple(token.text for token in words[last : last + 2]) in DENIED_BEHIND


def _cooling(row: Mapping[str, object]) -> frozenset[str]:
    value = text_of(row, "cooling").lower()
    return frozenset(kind for kind in ("air", "water") if kind in value)


def _drives(row: Mapping[str, object]) -> frozenset[str]:
    column = text_of(row, "drive").lower()
    if not column:
        return _NOTHING
    text = f"{column} {text_of(row, 'motor')} {text_of(row, 'series')}".lower()
    found = {name for pattern, name in DRIVES if pattern.search(column)}
    if DRIVES[0][0].search(text):
        return frozenset(found | {"variable-speed"})
    return frozenset(found | {"fixed-speed"})


def _arrangement(row: Mapping[str, object]) -> frozenset[str]:
    motor = text_of(row, "motor").lower()
    pumps = PUMPS.search(motor) or PUMPS.search(text_of(row, "description")[:MOST_CHARACTERS].lower())
    if pumps is not None:
        return frozenset({PLEX.get(int(pumps[1]), "multiplex")})
    return frozenset({"simplex"}) if motor and " hp" in motor else _NOTHING


def _pumps(row: Mapping[str, object], *, said: frozenset[str]) -> frozenset[str]:
    """How many machines of the row run one without the other; the motors of a screw drive its stages."""
    motor, description = text_of(row, "motor").lower(), text_of(row, "description")[:MOST_CHARACTERS].lower()
    counted = PUMPS.search(motor) or PUMPS.search(description)
    if counted is not None and "screw" not in text_of(row, "category").lower():
        return frozenset({counted[1]} if int(counted[1]) > 1 else ())
    return frozenset(str(count) for count, name in PLEX.items() if count > 1 and name in said)


def _service_terms(folded: str, vocabulary: Vocabulary) -> dict[str, frozenset[str]]:
    """Visits of a line, and the years that it tells first: what is said of years behind is of other things."""
    found: dict[str, set[str]] = {}
    for each in service_terms(folded, numbers=vocabulary.numbers):
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


def _purge(folded: str, vocabulary: Vocabulary) -> frozenset[str]:
    said = (match[1] or match[2] or match[3] for match in PURGE.finditer(folded))
    figures = (vocabulary.numbers.get(each) if each.isalpha() else float(each.replace(",", ".")) for each in said)
    return frozenset(f"{figure:g}" for figure in figures if figure is not None)


def _stands(row: Mapping[str, object]) -> frozenset[str]:
    """How a vessel stands by its sides, where its text does not tell: much higher than long it is upright."""
    height, length = row.get("height_in"), row.get("length_in")
    if not isinstance(height, int | float) or not isinstance(length, int | float):
        return _NOTHING
    upright, lying = height >= MUCH_LONGER * length, length >= MUCH_LONGER * height
    return frozenset({"vertical"} if upright else {"horizontal"} if lying else ())


def _tank(row: Mapping[str, object], folded: str) -> frozenset[str]:
    sizes = set()
    column = row.get("gallons")
    if isinstance(column, int | float) and not isinstance(column, bool):
        return frozenset({f"{float(column):g}"})
    for match in TANK.finditer(folded):
        value = float(match[1].replace(",", "")) / (1 if match[2] else LITRES_PER_GALLON)
        sizes.add(f"{value:g}")
    return frozenset(sizes)
