"""Recognises columns and closed values by their names in thirty-two languages, and the units within names."""

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from itertools import chain, groupby
from pathlib import Path
from typing import Any

from operations.tables.attributes import unit_named
from operations.tables.cells import currency_of
from operations.tables.mapping import FieldRule
from quarry.attributes.units import Units, shipped
from quarry.text import UNPARTED, fold, stem_of, words_of

AMOUNTS = ("price", "list_price", "unit_price", "cost")

NAMES = Path(__file__).with_name("column_names.toml")
SURE = 0.6
"""The likeness from which on a name counts as recognised."""
LONGEST_HEADING = 500
"""Characters of a heading that are looked at."""
Families = Mapping[str, Sequence[str]]
"""A tenant's families, each with the words that name it."""

COUNTED = frozenset(("time", "pieces", "users"))
"""Dimensions whose units are not read off the end of a name: "min" there is a minimum, and not a minute."""

GOODS = frozenset(("sku", "model", "name"))
"""Concepts of what a number of goods is named by."""

NAMED = frozenset(("manufacturer", "supplier", "customer", "salesperson", "contact", "name"))
"""Concepts of names: beside a word such as code their heading is of a number and of no name."""

BRACKETED = re.compile(r"[\[(]([^\[\]()]*(?:\([^()]*\))?)[\])]")
_WITH_BRACKETS = re.compile(r"(?<!\S)[^\s\[\]()]+\([^\s\[\]()]+\)(?!\S)")
"""A word that ends in brackets, as units do: dB(A)."""


@cache
def data() -> dict[str, Any]:
    return tomllib.loads(NAMES.read_text("utf-8"))


@cache
def _concepts() -> dict[str, dict[str, frozenset[str]]]:
    """Returns, by name, what it may stand for, each with the languages in which it does."""
    found = defaultdict[str, dict[str, frozenset[str]]](dict)
    for concept, languages in data()["names"].items():
        for language, name in ((language, name) for language, names in languages.items() for name in names):
            name = _joined(fold(name))
            found[name][concept] = found[name].get(concept, frozenset()) | {language}
    return found


@cache
def _most_words() -> int:
    return max(len(name.split()) for name in _concepts())


Spoken = tuple[frozenset[str], ...]
"""The languages of a file's headings, those that have the most of them first; equals stand together."""


def spoken(columns: Sequence[str]) -> Spoken:
    """A name of several languages counts for each of them a part, and one that means several things not at all."""
    shares = Counter[str]()
    for meanings in (_concepts().get(known_part(column), {}) for column in columns):
        if len(set(meanings.values())) == 1:
            languages = next(iter(meanings.values()))
            shares.update(dict.fromkeys(languages, Fraction(1, len(languages))))
    alike = groupby(sorted(shares, key=lambda each: -shares[each]), key=lambda each: shares[each])
    return tuple(frozenset(languages) for _, languages in alike)


def _settled(meanings: Mapping[str, frozenset[str]], languages: Spoken) -> set[str]:
    """What a name stands for in the first of these languages that have it; in none of them, all that it may be."""
    found = ({concept for concept, own in meanings.items() if own & each} for each in languages)
    return next(filter(None, found), set(meanings))


def bare(name: str, units: Units | None = None) -> tuple[str, str]:
    """A column's name without signs, and the unit or currency that it says: "Leistung [kW]" is leistung and kW.

    ``units`` are the tenant's, else those that every tenant has. UM ends a name, for µm is written otherwise.
    """
    known, name = units or shipped(), name[:LONGEST_HEADING]
    whole = [text for text in _WITH_BRACKETS.findall(name) if unit_named(text, known)]
    said = (text for text in BRACKETED.findall(name) if unit_named(text, known) or currency_of(text))
    unit = next(chain(whole, said), "")
    rest = BRACKETED.sub(" ", name.replace(unit, " ") if whole else name)
    words = re.sub(r"(?<=[A-Za-zÄÖÜäöü])\s+in\s+(?=\S+$)", " ", rest).split()
    for count in (2, 1):
        last = " ".join(words[-count:])
        if (
            not unit
            and len(words) > count
            and (len(last) > 1 or words[-2].endswith(","))
            and (named := unit_named(last, known))
            and named.dimension not in COUNTED
            and (last in known.by_spelling or fold(last) not in _concepts())
        ):
            unit, words = last, words[:-count]
    folded = re.sub(r"(?<=\w)[-‐–](?=\w)", " ", fold(re.sub(r"(?<=[nN])\.?[°º]", " ", " ".join(words))))
    plain = _joined(re.sub(r"(?:[^\w#/]|_)+", " ", folded).strip())
    if not unit and (code := currency_of(name, units=units)):
        unit = code
        plain = " ".join(word for word in plain.split() if word.upper() != unit)
    return plain, unit


