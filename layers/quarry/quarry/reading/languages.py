"""Language packs: the words that languages express bounds, ranges, negations and figures with, as data."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from quarry.attributes.units import shipped
from quarry.reading.source import Phrases, pieces_of
from quarry.text import fold, stem_of

_FIGURE = re.compile(r"(?<![^\W\u3005-\ud7a3])\d[\d.,]*")
"""Matches a figure, also right behind a letter of scripts that part no words; that of m3 is none."""
_OF_YEARS = {"earlier": "<", "later": ">"}
OPERATORS = {"at_least": ">=", "at_most": "<=", "more": ">", "less": "<", "about": "~"}


class LanguageWords(NamedTuple):
    """The words of one language, with those of all others that are not stop words of it.

    ``bounds`` stand before a figure, ``behind`` after it, ``behind_not`` after what is denied, ``of_years`` before a
    year alone; ``joins`` between two figures or values; ``beside`` before what goods come with or are for,
    ``purpose`` before the latter; ``per`` before the second of two units. ``point`` says whether a point marks
    decimals, None if the language is not known; ``blank`` whether a blank marks thousands.
    """

    language: str | None
    bounds: Phrases
    behind: Phrases
    joins: Phrases
    denials: Phrases
    denied_verbs: Phrases
    behind_not: Phrases
    of_years: Phrases
    beside: Phrases
    purpose: Phrases
    per: re.Pattern[str]
    stop: frozenset[str]
    numbers: Mapping[str, str]
    point: bool | None
    blank: bool


def language_of(words: Sequence[str], *, else_of: str | None = None) -> str | None:
    """Returns the language with the most stop words in a text; where two are equal or none has any, ``else_of`` if it
    has a pack.
    """
    # A letter alone is a unit as often as a word.
    long = [word for word in words if len(word) > 1]
    found = {code: sum(word in stop for word in long) for code, stop in _stop_words().items()}
    best, next_best = sorted(found.values(), reverse=True)[:2]
    if best > next_best:
        return max(found, key=lambda code: found[code])
    return else_of if else_of in found else None


@cache
def words_of(language: str | None) -> LanguageWords:
    """Merges all packs, in which the words of the given language win."""
    packs, operators = _packs(), OPERATORS | _OF_YEARS
    own = _stop_words().get(language or "", frozenset())
    order = [*(code for code in packs if code not in (language, "any")), "any", *([language] if language else [])]

    def phrases(*keys: str) -> Phrases:
        found = Phrases()
        for code in order:
            is_foreign = code not in (language, "any")
            for key in keys:
                said = _phrases_under(packs[code], key)
                kept = (each for each in said if not (is_foreign and len(each) == 1 and each[0] in own))
                found |= dict.fromkeys(kept, operators.get(key.removeprefix("behind_"), key))
        return found

    def single(key: str) -> frozenset[str]:
        return frozenset(word for (word,) in phrases(key))

    return LanguageWords(
        language=language,
        bounds=phrases(*OPERATORS, "between"),
        behind=phrases(*(f"behind_{key}" for key in OPERATORS)),
        joins=phrases("to", "and", "or"),
        denials=phrases("not", "without"),
        denied_verbs=phrases("does_not"),
        behind_not=phrases("behind_not"),
        of_years=phrases(*_OF_YEARS),
        beside=phrases("with", "for"),
        purpose=phrases("for"),
        per=re.compile(rf" ?(?:/|(?:{'|'.join(sorted(single('per')))})(?!\w)) ?"),
        stop=own or frozenset().union(*_stop_words().values()),
        numbers={word: "/".join(figures) for word, *figures in phrases("numbers")},
        point=bool(packs[language].get("point")) if language else None,
        blank=bool(language and packs[language].get("blank")),
    )


@cache
def plain_words() -> frozenset[str]:
    """Stop words of all languages and the words of yes and no: none of them is a value by itself."""
    plain = (word for both in _yes_and_no().values() for word in both if fold(word) == word)
    return words_of(None).stop.union(plain)


def yes_and_no(language: str) -> tuple[str, str]:
    """Returns the language's words for yes and no, English ones where nobody told them."""
    known = _yes_and_no()
    return known.get(language, known["en"])


