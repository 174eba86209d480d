"""Time as it is said of past quotes: "since 2024", "last two years", "the first of September"."""

import re
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from quarry.understanding.extremes import EXTREMES
from quarry.understanding.needs import Language, Operator
from quarry.understanding.text import Token
from quarry.understanding.words import Vocabulary

YEAR = re.compile(r"(?:19[89]|20[0-4])\d")
SHORT_YEAR = re.compile(r"[\s(\-/]'[0-4]\d")
PERIOD = re.compile(
    r"\s?(?:-|(?:up )?to|and|or|until|till?|through|thru|bis|und|oder|a|al|y|o|et|ou|hasta|jusqu(?: en| a)?)\s?"
)
"""What stands between the beginning and the end of a time."""
MOST_TIMES = 20
"""Of one text."""


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


def as_figure(day: date) -> float:
    """The number yyyymmdd, by which days are compared."""
    return float(day.year * 10_000 + day.month * 100 + day.day)


def times(
    words: Sequence[Token], taken: bytearray, *, vocabulary: Vocabulary, language: Language, today: date | None
) -> list[Said]:
    found: list[Said] = []
    place = 0
    for token in words:
        if SHORT_YEAR.fullmatch(token.gap[-2:] + token.text):
            token.text = f"20{token.text}"
    if today is None and not any(token.number and YEAR.search(token.text) for token in words):
        return found
    while place < len(words) and len(found) < MOST_TIMES:
        count, meanings = vocabulary.match(words, place)
        if any(meaning.attribute in EXTREMES for meaning in meanings):
            place += count
            continue
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
    token = words[place]
    if not (token.text in vocabulary.time_starts or token.text in vocabulary.months or token.number):
        return None
    count, meanings = vocabulary.match(words, place)
    kinds = {each.value for each in meanings if each.attribute == "time" and each.language in (language, "en")}
    following = place + count if kinds else place
    if kinds and following + 1 < len(words) and words[following].text in ARTICLES:
        following += 1
    if kinds and today is not None:
        relative = _relative(words, place, following, kinds, vocabulary=vocabulary, today=today)
        if relative is not None:
            return relative
    first = _first_period(words, place, following, taken, vocabulary=vocabulary)
    if first is None:
        return None
    low, high, last = first
    joined = last < len(words) and PERIOD.fullmatch(words[last].gap)
    joint = 0 if joined else _joint(words, last)
    second = None
    if joined or joint:
        second = _period(words, last + joint, taken, vocabulary=vocabulary)
    if second is not None and second[1] >= low:
        return Said("date", "between", low, second[1], place, second[2])
    if "since" in kinds and "in" not in kinds:
        after = token.text in AFTER
        return Said(
            "date", "at_least", as_figure(_as_date(high) + timedelta(days=1)) if after else low, None, place, last
        )
    if "before" in kinds:
        inclusive = token.text not in ("before", "vor", "antes", "avant", "prior", "earlier", "older")
        end = high if inclusive else as_figure(_as_date(low) - timedelta(days=1))
        return Said("date", "at_most", None, end, place, last)
    return Said("date", "between", low, high, place, last)


def _joint(words: Sequence[Token], place: int) -> int:
    """How many words at a token say that a time goes on: through, up to."""
    spoken = ((count, " ".join(token.text for token in words[place : place + count])) for count in (2, 1))
    return next((count for count, said in spoken if place + count < len(words) and PERIOD.fullmatch(said)), 0)


def _first_period(
    words: Sequence[Token], place: int, following: int, taken: bytearray, *, vocabulary: Vocabulary
) -> tuple[float, float, int] | None:
    """The period behind a word such as since, or at the token itself where that word belongs to it: early 2020."""
    for at in dict.fromkeys((place, following)):
        found = _period(words, at, taken, vocabulary=vocabulary)
        found = found or _month_of_a_range(words, at, taken, vocabulary=vocabulary)
        if found is not None:
            return found
    return None


ARTICLES = frozenset(("the", "dem", "der", "el", "la", "le"))
AFTER = frozenset(("after", "nach", "apres", "despues"))
"""What follows is left out; since and from include it."""


