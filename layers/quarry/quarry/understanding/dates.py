"""Time and money as they are said of past quotes: "since 2024", "last two years", "under $50,000"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice

from quarry.understanding.needs import Language, Operator
from quarry.understanding.numbers import decimal
from quarry.understanding.quantities import Reader
from quarry.understanding.text import Token
from quarry.understanding.words import Vocabulary

YEAR = re.compile(r"(?:19[89]|20[0-4])\d")
PERIOD = re.compile(r"\s?(?:-|to|and|until|through|bis|und|a|y|et|hasta)\s?")
MONEY = re.compile(
    r"(?:(?<![a-z])(?P<before>us\$|[$€£]|usd|eur)\s?)(?P<first>\d[\d.,]{0,11})\s?(?P<k1>k|m(?:io)?|tsd|thousand|mil)?(?![a-z0-9])"
    r"|(?<![\d.,a-z])(?P<second>\d[\d.,]{0,11})\s?(?P<k2>k|m(?:io)?|tsd\.?|thousand|mil|mille)?\s?"
    r"(?P<after>usd|eur|euros?|dollars?|dolares|bucks|grand|[$€£])(?![a-z0-9])"
    r"|(?<![\d.,a-z])(?P<third>\d{1,4})k(?![a-z0-9])"
)
MOST_AMOUNTS = MOST_TIMES = 20
"""Of one text."""
CURRENCY = {
    **dict.fromkeys(("$", "us$", "usd", "dollar", "dollars", "dolares", "bucks", "grand"), "USD"),
    **dict.fromkeys(("€", "eur", "euro", "euros"), "EUR"),
    "£": "GBP",
}


@dataclass(frozen=True, slots=True)
class Said:
    """A date as yyyymmdd or an amount of money, with the tokens it was read from."""

    attribute: str
    operator: Operator
    low: float | None
    high: float | None
    first: int
    last: int
    values: frozenset[str] = frozenset()


def _day(day: date) -> float:
    return float(day.year * 10_000 + day.month * 100 + day.day)


def times(
    words: Sequence[Token], taken: bytearray, *, vocabulary: Vocabulary, language: Language, today: date | None
) -> list[Said]:
    found: list[Said] = []
    place = 0
    if today is None and not any(len(token.text) == 4 and YEAR.fullmatch(token.text) for token in words):
        return found
    while place < len(words) and len(found) < MOST_TIMES:
        said = (
            None
            if taken[place]
            else _time(words, place, taken, vocabulary=vocabulary, language=language, today=today)
        )
        if said is None:
            place += 1
            continue
        found.append(said)
        taken[said.first : said.last] = b"\1" * (said.last - said.first)
        place = said.last
    return found


def _time(
    words: Sequence[Token],
    place: int,
    taken: bytearray,
    *,
    vocabulary: Vocabulary,
    language: Language,
    today: date | None,
) -> Said | None:
    count, meanings = vocabulary.match(words, place)
    kinds = {each.value for each in meanings if each.attribute == "time" and each.language in (language, "en")}
    following = place + count if kinds else place
    if kinds and today is not None:
        relative = _relative(words, place, following, kinds, vocabulary=vocabulary, today=today)
        if relative is not None:
            return relative
    if following >= len(words) or taken[following] or not _is_year(words, following):
        return None
    low = int(words[following].text)
    last = following + 1
    joined = last < len(words) and PERIOD.fullmatch(words[last].gap) and _is_year(words, last)
    spelled = last + 1 < len(words) and PERIOD.fullmatch(f" {words[last].text} ") and _is_year(words, last + 1)
    if joined or spelled:
        last += 1 if joined else 2
        return Said("date", "between", low * 10_000 + 101.0, int(words[last - 1].text) * 10_000 + 1231.0, place, last)
    if "since" in kinds and "in" not in kinds:
        return Said("date", "at_least", low * 10_000 + 101.0, None, place, last)
    if "before" in kinds:
        inclusive = words[place].text not in ("before", "vor", "antes", "avant", "prior", "earlier", "older")
        return Said("date", "at_most", None, (low - (not inclusive)) * 10_000 + 1231.0, place, last)
    return Said("date", "between", low * 10_000 + 101.0, low * 10_000 + 1231.0, place, last)


def _is_year(words: Sequence[Token], place: int) -> bool:
    token = words[place]
    if not YEAR.fullmatch(token.text) or (place and token.gap in ("", "-") and not words[place - 1].number):
        return False
    return place + 1 >= len(words) or words[place + 1].gap not in ("", "-") or words[place + 1].number


def _relative(
    words: Sequence[Token], place: int, following: int, kinds: set[str], *, vocabulary: Vocabulary, today: date
) -> Said | None:
    if "last_year" in kinds:
        low, high = date(today.year - 1, 1, 1), date(today.year - 1, 12, 31)
        return Said("date", "between", _day(low), _day(high), place, following)
    if "this_year" in kinds:
        return Said("date", "at_least", _day(date(today.year, 1, 1)), None, place, following)
    if "recent" in kinds:
        return Said("date", "at_least", _day(today - timedelta(days=730)), None, place, following)
    if "last_years" in kinds:
        return Said("date", "at_least", _day(today - timedelta(days=3 * 365)), None, place, following)
    if "last" not in kinds or following + 1 >= len(words):
        return None
    token = words[following]
    count = (
        float(token.text) if token.text.isdecimal() and len(token.text) < 3 else vocabulary.numbers.get(token.text)
    )
    units = {each.value for each in vocabulary.match(words, following + 1)[1] if each.attribute == "time"}
    if count is None or count > 99 or not units & {"years", "months"}:
        return None
    days = int(count * (365.25 if "years" in units else 30.44))
    return Said("date", "at_least", _day(today - timedelta(days=days)), None, place, following + 2)


def amounts(folded: str, words: Sequence[Token], taken: bytearray, *, reader: Reader) -> list[Said]:
    """Amounts of money; "50k" counts as one too."""
    found: list[Said] = []
    place = 0
    for match in islice(MONEY.finditer(folded), MOST_AMOUNTS):
        while place < len(words) and words[place].end <= match.start():
            place += 1
        first = place if place < len(words) else None
        text = match["first"] or match["second"] or match["third"]
        value = decimal(text.rstrip(".,"), language=reader.language, unit=None)
        if first is None or value is None or taken[first]:
            continue
        number = first if words[first].number else min(first + 1, len(words) - 1)
        scale = match["k1"] or match["k2"] or ("k" if match["third"] or match["after"] == "grand" else "")
        if value < 1000 and "." in text and len(text.split(".")[-1]) == 3:
            value *= 1000
        value *= {"": 1, "m": 1e6, "mio": 1e6}.get(scale, 1e3)
        last = first
        while last < len(words) and words[last].start < match.end():
            last += 1
        operator, begin = reader.bound_before(first if words[first].number else number)
        if not words[first].number and operator is None:
            operator, begin = reader.bound_before(first)
        operator = operator if operator not in (None, "between") else "about"
        low, high = (None if operator == "at_most" else value), (None if operator == "at_least" else value)
        currency = CURRENCY.get(match["before"] or match["after"] or "", "")
        begin = min(begin, first)
        found.append(Said("price", operator, low, high, begin, last, frozenset({currency} - {""})))
        taken[begin:last] = b"\1" * (last - begin)
    return found
