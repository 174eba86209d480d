"""Review notes that say that something is not there, held against the catalogue."""

import re
from collections.abc import Iterator, Mapping

from cpq.drafts.letter import sections, sentences
from quarry.products import PRODUCTS, ProductFilters
from quarry.retrieval.hits import Hit
from quarry.retrieval.search import search
from quarry.tool.errors import Unavailable

DENIED = re.compile(
    r"""\b(?:no|kein\w*|ning[uú]n\w*|aucun\w*)\s+(?P<what>[^.;:\[]{8,160}?)\s+(?:which\s+\w+\s+)?
    (?:(?:was|were|is|are|has\s+been|could\s+be|can\s+be|wurde\w*|ist|sind|se|fue|n'a\s+été|n'est)\s+)?
    (?:found|(?:held\s+|listed\s+)?in\s+(?:the|our)\s+catalogue|listed|gefunden|im\s+Katalog|encontr\w+|en\s+el\s+cat[aá]logo
    |trouv\w+|au\s+catalogue)\b""",
    re.VERBOSE | re.IGNORECASE,
)
"""What a sentence says not to be there."""
FEWEST = 2
"""Needs besides the kind of goods; fewer say too little to be held against anything."""
MOST = 8
"""Denials of one draft that are looked up."""
LOOKED_AT = 5
EVERY = ProductFilters().model_dump()
"""No filter."""


def denied(text: str) -> Iterator[str]:
    for sentence in sentences(text):
        yield from (match["what"] for match in DENIED.finditer(sentence))


def present(draft: str, *, tenant: str) -> Mapping[str, str]:
    """What the draft's notes deny and the catalogue has, with the model that meets all of it."""
    notes = (unit.text for section in sections(draft) for unit in section.reviews)
    found: dict[str, str] = {}
    for what in list(dict.fromkeys(each for note in notes for each in denied(note)))[:MOST]:
        try:
            outcome = search(PRODUCTS, tenant=tenant, query=what, limit=LOOKED_AT, filters=EVERY)
        except Unavailable:
            break
        model = next((str(hit.row["model"]) for hit in outcome.hits if _is_it(hit)), None)
        if model is not None:
            found[what] = model
    return found


def _is_it(hit: Hit) -> bool:
    """Whether the row is known to meet each of several needs."""
    findings = hit.answer.judgement.findings if hit.answer else ()
    told = [each for each in findings if each.need.attribute != "family"]
    return len(told) >= FEWEST and all(each.verdict == "met" for each in findings)
