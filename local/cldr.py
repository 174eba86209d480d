"""`python -m local.cldr`: writes what CLDR and `beside_cldr.csv` call units, and currencies of its countries, in each
language.

With --check it writes nothing and fails when the file has drifted.
"""

import csv
import re
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from math import isclose
from typing import Any

from babel import Locale
from babel.core import get_global
from babel.localedata import locale_identifiers

from local.files import ROOT
from quarry.attributes.units import SIGN, shipped, squeezed
from quarry.reading.languages import languages, words_of
from quarry.text import ascii_digits, fold, is_long

FILE = ROOT / "layers" / "quarry" / "quarry" / "attributes" / "spoken.csv"
BESIDE = ROOT / "local" / "beside_cldr.csv"
"""Usual abbreviations and names of trade that CLDR lacks."""

_MEASURES = {"duration": ("time",), "digital": ("data",), "electric": ("voltage", "current")}
"""CLDR's categories of units that are called otherwise than the dimensions of ours."""
_BEYOND = ("EUR", "USD")
"""Currencies that are named in countries of others too."""


def main() -> int:
    if sys.argv[1:] != ["--check"]:
        FILE.write_text(table(), encoding="utf-8")
    elif FILE.read_text(encoding="utf-8") != table():
        print(f"{FILE.relative_to(ROOT)} has drifted. Run `python -m local.cldr`.", file=sys.stderr)
        return 1
    return 0


def table() -> str:
    """Returns the file: a line for each unit in each language, with the spellings that units.csv does not have."""
    spoken = sorted(each for each in locale_identifiers() if len(each) == 2 and each != "en")
    lines = [
        f"{language},{symbol},{'|'.join(spellings)}"
        for language in spoken
        for symbol, spellings in sorted(_spellings_in(language).items())
    ]
    signs = [f",{code},{'|'.join(sorted(spellings))}" for code, spellings in sorted(_signs().items()) if spellings]
    return "\n".join(["language,symbol,spellings", *signs, *lines, ""])


def _signs() -> Mapping[str, set[str]]:
    """Returns the signs of currencies in all languages: alone where people of its own country write so, and with the
    letters of its country and code; and short words that mean several currencies.
    """
    found, owners = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for locale in map(Locale.parse, locale_identifiers()):
        tenders = get_global("territory_currencies").get(locale.territory or "", ())
        own = {code for code, _, until, is_tender in tenders if until is None and is_tender}
        for code, written in locale._data["currency_symbols"].items():
            one = squeezed(_plain(ascii_digits(written)))
            if code not in _tenders():
                continue
            if said := re.fullmatch(rf"([^\W\d_]{{0,3}})({SIGN})", one):
                letters = set(_letters_of(code))
                alone = {said[2]} if code in own and said[1] in {"", *letters} else set()
                found[code] |= alone | {f"{each}{said[2]}" for each in {said[1] or code, *letters}}
            elif one.isascii() and 1 < len(one.rstrip(".")) < len(code):
                owners[one.rstrip(".")].add(code)
    for word, codes in owners.items():
        for code in codes if len(codes) > 1 else ():
            found[code].add(word)
    return found


@cache
def _letters_of(code: str) -> Sequence[str]:
    longer = (each for each, of in get_global("territory_aliases").items() if of == [code[:2]])
    return [code[:2], code, *(each for each in longer if each.isalpha() and len(each) == len(code))]


def _spellings_in(language: str) -> Mapping[str, list[str]]:
    """Returns spellings by symbol. One of several units is left out, unless it is short for one alone or all are
    currencies, of which a house has one.
    """
    data = Locale(language)._data
    units, words = data["unit_patterns"], words_of(language if language in languages() else None)
    is_word = words.stop | {phrase[0] for phrase in words.denials if len(phrase) == 1}
    usual, rare = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for symbol, code in _codes().items():
        for widths, said in ((("long", "short"), usual), (("narrow",), rare)):
            for form in _forms(units.get(code, {}), *widths) if _is_ours(symbol) else ():
                said[form].add(symbol)
    for symbol, parts in _quotients().items():
        for width, said in (("short", usual), ("narrow", rare)):
            for form in _divided(*(units.get(part, {}) for part in parts), width=width):
                said[form].add(symbol)
    for code in _tenders(language):
        names = [*_names_of(code, data), *filter(None, [data["currency_symbols"].get(code)])]
        for name in names:
            usual[_plain(name)].add(code)
        for word in {word for name in names for word in name.split()} if code not in _BEYOND else ():
            if word in _nouns(language):
                usual[word] |= _nouns(language)[word]
    # What people of a language write so is chosen, and goes before what another unit is in small or large letters.
    own = {
        (form, symbol)
        for said_in, symbol, spellings in _beside()
        for form in spellings.split("|")
        if said_in == language
    }
    for form, symbol in own:
        usual[form].add(symbol)
    for form in [each for each in usual if each.endswith(".") and len(each) > 2]:
        rare[form[:-1]] |= usual[form]
    found = defaultdict[str, list[str]](list)
    for spelling, symbols in sorted((rare | usual).items()):
        told = [symbol for symbol in symbols if (spelling, symbol) in own or _tells(spelling, symbol)]
        # A capital alone is no word, for a sentence has more.
        if (len(told) == 1 or set(told) <= _tenders()) and (
            fold(spelling) not in is_word or (len(spelling) == 1 and spelling.isupper())
        ):
            for symbol in told:
                found[symbol].append(spelling)
    return found


