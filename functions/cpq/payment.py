"""Terms of payment as people write them: when an invoice is due, and what paying early takes off."""

import math
import re
from collections import defaultdict
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from typing import Annotated

from pydantic import AfterValidator, Field

from cpq.model import PLAIN
from quarry.attributes.units import Unit, shipped, spoken_rows
from quarry.reading.languages import spelled
from quarry.text import UNPARTED, fold

HOW = "Write e.g. net_30, due_on_receipt, or '30 days net, 2% within 10 days'."
UNREAD = "cannot be read as days until all is due and what paying early takes off"

_PERCENT = re.compile(r"(\d{1,2}(?:[.,]\d{1,2})?)\s*%")
_TRADE = re.compile(r"\b(\d{1,2}(?:[.,]\d)?)\s*+(?:/|%\s*+/?+)\s*+\d{1,3}\b[\s,;]*+(?:net|n)\s*+/?\s*+(\d{1,3})\b")
_ALL = re.compile(r"\b100\s*%")
_BEGIN, _END = rf"(?:\b|(?=[{UNPARTED}]))", rf"(?:\b|(?<=[{UNPARTED}]))"
"""Match where words begin and end; of scripts that part none, anywhere."""
_LEAST_SHARE = 20
"""A percentage from here on is a share to be paid, say with the order, and no discount."""
_SAID_AGAIN = " / "
"""Stands between terms and the same ones in another language, or another way to pay."""
_ADDED = re.compile(r"\+\s*\d")
"""A plus adds the days behind it; one before a tax adds none."""
_DAY_S = 86_400
_LONGEST_MONTH = 31


@cache
def _words() -> Mapping[str, re.Pattern[str]]:
    """Returns patterns of the words that terms of payment use, from the packs of all languages; spans of time are
    units.
    """
    net, unit = spelled("net"), shipped().pattern.pattern
    either = rf"\b(?:{spelled('or')}|{spelled('otherwise')})\b"
    return {
        "time": re.compile(rf"(?<!\d)(?<!\d[.,])(\d{{1,3}})\s*+-?\s*+({unit}|(?:{spelled('day')})\b|[^\W\d_]+\.?)"),
        "day": re.compile(spelled("day")),
        "net": re.compile(rf"\b(?:{net})[ _]*(\d{{1,3}})\b|\b(\d{{1,3}})\s*(?:{net})\b"),
        "at_once": re.compile(rf"{_BEGIN}(?:{spelled('at_once')}){_END}"),
        "end_of_month": re.compile(
            rf"(?:\b(\d{{1,3}})\s*+|{_BEGIN})(?:(?:{spelled('end_of_month')}){_END}"
            # Before a noun the same letters are an adjective in other languages.
            rf"|(?:{spelled('end_of_month_alone')}){_END}(?!\s+(?!(?:{net})\b)[^\W\d]))"
            rf"(?:\s*+\+?\s*+(\d{{1,3}})\b)?"
        ),
        # "1 month following the invoice" is a span.
        "next_month": re.compile(rf"(?<!\d )(?:{spelled('next_month')})"),
        "parts": re.compile(rf"[;\n]|,(?!\d)|{either}"),
        "either": re.compile(either),
        "alone": re.compile(rf"\b(?:{net}|{spelled('day')})\b"),
        "valid": re.compile(rf"\b(?:{spelled('valid')})\b\D{{0,12}}(\d{{1,3}})\b\s*(?:{unit})?"),
    }


def due(text: str) -> int | None:
    """Returns how many days after the invoice all is due, the latest that the terms allow; None where they name no
    day, because nobody guesses when money comes.
    """
    text, words = _ALL.sub("", fold(text)), _words()
    if trade := _TRADE.search(text):
        return int(trade[2])
    # A part with a percentage says how long a discount holds, not when all is due.
    parts = [_SAID_AGAIN.join(kept) for part in words["parts"].split(words["valid"].sub("", text))
             if (kept := [way for way in _ways(part) if not _PERCENT.search(way)])]  # fmt: skip
    found = [days for part in parts if (days := _days_of(part)) is not None]
    # Beside days a month that follows is when all is due only as another way to pay.
    if any(map(words["next_month"].search, parts)) and (not found or words["either"].search(text)):
        found.append(2 * _LONGEST_MONTH)
    return max(found, default=None)


def early_pct(text: str) -> Decimal:
    """Returns the largest discount in percent for paying early, 0 where there is none. A share without a day is kept
    back or paid with the order, so it is no discount.
    """
    return max(_percentages(fold(text))[0], default=Decimal(0))


def leaves_open(text: str) -> bool:
    """Tells whether terms have a figure that is no span of time, no discount for paying early and no share of parts
    that make 100 %: whatever it takes off, nothing counts it.
    """
    plain, words = fold(text), _words()
    shares = sum(_percentages(plain)[1])
    left = words["end_of_month"].sub(" ", _undated(_PERCENT.sub(" ", _ALL.sub(" ", _TRADE.sub(" ", plain)))))
    return shares not in (0, 100) or re.search(r"\d", left) is not None


