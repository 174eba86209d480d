"""Makers and models that a request names: those of the tenant's data, one slip forgiven, and absent ones."""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Literal

from quarry.understanding.needs import Language
from quarry.understanding.text import Token, fold, key_of, tokens
from quarry.understanding.units import unit_at
from quarry.understanding.words import Vocabulary

LONGEST_MODEL = 5
"""Tokens of the longest model looked for: R5 RA 0155 D is r, 5, ra, 0155, d."""
SHORTEST_SLIP = 5
SIGNS_PER_SLIP = 5
MOST_SLIPS = 3
LONG_KEY = 8
"""Letters and digits of a model in which a digit may be missing or swapped; in a shorter one it is another."""
MOST_OF_SERIES = 24
BEGINNING = 4
"""Letters and digits at the beginning of a model of several words that have to be right."""
TITLES = frozenset(
    ("mr", "mrs", "ms", "herr", "herrn", "frau", "monsieur", "madame", "mme", "senor", "senora", "sr", "sra")
)
"""Before a name that is a person's, whatever maker is called so."""
BEFORE_A_MAKER = frozenset(
    ("von", "gegen", "an", "statt", "bei", "gegenuber", "fabrikat", "marke", "hersteller", "firma")
)
"""German words behind which a noun without an article is a name."""

Kind = Literal["manufacturer", "model", "customer", "salesperson", "contact", "quote_number"]


@dataclass(frozen=True, slots=True)
class ModelName:
    model: str
    maker: str


@dataclass(frozen=True)
class Names:
    """The names of a tenant's data. `makers`: folded name to the name as written; `models`: key to who makes it."""

    makers: Mapping[str, str] = field(default_factory=dict)
    models: Mapping[str, Sequence[ModelName]] = field(default_factory=dict)
    customers: Mapping[str, str] = field(default_factory=dict)
    salespeople: Mapping[str, str] = field(default_factory=dict)
    contacts: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def maker_phrases(self) -> Mapping[str, str]:
        """Makers by their words, by their words run together, and by a first word that no other maker begins with."""
        phrases: dict[str, str] = {}
        firsts: dict[str, set[str]] = {}
        for folded, maker in self.makers.items():
            words = [token.text for token in tokens(fold(folded))]
            if words:
                phrases[" ".join(words)] = phrases["".join(words)] = maker
                firsts.setdefault(words[0], set()).add(maker)
        for first, makers in firsts.items():
            if len(makers) == 1 and len(first) >= SHORTEST_SLIP:
                phrases.setdefault(first, next(iter(makers)))
        return phrases

    @cached_property
    def initials(self) -> Mapping[str, str]:
        """Makers of several words by their first letters, where these are of one alone: GD for Gardner Denver."""
        found: dict[str, set[str]] = {}
        for folded, maker in self.makers.items():
            words = [token.text for token in tokens(fold(folded))]
            if 1 < len(words) < 4:
                found.setdefault("".join(word[0] for word in words), set()).add(maker)
        return {letters: next(iter(makers)) for letters, makers in found.items() if len(makers) == 1}

    @cached_property
    def maker_starts(self) -> frozenset[str]:
        return frozenset(phrase.split()[0] for phrase in self.maker_phrases)

    @cached_property
    def beginnings(self) -> frozenset[str]:
        return frozenset(key[:2] for key in self.models)

    @cached_property
    def sorted_keys(self) -> Sequence[str]:
        return sorted(self.models)

    @cached_property
    def keys_by_length(self) -> Mapping[int, Sequence[str]]:
        found: dict[int, list[str]] = {}
        for key in self.models:
            found.setdefault(len(key), []).append(key)
        return found

    @cached_property
    def series(self) -> Mapping[str, frozenset[str]]:
        """Models by the letters that their name begins with: qgv to QGV-50, QGV-75, QGV-100."""
        found: dict[str, set[str]] = {}
        for key, names in self.models.items():
            letters = re.match(r"[a-z]{2,}(?=\d)", key)
            if letters is not None:
                found.setdefault(letters[0], set()).update(name.model for name in names)
        return {letters: frozenset(models) for letters, models in found.items() if len(models) <= MOST_OF_SERIES}

    @cached_property
    def abridged(self) -> Mapping[tuple[str, str], frozenset[str]]:
        """Models by the first word of their name and a long figure further on: R5 and 400 to R5 RA 0400 C."""
        found: dict[tuple[str, str], set[str]] = {}
        for names in self.models.values():
            for name in names:
                first, *others = name.model.split()
                for word in others[1:]:
                    if word.isdecimal() and len(figure := word.lstrip("0")) > 2:
                        found.setdefault((key_of(first), figure), set()).add(name.model)
        return {short: frozenset(models) for short, models in found.items() if len(models) == 1}

    @cached_property
    def abridged_starts(self) -> frozenset[str]:
        """What the first word of a model that can be abridged begins with."""
        return frozenset(first[:length] for first, _ in self.abridged for length in range(1, len(first) + 1))

    @cached_property
    def tails(self) -> Mapping[str, frozenset[str]]:
        """Models by the last word of their name: t75 to EnviroAire T75."""
        found: dict[str, set[str]] = {}
        for names in self.models.values():
            for name in names:
                tail = key_of(name.model.split()[-1]) if " " in name.model else ""
                if len(tail) > 2 and tail[0].isalpha() and tail[-1].isdigit():
                    found.setdefault(tail, set()).add(name.model)
        return {tail: frozenset(models) for tail, models in found.items()}

    @cached_property
    def people(self) -> Mapping[str, tuple[Kind, str]]:
        """Customers, salespeople and contacts by their words, and by any part of their words that is of one alone."""
        whole: dict[str, tuple[Kind, str]] = {}
        parts: dict[str, set[tuple[Kind, str]]] = {}
        of_kind: tuple[tuple[Kind, Mapping[str, str]], ...] = (
            ("contact", self.contacts), ("customer", self.customers), ("salesperson", self.salespeople),
        )  # fmt: skip
        for attribute, names in of_kind:
            for folded, name in names.items():
                meant = (attribute, name)
                for words in _spellings(folded):
                    whole[" ".join(words)] = meant
                    for first in range(len(words)):
                        for last in range(first + 1, len(words) + 1):
                            part = words[first:last]
                            if len(part) > 1 or len(part[0]) > 3:
                                parts.setdefault(" ".join(part), set()).add(meant)
        return {part: next(iter(meant)) for part, meant in parts.items() if len(meant) == 1} | whole


