"""The words of the trade in four languages: shipped as data beside this module, extended by a tenant's own rows."""

import json
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import islice, product
from pathlib import Path
from typing import Any

from quarry.understanding.collocations import Collocation, by_word
from quarry.understanding.inflection import inflected, plain
from quarry.understanding.needs import Language, Operator
from quarry.understanding.own_attributes import AttributeLabels, OwnAttribute, unmistakable
from quarry.understanding.problem_words import Problems
from quarry.understanding.synonyms import Synonyms
from quarry.understanding.text import Token, halves, key_of, one_slip

LANGUAGES: tuple[Language, ...] = ("en", "de", "es", "fr")
TABLE = Path(__file__).parent / "words" / "phrases.json"
"""Every form of the words in the files beside it, by `make manifest`."""
SHORTEST_WITHIN = 4
"""Letters of a word within a phrase in which one slip is forgiven: its neighbours tell what it is."""
MOST_WITHIN = 4
"""Words of a phrase that are looked at for slips."""
SHORTEST_FORGIVEN = 6
"""Letters of a trade word in which one slip is forgiven; of the shortest a letter that is missing."""


@dataclass(frozen=True, slots=True)
class Meaning:
    attribute: str
    value: str
    language: str
    """Empty for a tenant's own word, which is read in a text of any language."""
    family: str = ""
    """When set, the phrase means this only where that family is asked for: "dry" of a vacuum pump."""


@dataclass(frozen=True, slots=True)
class Equivalent:
    """What a competitor's model is worth in needs: Sierra 100 is an oil-free screw of 100 HP. Without a model it is
    any machine of that maker.
    """

    maker: str
    model: str
    needs: tuple[tuple[str, str | float], ...]


WORTH = (
    "lubrication", "cooling", "drive", "compression", "dryer_kind", "family",
    "hp", "cfm", "psi", "inhg", "dewpoint_f", "gallons",
)  # fmt: skip
"""Attributes of needs that an equivalent may state."""