@cache
def _beside() -> list[list[str]]:
    with BESIDE.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


def _names_of(code: str, data: Mapping[str, Any]) -> list[str]:
    names = [data["currency_names"].get(code), *dict(data["currency_names_plural"].get(code) or {}).values()]
    return [str(name) for name in names if name]


@cache
def _nouns(language: str) -> Mapping[str, set[str]]:
    """Returns today's currencies by the noun in names of several: lei and kroner, but not the words for Romanian and
    Norwegian. It stands first or last in a language, where there are fewer words.
    """
    data = Locale(language)._data
    names = [(name.split(), code) for code in _tenders() for name in _names_of(code, data) if " " in name]
    at = min((0, -1), key=lambda at: len({name[at] for name, _ in names}))
    found = defaultdict[str, set[str]](set)
    for name, code in names:
        found[name[at]].add(code)
    return {word: codes for word, codes in found.items() if len(codes) > 1 and len(word) > 2}


def _is_ours(spelling: str) -> bool:
    unit = shipped().by_spelling.get(spelling)
    return unit is not None and unit.symbol == spelling


def _tells(spelling: str, symbol: str) -> bool:
    """Whether a spelling is none that units.csv has or the file's own signs, and no letter that is a word as well."""
    if shipped().named(spelling) or spelling in ("", symbol) or re.search(r'[\d,|"{]', spelling):
        return False
    letter = spelling.removesuffix(".")
    if len(letter) > 1 or not letter.isalpha() or is_long(letter * 2):
        return True
    unit = shipped().named(symbol)
    return unit is not None and unit.dimension not in ("time", "temperature", "data") and not unit.is_currency


@cache
def _codes() -> Mapping[str, str]:
    """Maps symbols to CLDR's units: those that it calls in English as units.csv does, others by its abbreviation."""
    found = dict[str, str]()
    for code, widths in Locale("en")._data["unit_patterns"].items():
        category = code.partition("-")[0]
        units = (shipped().by_spelling.get(form) for form in _forms(widths, "long", "short"))
        fit = [unit for unit in units if unit and unit.dimension in _MEASURES.get(category, (category,))]
        for symbol in (fit[0].symbol,) if fit else _forms(widths, "short"):
            if fit or symbol not in shipped().by_spelling:
                found.setdefault(symbol, code)
    return found


@cache
def _quotients() -> Mapping[str, tuple[str, str]]:
    """Maps symbols to the two units of CLDR that they or one of their spellings divide by a stroke."""
    found = dict[str, tuple[str, str]]()
    for spelling, unit in shipped().by_spelling.items():
        if spelling != unit.symbol and "/" in unit.symbol:
            continue
        parts = [(each, shipped().by_spelling.get(each)) for each in spelling.split("/")]
        codes = [_codes().get(known.symbol if known else each) for each, known in parts]
        factors = [known.factor for _, known in parts if known]
        differs = len(factors) == 2 and not isclose(factors[0] / factors[1], unit.factor, rel_tol=1e-3)
        # In t/min people divide turns, and in kg/cm² forces.
        if len(codes) == 2 and codes[0] and codes[1] and not (differs and spelling != unit.symbol):
            found.setdefault(unit.symbol, (codes[0], codes[1]))
    return found


def _forms(widths: Mapping[str, Any], *wanted: str) -> Iterator[str]:
    for width in wanted:
        for count, pattern in dict(widths.get(width, {})).items():
            if count != "per" and isinstance(pattern, str) and ("{0}" not in pattern or pattern.startswith("{0}")):
                form = _plain(pattern.replace("{0}", ""))
                # People write the product of two units with either dot, with a hyphen or with none.
                yield from (re.sub("[·⋅]", sign, form) for sign in ("·", "⋅", "-", "") if form)


def _divided(above: Mapping[str, Any], below: Mapping[str, Any], *, width: str) -> Iterator[str]:
    per = dict(below.get("short", {})).get("per", "{0}")
    for unit in _forms(above, width):
        yield from (f"{unit}/{other}" for other in _forms(below, "short"))
        yield _plain(per.replace("{0}", unit)) if per != "{0}" else ""


def _plain(text: str) -> str:
    seen = "".join(sign for sign in text if unicodedata.category(sign) != "Cf")
    return " ".join(seen.split())


@cache
def _tenders(language: str | None = None) -> frozenset[str]:
    """Returns the currencies of today in all countries, or in those where the language is official."""
    spoken = get_global("territory_languages")
    found = set(_BEYOND)
    for territory, tenders in get_global("territory_currencies").items():
        if language is None or spoken.get(territory, {}).get(language, {}).get("official_status"):
            found |= {code for code, _, until, is_tender in tenders if until is None and is_tender}
    return frozenset(found)


if __name__ == "__main__":
    sys.exit(main())
