"""Times that are told by how long ago they were: "two years ago", "older than five years", "vor drei Monaten"."""

from collections.abc import Sequence
from datetime import date, timedelta

from quarry.understanding.dates import LENGTHS, MOST_TIMES, Said, as_figure, of_month
from quarry.understanding.heads import AN
from quarry.understanding.needs import Language
from quarry.understanding.text import Token
from quarry.understanding.words import Vocabulary

FEW = frozenset(("few", "several", "some", "paar", "einigen", "unos", "algunos", "quelques"))
FEWEST, MOST_OF_FEW = 2, 5
"""How many are meant by a few."""
JOINED = frozenset(("of", "de"))
ALSO_OF_FIGURES = frozenset(("over", "more than", "mas de", "plus de"))
"""What says longer ago only where a word for that follows: a five year contract runs over five years."""
IN = frozenset(("in", "im", "en", "of", "back"))


def bygone(
    words: Sequence[Token], taken: bytearray, *, vocabulary: Vocabulary, language: Language, today: date
) -> list[Said]:
    """Times that are told by how long ago they were, before their figures are read as durations."""
    found: list[Said] = []
    place = 0
    while place < len(words) and len(found) < MOST_TIMES:
        token = words[place]
        begins = token.number or token.text in vocabulary.numbers or token.text in AN | FEW
        said = None
        if not taken[place] and (begins or token.text in vocabulary.time_starts):
            said = _ago(words, place, vocabulary=vocabulary, language=language, today=today)
        if said is not None:
            found.append(said)
            taken[said.first : said.last] = b"\1" * (said.last - said.first)
        place = said.last if said is not None else place + 1
    return found


def _ago(
    words: Sequence[Token], place: int, *, vocabulary: Vocabulary, language: Language, today: date
) -> Said | None:
    """The period of "two years ago", "vor drei Monaten", "older than five years" and "the year before last"."""
    count, meanings = vocabulary.match(words, place)
    kinds = {each.value for each in meanings if each.attribute == "time" and each.language in (language, "en")}
    if "before_last" in kinds:
        low, high = date(today.year - 2, 1, 1), date(today.year - 2, 12, 31)
        return Said("date", "between", as_figure(low), as_figure(high), place, place + count)
    opened = kinds & {"longer", "hence"}
    spell = _spell(words, place + count if opened else place, vocabulary=vocabulary)
    if spell is None:
        return None
    least, most, unit, last = spell
    after, closing = vocabulary.match(words, last) if last < len(words) else (0, ())
    closed = any(each.value == "ago" for each in closing)
    said = " ".join(token.text for token in words[place : place + count])
    last += after if closed else 0
    if "longer" in kinds and (closed or said not in ALSO_OF_FIGURES):
        return Said("date", "at_most", None, as_figure(_back(today, least, unit)), place, last)
    if not (closed or "hence" in kinds):
        return None
    at = last + (last < len(words) and words[last].text in IN)
    month = vocabulary.months.get(words[at].text) if unit == "years" and at < len(words) else None
    if month is not None and least == most:
        return Said("date", "between", *of_month(today.year - least, month), place, at + 1)
    return Said("date", "between", *_around(today, least, most, unit), place, last)


def _spell(words: Sequence[Token], place: int, *, vocabulary: Vocabulary) -> tuple[int, int, str, int] | None:
    """Fewest, most and unit of "two years", "a couple of months" or "a few weeks", and the token after it."""
    if place + 1 < len(words) and words[place].text in AN:
        following = words[place + 1].text
        place += following in FEW or following in vocabulary.numbers
    if place >= len(words):
        return None
    text, at = words[place].text, place + 1
    count = int(text) if text.isdecimal() and len(text) < 3 else int(vocabulary.numbers.get(text, 0))
    if text in FEW:
        least, most = FEWEST, MOST_OF_FEW
    elif text in AN:
        least = most = 1
    elif 0 < count < 100:
        least = most = count
    else:
        return None
    at += at < len(words) and words[at].text in JOINED
    units = (
        {each.value for each in vocabulary.match(words, at)[1] if each.attribute == "time"} if at < len(words) else {}
    )
    unit = next((unit for unit in LENGTHS if unit in units), None)
    return (least, most, unit, at + 1) if unit else None


def _back(today: date, count: int, unit: str) -> date:
    return today - timedelta(days=int(count * LENGTHS[unit]))


def _around(today: date, least: int, most: int, unit: str) -> tuple[float, float]:
    """The years or months that lie so far back, or the days around."""
    if unit == "years":
        return as_figure(date(today.year - most, 1, 1)), as_figure(date(today.year - least, 12, 31))
    first, last = _back(today, most, unit), _back(today, least, unit)
    if unit in ("months", "quarter"):
        return of_month(first.year, first.month)[0], of_month(last.year, last.month)[1]
    slack = timedelta(days=int(LENGTHS[unit]))
    return as_figure(first - slack), as_figure(last + slack)