@dataclass(frozen=True, eq=False)
class Vocabulary:
    phrases: Mapping[str, tuple[Meaning, ...]]
    longest: Mapping[str, int]
    """By the first word of a phrase: words of the longest phrase that begins with it."""
    bounds: Mapping[str, Operator]
    bounds_after: Mapping[str, Operator]
    numbers: Mapping[str, float]
    """Of all languages; `numbers_of` has those of one."""
    months: Mapping[str, int]
    stop: frozenset[str]
    idle: frozenset[str]
    """Words that ask nothing of a product: goes, somebody, Friday; of past quotes: years, reasons, please."""
    languages: Mapping[str, frozenset[str]]
    makers: Mapping[str, str]
    everyday: frozenset[str]
    spelt: Mapping[tuple[str, int], tuple[str, ...]]
    """Single words by first letter and length, to forgive one slip."""
    maker_starts: frozenset[str]
    """First words of the makers that ship; a word that is none of them names no maker."""
    time_starts: frozenset[str]
    numbers_of: Mapping[Language, Mapping[str, float]] = field(default_factory=dict)
    makes: Mapping[str, str] = field(default_factory=dict)
    """By a maker's name: the family that it is known for."""
    counting_kw: frozenset[str] = frozenset()
    """Makers whose model names tell kW and not HP."""
    equivalents: Mapping[str, tuple[Equivalent, ...]] = field(default_factory=dict)
    """By the key of the model, or of the maker where no model is named."""
    scopes: tuple[tuple[Sequence[str], Language, str], ...] = ()
    """What says a service among lines that were written: the forms of a phrase, its language and the service."""
    asked_scopes: tuple[tuple[Sequence[str], Language, str], ...] = ()
    """The same of what says it in a request for lines alone: a written scope may tell of anything."""
    of_rows: "Vocabulary | None" = None
    """The words as rows are read by, where these are fewer."""
    collocations: Mapping[str, tuple[tuple[Collocation, int], ...]] = field(default_factory=dict)
    """What two words say near each other of lines that were written, by the words of either side."""
    synonyms: Synonyms = field(default_factory=lambda: Synonyms(()))
    """Words in which lines, or past quotes, say the same, in all languages."""
    of_quotes: bool = False
    """Whether past quotes are asked for, of which discounts are said and half of the words mean how they ended."""
    of_sales: bool = False
    """Whether past quotes or their lines are asked for: a name that the data does not have is none of theirs."""
    problems: Problems = field(default_factory=Problems)
    """What plants tell instead of the name of a product, where products are asked for."""
    labels: AttributeLabels = field(default_factory=lambda: AttributeLabels(()))
    """What the tenant's own attributes are called."""

    @staticmethod
    def shipped() -> "Vocabulary":
        """The words that come with the product; read once."""
        return _shipped()

    @staticmethod
    def of_archive() -> "Vocabulary":
        """These words with what some say of past quotes alone."""
        return _of_archive()

    @staticmethod
    def of_lines(*, of_quotes: bool) -> "Vocabulary":
        """These words with what some say of lines of past quotes: what two tell together, and how a sale ended. A
        word by itself tells that only where a request speaks of quotes, for a valve is closed too.
        """
        return _of_lines(of_quotes=of_quotes)

    def extended(
        self,
        rows: Iterable[Mapping[str, Any]] = (),
        *,
        equivalents: Iterable[Mapping[str, Any]] = (),
        attributes: Sequence[OwnAttribute] = (),
    ) -> "Vocabulary":
        """These words with a tenant's own: rows of the kinds vocabulary and equivalents, and its goods' attributes.
        What a tenant says of a word goes before what ships. A row is read in a text of any language, but for one that
        says in which it is ``spoken``; one that ships has its ``forms``, which grammar makes of a term.
        """
        named = [{"term": value, "attribute": name, "value": value} for value, name in unmistakable(attributes)]
        phrases = dict(self.phrases)
        for row in (*rows, *named):
            meaning = Meaning(row["attribute"], row["value"], row.get("spoken") or "", row.get("family") or "")
            said = meaning.attribute, meaning.family
            for form in row.get("forms") or inflected(plain(row["term"]), row.get("language") or ""):
                kept = [each for each in phrases.get(form, ()) if (each.attribute, each.family) != said]
                phrases[form] = (*kept, meaning)
        makers, known = dict(self.makers), dict(self.equivalents)
        for row in equivalents:
            needs = tuple((name, row[name]) for name in WORTH if row.get(name) is not None)
            equivalent = Equivalent(row["maker"], row["model"], needs)
            makers.setdefault(plain(equivalent.maker), equivalent.maker)
            key = key_of(equivalent.model or equivalent.maker)
            known[key] = (*known.get(key, ()), equivalent)
        return replace(
            _grown(self, phrases), equivalents=known, makers=makers,
            labels=AttributeLabels(attributes) if attributes else self.labels,
            maker_starts=frozenset(maker.split()[0] for maker in makers),
        )  # fmt: skip

    @cached_property
    def bound_words(self) -> frozenset[str]:
        """The words of which bounds are made: at, least, mindestens."""
        return frozenset(word for phrase in self.bounds for word in phrase.split())

    @cached_property
    def alike(self) -> Mapping[tuple[str, int], tuple[str, ...]]:
        """Words of phrases by first letter and length, to forgive slips within phrases."""
        found: dict[tuple[str, int], list[str]] = {}
        for word in dict.fromkeys(word for form in self.phrases for word in form.split()):
            if len(word) >= SHORTEST_WITHIN and word.isalpha():
                found.setdefault((word[0], len(word)), []).append(word)
        return {bucket: tuple(words) for bucket, words in found.items()}

    def nearly(self, text: str, *, spoken: Set[str]) -> tuple[str, ...]:
        """Words of phrases of the languages ``spoken`` that a text misses by one slip."""
        begin, end = halves(text)
        return tuple(
            word
            for length in (len(text), len(text) - 1, len(text) + 1)
            for word in self.alike.get((text[0], length), ())
            if (word.startswith(begin) or word.endswith(end))
            and one_slip(text, word)
            and not self.languages.get(word, spoken).isdisjoint(spoken)
        )

    def match_nearly(
        self, words: Sequence[Token], place: int, nearly: Mapping[int, Sequence[str]], *, bar: int
    ) -> tuple[int, tuple[Meaning, ...]]:
        """As `match`, of phrases of two words and more in which words have a slip: "liqiud rign"."""
        options: list[Sequence[str]] = []
        for at in range(place, min(place + MOST_WITHIN, bar)):
            if at > place and not words[at].soft:
                break
            options.append((words[at].text, *nearly.get(at, ())))
        for count in range(len(options), 1, -1):
            for texts in product(*options[:count]):
                if found := self.phrases.get(" ".join(texts)):
                    return count, found
        return 0, ()

    @cached_property
    def equivalent_starts(self) -> frozenset[str]:
        """The first two signs of each competitor's model that is known."""
        return frozenset(key[:2] for key, known in self.equivalents.items() if any(each.model for each in known))

    def match(self, words: Sequence[Token], place: int, *, bar: int | None = None) -> tuple[int, tuple[Meaning, ...]]:
        """Words of the longest phrase that begins at `place`, before `bar`, and what it means; (0, ()) for none."""
        first = words[place].text
        most = self.longest.get(first, 0)
        if most < 2:
            return most, self.phrases.get(first, ())
        texts = [first]
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


@cache
def _table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(TABLE.read_bytes())
    return table


