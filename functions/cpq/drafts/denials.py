"""Review notes that say that something is not there, held against the catalogue."""

import re
from collections.abc import Iterator, Mapping, Sequence

from cpq.drafts.letter import Section, sentences
from quarry.products import PRODUCTS, ProductFilters
from quarry.retrieval.hits import Hit
from quarry.retrieval.search import search
from quarry.tool.errors import Unavailable
from quarry.understanding.text import fold

NOTED = re.compile(
    r"""\b(?:no|kein\w*|ning[uú]n\w*|aucun\w*)\s+(?P<what>[^.;:\[]{8,160}?)\s+(?:which\s+\w+\s+)?
    (?:(?:was|were|is|are|has\s+been|could\s+be|can\s+be|wurde\w*|ist|sind|se|fue|n'a\s+été|n'est)\s+)?
    (?:found|(?:held\s+|listed\s+)?in\s+(?:the|our)\s+catalogue|listed|gefunden|im\s+Katalog|encontr\w+
        |en\s+el\s+cat[aá]logo
    |trouv\w+|au\s+catalogue)\b""",
    re.VERBOSE | re.IGNORECASE,
)
"""What a sentence says not to be there."""
RELATIVE = re.compile(
    r"\b(?:this|that|such|similar|comparable|larger|smaller|bigger|equal|same|diese[rsmn]?|solche\w*|ahnlich\w*"
    r"|vergleichbar\w*"
    r"|grosser\w*|groser\w*|kleiner\w*|gleiche\w*|derselben|est[ea]|ese|tal(?:es)?|similar(?:es)?|mayor(?:es)?"
    r"|menor(?:es)?|mism[oa]s?"
    r"|cette?|ce|tel(?:le)?s?|semblables?|plus\s+(?:grand|petit)e?s?|memes?)\b"
)
"""What is denied by comparison with something else of the letter cannot be looked up by itself."""
FEWEST = 2
"""Needs besides the kind of goods; fewer say too little to be held against anything."""
MOST = 8
"""Denials of one draft that are looked up."""
LOOKED_AT = 5
EVERY = ProductFilters().model_dump()
"""No filter."""


def denied(text: str) -> Iterator[str]:
    for sentence in sentences(text):
        yield from (each["what"] for each in NOTED.finditer(sentence) if RELATIVE.search(fold(each["what"])) is None)


def present(found: Sequence[Section], *, tenant: str) -> Mapping[str, str]:
    """What the draft's notes deny and the catalogue has, with the model that meets all of it."""
    notes = (unit.text for section in found for unit in section.reviews)
    models: dict[str, str] = {}
    for what in list(dict.fromkeys(each for note in notes for each in denied(note)))[:MOST]:
        try:
            outcome = search(PRODUCTS, tenant=tenant, query=what, limit=LOOKED_AT, filters=EVERY)
        except Unavailable:
            break
        model = next((str(hit.row["model"]) for hit in outcome.hits if _is_it(hit)), None)
        if model is not None:
            models[what] = model
    return models


def _is_it(hit: Hit) -> bool:
    """Whether the row is known to meet each of several needs."""
    findings = hit.answer.judgement.findings if hit.answer else ()
    told = [each for each in findings if each.need.attribute != "family"]
    return len(told) >= FEWEST and all(each.verdict == "met" for each in findings)