def _period(
    words: Sequence[Token], place: int, taken: bytearray, *, vocabulary: Vocabulary
) -> tuple[float, float, int] | None:
    """First and last day of the year, its part, the month or the day said at a token, and the token after it."""
    if place >= len(words) or taken[place]:
        return None
    token = words[place]
    if _is_year(words, place):
        following = words[place + 1] if place + 1 < len(words) else None
        if following is not None and following.gap == "-" and re.fullmatch("0[1-9]|1[0-2]", following.text):
            return _iso_day(words, place) or (*of_month(int(token.text), int(following.text)), place + 2)
        part, after = _part(words, place + 1, vocabulary=vocabulary)
        if part in QUARTERS:
            return *_months(int(token.text), *PARTS[part]), after
        return int(token.text) * 10_000 + 101.0, int(token.text) * 10_000 + 1231.0, place + 1
    part, after = _part(words, place, vocabulary=vocabulary)
    if part:
        while after < len(words) and words[after].text in OF_THE_YEAR:
            after += 1
        if after < len(words) and not taken[after] and _is_year(words, after):
            return *_months(int(words[after].text), *PARTS[part]), after + 1
        return None
    written = MONTH_AND_YEAR.fullmatch(token.text)
    if written is not None:
        return *of_month(int(written[2]), int(written[1])), place + 1
    day = _written_day(words, place, taken, vocabulary=vocabulary)
    if day is not None:
        return day
    month, at = vocabulary.months.get(token.text), place + 1
    if month is None and token.text.isdecimal() and len(token.text) < 3 and 0 < int(token.text) < 13:
        month = int(token.text) if at < len(words) and words[at].gap == "/" else None
    elif month is not None and at < len(words) and words[at].text in OF_THE_YEAR:
        at += 1
    if month is None or at >= len(words) or taken[at]:
        return None
    year = words[at]
    dated = YEAR.fullmatch(year.text) is not None and not year.gap.strip(" .,/'-") and "\n" not in year.gap
    return (*of_month(int(year.text), month), at + 1) if dated else None


