"""A line of a past quote in its parts: what sells, the specification, and what was true of that quote alone.

Parts are views of the text, which stays as it is: each has a kind and offsets, and together they are all of it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from quarry.understanding.text import fold

PartKind = Literal["selling", "characteristics", "net_price", "delivery", "warranty", "payment", "reference"]

MOST_KEPT = 2_000
"""Texts whose parts a process remembers."""

LONGEST_PRICE = 120
"""Characters of a line that states a price and nothing else: NET $4,090.00 EACH, F.O.B. FACTORY (RB-1100)."""

PIECE = re.compile(r"[^.!?\n]*(?:[.!?](?!\s|$)[^.!?\n]*)*(?:[.!?]+(?=\s|$)|\n|$)\s*")
"""A sentence or the rest of a line, with the blanks behind it. A point inside a number or a word ends none."""

_LABELS = (
    "manufacturer|mfr|make(?: [&/] (?:model|type))?|series(?: / model)?|model|type|horsepower|hp|motor"
    "|electric motor|flow|cfm"
    "|capacity(?: cfm)?|capcity|free air|pressure|end pressure|ultimate vacuum|vacuum|lubrication|cooling"
    "|electrical|voltage"
    "|volts|power(?: supply)?|drive(?: system)?|sound|noise(?: level)?|dimensions|size|l ?[-x] ?[wbla] ?[-x] ?h"
    "|weight"
    "|shipping wt\\.?|dew ?point|dew pt|air quality|refrigerant|desiccant|purge|connected power|rated flow"
    "|hersteller(?: / typ)?|volumenstrom|uberdruck|druck|drucktaupunkt|gewicht|schall|leistung|spannung"
    "|marca(?: / modelo)?|caudal|presion|peso|ruido|punto de rocio|potencia|voltaje"
    "|marque(?: / type)?|debit|pression|poids|bruit|moteur|puissance|point de rosee|tension"
)
LABELLED = re.compile(rf"\s*[•*·-]?\s*(?:{_LABELS})\s*(?:\([^)]*\)\s*)?(?::|\.{{3,}}|\s{{2,}}|\t)\s*\S")
HEADED = re.compile(
    r"\s*characteristics, [^:\n]{3,60}: \S.*$"
    r"|\s*(?:characteristics|(?:technical )?data|technische daten|datos tecnicos|donnees techniques|caracteristi\w+"
    r"|[\w $/.+&-]{3,60} - data)\s*:?\s*$"
)
_AMOUNT = (
    r"(?:(?:us)?[$€£]|\b(?:usd|eur|chf|mxn|cad|gbp)\b)\s?\d[\d.,' ]*|\d[\d.,' ]*\d\s?(?:[$€£]|\b(?:usd|eur"
    r"|chf|mxn|cad)\b)"
)
PRICED = re.compile(
    rf"(?=.*(?:{_AMOUNT})).*\b(?:net|each|netto|neto|nets?|price each|per unit|f\.?o\.?b|lump sum|la pieza|l'unite)\b"
)
DELIVERED = re.compile(
    r"\s*(?:delivery(?! (?:at|to|by|through|of|dock))|deliver(?:ed|s) in|shipment|ships? in|lead time"
    r"|lieferzeit|lieferfrist"
    r"|entrega (?:en )?\d+|plazo de entrega|delai|livraison (?:en|sous))\b"
)
WARRANTED = re.compile(
    r"\s*(?:[\w& ]{2,30} )?(?:warranty|warrenty|warrants|garantie|garantia|gewahrleistung)\b(?! (?:form"
    r"|extension|case))"
    r"|\s*(?:two|three|one|\d+)[ -](?:yr|year)\.? (?:[\w ]{0,20} )?warranty\b"
    r"|\s*(?:[\w&]{3,20}: )?(?:\d{1,2}|twelve|eighteen|twenty[ -]four|thirty[ -]six) (?:\(\d+\) )?(?:months?"
    r"|mos?\.?|years?|yrs?\.?) "
    r"(?:from|on|parts|bearings|full|incl)\b"
)
PAID = re.compile(
    r"\s*(?:terms\b|payment\b|zahlung|pago\b|paiement\b|condiciones de pago|conditions de paiement"
    r"|(?:terms: )?net \d{2}\b(?! ?(?:hp|cfm|psi))|\d{1,2} ?% (?:down|deposit|with order|w/ order))"
)
REFERRED = re.compile(
    r"\bitems? (?:no\.? ?)?\d|\bq-?\d{2,4}-\d{2,}|\b(?:as|when) (?:walked|discussed|talked|agreed|we walked)\b"
    r"|\bcontact on site\b"
    r"|\barranges the badges\b|\blast (?:time|project)\b|\byour (?:first|last)"
    r" (?:one|order|skid|machine|unit|system|plant|compressor|package)\b|\bthe (?:19"
    r"|20)\d\d machine\b"
    r"|\b(?:proposal|quotation|angebot) (?:no\.? ?)?[a-z]?\d{2}|\bquoted (?:above|below|before|earlier)\b"
)
INSTEAD = re.compile(
    r"\s*(?:alternates?|alternatively|alternative|option(?:al(?:ly)?)?|adder|opcion|opcional|en option"
    r"|wahlweise|optie)\b"
)
WEEKS = re.compile(
    r"(\d{1,3})(?:\s?(?:-|–|to|bis|a|/)\s?(\d{1,3}))?\)?\s?(?:weeks?|wks?|wochen|semanas|semaines|wk)\b"
)


@dataclass(frozen=True, slots=True)
class LinePart:
    kind: PartKind
    start: int
    end: int


@dataclass(frozen=True)
class LineText:
    """A line's text and its parts."""

    text: str
    parts: tuple[LinePart, ...]

    def of(self, kind: PartKind) -> str:
        """All that is of a kind, in its order."""
        return "".join(self.text[part.start : part.end] for part in self.parts if part.kind == kind).strip()

    @cached_property
    def selling(self) -> str:
        """What may be offered to somebody else; all of the text where nothing of it is."""
        return self.of("selling") or self.text

    @cached_property
    def beside(self) -> Sequence[LinePart]:
        """What is left of the text without what sells; nothing where no part of it does."""
        others = [part for part in self.parts if part.kind != "selling"]
        return others if len(others) < len(self.parts) else ()

    @cached_property
    def delivery_weeks(self) -> str | None:
        """Weeks as "12" or "12-14"; None where no figure is given."""
        found = WEEKS.search(fold(self.of("delivery")))
        return None if found is None else "-".join(filter(None, found.groups()))

    @cached_property
    def alternate(self) -> bool:
        """Whether it offers something instead of another line or beside it."""
        return INSTEAD.match(fold(self.text)) is not None