def _spellings(name: str) -> list[list[str]]:
    """The words of a name, with and without the "s" of an owner run together: Brendan's, Brendans."""
    words = [token.text for token in tokens(fold(name))]
    joined: list[str] = []
    for word in words:
        if word == "s" and joined:
            joined[-1] += "s"
        else:
            joined.append(word)
    return [words, joined] if joined != words else [words]


QUOTE_NUMBER = re.compile(r"q\d{6,7}(?:r\d)?")
SPOKEN_QUOTE = re.compile(
    r"(?<![a-z0-9])(?:q[\s-]?|(?:quote|quotation|offer|angebot|cotizacion|oferta|devis|offre)s?\s(?:no\.?\s|number\s|nr\.?\s|#\s?)?)"
    r"(\d{2})[\s-](\d{4})(?![\w-])"
)
"""A number with its blanks, or without its letter behind the word for a quote: q22 0518, quote 22-0518."""
SHORTEST_LOWER = 6
"""Letters of one word of a name that is known without its capital, where it means nothing else."""


@dataclass(frozen=True, slots=True)
class Mention:
    attribute: Kind
    values: frozenset[str]
    first: int
    last: int
    absent: bool = False
    whole: bool = True
    """False for a series or a part of a name, of which several models are meant."""


def one_slip(one: str, other: str) -> bool:
    """True when one letter is wrong, missing or too many, or two neighbours are swapped."""
    if one == other or abs(len(one) - len(other)) > 1:
        return one == other
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    rest, others = one[start:], other[start:]
    if len(rest) == len(others):
        return rest[1:] == others[1:] or (rest[1::-1] == others[:2] and rest[2:] == others[2:])
    return rest[1:] == others or rest == others[1:]


