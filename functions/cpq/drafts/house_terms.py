"""Terms of payment, validity, delivery and warranty, in the words of any language: whose they are."""

import re
from collections.abc import Iterator, Mapping, Sequence

from cpq.drafts.claims import GIVEN, TRADE_TERMS
from cpq.drafts.evidence import BINDING, Evidence, valid_for, years
from cpq.drafts.findings import Remark
from cpq.drafts.letter import Section
from cpq.drafts.promises import OF_THE_CUSTOMER
from cpq.drafts.scopes import Scope
from cpq.drafts.written_numbers import spelled
from quarry.understanding.needs import Language
from quarry.understanding.text import fold, key_of

PAID = re.compile(
    r"(?i)\b(?:net[\s-]?\s*\d{1,3}\b(?![.,'’]\d)(?:\s+days)?"
    r"|\d{1,2}\s?%\s+(?:down|deposit|with order|on delivery)|due on receipt)"
)
"""A payment term, as it is written in English."""
CODES = re.compile(r"\b(?:" + "|".join(sorted(each.upper() for each in TRADE_TERMS - {"cip"})) + r")\b")
"""Incoterms; CIP is as often the cleaning in place."""
OF_THE_SELLER = frozenset(("EXW", "FCA", "FOB"))
LABELS: Mapping[str, re.Pattern[str]] = {
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
WARRANTED = re.compile(r"warr[ae]nt|guarant|garant|gewahr|extended\s+cover")
ONE_YEAR = "1 years"
FREIGHT = re.compile(
    r"\b(?:freight|delivery\s+term|incoterms?|fracht|lieferbedingung\w*|flete|transporte|portes|transport|port|livraison)"
)
WITHOUT_FREIGHT = re.compile(
    r"\b(?:(?:freight|transport)\s+(?:excluded|extra)|(?:freight|fracht|flete|transporte?|portes|port)\s+(?:is|ist|esta|est)?\s*(?:not|nicht|no|n'est\s+pas)\s+(?:esta\s+)?(?:in|im|en|dans)\b|(?:without|excluding|before)\s+(?:[\w,]+\s+){0,3}?freight|ohne\s+(?:[\w,]+\s+){0,3}?fracht"
    r"|sin\s+(?:[\w,]+\s+){0,3}?(?:flete|transporte|portes)|(?:transporte|flete|portes)\s+(?:no\s+incluid\w+|excluid\w+|aparte)"
    r"|hors\s+(?:[\w,]+\s+){0,3}?(?:transport|port)|fracht\s+(?:nicht\s+enthalten|ausgeschlossen)|transport\s+(?:non\s+compris|exclu))"
)
"""How a term says that the total leaves it out, folded."""
CARRIED = re.compile(
    r"\b(?:d[ad]p|dpu|cpt|cip|cfr|cif|ddp)\b|\bfob\s+destination|\bfreight\s+(?:pre)?paid|frei\s+haus|frachtfrei|portes?\s+pagados|franco"
)
ADDED = re.compile(
    r"\b(?:added|extra|plus|charged|billed|invoiced|separate\w*|berechnet|zuzuglich|gesondert|aparte|adicional|cargo|en\s+sus|facture\w*)\b|\["
)
"""The freight is paid for by the customer all the same."""
BARE_NET = re.compile(r"\bnett?o?[\s-]*(\d{1,3})\b")
"""What is due in so many days, of which the unit is left out: net 30."""


def _spoken_of(text: str) -> str | None:
    """The placeholder of the term that a sentence states, where it states one alone."""
    said = fold(text)
    named = [name for name, words in LABELS.items() if words.search(said)]
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


def _is_a_wish(text: str, stated: frozenset[int], evidence: Evidence) -> bool:
    """Whether a sentence says again which times the customer's mail names."""
    return OF_THE_CUSTOMER.search(fold(text)) is not None and stated <= days(evidence.request)


def granted(name: str, text: str, evidence: Evidence) -> str:
    """The quote whose terms, granted to this customer or usual in its currency, have the term that a text states;
    empty where none has it. ``name`` is the placeholder that the term stands for.
    """
    return next((number for number, terms in evidence.granted.items() if _has_term(name, text, terms)), "")


AS_BEFORE = re.compile(
    r",?\s*\b(?:(?:again\s*,?\s*)?(?:just\s+)?(?:as|like)\s+(?:the\s+)?(?:last\s+time|before)|again|wie\s+(?:beim\s+letzten\s+mal|zuletzt|bisher)"
    r"|como\s+(?:la\s+ultima\s+vez|antes)|comme\s+(?:la\s+derniere\s+fois|avant))\b"
)
"""How a term says, folded, that it is that of the last quote."""


def _has_term(name: str, text: str, terms: str) -> bool:
    valid = valid_for(terms)
    if name == "FREIGHT":
        text = AS_BEFORE.sub("", fold(text)).upper()
        stated = frozenset(CODES.findall(text))
        # At the seller's the place is a part of the term; at the customer's it has any name.
        same = key_of(text) in key_of(terms) or not stated & OF_THE_SELLER
        return bool(stated) and same and stated <= set(CODES.findall(terms)) and GIVEN.search(fold(text)) is None
    if name == "VALIDITY":
        return valid is not None and days(text) == {valid}
    figures = frozenset(re.findall(r"\d+", text))
    return bool(figures) and figures <= set(re.findall(r"\d+", terms)) - {str(valid)}


def delivery_term(code: str, line: int, *, evidence: Evidence) -> Remark:
    """An Incoterm is the house's, is what the customer asked for, or is what a past quote that was given has."""
    house = evidence.house.facts.get("FREIGHT", "")
    past = [*((each.number, each.terms) for each in evidence.past_quotes.values()), *evidence.granted.items()]
    for source, text in (("house template", house), ("request", evidence.request), *past):
        if re.search(rf"\b{code}\b", text):
            return Remark("supported", "delivery term", line, code, source)
    return Remark("contradicted", "delivery term", line, code, "house template", house)


def another_length(text: str, line: int, *, evidence: Evidence) -> Remark | None:
    """A time for which the house does not bind itself: of its validity or its payment, in any language."""
    name = _spoken_of(text)
    ours = evidence.house.facts.get(name, "") if name else ""
    stated = days(text, language=evidence.language) if ours else frozenset()
    if not stated:
        return None
    offer = evidence.offer
    known = days(ours) | (days(offer.payment) if offer and name == "PAYMENT TERMS" else frozenset())
    if name == "VALIDITY" and offer is not None:
        known |= {(offer.valid_until - evidence.today).days}
    if stated & known or _is_a_wish(text, stated, evidence) or (name and granted(name, text, evidence)):
        return None
    return Remark("contradicted", "house fact", line, text, "house template", ours)


DELIVERED = re.compile(
    r"\b(?:deliver\w*|aro|lead\s*times?|ships?|shipment|shipping|dispatch|liefer\w*|\w*lieferzeit\w*|versand\w*"
    r"|entreg\w*|plazos?|envios?|livr\w*|delais?|expedi\w*)\b"
)
"""By these a sentence speaks of when the goods come."""


def delivery_time(text: str, line: int, scope: Scope, *, evidence: Evidence) -> Iterator[Remark]:
    """Days, weeks and months to a delivery, which the house or our quote has to tell."""
    ours = [each for each in scope.sources if each.origin in ("house", "quote")]
    known = frozenset().union(*(days(each.flat) for each in ours if DELIVERED.search(fold(each.flat))))
    stated = days(text, language=evidence.language)
    if stated and not (stated & known or _is_a_wish(text, stated, evidence)):
        why = "no source tells of this delivery"
        figure = FIGURE.search(fold(text))
        said = text[figure.start() : figure.end()] if figure is not None else text
        yield Remark("unsupported", "delivery", line, said, right="[DELIVERY]", why=why)


def freight_apart(found: Sequence[Section]) -> Iterator[Remark]:
    """A line by which the house pays the freight and which says that the total is without it."""
    for unit in (each for section in found if not section.internal for each in section.units):
        label, _, term = unit.text.partition(":")
        said = fold(term)
        paid = unit.kind == "bullet" and FREIGHT.search(fold(label)) and CARRIED.search(said)
        if paid and WITHOUT_FREIGHT.search(said) and not ADDED.search(said):
            why = "by this term the house pays the freight, and the total is without it: say what it comes to"
            yield Remark("contradicted", "delivery term", unit.line, term.strip(), why=why)


def held_for(text: str, line: int, scope: Scope) -> Iterator[tuple[int, Remark]]:
    """Years of a warranty or a contract, in figures or in words of any language, with where they stand."""
    warranted = WARRANTED.search(fold(text)) is not None
    for term in years(text):
        said = text[term.start : term.end]
        # A service agreement is priced by the year.
        if term.value == ONE_YEAR and scope.line is not None and not scope.line.model and not warranted:
            yield term.start, Remark("supported", "warranty", line, said, scope.line.name)
            continue
        ours = (each for each in scope.sources if each.origin in BINDING)
        source = next((each for each in ours if term.value in each.years), None)
        if source is not None:
            yield term.start, Remark("supported", "warranty", line, said, source.name)
        else:
            why = "no source tells of so many years"
            yield term.start, Remark("unsupported", "warranty", line, said, why=why)


def payment_term(text: str, line: int, *, evidence: Evidence, source: str = "") -> Remark:
    """A payment term is the house's, the quote's or the customer's own."""
    offer = evidence.offer
    ours = [*evidence.house.facts.values(), evidence.request, offer.payment if offer else ""]
    ours += evidence.granted.values()
    if any(key_of(text).removesuffix("days") in key_of(each) for each in ours):
        return Remark("supported", "payment term", line, text, "house template")
    theirs = next((each for each in evidence.past_quotes.values() if key_of(text) in key_of(each.terms)), None)
    right = offer.payment if offer else evidence.house.facts.get("PAYMENT TERMS", "")
    if source or theirs is not None:
        return Remark("foreign", "payment term", line, text, source or (theirs.number if theirs else ""), right)
    return Remark("unsupported", "payment term", line, text, right=right)
