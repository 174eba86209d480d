"""Money as it is said of past quotes: "under $50,000", "20 to 25 grand", "a quarter million"."""

import re
from collections.abc import Sequence
from itertools import islice

from quarry.understanding.dates import PERIOD, Said
from quarry.understanding.elapsed import JOINED
from quarry.understanding.heads import AN
from quarry.understanding.needs import Language
from quarry.understanding.numbers import decimal
from quarry.understanding.quantities import Reader
from quarry.understanding.text import Token
from quarry.understanding.units import unit_at
from quarry.understanding.words import Vocabulary

MONEY = re.compile(
    r"(?:(?<![a-z])(?P<before>us\$|[$€£]|usd|eur)\s?)(?P<first>\d[\d.,]{0,11})\s?(?P<k1>k|m(?:io)?|tsd|thousand|mil)?(?![a-z0-9])"
    r"|(?<![\d.,a-z])(?P<second>\d[\d.,]{0,11})\s?(?P<k2>k|m(?:io)?|tsd\.?|thousand|mil|mille)?\s?"
    r"(?P<after>usd|eur|euros?|dollars?|dolares|bucks|grand|mxn|pesos?|chf|franken|francs|francos|cad|[$€£])(?![a-z0-9])"
    r"|(?<![\d.,a-z])(?P<third>\d{1,4})k(?![a-z0-9])"
    r"|(?<![\d.,a-z-])(?P<bare>\d{5,7}|\d{1,3},\d{3}(?:,\d{3})?)(?![\d.,]*\d|[a-z-])"
)
MOST_AMOUNTS = 20
"""Of one text."""
CURRENCY = {
    **dict.fromkeys(("$", "us$", "usd", "dollar", "dollars", "dolares", "bucks", "grand"), "USD"),
    **dict.fromkeys(("€", "eur", "euro", "euros"), "EUR"),
    **dict.fromkeys(("peso", "pesos", "mxn"), "MXN"),
    **dict.fromkeys(("chf", "franken", "francs", "francos"), "CHF"),
    **dict.fromkeys(("cad",), "CAD"),
    "£": "GBP",
}


def amounts(folded: str, words: Sequence[Token], taken: bytearray, *, reader: Reader) -> list[Said]:
    """Amounts of money; "50k" counts as one too, and so does a large figure behind a bound that has no unit."""
    found: list[Said] = []
    place = 0
    for match in islice(MONEY.finditer(folded), MOST_AMOUNTS):
        while place < len(words) and words[place].end <= match.start():
            place += 1
        first = place if place < len(words) else None
        text = match["first"] or match["second"] or match["third"] or match["bare"]
        value = decimal(text.rstrip(".,"), language=reader.language, unit=None)
        if first is None or value is None or taken[first]:
            continue
        number = first if words[first].number else min(first + 1, len(words) - 1)
        scale = match["k1"] or match["k2"] or ("k" if match["third"] or match["after"] == "grand" else "")
        plain = value
        if value < 1000 and "." in text and len(text.split(".")[-1]) == 3:
            value *= 1000
        value *= {"": 1, "m": 1e6, "mio": 1e6}.get(scale, 1e3)
        last = first
        while last < len(words) and words[last].start < match.end():
            last += 1
        with_unit = (match["bare"] or match["third"]) and unit_at(folded, match.end()) is not None
        if with_unit or (match["bare"] and reader.bound_before(first)[0] is None):
            continue
        operator, begin = reader.bound_before(first if words[first].number else number)
        if not words[first].number and operator is None:
            operator, begin = reader.bound_before(first)
        after, over = reader.bound_after(last)
        if operator in (None, "between"):
            operator, last = (after, over) if after is not None else ("about", last)
        low, high = (None if operator == "at_most" else value), (None if operator == "at_least" else value)
        currency = CURRENCY.get(match["before"] or match["after"] or "", "")
        begin = min(begin, first)
        lower = _lower_end(found, words, first, value=value, share=value / (plain or 1.0), language=reader.language)
        if lower is not None:
            low, high, operator = lower.low, value, "between"
            found = [said for said in found if said is not lower and said.first != lower.first]
            said_before, bound = reader.bound_before(lower.first)
            begin = min(bound, lower.first) if said_before == "between" else lower.first
        found.append(Said("price", operator, low, high, begin, last, frozenset({currency} - {""})))
        taken[begin:last] = b"\1" * (last - begin)
    return found


SCALES: dict[str, float] = {
    **dict.fromkeys(("hundred", "hundreds", "hundert", "cientos", "cents"), 100.0),
    **dict.fromkeys(("thousand", "thousands", "grand", "k", "tausend", "mil", "mille"), 1e3),
    **dict.fromkeys(("million", "millions", "millionen", "mio", "millon", "millones"), 1e6),
}
PARTS_OF = {
    "quarter": 0.25, "viertel": 0.25, "viertelmillion": 0.25e6, "cuarto": 0.25, "quart": 0.25,
    "quarters": 0.25, "half": 0.5, "halbe": 0.5, "halben": 0.5, "medio": 0.5, "demi": 0.5,
}  # fmt: skip
FIGURES = frozenset(("figure", "figures", "stellig", "stellige", "stelliger", "stelligen", "cifras", "chiffres"))
THIRDS = {"low": (1.0, 3.5), "mid": (3.0, 7.0), "high": (6.0, 10.0)}
"""Of so many figures the shares of the least such number that are called low, mid and high."""
LEAST_SPOKEN = 1_000.0
AND = frozenset(("and", "und"))
COMPARED = frozenset(
    ("under", "less", "below", "lower", "cheaper", "unter", "weniger", "menos", "moins", "apart", "off")
)
"""What follows a difference to another's price, which is no total."""