def _percentages(plain: str) -> tuple[list[Decimal], list[Decimal]]:
    """Returns what each part of folded terms takes off for paying early, and all other percentages."""
    early, shares = [Decimal(match[1].replace(",", ".")) for match in _TRADE.finditer(plain)], list[Decimal]()
    parts = _words()["parts"].split(_TRADE.sub(" ", plain))
    for way in (way for part in parts for way in _ways(part)):
        small, large = _told(way)
        off, kept = (small, large) if _says_when(way) else ([], small + large)
        early.append(sum(off, Decimal(0)))
        shares += kept
    return early, shares


def _ways(part: str) -> list[str]:
    """Returns what strokes part; the whole where one stands between a discount and its days: 2 % Skonto / 10 Tage."""
    ways = list[str]()
    for way in part.split(_SAID_AGAIN):
        if ways and _waits(ways[-1]):
            ways[-1] += f"{_SAID_AGAIN}{way}"
        elif ways and _waits(way) and not _PERCENT.search(ways[-1]):
            return [part]  # whether its days stand before or behind it, a person has to tell
        else:
            ways.append(way)
    return [part] if _waits(ways[-1]) else ways


def _waits(way: str) -> bool:
    """Tells whether a discount's days are still to come."""
    return bool(_told(way)[0]) and not _says_when(way)


def _told(way: str) -> tuple[list[Decimal], list[Decimal]]:
    """Returns percentages that may come off for paying early, and those that are shares."""
    found = [Decimal(match[1].replace(",", ".")) for match in _PERCENT.finditer(way)]
    return [pct for pct in found if pct < _LEAST_SHARE], [pct for pct in found if pct >= _LEAST_SHARE]


def _says_when(way: str) -> bool:
    return bool(re.search(r"\d", _PERCENT.sub("", way)) or _words()["at_once"].search(way))


def _days_of(part: str) -> int | None:
    words, month = _words(), _words()["end_of_month"].search(part)
    spans = ((match.start(1), _in_days(int(match[1]), match[2])) for match in words["time"].finditer(part))
    counts = {start: days for start, days in spans if days is not None}
    # The days may stand right beside the words, without a unit of their own: 30 EOM, EOM + 30.
    for match in (*words["net"].finditer(part), *([month] if month else [])):
        counts |= {match.start(group): int(match[group]) for group in (1, 2) if match[group]}
    months = 2 if words["next_month"].search(part) else 1 if month else 0
    if counts:
        ways = defaultdict[int, list[int]](list)
        for start, days in counts.items():
            ways[part.count(_SAID_AGAIN, 0, start)].append(days)
        # Without a plus the same days in other words are said again, too: 14 Tage (2 Wochen).
        return max(sum(own if _ADDED.search(part) else {*own}) for own in ways.values()) + months * _LONGEST_MONTH
    return 0 if words["at_once"].search(part) and not months else None


def _in_days(count: int, spelling: str) -> int | None:
    if _words()["day"].fullmatch(spelling):
        return count
    unit = shipped().named(spelling) or _spans().get(spelling)
    if unit is None or unit.dimension != "time" or unit.factor < _DAY_S:
        return None
    return math.ceil(count * unit.factor / _DAY_S)


@cache
def _spans() -> Mapping[str, Unit]:
    """Returns units of time by their folded spellings in all languages, unless these mean several."""
    meant = defaultdict[str, set[Unit]](set)
    for unit, spellings in spoken_rows():
        for spelling in spellings if unit.dimension == "time" else ():
            meant[fold(spelling)].add(unit)
    return {spelling: next(iter(units)) for spelling, units in meant.items() if len(units) == 1}


def _readable(text: str) -> str:
    if re.fullmatch(r"\d{1,3}", text):
        return f"net_{int(text)}" if int(text) else "due_on_receipt"
    if due(text) is None:
        raise ValueError(f"'{text}' does not say when an invoice is due. {HOW}")
    return text


ProposedTerms = Annotated[str, Field(min_length=1, max_length=200), PLAIN]
"""The terms that a quote asks for; where no day can be read in them, a person decides."""
PaymentTerms = Annotated[ProposedTerms, AfterValidator(_readable)]
"""The terms that a house or an account has agreed; a day has to be readable in them. A number alone is of days."""


def coded(text: str) -> str:
    """Returns net_30 for a text in any language that says only that all is due in 30 days, so that a document can say
    it in its reader's language; returns any other text as it is.
    """
    left = _words()["alone"].sub(" ", _PERCENT.sub("%", _undated(fold(text))))
    days = due(text)
    return f"net_{days}" if days and not re.search(r"[\w%]", left) else text


def _undated(plain: str) -> str:
    """Returns what folded terms say beside spans of time and days that are net."""
    words = _words()
    timeless = words["time"].sub(lambda one: one[0] if _in_days(int(one[1]), one[2]) is None else " ", plain)
    return words["net"].sub(" ", timeless)


def worded(text: str) -> str:
    """Returns terms in English as they are printed: a code in words, free text unchanged."""
    if re.fullmatch(r"net_\d+", text):
        return f"Net {text.removeprefix('net_')} days"
    return "Due on receipt" if text == "due_on_receipt" else text
