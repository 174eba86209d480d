"""Models that a request names: those of the tenant's data, slips forgiven, and what looks like one and is none."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import chain

from quarry.understanding.names import MOST_OF_SERIES, Mention, Names
from quarry.understanding.text import GASES, Token, fold, key_of, one_slip
from quarry.understanding.units import unit_at
from quarry.understanding.words import Vocabulary

LONGEST_MODEL = 5
"""Tokens of the longest model looked for: R5 RA 0155 D is r, 5, ra, 0155, d."""
SIGNS_PER_SLIP = 5
MOST_SLIPS = 3
LONG_KEY = 8
"""Letters and digits of a model in which a digit may be missing or swapped; in a shorter one it is another."""
BEGINNING = 4
"""Letters and digits at the beginning of a model of several words that have to be right."""
LONGEST_SUPPLY = 3
"""Digits of a motor's voltage or power."""
QUOTE_NUMBER = re.compile(r"q\d{6,7}(?:r\d)?")


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
        # 1807V is a model where it is written so; 1807 V and 460V are voltages.
        return len(first.text) > LONGEST_SUPPLY and text[first.start : end.end].upper() == key.upper()
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
    if last - place < 2 or words[place].text in GASES:  # letters alone or figures alone; CO2-Anlage
        return None
    written = text[words[place].start : words[last - 1].end]
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
            return Mention("model", near, place, end if wanted != key else last)
    return Mention("model", frozenset({written}), place, last, absent=True)


def _looks_like_a_model(written: str, key: str) -> bool:
    if not 3 <= len(key) <= 24 or key.isalpha() or key.isdigit():
        return False
    # Of words with a figure in them neither a size nor a norm nor a payment term is a name.
    if re.fullmatch(
        r"\d+(?:[a-z]{1,2})?|\d+[.,]?\d*-[a-z]+.*|[a-z]{6,}\d?|m3h?|\d+x\d+|\d+k|h[12]|n\d|iso\d+|net\d{1,3}",
        key,
    ):
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
            return Mention("model", near, place, last + 1) if near else None
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