def model_at(
    text: str, words: Sequence[Token], place: int, taken: bytearray, *, names: Names, vocabulary: Vocabulary
) -> Mention | None:
    """The longest model that begins at a token and that exists."""
    key, best = "", None
    for last in range(place, min(place + LONGEST_MODEL + 1, len(words))):
        token = words[last]
        if taken[last] or (last > place and not (token.soft or token.gap.strip(" +$&") == "")):
            break
        key += ("s" if "$" in token.gap and last > place else "") + token.text.replace(".", "").replace(",", "")
        if len(key) > 1 and key[:2] not in names.beginnings:
            break
        if key in names.models and is_a_name(text, key, words, place, last + 1, vocabulary=vocabulary):
            best = Mention("model", frozenset(name.model for name in names.models[key]), place, last + 1)
    return best


def is_a_name(text: str, key: str, words: Sequence[Token], place: int, last: int, *, vocabulary: Vocabulary) -> bool:
    """Whether the tokens from `place` to `last`, whose key is a model's, are meant as one here."""
    letters, digits = any(sign.isalpha() for sign in key), any(sign.isdigit() for sign in key)
    first, end = words[place], words[last - 1]
    if not letters:
        before = words[place - 1].text if place else ""
        said = any(each.value == "model" for each in vocabulary.phrases.get(before, ()))
        return said or (place == 0 and last == len(words)) or before in vocabulary.makers
    if not digits:
        return len(key) > 3 and key not in vocabulary.phrases and key not in vocabulary.stop
    if first.number and last - place == 2 and unit_at(fold(text[first.end : end.end]), 0) is not None:
        return False
    loose = last - place > 1 and words[place + 1].gap == " "
    common = "en" in vocabulary.languages.get(first.text, ())
    return not (loose and common and text[first.start : first.end].islower())


def unknown_model_at(
    text: str, words: Sequence[Token], place: int, taken: bytearray, *, names: Names, vocabulary: Vocabulary
) -> Mention | None:
    """A word of letters and digits that looks like a model and is none: the one it was meant to be, or absent."""
    last = place
    while last < len(words) and last - place < 6 and not taken[last]:
        if last > place and words[last].gap not in ("", "-", ".", "/"):
            break
        last += 1
    written = text[words[place].start : words[last - 1].end] if last > place else ""
    key = key_of(written)
    if QUOTE_NUMBER.fullmatch(key):
        return Mention("quote_number", frozenset({written}), place, last)
    if not _looks_like_a_model(written, key) or unit_at(fold(written).lstrip("0123456789.,"), 0) is not None:
        return None
    if words[place].text in vocabulary.stop and words[place].text.islower() and "-" in written[:6]:
        return None
    following = key + words[last].text if last < len(words) and not taken[last] else key
    if place and not taken[place - 1] and words[place].soft and words[place - 1].text.isalpha():
        before = near_models(words[place - 1].text + key, names=names)
        if len(before) == 1:
            return Mention("model", before, place, last)
    for wanted, end in ((following, last + 1), (key, last)):
        near = near_models(wanted, names=names)
        if near and (wanted == key or wanted != following or len(near) == 1):
            whole = len(near) == 1
            return Mention("model", near, place, end if wanted != key else last, whole=whole)
    return Mention("model", frozenset({written}), place, last, absent=True)


def _looks_like_a_model(written: str, key: str) -> bool:
    if not 3 <= len(key) <= 24 or key.isalpha() or key.isdigit():
        return False
    if re.fullmatch(r"\d+(?:[a-z]{1,2})?|\d+[.,]?\d*-[a-z]+.*|[a-z]{6,}\d?|m3h?|\d+x\d+|\d+k|h[12]|n\d|iso\d+", key):
        return False
    return bool(re.search(r"[A-Z]", written)) or bool(re.match(r"[a-z]{2,5}-?\d{2,}", written))


def near_models(key: str, *, names: Names) -> frozenset[str]:
    """Models that a key begins, or else those that it misses by one slip that leaves its figures."""
    found: set[str] = set(names.tails.get(key, ()))
    if len(key) >= 4 and not found:
        for known in names.sorted_keys[bisect_left(names.sorted_keys, key) :][:MOST_OF_SERIES]:
            if not known.startswith(key):
                break
            if known == key or not (key[-1].isdigit() and known[len(key)].isdigit()):
                found.update(name.model for name in names.models[known])
    if found or len(key) < 4:
        return frozenset(found)
    figures = re.sub(r"\D", "", key.replace("o", "0"))
    for known in chain.from_iterable(names.keys_by_length.get(len(key) + more, ()) for more in (-1, 0, 1)):
        if (known[0] != key[0] and known[-1] != key[-1]) or not one_slip(key, known):
            continue
        same = figures == re.sub(r"\D", "", known.replace("o", "0"))
        if same or (len(key) >= LONG_KEY and (len(known) != len(key) or sorted(known) == sorted(key))):
            found.update(name.model for name in names.models[known])
    return frozenset(found) or _misspelt(key, figures, names=names)