def yes_or_no(word: str) -> bool | None:
    """Returns what a word says in whatever language; None where it is neither yes nor no."""
    return _answers().get(fold(word.strip()))


@cache
def _yes_and_no() -> Mapping[str, tuple[str, str]]:
    packs = _packs()
    own = {code: (packs[code]["yes"], packs[code]["no"]) for code in languages()}
    return {code: (yes, no) for code, (yes, no) in packs["any"]["yes_and_no"].items()} | own


@cache
def _answers() -> Mapping[str, bool]:
    return {
        fold(word): said for both in _yes_and_no().values() for word, said in zip(both, (True, False), strict=True)
    }


@cache
def number_stems() -> Mapping[str, str]:
    """The digits of number words in all languages, by stem: "three-way" and "3-way" are one phrase."""
    return {stem_of(word): digits for word, digits in words_of(None).numbers.items() if digits.isdigit()}


@cache
def endings() -> tuple[str, ...]:
    """Returns grammatical endings of all languages, folded, the longest first."""
    listed = {fold(each.strip()) for pack in _packs().values() for each in pack.get("endings", "").split(",")}
    return tuple(sorted(filter(None, listed), key=lambda ending: (-len(ending), ending)))


@cache
def spelled(key: str) -> str:
    """Returns a regular expression for all that the packs have under a key, in folded text."""
    phrases = {fold(each.strip()) for pack in _packs().values() for each in pack.get(key, "").split(",")} - {""}
    longest_first = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    return "|".join(re.escape(phrase).replace(r"\ ", r"\s+") for phrase in longest_first)


def signed(text: str) -> str:
    """Writes the words of a bound before or behind the only figure of a text as its sign: "0.8 MPa or less" becomes
    "<=0.8 MPa". What is a unit right behind a figure stays one: 30 min.
    """
    folded = "".join(plain if len(plain := fold(letter)) == 1 else letter for letter in text)
    if len(_FIGURE.findall(folded)) != 1:
        return text
    for key in ("at_least", "at_most"):
        if before := re.match(rf"(?:{spelled(key)})\.?\s*(?=[+\-−]?\.?\d)", folded):
            return OPERATORS[key] + text[before.end() :]
        words = rf"(?:(?<=[\s\d)])|(?=[^\0-\u2fff]))({spelled(f'behind_{key}')})\.?$"
        behind = re.search(words, folded)
        left = folded[: behind.start()].rstrip() if behind else ""
        if behind and not (left[-1:].isdigit() and shipped().named(behind[1])):
            return OPERATORS[key] + text[: len(left)]
    return text


@cache
def _packs() -> Mapping[str, Mapping[str, Any]]:
    with Path(__file__).with_name("languages.toml").open("rb") as file:
        return tomllib.load(file)


def languages() -> tuple[str, ...]:
    """Returns the codes of all languages that have a pack."""
    return tuple(code for code in _packs() if code != "any")


def marks_decimals_by_point(language: str | None) -> bool:
    """Whether "1.000" is surely one: where nothing is known of a house, figures are as in JSON."""
    return language is None or bool(_packs().get(language, {}).get("point"))


@cache
def _stop_words() -> Mapping[str, frozenset[str]]:
    return {code: frozenset(fold(pack["stop"]).split()) for code, pack in _packs().items() if "stop" in pack}


def _phrases_under(pack: Mapping[str, Any], key: str) -> Iterator[tuple[str, ...]]:
    for phrase in filter(str.strip, pack.get(key, "").split(",")):
        yield tuple(piece for word in phrase.split() for piece in (["*"] if word == "*" else pieces_of(word)))