def _phrases(listed: Iterable[tuple[Iterable[Sequence[str]], Iterable[str]]]) -> dict[str, tuple[Meaning, ...]]:
    phrases: dict[str, tuple[Meaning, ...]] = {}
    for said, forms in listed:
        phrases |= dict.fromkeys(forms, tuple(Meaning(*fields) for fields in said))
    return phrases


def _tells_a_price(meanings: Iterable[Meaning]) -> bool:
    return any(each.attribute == "price" for each in meanings)


@cache
def problems() -> Problems:
    """The problems that ship; read where products are asked for: a past quote tells many and sold another thing."""
    return Problems.of(_table())


@cache
def _of_archive() -> Vocabulary:
    shipped = _shipped()
    # The archive has words of its own for currencies and countries: "Swiss" is no second need. Freight that the price
    # includes is no line of freight.
    phrases = {form: kept for form, said in shipped.phrases.items()
               if (kept := tuple(each for each in said if each.attribute != "currency"
                                 and not (each.attribute == "service" and _tells_a_price(said))))}  # fmt: skip
    idle = frozenset(_table()["idle_of_quotes"])
    without = replace(shipped, phrases=phrases, spelt=_by_letter(phrases))
    archive = _with(without, _phrases(_table()["archive"]))
    return replace(archive, idle=idle, synonyms=Synonyms(_table()["stories"]), of_quotes=True)


@cache
def _of_lines(*, of_quotes: bool) -> Vocabulary:
    table = _table()
    ended = {
        form: said
        for form, said in _phrases(table["archive"]).items()
        if {each.attribute for each in said} == {"outcome"} and (of_quotes or " " in form)
    }
    together = by_word(
        Collocation(tuple(map(tuple, said)), alone, (frozenset(one), frozenset(other)))
        for said, alone, one, other in table["collocations"]
    )
    return replace(_with(_shipped(), ended), collocations=together)


def _with(vocabulary: Vocabulary, own: Mapping[str, tuple[Meaning, ...]]) -> Vocabulary:
    """The words with what their own phrases say, which goes before what they said of the same."""
    phrases = dict(vocabulary.phrases)
    for form, said in own.items():
        told = {each.attribute for each in said}
        phrases[form] = (*said, *(each for each in phrases.get(form, ()) if each.attribute not in told))
    return _grown(vocabulary, phrases)


def _grown(vocabulary: Vocabulary, phrases: Mapping[str, tuple[Meaning, ...]]) -> Vocabulary:
    """The vocabulary with these phrases, which are its own and those that were added behind them."""
    added = list(islice(phrases, len(vocabulary.phrases), None))
    longest, spelt = dict(vocabulary.longest), dict(vocabulary.spelt)
    for form in added:
        first = form.split()[0]
        longest[first] = max(longest.get(first, 0), form.count(" ") + 1)
    for bucket, forms in _by_letter(added).items():
        spelt[bucket] = (*spelt.get(bucket, ()), *forms)
    return replace(vocabulary, phrases=phrases, longest=longest, spelt=spelt)


def _by_letter(phrases: Iterable[str]) -> dict[tuple[str, int], tuple[str, ...]]:
    spelt: dict[tuple[str, int], list[str]] = {}
    for form in phrases:
        if " " not in form and len(form) >= SHORTEST_FORGIVEN:
            spelt.setdefault((form[0], len(form)), []).append(form)
    return {bucket: tuple(forms) for bucket, forms in spelt.items()}


@cache
def _shipped() -> Vocabulary:
    table = _table()
    phrases = _phrases(table["phrases"])
    languages: dict[str, frozenset[str]] = {}
    for which, words in table["languages"].items():
        languages |= dict.fromkeys(words, frozenset(which.split()))
    longest = {form: 1 for form in phrases if " " not in form}
    return Vocabulary(
        phrases=phrases,
        longest=longest | table["longest"],
        bounds=table["bounds"],
        bounds_after=table["bounds_after"],
        numbers={word: value for known in table["numbers"].values() for word, value in known.items()},
        numbers_of=table["numbers"],
        months=table["months"],
        stop=frozenset(table["stop"]),
        idle=frozenset(table["idle"]),
        languages=languages,
        makers=table["makers"],
        everyday=frozenset(table["everyday"]),
        spelt=_by_letter(phrases),
        maker_starts=frozenset(maker.split()[0] for maker in table["makers"]),
        time_starts=frozenset(table["time_starts"]),
        counting_kw=frozenset(table["counting_kw"]),
        makes=table["makes"],
        scopes=tuple(map(tuple, table["scopes"])),
        asked_scopes=tuple(map(tuple, table["asked_scopes"])),
        synonyms=Synonyms(table["synonyms"]),
    )