def known_part(column: str) -> str:
    """Returns a bare name; of a heading in two languages that nobody knows as a whole, what is in Latin letters."""
    plain = bare(column)[0]
    latin = _joined(re.sub(r"[^a-z0-9#/]+", " ", plain).strip())
    return latin if plain not in _concepts() and re.search("[a-z]", latin) else plain


def _joined(plain: str) -> str:
    """Writes letters that stood apart by points as one word: c i f is cif."""
    spelled = re.sub(r"(?<![a-z0-9])[a-z](?: [a-z])+(?![a-z0-9])", lambda found: found[0].replace(" ", ""), plain)
    return re.sub(r" /(?=\S)", "/", spelled)


def unknown_unit(column: str, units: Units) -> str | None:
    """Returns the text in brackets where a unit would stand, if it is neither a known unit nor a currency. In square
    ones it is always meant as one, in round ones if it is a short word that is no remark.
    """
    said = re.search(r"\[([^\[\]]+)\]", column)
    if said is None:
        said = re.search(r"\(([^\W\d_]{1,4})\.?\)\s*$", column)
        if said is not None and re.fullmatch(_within("not_units"), fold(said[1])):
            return None
    known = said is None or unit_named(said[1], units) is not None or currency_of(said[1].upper()) is not None
    return None if known or said is None else said[1]


def concepts_of(column: str, languages: Spoken = ()) -> dict[str, float]:
    return likeness(known_part(column), languages)


@lru_cache(maxsize=10_000)
def likeness(plain: str, languages: Spoken) -> dict[str, float]:
    """Returns, by concept, the likelihood that a bare name stands for it, in [SURE, 1]; lower ones are left out."""
    known = _concepts()
    # Where nothing parts words, what says that tax is in an amount stands at its name.
    apart = re.sub(
        rf"^(?:{_within('with_tax')})(?=[{UNPARTED}])|(?<=[{UNPARTED}])(?:{_within('with_tax')})$", "", plain
    )
    plain = apart if plain not in known else plain
    if meanings := known.get(plain) or known.get(plain.replace("/", " ")):
        return dict.fromkeys(_settled(meanings, languages), 1.0)
    words, found = plain.split(), dict[str, float]()
    for first in range(len(words)):
        for last in range(first + 1, min(first + _most_words(), len(words)) + 1):
            share = 0.5 + 0.45 * (last - first) / len(words) - (0.1 if first else 0.0)
            if share < SURE:
                continue
            part, beside = " ".join(words[first:last]), " ".join(words[:first] + words[last:])
            if part in known and len(part) > 1 and _may_stand_within(part, beside):
                meant = _settled(known[part], languages)
                meant -= GOODS if re.fullmatch(_within("for"), words[0]) else set()
                for concept in meant - (NAMED if any(map(_numbers, beside.split())) else set()):
                    found[concept] = max(found.get(concept, 0.0), share)
    return _net_or_gross(words, found)


def _may_stand_within(part: str, beside: str) -> bool:
    """Whether a name may be meant as a part of a heading: "code" beside a word that names no goods is the code of
    something else.
    """
    return not _numbers(part) or not GOODS.isdisjoint(_concepts().get(beside, {}))


def _numbers(word: str) -> bool:
    """Whether a word says that something is numbered, whatever it is."""
    return re.fullmatch(_within("number"), word) is not None


def _net_or_gross(words: Sequence[str], found: Mapping[str, float]) -> dict[str, float]:
    """A price is the list price where its heading says gross, and surely the price where it says net."""
    net = {word for word in words if re.fullmatch(_within("net"), word)}
    gross = {word for word in words if re.fullmatch(_within("gross"), word)}
    if bool(net) == bool(gross) or "price" not in found:
        return dict(found)
    core = " ".join(word for word in words if word not in net | gross)
    sure = 0.95 if _concepts().get(core, {}).keys() & {"price"} else found["price"]
    others = {concept: share for concept, share in found.items() if concept != "price"}
    return others | {"price" if net else "list_price": sure}


def choice_named(name: str, text: str, choices: tuple[str, ...]) -> str | None:
    plain, known = re.sub(r"(?:[^\w ]|_)+", " ", fold(text)).strip(), data()["values"].get(name, {})
    for meant, names in known.items():
        if plain in map(fold, names) or plain == fold(meant):
            return str(meant)
    return next((choice for choice in choices if fold(choice) == fold(text)), None)


