"""The words of the trade in four languages: shipped as data beside this module, extended by a tenant's own rows."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from quarry.understanding.needs import Language, Operator
from quarry.understanding.text import Token, fold, key_of, tokens

LANGUAGES: tuple[Language, ...] = ("en", "de", "es", "fr")
FOLDER = Path(__file__).parent / "words"
LONGEST_PHRASE = 8
SHORTEST_FORGIVEN = 7
"""Letters of a trade word in which one slip is forgiven."""


@dataclass(frozen=True, slots=True)
class Meaning:
    attribute: str
    value: str
    language: str
    family: str = ""
    """When set, the phrase means this only where that family is asked for: "dry" of a vacuum pump."""


@dataclass(frozen=True, slots=True)
class Equivalent:
    """What a competitor's model is worth in needs: Sierra 100 is an oil-free screw of 100 HP."""

    maker: str
    model: str
    needs: tuple[tuple[str, str | float], ...]


@dataclass(frozen=True)
class Vocabulary:
    phrases: Mapping[str, tuple[Meaning, ...]]
    longest: Mapping[str, int]
    """By the first word of a phrase: words of the longest phrase that begins with it."""
    bounds: Mapping[str, Operator]
    bounds_after: Mapping[str, Operator]
    numbers: Mapping[str, float]
    stop: frozenset[str]
    languages: Mapping[str, frozenset[str]]
    makers: Mapping[str, str]
    everyday: frozenset[str]
    spelt: Mapping[tuple[str, int], tuple[str, ...]]
    """Single words by first letter and length, to forgive one slip."""
    maker_starts: frozenset[str]
    """First words of the makers that ship; a word that is none of them names no maker."""
    time_starts: frozenset[str]
    makes: Mapping[str, str] = field(default_factory=dict)
    """By a maker's name: the family that it is known for."""
    counting_kw: frozenset[str] = frozenset()
    """Makers whose model names tell kW and not HP."""
    equivalents: tuple[Equivalent, ...] = ()

    @staticmethod
    def shipped() -> "Vocabulary":
        """The words that come with the product; read once."""
        return _shipped()

    def extended(
        self, rows: Iterable[Mapping[str, object]] = (), *, equivalents: Iterable[Mapping[str, object]] = ()
    ) -> "Vocabulary":
        """These words with a tenant's own: rows {term, language, attribute, value} and {maker, model, needs...}."""
        phrases, longest, spelt = dict(self.phrases), dict(self.longest), dict(self.spelt)
        for row in rows:
            term, language = str(row.get("term") or ""), str(row.get("language") or "en")
            meaning = Meaning(str(row.get("attribute") or ""), str(row.get("value") or ""), language)
            if meaning.attribute and meaning.value:
                for form in inflected(_plain(term), language):
                    _add(phrases, longest, form, meaning)
                    if " " not in form and len(form) >= SHORTEST_FORGIVEN:
                        bucket = (form[0], len(form))
                        spelt[bucket] = (*spelt.get(bucket, ()), form)
        known = tuple(made for row in equivalents if (made := _equivalent(row)) is not None)
        return replace(self, phrases=phrases, longest=longest, spelt=spelt, equivalents=(*self.equivalents, *known))

    def match(self, words: Sequence[Token], place: int, *, bar: int | None = None) -> tuple[int, tuple[Meaning, ...]]:
        """Words of the longest phrase that begins at `place`, before `bar`, and what it means; (0, ()) for none."""
        most = self.longest.get(words[place].text, 0)
        if not most:
            return 0, ()
        texts = [words[place].text]
        for token in words[place + 1 : min(place + most, len(words) if bar is None else bar)]:
            if not token.soft:
                break
            texts.append(token.text)
        for count in range(len(texts), 0, -1):
            found = self.phrases.get(" ".join(texts[:count]) if count > 1 else texts[0])
            if found:
                return count, found
        return 0, ()

    def language_of(self, words: list[Token]) -> Language:
        """The language that most of the words belong to; English where they do not say."""
        score = dict.fromkeys(LANGUAGES, 0.0)
        for token in words[:300]:
            if len(token.text) < 2 or token.number:
                continue
            spoken = self.languages.get(token.text, ())
            for language in spoken:
                score[language] += 1 / len(spoken)  # type: ignore[index]  # the keys of `languages` hold nothing else
        return max(LANGUAGES, key=lambda language: score[language])


