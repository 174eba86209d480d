"""Takes other customers' names and old prices out of copied language, and says what it took."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

NAME_REMOVED = "[NAME REMOVED]"
PRICE_REMOVED = "$[PRICE]"
PRICE = re.compile(r"(?<![\w$])\$\s?\d[\d,]*(?:\.\d{2})?(?!\w)")
CONTACT = re.compile(r"[\w.+-]+@[\w-]+\.[\w.]+|\(?\b\d{3}\)?[ .-]\d{3}[.-]\d{4}\b|\bAttn\b\.?", re.I)
LEGAL = re.compile(r"[\s,]+(?:inc|llc|ltd|corp|corporation|company|co|plc|gmbh)\.?$", re.I)
# First words that many companies and many descriptions share: alone they identify nobody.
# fmt: off
COMMON = frozenset({
    "advanced", "air", "american", "central", "clean", "county", "dairy", "eastern", "first", "food",
    "general", "global", "grand", "great", "international", "lake", "midwest", "national", "new",
    "north", "northern", "precision", "quality", "south", "southern", "st", "standard", "state",
    "superior", "the", "united", "university", "vacuum", "western",
})
# fmt: on


@dataclass(frozen=True)
class Scrubbed:
    text: str
    names: tuple[str, ...]
    prices: tuple[str, ...]
    contacts: tuple[str, ...]


def scrub(text: str, *, source: str, others: Iterable[str], own: str) -> Scrubbed:
    """`source` is the customer the text was written for, `others` more names; `own`, the addressee, may stay."""
    names: list[str] = []
    foreign = [name for name in {source, *others} if _bare(name).casefold() != _bare(own).casefold()]
    forms = {form for name in foreign for form in (name, _bare(name))}
    forms |= {_bare(source).split()[0]} if source in foreign and _bare(source) else set()
    for form in sorted(forms, key=len, reverse=True):
        if pattern := _pattern(form, own):
            text = _remove(text, pattern, names)
    prices = PRICE.findall(text)
    return Scrubbed(PRICE.sub(PRICE_REMOVED, text), tuple(names), tuple(prices), tuple(CONTACT.findall(text)))


def _pattern(form: str, own: str) -> re.Pattern[str] | None:
    """A name of one word counts as written or in capitals: in lower case it may be an ordinary word."""
    words = form.split()
    if len(words) > 1:
        return re.compile(_whole(form), re.I)
    if form.casefold() in COMMON or form.casefold() in own.casefold().split():
        return None
    return re.compile(f"{_whole(form)}|{_whole(form.upper())}")


def _bare(name: str) -> str:
    """The company's name as people write it: no remark in parentheses, no legal form."""
    return LEGAL.sub("", re.sub(r"\s*\([^)]*\)", "", name).strip())


def _whole(name: str) -> str:
    return r"(?<!\w)" + r"\s+".join(map(re.escape, name.split())) + r"(?!\w)"


def _remove(text: str, pattern: re.Pattern[str], removed: list[str]) -> str:
    removed.extend(found for found in pattern.findall(text) if found not in removed)
    return pattern.sub(NAME_REMOVED, text)