@lru_cache(maxsize=MOST_KEPT)
def line_text(text: str) -> LineText:
    merged: list[LinePart] = []
    for kind, start, end in _pieces(text):
        if merged and merged[-1].kind == kind:
            merged[-1] = LinePart(kind, merged[-1].start, end)
        elif end > start:
            merged.append(LinePart(kind, start, end))
    return LineText(text, tuple(merged))


def _pieces(text: str) -> Iterator[tuple[PartKind, int, int]]:
    folded = fold(text)
    at, specified = 0, False
    for line in folded.splitlines(keepends=True):
        start, at = at, at + len(line)
        if HEADED.match(line) or LABELLED.match(line):
            specified = True
            yield "characteristics", start, at
            continue
        sentences = _sentences(text[start:at])
        if len(line) < LONGEST_PRICE and sentences and PRICED.match(line[: sentences[0][1]]):
            yield "net_price", start, at
        else:
            for begin, end in sentences:
                yield _kind(line[begin:end], behind=specified), start + begin, start + end


def _sentences(line: str) -> Sequence[tuple[int, int]]:
    """What goes on in small letters goes on: "12 mos. labor"."""
    found: list[tuple[int, int]] = []
    for match in PIECE.finditer(line):
        if found and match[0][:1].islower():
            found[-1] = (found[-1][0], match.end())
        elif match[0]:
            found.append(match.span())
    return found


def _kind(sentence: str, *, behind: bool) -> PartKind:
    """``behind`` the specification a term in months is the warranty's, whatever its sentence begins with."""
    if PRICED.match(sentence):
        return "net_price"
    if DELIVERED.match(sentence):
        return "delivery"
    if PAID.match(sentence):
        return "payment"
    if WARRANTED.match(sentence) or (behind and TERM.search(sentence)):
        return "warranty"
    return "reference" if REFERRED.search(sentence) else "selling"


TERM = re.compile(r"\b(?:months?|mos\b|years?|yrs?\b|jahre|meses|mois)")
