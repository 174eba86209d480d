"""Countries of customers: which currency they pay in, and what else of a quote tells one of them from another."""

import re
from collections.abc import Mapping
from types import MappingProxyType

from quarry.understanding.needs import Need, Verdict
from quarry.understanding.text import fold, tokens
from quarry.understanding.words import Vocabulary

CURRENCIES: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(
            ("germany", "austria", "france", "spain", "netherlands", "italy", "belgium", "ireland", "portugal"), "EUR"
        ),
        "switzerland": "CHF",
        "mexico": "MXN",
        "canada": "CAD",
        "united-states": "USD",
        "united-kingdom": "GBP",
    }
)
COMPANIES: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(rf"\b(?:{form})(?![a-z])"), countries)
    for form, countries in (
        ("gmbh|mbh|kg|ohg|eg|ag|stadtwerke", ("germany", "austria", "switzerland")),
        ("s\\.?a\\.? de c\\.?v", ("mexico",)),
        ("sarl|sas|sasu|eurl", ("france", "belgium", "switzerland")),
        ("s\\.?a", ("france", "spain", "belgium", "portugal", "switzerland", "mexico")),
        ("b\\.?v|n\\.?v", ("netherlands", "belgium")),
        ("s\\.?l|s\\.?l\\.?u", ("spain",)),
        ("s\\.?p\\.?a|s\\.?r\\.?l", ("italy",)),
        ("lda", ("portugal",)),
        ("ltd|limited|plc|dac", ("united-kingdom", "ireland", "canada")),
    )
)
"""Legal forms, each with the countries that have it, the likeliest first."""
SPOKEN: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "de": ("germany", "austria", "switzerland"),
        "fr": ("france", "belgium", "switzerland", "canada"),
        "es": ("spain", "mexico"),
    }
)
PLACES: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        country: re.compile(rf"\b(?:{names})")
        for country, names in {
            "germany": "deutsch|german|bayern|bavaria|berlin|hamburg|munchen|munich|koln|cologne|stuttgart|frankfurt"
            "|hannover|bremen|leipzig|dresden|nurnberg|sachs|saxon|hesse|thuring|westfal|schwab|wurttemberg",
            "austria": "osterreich|austria|tirol|tyrol|wien\\b|vienna|salzburg|graz\\b|linz\\b|innsbruck|steiermark"
            "|styria|karnten|carinthia|vorarlberg|burgenland|klagenfurt",
            "france": "france|franc(?:ais|hais)e?s?\\b|french|paris\\b|lyon\\b|marseille|toulouse|bordeaux|nantes"
            "|lille\\b|dijon|strasbourg|alsace|bretagne|normandie|provence|bourgogne|rennes|grenoble",
            "spain": "espan|spain|spanish|madrid|barcelona|valencia|sevilla|zaragoza|bilbao|navarra|rioja|catalu"
            "|andaluc|galicia|jerez|burgos|vallado",
            "netherlands": "nederland|netherlands|dutch|holland|amsterdam|rotterdam|eindhoven|utrecht|westland",
            "italy": "ital(?:y|ia)|milan|torino|turin\\b|bologna|emilia|veneto|lombard|roma\\b",
            "belgium": "belg|bruxelles|brussels|antwerp|anvers|gent\\b|ghent|liege|wallon|flandre|flanders",
            "ireland": "ireland|irish|dublin|cork\\b|galway|limerick",
            "portugal": "portug|lisbo|porto\\b|braga\\b|aveiro",
        }.items()
    }
)
"""Names by which the text of a quote tells a country that shares its currency with others."""
_TOLD_IN = ("customer", "project", "summary", "price_rationale")


def currency_by_form(customer: str) -> str | None:
    """The currency that a company's legal form tells; None where its likeliest countries pay in different ones."""
    formed = next((countries for form, countries in COMPANIES if form.search(fold(customer))), ())
    codes = {CURRENCIES[country] for country in formed[:2]}
    return codes.pop() if len(codes) == 1 else None


def answer_of_country(need: Need, row: Mapping[str, object]) -> tuple[Verdict, str]:
    """Whether a quote's customer is of a country: by currency, then by places, legal form and language."""
    currency = str(row.get("currency") or "")
    paying = {country for country, pays in CURRENCIES.items() if pays == currency}
    if not currency:
        return "unknown", ""
    verdict = _verdict(need.values, paying, row)
    if need.operator == "none_of":
        verdict = "contradicted" if verdict == "met" else "met"
    return verdict, currency


def _verdict(asked: frozenset[str], paying: set[str], row: Mapping[str, object]) -> Verdict:
    if not asked & paying:
        return "contradicted"
    if len(paying) == 1:
        return "met"
    told = fold(" ".join(str(row.get(column) or "") for column in _TOLD_IN))
    if named := {country for country in paying if (place := PLACES.get(country)) and place.search(told)}:
        return "met" if asked & named else "contradicted"
    likely = [country for country in _likely(told, fold(str(row.get("customer") or ""))) if country in paying]
    if not likely:
        return "unknown"
    return "met" if likely[0] in asked else "close" if asked & set(likely) else "contradicted"


def _likely(told: str, customer: str) -> list[str]:
    """Countries by the customer's legal form and by the language of the quote, the likeliest first."""
    formed = next((countries for form, countries in COMPANIES if form.search(customer)), ())
    spoken = SPOKEN.get(Vocabulary.shipped().language_of(tokens(told)), ())
    both = [country for country in spoken if country in formed]
    return both or list(formed or spoken)