def _month_of_a_range(
    words: Sequence[Token], place: int, taken: bytearray, *, vocabulary: Vocabulary
) -> tuple[float, float, int] | None:
    """The beginning of "March to June 2024" and of "Q1 to Q3 2024", which has the year of the end."""
    if place >= len(words) or taken[place]:
        return None
    part, after = _part(words, place, vocabulary=vocabulary)
    month = vocabulary.months.get(words[place].text)
    if part:
        first, last = PARTS[part]
    elif month is not None:
        first, last, after = month, month, place + 1
    else:
        return None
    if after + 1 >= len(words):
        return None
    dashed = words[after].gap.strip() == "-"
    if not dashed and not PERIOD.fullmatch(f" {words[after].text} "):
        return None
    end = _period(words, after + (not dashed), taken, vocabulary=vocabulary)
    return (*_months(int(end[0]) // 10_000, first, last), after) if end is not None else None


MONTH_AND_YEAR = re.compile(rf"(0?[1-9]|1[0-2])\.({YEAR.pattern})")
DAY = re.compile(rf"(\d\d?)\.(0?[1-9]|1[0-2])\.({YEAR.pattern})")
ORDINALS = frozenset(("st", "nd", "rd", "th"))
OF_THE_YEAR = frozenset(("of", "de", "del", "des", "jahres", "the", "year"))
QUARTERS = frozenset(("q1", "q2", "q3", "q4", "h1", "h2"))
PARTS = {
    "q1": (1, 3), "q2": (4, 6), "q3": (7, 9), "q4": (10, 12), "h1": (1, 6), "h2": (7, 12),
    "early": (1, 4), "mid": (5, 8), "late": (9, 12), "spring": (3, 5), "summer": (6, 8), "autumn": (9, 11),
    "winter": (12, 2),
}  # fmt: skip
"""First and last month of the parts of a year that are said; winter begins in the year before."""
SEASONS = frozenset(("spring", "summer", "autumn", "winter"))


def _part(words: Sequence[Token], place: int, *, vocabulary: Vocabulary) -> tuple[str, int]:
    """The part of a year that is said at a token, and the token after it; empty for none."""
    if place >= len(words):
        return "", place
    count, meanings = vocabulary.match(words, place)
    said = next((each.value for each in meanings if each.attribute == "time" and each.value in PARTS), "")
    if not said and words[place].text in ("1", "2", "3", "4") and place + 1 < len(words):
        # "1. Quartal" has a full stop between.
        following = words[place + 1]
        quarter = any(each.value == "quarter" for each in vocabulary.match(words, place + 1)[1])
        return (f"q{words[place].text}", place + 2) if quarter and following.gap.strip() in (".", "") else ("", place)
    return said, place + count


def _months(year: int, first: int, last: int) -> tuple[float, float]:
    """First and last day; "winter 2023" goes on into the year after."""
    return of_month(year, first)[0], of_month(year + (last < first), last)[1]


def _iso_day(words: Sequence[Token], place: int) -> tuple[float, float, int] | None:
    """The day of 2022-05-11."""
    year, month, *rest = words[place : place + 3]
    if not rest or rest[0].gap != "-" or len(rest[0].text) != 2:
        return None
    return _one_day(year.text, month.text, rest[0].text, place + 3)


def _written_day(
    words: Sequence[Token], place: int, taken: bytearray, *, vocabulary: Vocabulary
) -> tuple[float, float, int] | None:
    """The day of "May 11, 2022", "11 May 2022" or 11.05.2022."""
    dotted = DAY.fullmatch(words[place].text)
    if dotted is not None:
        return _one_day(dotted[3], dotted[2], dotted[1], place + 1)
    texts = [token.text for token in words[place : place + 5] if token.text not in OF_THE_YEAR | ORDINALS]
    if len(texts) < 3 or any(taken[place : place + 3]) or not YEAR.fullmatch(texts[2]):
        return None
    day, month = (texts[0], texts[1]) if texts[0].isdecimal() else (texts[1], texts[0])
    if not day.isdecimal() or len(day) > 2 or month not in vocabulary.months:
        return None
    last = next(at for at in range(place, place + 5) if words[at].text == texts[2]) + 1
    return _one_day(texts[2], str(vocabulary.months[month]), day, last)


def _one_day(year: str, month: str, day: str, last: int) -> tuple[float, float, int] | None:
    """Nothing for a day that the calendar lacks."""
    try:
        found = as_figure(date(int(year), int(month), int(day)))
    except ValueError:
        return None
    return found, found, last


def of_month(year: int, month: int) -> tuple[float, float]:
    """Its first and last day, as such numbers."""
    return as_figure(date(year, month, 1)), as_figure(date(year, month, monthrange(year, month)[1]))


def _as_date(day: float) -> date:
    return date(int(day) // 10_000, int(day) // 100 % 100, int(day) % 100)


def _is_year(words: Sequence[Token], place: int) -> bool:
    token = words[place]
    if not YEAR.fullmatch(token.text) or (place and token.gap in ("", "-") and not words[place - 1].number):
        return False
    return place + 1 >= len(words) or words[place + 1].gap not in ("", "-") or words[place + 1].number


def _season(
    words: Sequence[Token], place: int, following: int, kinds: set[str], *, vocabulary: Vocabulary, today: date
) -> Said | None:
    """This summer, or the last one that is over."""
    part, after = _part(words, following, vocabulary=vocabulary)
    if part not in SEASONS or not kinds & {"last", "this"}:
        return None
    if after < len(words) and YEAR.fullmatch(words[after].text):
        return None
    first, last = PARTS[part]
    years = range(today.year, today.year - 2, -1) if "last" in kinds else (today.year,)
    for year in years:
        low, high = of_month(year - (first > last), first)[0], of_month(year, last)[1]
        if "this" in kinds or high < as_figure(today):
            return Said("date", "between", low, high, place, after)
    return None


def _relative(
    words: Sequence[Token], place: int, following: int, kinds: set[str], *, vocabulary: Vocabulary, today: date
) -> Said | None:
    if "this_year" in kinds:
        return Said("date", "at_least", as_figure(date(today.year, 1, 1)), None, place, following)
    if "recent" in kinds:
        return Said("date", "at_least", as_figure(today - timedelta(days=730)), None, place, following)
    if "last_months" in kinds:
        return Said("date", "at_least", as_figure(today - timedelta(days=183)), None, place, following)
    if "last_years" in kinds:
        return Said("date", "at_least", as_figure(today - timedelta(days=3 * 365)), None, place, following)
    named = _day_of_month(words, following, vocabulary=vocabulary, today=today)
    if kinds & {"since", "before"} and named is not None:
        day, last = named
        if "before" in kinds:
            return Said("date", "at_most", None, as_figure(day - timedelta(days=1)), place, last)
        return Said("date", "at_least", as_figure(day), None, place, last)
    if (season := _season(words, place, following, kinds, vocabulary=vocabulary, today=today)) is not None:
        return season
    if kinds & {"since", "before", "last"} and following < len(words) and words[following].text in vocabulary.months:
        return _month_past(words, place, following, kinds, vocabulary=vocabulary, today=today)
    if "last_year" in kinds:
        low, high = date(today.year - 1, 1, 1), date(today.year - 1, 12, 31)
        return Said("date", "between", as_figure(low), as_figure(high), place, following)
    running = _running(words, place, following, kinds, vocabulary=vocabulary, today=today)
    if running is not None:
        return running
    if "last" not in kinds or following + 1 >= len(words):
        return None
    token = words[following]
    count = (
        float(token.text) if token.text.isdecimal() and len(token.text) < 4 else vocabulary.numbers.get(token.text)
    )
    units = {each.value for each in vocabulary.match(words, following + 1)[1] if each.attribute == "time"}
    length = next((days for unit, days in LENGTHS.items() if unit in units), None)
    if count is None or count > 999 or length is None:
        return None
    days = int(count * length)
    return Said("date", "at_least", as_figure(today - timedelta(days=days)), None, place, following + 2)


def _day_of_month(
    words: Sequence[Token], place: int, *, vocabulary: Vocabulary, today: date
) -> tuple[date, int] | None:
    """The last such day where no year is said: the first of September, Sept 1; and the token after it."""
    texts = [token.text for token in words[place : place + 6]]
    day, month, used = None, None, 0
    for text in texts:
        if day is None and text.isdecimal() and len(text) < 3:
            day = int(text)
        elif day is None and text in FIRST:
            day = 1
        elif month is None and text in vocabulary.months:
            month = vocabulary.months[text]
        elif text not in OF_THE_YEAR | ORDINALS | ARTICLES:
            break
        used += 1
    while used and texts[used - 1] in OF_THE_YEAR | ARTICLES:
        used -= 1
    dated = place + used < len(words) and YEAR.fullmatch(words[place + used].text)
    if day is None or month is None or dated:
        return None
    try:
        found = date(today.year, month, day)
        return (found if found <= today else date(today.year - 1, month, day)), place + used
    except ValueError:
        return None


FIRST = frozenset(("first", "ersten", "primero", "premier"))
LENGTHS = {"years": 365.25, "quarter": 91.31, "months": 30.44, "weeks": 7.0, "days": 1.0}
"""Days."""


def _running(
    words: Sequence[Token], place: int, following: int, kinds: set[str], *, vocabulary: Vocabulary, today: date
) -> Said | None:
    """This month or quarter, or the one before: it has begun on a day that depends on today."""
    if following >= len(words) or not kinds & {"last", "this"}:
        return None
    units = {each.value for each in vocabulary.match(words, following)[1] if each.attribute == "time"}
    months = 3 if "quarter" in units else 1 if "months" in units and not words[following].text.endswith("s") else 0
    if not months:
        return None
    first = today.month - (today.month - 1) % months
    if "this" in kinds:
        return Said("date", "at_least", of_month(today.year, first)[0], None, place, following + 1)
    year, first = (today.year, first - months) if first > months else (today.year - 1, 13 - months)
    return Said("date", "between", *_months(year, first, first + months - 1), place, following + 1)


def _month_past(
    words: Sequence[Token], place: int, at: int, kinds: set[str], *, vocabulary: Vocabulary, today: date
) -> Said | None:
    """The last month of that name where no year is said: since March."""
    of_year = at + 1 + (at + 1 < len(words) and words[at + 1].text in OF_THE_YEAR)
    joined = of_year < len(words) and PERIOD.fullmatch(f" {words[of_year].text} ")
    if joined or (of_year < len(words) and YEAR.fullmatch(words[of_year].text)):
        return None
    month = vocabulary.months[words[at].text]
    low, high = of_month(today.year - (month > today.month), month)
    if "last" in kinds:
        return Said("date", "between", low, high, place, at + 1)
    if "before" in kinds:
        return Said("date", "at_most", None, as_figure(_as_date(low) - timedelta(days=1)), place, at + 1)
    return Said("date", "at_least", low, None, place, at + 1)