def spoken_amounts(
    folded: str, words: Sequence[Token], taken: bytearray, *, reader: Reader, vocabulary: Vocabulary
) -> list[Said]:
    """Amounts in words: a quarter million, twenty grand, half a million pesos, six figures."""
    found: list[Said] = []
    place = 0
    while place < len(words) and len(found) < MOST_AMOUNTS:
        said = None
        if not taken[place]:
            said = _figures(words, place, vocabulary=vocabulary)
            said = said or _spoken(folded, words, place, reader=reader, vocabulary=vocabulary)
        if said is not None:
            found.append(said)
            taken[said.first : said.last] = b"\1" * (said.last - said.first)
        place = said.last if said is not None else place + 1
    return found


def _figures(words: Sequence[Token], place: int, *, vocabulary: Vocabulary) -> Said | None:
    """Six figures are a hundred thousand and more; a low six figures is a third of the way at most."""
    first, share = place, THIRDS.get(words[place].text)
    place += share is not None
    if place + 1 >= len(words) or words[place + 1].text not in FIGURES:
        return None
    text = words[place].text
    count = float(text) if text.isdecimal() else vocabulary.numbers.get(text, 0.0)
    if not 4 <= count <= 8:
        return None
    least = 10.0 ** (count - 1)
    low, high = share or (1.0, 10.0)
    return Said("price", "between", least * low, least * high - 0.01, first, place + 2)


def _spoken(
    folded: str, words: Sequence[Token], place: int, *, reader: Reader, vocabulary: Vocabulary
) -> Said | None:
    value, last, scaled = _number_in_words(words, place, reader=reader, vocabulary=vocabulary)
    if value < LEAST_SPOKEN or not scaled:
        return None
    currency = CURRENCY.get(words[last].text, "") if last < len(words) else ""
    end = words[last - 1].end
    last += bool(currency)
    money = bool(currency) or words[last - 1].text == "grand" or value >= 1e5
    operator, begin = reader.bound_before(place)
    after, over = reader.bound_after(last)
    difference = last < len(words) and words[last].text in COMPARED
    if difference or unit_at(folded, end) is not None or not (money or operator or after):
        return None
    if operator in (None, "between"):
        operator, last, begin = after or "about", over if after else last, place
    low, high = (None if operator == "at_most" else value), (None if operator == "at_least" else value)
    figure = decimal(words[place].text, language=reader.language, unit=None) if words[place].number else None
    lower = _lower_end((), words, place, value=value, share=value / (figure or value), language=reader.language)
    if lower is not None and figure:
        operator, low, high, begin = "between", lower.low, value, lower.first
    return Said("price", operator, low, high, min(begin, place), last, frozenset({currency} - {""}))


def _number_in_words(
    words: Sequence[Token], place: int, *, reader: Reader, vocabulary: Vocabulary
) -> tuple[float, int, bool]:
    """The number, the token after it, and whether a word such as thousand is in it."""
    total, current, at, scaled = 0.0, 0.0, place, False
    while at < len(words) and (at == place or words[at].soft):
        text, following = words[at].text, words[at + 1].text if at + 1 < len(words) else ""
        scale = SCALES.get(text)
        if scale == 100.0:
            current, scaled = max(current, 1.0) * scale, True
        elif scale is not None:
            total, current, scaled = total + (current or 1.0) * scale, 0.0, True
        elif text in PARTS_OF:
            current, scaled = PARTS_OF[text] * max(current, 1.0), scaled or PARTS_OF[text] > 1
        elif words[at].number and at == place:
            current = decimal(text, language=reader.language, unit=None) or 0.0
        elif text in vocabulary.numbers and text not in AN and vocabulary.numbers[text] < LEAST_SPOKEN:
            current += vocabulary.numbers[text]
        elif not (
            (text in AN and (following in SCALES or following in PARTS_OF or following in vocabulary.numbers))
            or (text in JOINED and at > place and following in SCALES | dict.fromkeys(AN))
            or (text in AND and scaled and following in vocabulary.numbers)
        ):
            break
        at += 1
    return total + current, at, scaled


def _lower_end(
    found: Sequence[Said], words: Sequence[Token], first: int, *, value: float, share: float, language: Language
) -> Said | None:
    """The amount that a range begins with, "100k" of "100k to 150k"; of "20 to 25 grand" it has the other's scale."""
    joined = first > 0 and PERIOD.fullmatch(f" {words[first - 1].text} ") is not None
    end = first - 1 if joined else first
    if not joined and words[first].gap.strip(" $€£") != "-":
        return None
    if found and found[-1].last == end:
        said = found[-1]
        low = said.low if said.low is not None else said.high
        return said if said.operator == "about" and low is not None and low < value else None
    figure = words[end - 1] if end > 0 and words[end - 1].number else None
    number = decimal(figure.text, language=language, unit=None) if figure is not None else None
    if number is None or not number * share < value:
        return None
    return Said("price", "about", number * share, number * share, end - 1, end)
