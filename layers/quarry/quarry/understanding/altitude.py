"""The altitude of a site as it is written: 10,150 ft elevation, 1200 m über NN, 2600 m s.n.m."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

FT_PER_M = 3.28084
MOST_SITES = 6
"""Of one text."""
HIGHEST_FT = 20_000.0
_NUMBER = r"(?<![\d.,])\d{1,3}(?:[.,' ]\d{3})+|(?<![\d.,])\d{2,5}"
_FEET = r"(?:ft\.?|feet|foot|'|pies|pieds?)"
_METRES = r"(?:m\.?|mts?\.?|mtrs?\.?|met(?:er|re)s?|metern?|metros|metres)"
_ABOVE = (
    r"(?:a(?:bove)?\s?(?:mean\s)?sea|of\s(?:elevation|altitude)|elevation|altitude|elev\b|alt\b|amsl\b|asl\b|msl\b"
    r"|high\saltitude|u(?:ber|\.)?\s?(?:dem\s)?(?:nhn|nn|n\.\s?n|meer|m\b|m\.)|hohe(?:nlage)?\b|seehohe"
    r"|s\.?\s?n\.?\s?m\b|sobre\sel\snivel|de\saltitud|altitud|de\saltura"
    r"|d'altitude|au[\s-]dessus\sdu\sniveau)"
)
_UNITS = r"(?P<glued>masl|mamsl|msnm|m\.?s\.?n\.?m|munn|nhn)"
_NAMED = (
    r"(?:site\s)?(?:elevation|altitude|hohenlage|aufstell(?:ungs)?hohe|seehohe|altitud"
    r"|hohe\suber\s(?:nn|nhn|dem\smeer\w*))"
)
TOLD = re.compile(r"elev|alt|sea|a?[ms]sl|nn|nhn|n\. ?n|meer|m\.|hohe|nivel|niveau|n\.? ?m|at \d|\d ?m")
AFTER = re.compile(
    rf"(?P<figure>{_NUMBER})[\s-]?(?:{_UNITS}(?![a-z])|(?:(?P<feet>{_FEET})|{_METRES})[\s,-]{{0,2}}{_ABOVE}[a-z.]*"
    r"(?:\s(?:the\s)?(?:level|sea(?:\slevel)?|del\smar|de\sla\smer|mar|mer))?)"
)
BEFORE = re.compile(
    rf"(?<![a-z]){_NAMED}\s?(?:is|of|at|von|de|du|:|=|about|approx\.?|around|ca\.?|etwa|unos|environ|\s){{0,6}}"
    rf"(?P<figure>{_NUMBER})[\s-]?(?:(?P<feet>{_FEET})|{_METRES})(?![a-z0-9])"
)
AT = re.compile(rf"(?<![a-z])at\s(?P<figure>{_NUMBER})[\s-]?(?P<feet>{_FEET})(?![a-z0-9/])")
ON_SITE = re.compile(
    rf"\b(?:estamos|ubicad[oa]s?|planta|located|site|plant|standort|werk|usine|site|situee?s?)\b[^.;!?\d]{{0,30}}"
    rf"\s(?:a|at|auf|in)\s(?P<figure>{_NUMBER})[\s-]?(?:(?P<feet>{_FEET})|{_METRES})(?![a-z0-9/])"
)
"""Where a plant is, which is said without a word for height: estamos en Toluca a 2600 m."""
AT_LEAST_FT = 1_500.0
"""From which "at 5,000 ft" tells where the plant is."""


@dataclass(frozen=True, slots=True)
class Altitude:
    """Feet above the sea, by its characters."""

    feet: float
    start: int
    end: int


def altitudes(folded: str) -> Iterator[Altitude]:
    """Sites of a folded text; one that is written in both units is found once for each."""
    if not TOLD.search(folded):
        return
    for pattern, least in ((AFTER, 0.0), (BEFORE, 0.0), (AT, AT_LEAST_FT), (ON_SITE, AT_LEAST_FT)):
        for match in islice(pattern.finditer(folded), MOST_SITES):
            value = float(re.sub(r"\D", "", match["figure"]))
            feet = value if match["feet"] else value * FT_PER_M
            if least <= feet <= HIGHEST_FT and feet > 0:
                yield Altitude(feet, match.start(), match.end())
