"""`python -m local.vocabulary`: every form of the words of the trade, worked out from the languages' files.

That takes a tenth of a second, which the first search of each environment would wait for otherwise.
"""

import argparse
import json
import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from quarry.understanding.dates import SEASONS
from quarry.understanding.inflection import inflected, plain
from quarry.understanding.synonyms import ASKED_ONLY
from quarry.understanding.text import fold
from quarry.understanding.words import LANGUAGES, TABLE, Meaning

FOLDER = TABLE.parent
SPELT_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "ae", "Ö": "oe", "Ü": "ue", "ß": "ss"})
KIND_OF_FAMILY = {
    "compressor": "compression",
    "vacuum_pump": "compression",
    "blower": "compression",
    "dryer": "dryer_kind",
    "filtration": "filter_kind",
}
SAY_THE_KIND = frozenset(("compression", "dryer_kind", "lubrication", "portability", "filter_kind", "accessory_kind"))
Phrases = dict[str, tuple[Meaning, ...]]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m local.vocabulary", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail where the file has drifted")
    arguments = parser.parse_args()
    if not arguments.check:
        TABLE.write_text(written(), "utf-8")
        return 0
    if TABLE.read_text("utf-8") == written():
        return 0
    print(f"{TABLE.name} does not follow from the words: run make manifest.", file=sys.stderr)
    return 1


def written() -> str:
    """The file: a line for each list, and the forms grouped by what they mean, one group a line."""
    phrases, archive, lists = _of_languages()
    told = "".join(f'"{name}":{_compact(lists[name])},\n' for name in lists)
    return "{\n" + told + f'"phrases":[\n{_lines(phrases)}\n],\n"archive":[\n{_lines(archive)}\n]}}\n'


def _lines(phrases: Phrases) -> str:
    groups = _grouped({form: _compact([_fields(each) for each in said]) for form, said in phrases.items()})
    return ",\n".join(f"[{said},{_compact(listed)}]" for said, listed in groups.items())


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _of_languages() -> tuple[Phrases, Phrases, dict[str, object]]:
    """What phrases say, what they say of past quotes alone, and the lists."""
    phrases: Phrases = {}
    archive: Phrases = {}
    bounds: dict[str, dict[str, str]] = {"bound": {}, "bound_after": {}}
    numbers: dict[str, dict[str, float]] = {}
    months: dict[str, int] = {}
    stop: set[str] = set()
    idle: set[str] = set()
    idle_of_quotes: set[str] = set()
    spoken: dict[str, set[str]] = {}
    scopes: list[list[object]] = []
    asked_scopes: list[list[object]] = []
    collocations: list[list[object]] = []
    for language in LANGUAGES:
        data = _read(language)
        _add_forms(phrases, spoken, data, language)
        _add_forms(archive, {}, {"term": data["archive"]}, language)
        for kind, known in bounds.items():
            known |= {plain(word): operator for operator, words in data[kind].items() for word in words}
        collocations += [_collocation(each, language) for each in data.get("collocation", ())]
        for kept, name in ((scopes, "scope"), (asked_scopes, "asked_scope")):
            kept += [[inflected(plain(term), language), language, service]
                     for service, terms in data[name].items() for term in terms]  # fmt: skip
        numbers[language] = {fold(word): float(value) for word, value in data["number"].items()}
        months |= {plain(word): int(month) for month, words in data["month"].items() for word in words}
        stop |= (said := {part for word in data["stop"]["words"].split() for part in plain(word).split()})
        idle_of_quotes |= {part for word in data["stop"]["idle_of_quotes"].split() for part in plain(word).split()}
        idle |= {part for word in data["stop"]["idle"].split() for part in plain(word).split()}
        for word in said.union(map(fold, data["number"])):
            spoken.setdefault(word, set()).add(language)
    for phrase, meanings in list(phrases.items()):
        _name_the_family(phrases, phrase, meanings)
    makers = _read("makers")
    named = {plain(maker): maker for maker in makers["makers"]}
    short = _short_names(named, phrases)
    return (
        phrases,
        archive,
        {
            "bounds": bounds["bound"],
            "bounds_after": bounds["bound_after"],
            "numbers": numbers,
            "months": months,
            "stop": sorted(stop),
            "idle": sorted(idle - stop),
            "idle_of_quotes": sorted(idle_of_quotes - stop),
            "makers": short | named,
            "everyday": sorted({*makers["everyday"], *short}),
            "counting_kw": sorted(makers["counting_kw"]),
            "makes": {maker: family for family, known in makers["makes"].items() for maker in known},
            "longest": _longest(phrases),
            "time_starts": sorted({form.split()[0] for form, said in phrases.items() if _tells_time(said)}),
            "scopes": scopes,
            "asked_scopes": asked_scopes,
            "collocations": collocations,
            **{
                name: [[_synonym(phrase) for phrase in group] for group in groups.values()]
                for name, groups in _read("synonyms").items()
            },
            **_problems(_read("problems")),
            "languages": _grouped({word: " ".join(sorted(spoken[word])) for word in sorted(spoken)}),
        },
    )


