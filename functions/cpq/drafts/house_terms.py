"""Terms of the house in the words of any language: for how long an offer holds, and within which time it is paid."""

import re
from collections.abc import Iterator, Mapping

from cpq.drafts.written_numbers import spelled
from quarry.understanding.needs import Language
from quarry.understanding.text import fold

TERMS: Mapping[str, re.Pattern[str]] = {
    "VALIDITY": re.compile(
        r"\b(?:validity|valid\s+(?:for|until|through)|(?:is|are|remains?|stays?|holds?)\s+(?:good|valid)\b"
        r"|(?:angebots)?gultig\w*|gilt|gelten|\w*bindefrist|bindung|validez|vigencia|validos?|validas?|vigentes?|validite|valables?)\b"
    ),
    "PAYMENT TERMS": re.compile(
        r"\b(?:payments?|payable|zahl(?:ung\w*|bar)|zahlungs\w+|pagos?|pagader[oa]s?|paiements?|payables?|reglements?)\b"
    ),
}
"""Words by which a sentence speaks of a term, by the placeholder of the template that has it."""
OF_OFFERS = re.compile(
    r"^\W*\w+(?:\s+\w+)?\s*:|\b(?:offers?|quot\w+|proposals?|prices?|pricing|terms?|invoices?|angebot\w*|preise?|rechnung\w*"
    r"|ofertas?|cotizacion\w*|precios?|facturas?|offres?|devis|prix|factures?)\b"
)
"""What such a sentence is about beside, or the label that it is: a permit is valid for a year too."""
OF_OTHERS = re.compile(
    r"\b(?:deliver|liefer|entreg|livr|ship|warrant|guarant|garant|gewahr|service|wartung|permit|zertifi|certifi)"
)
"""Of whose times no more is told here."""
DAYS: tuple[tuple[str, int], ...] = (
    (r"(?:calendar\s+)?days?|tagen?|kalendertagen?|dias?(?:\s+naturales)?|jours?", 1),
    (r"weeks?|wochen?|semanas?|semaines?", 7),
    (r"months?|monaten?|mes(?:es)?|mois", 30),
)
_UNIT = "|".join(f"(?P<d{days}>{words})" for words, days in DAYS)
FIGURE = re.compile(rf"(?<![\d.,])(\d{{1,3}})[\s-]*(?:{_UNIT})\b")
UNIT = re.compile(rf"[\s-]*(?:{_UNIT})\b")
BARE_NET = re.compile(r"\bnett?o?[\s-]*(\d{1,3})\b")
"""What is due in so many days, of which the unit is left out: net 30."""


def spoken_of(text: str) -> str | None:
    """The placeholder of the term that a sentence states, where it states one alone."""
    said = fold(text)
    named = [name for name, words in TERMS.items() if words.search(said)]
    return named[0] if len(named) == 1 and OF_OFFERS.search(said) and not OF_OTHERS.search(said) else None


def days(text: str, *, language: Language | None = None) -> frozenset[int]:
    """The times that a text names, in days; a month has 30."""
    return frozenset(_days(text, language))


def _days(text: str, language: Language | None) -> Iterator[int]:
    said = fold(text)
    for match in FIGURE.finditer(said):
        yield int(match[1]) * _length(match)
    for start, words, number in spelled(text, language):
        unit = UNIT.match(said, start + len(words))
        if unit is not None and number.isdecimal():
            yield int(number) * _length(unit)
    yield from (int(match[1]) for match in BARE_NET.finditer(said))


def _length(match: re.Match[str]) -> int:
    return next(days for _, days in DAYS if match[f"d{days}"])