def _misspelt(key: str, figures: str, *, names: Names) -> frozenset[str]:
    """The one long model that a key misses by a slip in five signs; of its figures one may be dropped or doubled."""
    slips = min(MOST_SLIPS, len(key) // SIGNS_PER_SLIP)
    if slips < 2:
        return frozenset()
    # rapidfuzz costs 7 ms to import, and only a model that is not here needs it.
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import extract

    near = []
    for known, distance, _ in extract(key, names.sorted_keys, scorer=OSA.distance, score_cutoff=slips, limit=None):
        others = re.sub(r"\D", "", known.replace("o", "0"))
        letters, theirs = re.sub(r"\d", "", key), re.sub(r"\d", "", known)
        same = figures == others or (len(figures) != len(others) and one_slip(figures, others))
        if known[0] == key[0] and same and 2 * OSA.distance(letters, theirs) <= len(theirs):
            near.append((distance, known))
    best = [known for distance, known in near if distance == min(near)[0]]
    return frozenset(name.model for name in names.models[best[0]]) if len(best) == 1 else frozenset()


def misspelt_model_at(words: Sequence[Token], place: int, taken: bytearray, *, names: Names) -> Mention | None:
    """A long model of words and a figure that is misspelt: Elektra-Savor 100."""
    key = ""
    for last in range(place, min(place + LONGEST_MODEL, len(words))):
        if taken[last] or (last > place and not words[last].soft):
            return None
        key += words[last].text
        if words[last].number:
            figures = re.sub(r"\D", "", key)
            near = _misspelt(key, figures, names=names) if last > place else frozenset()
            return Mention("model", near, place, last + 1, whole=len(near) == 1) if near else None
    return None


def spaced_model_at(words: Sequence[Token], place: int, taken: bytearray, *, names: Names) -> Mention | None:
    """A long model of several words with a slip in the later ones: R5 RA 155 D for R5 RA 0155 D."""
    key, found = "", None
    for last in range(place, min(place + LONGEST_MODEL + 1, len(words))):
        if taken[last] or (last > place and not words[last].soft):
            break
        key += words[last].text
        if len(key) < LONG_KEY:
            if len(key) <= BEGINNING and not _begins_a_model(key, names=names):
                break
        elif len(near := near_models(key, names=names)) == 1:
            found = Mention("model", near, place, last + 1)
    return found


def abridged_model_at(
    text: str, words: Sequence[Token], place: int, taken: bytearray, *, names: Names
) -> Mention | None:
    """A long model by its first word and its figure, the letters between left out: R5 400 for R5 RA 0400 C."""
    key = ""
    for last in range(place, min(place + 3, len(words))):
        token = words[last]
        if taken[last] or (last > place and not token.soft):
            return None
        if key and token.number and (models := names.abridged.get((key, token.text.lstrip("0")))):
            measured = unit_at(fold(text[token.end : token.end + 12]), 0) is not None
            return None if measured else Mention("model", models, place, last + 1)
        key += token.text
    return None


def _begins_a_model(key: str, *, names: Names) -> bool:
    following = bisect_left(names.sorted_keys, key)
    return following < len(names.sorted_keys) and names.sorted_keys[following].startswith(key)


def maker_at(
    text: str, words: Sequence[Token], place: int, *, names: Names, vocabulary: Vocabulary, language: Language
) -> Mention | None:
    """The maker named at a token: of the tenant's data by its whole name first, else one that is known and absent."""
    if _is_titled(words, place):
        return None
    if words[place].text not in names.maker_starts and words[place].text not in vocabulary.maker_starts:
        return _by_initials(text, words, place, names=names, vocabulary=vocabulary)
    texts = [words[place].text]
    for token in words[place + 1 : place + 4]:
        if not (token.soft or token.gap.strip() == "&"):
            break
        texts.append(token.text)
    for count in range(len(texts), 0, -1):
        phrase = " ".join(texts[:count])
        maker = names.maker_phrases.get(phrase)
        known = vocabulary.makers.get(phrase)
        if maker is None and known is None:
            continue
        written = text[words[place].start : words[place].end]
        if phrase in vocabulary.everyday and maker is None and (
            not written[:1].isupper()
            or (language == "de" and not _is_a_makers(words, place, place + count, vocabulary=vocabulary))
        ):  # fmt: skip
            continue
        if maker is not None and count < len(texts) and len(maker.split()) > count:
            second = fold(maker).split()[count]
            count += one_slip(texts[count], second)
        return Mention("manufacturer", frozenset({maker or known or ""}), place, place + count, absent=maker is None)
    return None


def _is_titled(words: Sequence[Token], place: int) -> bool:
    return place > 0 and words[place - 1].text in TITLES and words[place].gap.strip() in ("", ".")


def _is_a_makers(words: Sequence[Token], first: int, last: int, *, vocabulary: Vocabulary) -> bool:
    """Whether a machine or its model follows, or a name is what stands behind the word before; in German a capital
    tells nothing.
    """
    if first and words[first - 1].text in BEFORE_A_MAKER:
        return True
    if last >= len(words) or not words[last].soft:
        return False
    _, meanings = vocabulary.match(words, last)
    glued = last + 1 < len(words) and words[last + 1].number and words[last + 1].soft
    return glued or any(meaning.attribute in ("family", "compression") for meaning in meanings)


def _by_initials(
    text: str, words: Sequence[Token], place: int, *, names: Names, vocabulary: Vocabulary
) -> Mention | None:
    token = words[place]
    maker = names.initials.get(token.text)
    if maker is None or not text[token.start : token.end].isupper() or token.text in vocabulary.longest:
        return None
    glued = place + 1 < len(words) and words[place + 1].gap in ("", "-")
    of_a_supply = place > 0 and (words[place - 1].number or words[place - 1].text == "v")
    return None if glued or of_a_supply else Mention("manufacturer", frozenset({maker}), place, place + 1)


def misspelt_maker(words: Sequence[Token], place: int, *, names: Names, vocabulary: Vocabulary) -> Mention | None:
    """The maker that a word misses by one slip, with the rest of its name where that follows."""
    token = words[place]
    if len(token.text) < SHORTEST_SLIP or _is_titled(words, place):
        return None
    following = words[place + 1].text if place + 1 < len(words) and words[place + 1].soft else ""
    for phrases, absent in ((names.maker_phrases, False), (vocabulary.makers, True)):
        for phrase, maker in phrases.items():
            if phrase[0] != token.text[0] and phrase[1:2] != token.text[0]:
                continue
            first, _, rest = phrase.partition(" ")
            if len(first) < SHORTEST_SLIP or phrase in vocabulary.everyday:
                continue
            if one_slip(token.text, first) and (not rest or rest == following):
                return Mention("manufacturer", frozenset({maker}), place, place + 1 + bool(rest), absent=absent)
    return None


def person_at(
    text: str, words: Sequence[Token], place: int, *, names: Names, vocabulary: Vocabulary
) -> Mention | None:
    """The customer or salesperson named at a token; one word of a name counts only where it is written as a name."""
    if not names.people:
        return None
    texts: list[str] = []
    best: Mention | None = None
    for token in words[place : place + 5]:
        if texts and not token.soft and token.gap != ". ":
            break
        texts.append(token.text)
        found = names.people.get(" ".join(texts))
        named = any(len(each) > 2 and each.isalpha() for each in texts)
        if found is not None and named and _names_someone(text, words, place, texts, vocabulary=vocabulary):
            best = Mention(found[0], frozenset({found[1]}), place, place + len(texts))
    return best


def _names_someone(
    text: str, words: Sequence[Token], place: int, texts: Sequence[str], *, vocabulary: Vocabulary
) -> bool:
    """False for words of everyday or of the trade, which happen to be part of a name too."""
    known = [each in vocabulary.longest or each in vocabulary.stop for each in texts]
    if len(texts) > 1:
        return not all(known)
    small = text[words[place].start : words[place].end].islower()
    return not known[0] and not (small and len(texts[0]) < SHORTEST_LOWER)