def family_named(text: str, families: Families) -> str | None:
    """Returns the family of which a text has the longest name; a compound word counts as the word that it ends in.
    Where none is the same but for the endings of plurals, the vowel at the end may differ as well: forno and forni.
    """
    for stem in (stem_of, _without_vowel):
        said = _stems(text, stem)
        found = []
        for family, names in families.items():
            for name in names:
                words = _stems(name, stem)
                if words and any(_matches(said[at : at + len(words)], words) for at in range(len(said))):
                    found.append((len("".join(words)), family))
        if found:
            return max(found)[1]
    return None


def families_among(texts: Sequence[str], families: Families) -> int:
    """Counts the texts that are the name of a family and nothing else, whatever the endings of plurals."""
    ways: Sequence[Callable[[str], str]] = (stem_of, _without_vowel)
    names = [{tuple(_stems(name, stem)) for each in families.values() for name in each} for stem in ways]
    return sum(any(tuple(_stems(text, stem)) in own for stem, own in zip(ways, names, strict=True)) for text in texts)


def _stems(text: str, stem: Callable[[str], str]) -> list[str]:
    return [stem(word) for word in words_of(text)]


def _without_vowel(word: str) -> str:
    stem = stem_of(word)
    return stem[:-1] if len(stem) > 4 and stem[-1] in "aeiouy" else stem


def _matches(said: Sequence[str], words: Sequence[str]) -> bool:
    """Whether both have the same words; a single long one may also be the end of a compound."""
    if len(words) == 1 and len(words[0]) > 4:
        return bool(said) and said[0].endswith(words[0])
    return list(said) == list(words)


def quantity_from(column: str) -> str | None:
    """The quantity from which a column's prices hold: "ab 10 Stk", "Qty Break 50", "100+", "25-99"."""
    amount, start, pieces = map(_within, ("amount", "from", "pieces"))
    pattern = rf"(?:(?:{amount}) )?(?:{start})? ?(\d{{1,6}})(?: \d{{1,6}})? ?(?:{pieces})?"
    found = re.fullmatch(pattern, bare(column)[0])
    return found[1] if found else None


def prices_and_quantities(columns: Sequence[str]) -> dict[str, FieldRule]:
    """Returns rules of tiers of which one column has the quantity and another the price, both numbered from 1 or 2
    on: "Qty 1", "Price 1". In "from 10" the number is itself the quantity.
    """
    quantities, amounts = dict[int, str](), dict[int, str]()
    for column in columns:
        found = re.fullmatch(r"(\D+?) ?([1-9])", bare(column)[0])
        meant = likeness(found[1], ()).keys() if found else set()
        if found and (meant & {"quantity", "from_quantity"} or re.fullmatch(_within("from"), found[1])):
            quantities[int(found[2])] = column
        elif found and meant & set(AMOUNTS):
            amounts[int(found[2])] = column
    both = sorted(quantities.keys() & amounts.keys())
    if len(both) < len(quantities) or both not in (list(range(at, at + len(both))) for at in (1, 2)):
        return {}
    return {f"tiers.{at}": FieldRule(columns=(amounts[at],), at=quantities[at]) for at in both}


def counts_columns(column: str) -> bool:
    """Whether the quantity from which on a price holds may only number it, as in "Price 2"."""
    return re.fullmatch(rf"(?:{_within('amount')}) ?[2-9]", bare(column)[0]) is not None


def is_unnamed(sheet: str) -> bool:
    """Whether a sheet has the name that a program gave it."""
    return re.fullmatch(rf"(?:{_within('sheet')})\s?\d*|articles|prices", fold(sheet)) is not None


def with_tax(column: str) -> bool:
    """Whether a column's name says that tax is in its amounts: "Prix TTC", "PVP c/ IVA", "Cena brutto"."""
    return re.search(rf"\b(?:{_within('with_tax')})\b", " ".join(words_of(column))) is not None


def is_net_or_gross(word: str) -> bool:
    """Whether a word beside an amount says that tax or a discount is in it or not: TTC, NET."""
    return with_tax(word) or fold(word) in {*data()["within"]["net"], *data()["within"]["gross"]}


def is_net(column: str) -> bool:
    """Whether a column's name says that its prices are what is left after discounts: "Precio neto (€)"."""
    return re.search(rf"\b(?:{_within('net_price')})\b", bare(column)[0]) is not None


@cache
def _within(key: str) -> str:
    """Any of the words that the file has under a key, the longest first."""
    return "|".join(sorted(map(fold, data()["within"][key]), key=len, reverse=True))
