"""How often a service comes and for how long it holds, as texts tell it: four visits, quarterly, 5 years."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

MOST = 12
"""Of one text."""
OFTEN = {
    "12": r"monthly|(?:every|each|once a) month|monatlich|mensual(?:es)?|mensuel(?:le)?s?",
    "4": r"quarterly|(?:every|each) (?:quarter|three months|3 months)|vierteljahrlich|quartalsweise|trimestral(?:es)?"
    r"|trimestriel(?:le)?s?",
    "2": r"semi[ -]?annual(?:ly)?|half[ -]yearly|bi[ -]?annual(?:ly)?|twice (?:a|per) year|every (?:six|6) months"
    r"|halbjahrlich|semestral(?:es)?|semestriel(?:le)?s?",
    "1": r"once (?:a|per) year|einmal (?:im|pro) jahr|una vez al ano|une fois par an",
}
NO_VISIT = r"(?! (?:rate|rent|fee|price|payment|invoice|notice|kundig|kundbar|cancel))"
"""What is paid or told so often."""
_COUNT = r"(?P<count>\d{1,2}|[a-z]+)"
VISITS = re.compile(
    "".join(
        rf"(?<![\w-])(?P<often_{count}>{words})(?: visits?| visitas?| visites?)?(?!\w){NO_VISIT}|"
        for count, words in OFTEN.items()
    )
    + rf"(?<![\w.,-]){_COUNT}(?: ?\(\d{{1,2}}\))?[ -](?:(?:(?:service|maintenance|pm|scheduled|planned|yearly) )?"
    r"visits?|times (?:a|per|each) year|besuche?n?|wartungen|mal (?:im|pro) jahr|visitas?|veces al ano|visites?"
    r"|fois par an)\b"
)
YEARS = re.compile(
    rf"(?<!last )(?<!past )(?<!letzten )(?<!ultimos )(?<!dernieres )(?<![\w.,-]){_COUNT}"
    r"[ -]?(?:years?|yrs?|jahr(?:en?|ig\w*)?|anos?|ans)\b(?! (?:ago|old|alt))"
)
HOLDS = re.compile(
    r"warr[ae]nt|guarant|garant|gewahr|extended cover|vertrag|contra(?:c?t|to)\b|agreement|wartung|entretien"
)
"""Words for what holds for years; elsewhere years tell when something was."""


@dataclass(frozen=True, slots=True)
class ServiceTerm:
    """Visits a year or years of a text, by its characters: attribute "visits", value "4 visits"."""

    attribute: str
    value: str
    start: int
    end: int


def service_terms(folded: str, *, numbers: Mapping[str, float]) -> Iterator[ServiceTerm]:
    """What a folded text tells; ``numbers`` are spelt out ones."""
    for match in islice(VISITS.finditer(folded), MOST):
        often = (match.lastgroup or "").removeprefix("often_")
        count = often if often.isdecimal() else _figure(match["count"], numbers)
        if count:
            yield ServiceTerm("visits", f"{count} visits", *match.span())
    if HOLDS.search(folded):
        for match in islice(YEARS.finditer(folded), MOST):
            if count := _figure(match["count"], numbers):
                yield ServiceTerm("years", f"{count} years", *match.span())


def _figure(written: str, numbers: Mapping[str, float]) -> str:
    value = float(written) if written.isdecimal() else numbers.get(written)
    return f"{value:g}" if value else ""