_SPELT_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "ae", "Ö": "oe", "Ü": "ue", "ß": "ss"})


def _plain(phrase: str) -> str:
    return " ".join(token.text for token in tokens(fold(phrase)))


_ENDINGS = {
    "en": ("s",),
    "de": ("e", "en", "er", "es", "em", "n", "s"),
    "es": ("s", "es"),
    "fr": ("s", "e", "es", "x"),
}


def _forms(word: str, language: str) -> list[str]:
    if len(word) < 4 or word[0].isdigit():
        return [word]
    forms = [word, *(word + ending for ending in _ENDINGS.get(language, ()))]
    if language == "es" and word.endswith("o"):
        forms += [word[:-1] + ending for ending in ("a", "as")]
    if language == "en" and word.endswith("y"):
        forms.append(word[:-1] + "ies")
    if language == "en" and word.endswith(("s", "x", "ch", "sh")):
        forms.append(word + "es")
    return forms


def inflected(phrase: str, language: str) -> list[str]:
    """A phrase in the forms that its language gives to its last word, and in es and fr to its first word too."""
    words = phrase.split()
    if not words or len(words) > LONGEST_PHRASE:
        return []
    lasts = _forms(words[-1], language)
    if len(words) == 1:
        return lasts
    first = _forms(words[0], language)[:2] if language in ("es", "fr", "de") else words[:1]
    return [" ".join([head, *words[1:-1], tail]) for head in first for tail in lasts[: 7 if language == "de" else 3]]


def _add(phrases: dict[str, tuple[Meaning, ...]], longest: dict[str, int], form: str, meaning: Meaning) -> None:
    if not form:
        return
    known = phrases.get(form, ())
    if not any((each.attribute, each.value, each.family) == (meaning.attribute, meaning.value, meaning.family)
               and (each.attribute != "role" or each.language == meaning.language) for each in known):  # fmt: skip
        phrases[form] = (*known, meaning)
    words = form.split()
    longest[words[0]] = max(longest.get(words[0], 0), len(words))


def _equivalent(row: Mapping[str, object]) -> Equivalent | None:
    maker, model = str(row.get("maker") or ""), str(row.get("model") or "")
    needs = tuple(
        (name, value)
        for name, value in row.items()
        if name not in ("maker", "model") and isinstance(value, str | float | int) and not isinstance(value, bool)
    )
    return Equivalent(maker, model, needs) if key_of(model) or maker else None


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def _shipped() -> Vocabulary:
    phrases: dict[str, tuple[Meaning, ...]] = {}
    longest: dict[str, int] = {}
    bounds: dict[str, Operator] = {}
    bounds_after: dict[str, Operator] = {}
    numbers: dict[str, float] = {}
    spoken: dict[str, set[str]] = {}
    stop: set[str] = set()
    for language in LANGUAGES:
        data = _read(language)
        for written, meaning, bent in _meanings(data, language):
            phrase, spelt_out = _plain(written), _plain(written.translate(_SPELT_OUT))
            forms = inflected(phrase, language) if bent else [phrase]
            if language == "de" and spelt_out != phrase:
                forms += inflected(spelt_out, language) if bent else [spelt_out]
            for form in forms:
                _add(phrases, longest, form, meaning)
                for word in form.split():
                    spoken.setdefault(word, set()).add(language)
        for operator, words in data["bound"].items():
            bounds |= {_plain(word): operator for word in words}
        for operator, words in data["bound_after"].items():
            bounds_after |= {_plain(word): operator for word in words}
        numbers |= {fold(word): float(value) for word, value in data["number"].items()}
        of_language = {word for line in data["stop"]["words"].split() for word in _plain(line).split()}
        stop |= of_language
        for word in of_language | {fold(word) for word in data["number"]}:
            spoken.setdefault(word, set()).add(language)
    for phrase, meanings in list(phrases.items()):
        _name_the_family(phrases, longest, phrase, meanings)
    makers = _read("makers")
    known_makers = {_plain(maker): maker for maker in makers["makers"]}
    spelt: dict[tuple[str, int], tuple[str, ...]] = {}
    for form in phrases:
        if len(form) >= SHORTEST_FORGIVEN and " " not in form:
            spelt[form[0], len(form)] = (*spelt.get((form[0], len(form)), ()), form)
    return Vocabulary(
        phrases=phrases,
        longest=longest,
        bounds=bounds,
        bounds_after=bounds_after,
        numbers=numbers,
        stop=frozenset(stop),
        languages={word: frozenset(which) for word, which in spoken.items()},
        makers=known_makers,
        everyday=frozenset(makers["everyday"]),
        counting_kw=frozenset(makers["counting_kw"]),
        makes={maker: family for family, known in makers["makes"].items() for maker in known},
        spelt=spelt,
        maker_starts=frozenset(maker.split()[0] for maker in known_makers),
        time_starts=frozenset(
            phrase.split()[0] for phrase, said in phrases.items() if any(each.attribute == "time" for each in said)
        ),
    )