def _collocation(given: Mapping[str, Any], language: str) -> list[object]:
    """What two words say near each other, and the forms of either."""
    said = [each.partition(":")[::2] for each in given["says"]]
    sides = [
        sorted({form for word in given[side] for form in inflected(plain(word), language)}) for side in ("act", "of")
    ]
    return [said, given.get("alone", False), *sides]


def _synonym(phrase: str) -> str:
    """A phrase of a group, behind its question mark where only requests say so."""
    return (ASKED_ONLY if phrase.startswith(ASKED_ONLY) else "") + plain(phrase)


def _problems(data: Mapping[str, Any]) -> dict[str, object]:
    """Problems, and what stands before a product that is wanted or is there, in the words of all languages."""
    return {
        "problems": [
            [
                each["says"],
                each.get("trades", []),
                *(_said(each[part]) for part in ("thing", "trouble")),
                _folded(each.get("unless", ())),
            ]
            for each in data["problem"]
        ],
        **{name: _said(data[name]) for name in ("asking", "having", "enough")},
    }


def _said(by_language: Mapping[str, Iterable[str]]) -> list[str]:
    spelt = [hasty for text in by_language["de"] if (hasty := text.translate(SPELT_OUT)) != text]
    return _folded([*(text for listed in by_language.values() for text in listed), *spelt])


def _folded(phrases: Iterable[str]) -> list[str]:
    """The phrases in the words that a request is cut into; "=" stands before a word that bends with no grammar."""
    return list(dict.fromkeys(
        " ".join("=" * word.startswith("=") + part for word in text.split() for part in plain(word).split())
        for text in phrases
    ))  # fmt: skip


def _short_names(makers: Mapping[str, str], phrases: Phrases) -> dict[str, str]:
    """The first word of a maker whose other word is a family's, where no other maker begins with it: Manchester Tank
    is Manchester too, where that is written as a name.
    """
    firsts = [maker.split()[0] for maker in makers]
    return {
        first: maker
        for name, maker in makers.items()
        for first, *others in [name.split()]
        if len(first) >= 5 and len(others) == 1 and firsts.count(first) == 1
        and any(each.attribute == "family" for each in phrases.get(others[0], ()))
    }  # fmt: skip


def _tells_time(meanings: Iterable[Meaning]) -> bool:
    return any(meaning.attribute == "time" for meaning in meanings)


def _longest(phrases: Iterable[str]) -> dict[str, int]:
    """By the first word of phrases of several words: how many the longest has."""
    longest: dict[str, int] = {}
    for words in map(str.split, phrases):
        if len(words) > 1:
            longest[words[0]] = max(longest.get(words[0], 0), len(words))
    return longest


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(Path(FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def _grouped(values: Mapping[str, str]) -> dict[str, list[str]]:
    """The keys of each value, in the order in which they came."""
    groups: dict[str, list[str]] = {}
    for key, value in values.items():
        groups.setdefault(value, []).append(key)
    return {value: groups[value] for value in sorted(groups)}


def _fields(meaning: Meaning) -> list[str]:
    said = [meaning.attribute, meaning.value, meaning.language]
    return [*said, meaning.family] if meaning.family else said


def _add_forms(phrases: Phrases, spoken: dict[str, set[str]], data: Mapping[str, Any], language: str) -> None:
    for text, meaning, bent in _meanings(data, language):
        hasty = text.translate(SPELT_OUT) if language == "de" else text.replace("n't", "nt")
        spellings = dict.fromkeys((plain(text), plain(hasty)))
        for phrase in spellings:
            for form in inflected(phrase, language) if bent else [phrase]:
                _add(phrases, form, meaning)
                for word in form.split():
                    spoken.setdefault(word, set()).add(language)


def _add(phrases: Phrases, form: str, meaning: Meaning) -> None:
    if not form:
        return
    known = phrases.get(form, ())
    if not any((each.attribute, each.value, each.family) == (meaning.attribute, meaning.value, meaning.family)
               and (each.attribute != "role" or each.language == meaning.language) for each in known):  # fmt: skip
        phrases[form] = (*known, meaning)


def _name_the_family(phrases: Phrases, phrase: str, meanings: tuple[Meaning, ...]) -> None:
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
        _add(phrases, phrase, meaning)


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
        for value, listed in data.get(kind, {}).items():
            # A season's plural says something else: falls.
            bent = value == "replace" or (kind != "role" and value not in SEASONS)
            yield from ((phrase, Meaning(kind, value, language), bent) for phrase in listed)
    compound = data.get("compound", {"heads": {}, "firsts": {}})
    for first, says in compound["firsts"].items():
        for head, family in compound["heads"].items():
            named = {plain(word) for words in data["term"]["family"].values() for word in words}
            # What is named itself is what it is called: a Vakuumanlage is no plant of compressors.
            for said in says if plain(first + head) in named else [*says, family]:
                attribute, _, value = said.partition(":")
                yield first + head, Meaning(attribute, value, language), False
                yield f"{first} {head}", Meaning(attribute, value, language), False


if __name__ == "__main__":
    sys.exit(main())