KIND_OF_FAMILY = {
    "compressor": "compression",
    "vacuum_pump": "compression",
    "blower": "compression",
    "dryer": "dryer_kind",
    "filtration": "filter_kind",
}
SAY_THE_KIND = frozenset(("compression", "dryer_kind", "lubrication", "portability", "filter_kind", "accessory_kind"))


def _name_the_family(
    phrases: dict[str, tuple[Meaning, ...]], longest: dict[str, int], phrase: str, meanings: tuple[Meaning, ...]
) -> None:
    """A phrase that says a kind and ends with a family says that family too, and one that says a family says the kind
    that is in it: heatless dryer, sécheur par adsorption.
    """
    kinds = {meaning.attribute for meaning in meanings}
    words = phrase.split()
    if len(words) < 2:
        return
    if "family" in kinds:
        known = KIND_OF_FAMILY.get(next(meaning.value for meaning in meanings if meaning.attribute == "family"), "")
        parts = (" ".join(words[low:high]) for low in range(len(words)) for high in range(low + 1, len(words) + 1))
        found = [meaning for part in parts if part != phrase for meaning in phrases.get(part, ())]
        wanted = [meaning for meaning in found if meaning.attribute == known and known not in kinds]
    else:
        found = list(phrases.get(words[-1], ())) if kinds & SAY_THE_KIND else []
        wanted = [meaning for meaning in found if meaning.attribute == "family"]
    for meaning in wanted:
        _add(phrases, longest, phrase, meaning)


def _meanings(data: Mapping[str, Any], language: str) -> Iterable[tuple[str, Meaning, bool]]:
    """Every phrase of one language with what it says, and whether it bends with grammar."""
    for attribute, values in data["term"].items():
        for value, listed in values.items():
            yield from ((phrase, Meaning(attribute, value, language), True) for phrase in listed)
    for family, attributes in data.get("when", {}).items():
        for attribute, values in attributes.items():
            for value, listed in values.items():
                yield from ((phrase, Meaning(attribute, value, language, family), True) for phrase in listed)
    for kind in ("role", "dimension", "time"):
        for value, listed in data[kind].items():
            yield from ((phrase, Meaning(kind, value, language), kind != "role" or value == "replace")
                        for phrase in listed)  # fmt: skip
    compound = data.get("compound", {"heads": {}, "firsts": {}})
    for first, says in compound["firsts"].items():
        for head, family in compound["heads"].items():
            for said in [*says, family]:
                attribute, _, value = said.partition(":")
                yield first + head, Meaning(attribute, value, language), False
                yield f"{first} {head}", Meaning(attribute, value, language), False
