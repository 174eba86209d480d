"""Makers and people that a request names: those of the tenant's data, one slip forgiven, and absent makers."""

from collections.abc import Sequence

from quarry.understanding.names import Kind, Mention, Names
from quarry.understanding.needs import Language
from quarry.understanding.text import Token, fold, key_of, one_slip
from quarry.understanding.words import Vocabulary

SHORTEST_SLIP = 5
NAMES_AND_WORDS = frozenset((
    "art", "bill", "bob", "chase", "chip", "dale", "dawn", "drew", "faith", "frank", "grant", "hope", "jack", "joy",
    "june", "mark", "may", "miles", "norm", "pat", "ray", "rich", "rob", "rose", "sandy", "skip", "sue", "will",
))  # fmt: skip
"""First names that are words too: names with a capital alone."""
SHORTEST_LOWER = 6
"""Letters of one word of a name that is known without its capital, where it means nothing else."""
TITLES = frozenset(
    (
        "mr",
        "mrs",
        "ms",
        "miss",
        "herr",
        "herrn",
        "hr",
        "hrn",
        "frau",
        "fr",
        "monsieur",
        "madame",
        "mme",
        "mlle",
        "mademoiselle",
        "senor",
        "senora",
        "senorita",
        "sr",
        "sra",
        "srta",
        "dr",
        "doktor",
        "doctor",
        "doctora",
        "docteur",
        "prof",
        "ing",
    )
)
"""Before a name that is a person's, whatever maker is called so."""
BEFORE_A_MAKER = frozenset(
    ("von", "gegen", "an", "statt", "bei", "gegenuber", "fabrikat", "marke", "hersteller", "firma")
)
"""German words behind which a noun without an article is a name."""


def maker_at(
    text: str, words: Sequence[Token], place: int, *, names: Names, vocabulary: Vocabulary, language: Language
) -> Mention | None:
    """The maker named at a token: of the tenant's data by its whole name first, else one that is known and absent."""
    if is_titled(words, place):
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
        if phrase in vocabulary.everyday and maker is None:
            small = text[words[place].start].islower()
            follows = _is_a_makers(words, place, place + count, vocabulary=vocabulary)
            # In German every noun has a capital; in small letters "roots blower" is a kind.
            if (small or language == "de") and (not follows or (small and phrase in vocabulary.phrases)):
                continue
        if maker is not None and count < len(texts) and len(maker.split()) > count:
            second = fold(maker).split()[count]
            count += one_slip(texts[count], second)
        return Mention("manufacturer", frozenset({maker or known or ""}), place, place + count, absent=maker is None)
    return None


def is_titled(words: Sequence[Token], place: int) -> bool:
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
    if len(token.text) < SHORTEST_SLIP or is_titled(words, place):
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


BEFORE_A_NAME = frozenset((
    "to", "for", "from", "by", "at", "did", "has", "does", "is", "was", "customer", "client", "contact", "account",
    "called", "named", "firma", "kunde", "kunden", "kundin", "ansprechpartner",
    "a", "para", "de", "con", "por", "cliente", "contacto", "llamado", "llamada", "vendio", "gano", "perdio",
    "cotizo",
    "pour", "chez", "par", "client", "cliente", "vendu", "gagne", "perdu", "propose", "nomme", "appele",
))  # fmt: skip
"""Words behind which a name stands without an article; in German, where every noun has a capital, too few do."""


def person_at(
    text: str, words: Sequence[Token], place: int, *, names: Names, vocabulary: Vocabulary
) -> Mention | None:
    """The customer or salesperson named at a token; one word of a name counts only where it is written as a name."""
    if words[place].text not in names.people_starts:
        return None
    texts: list[str] = []
    best: Mention | None = None
    for token in words[place : place + 5]:
        if texts and not token.soft and token.gap != ". ":
            break
        texts.append(token.text)
        phrase = " ".join(texts)
        found = names.people.get(phrase) or _owner(phrase, names=names)
        if found is None or not _is_written_as_a_name(text, words, place, texts):
            continue
        if _names_someone(text, words, place, texts, meant=found, vocabulary=vocabulary):
            best = Mention(found[0], frozenset({found[1]}), place, place + len(texts))
    return best


def _owner(phrase: str, *, names: Names) -> tuple[Kind, str] | None:
    """The salesperson whose name has the "s" of an owner without an apostrophe: Ricks quotes."""
    found = names.people.get(phrase[:-1]) if phrase.endswith("s") else None
    return found if found is not None and found[0] == "salesperson" else None


def _is_written_as_a_name(text: str, words: Sequence[Token], place: int, texts: Sequence[str]) -> bool:
    """A word of three letters is; so is 4M, but not 4 m."""
    if any(len(each) > 2 and each.isalpha() for each in texts):
        return True
    written = text[words[place].start : words[place + len(texts) - 1].end]
    return len(texts) > 1 and written.isupper() and written.isalnum()


def _names_someone(
    text: str,
    words: Sequence[Token],
    place: int,
    texts: Sequence[str],
    *,
    meant: tuple[Kind, str],
    vocabulary: Vocabulary,
) -> bool:
    """False for words of everyday or of the trade, which happen to be part of a name too."""
    kind, name = meant
    known = [each in vocabulary.longest or each in vocabulary.stop for each in texts]
    if len(texts) > 1:
        written = text[words[place].start : words[place + len(texts) - 1].end]
        named = kind == "customer" and place > 0 and all(word[:1].isupper() for word in written.split())
        return not all(known) or texts[0].isdecimal() or (named and not written.isupper())
    small = text[words[place].start : words[place].end].islower()
    colleague = kind == "salesperson" and texts[0] not in NAMES_AND_WORDS
    short = small and len(texts[0]) < SHORTEST_LOWER and not colleague
    # Who writes "instruments" names no Queen City Instruments, unless he writes it where a name stands.
    begins = key_of(name).startswith(texts[0]) or (place > 0 and words[place - 1].text in BEFORE_A_NAME)
    if small and kind == "customer" and not begins:
        return False
    if kind == "customer" and _is_part_of_another_name(text, words, place, name=name, vocabulary=vocabulary):
        return False
    return not known[0] and not short and not _within_a_name(text, words, place, vocabulary=vocabulary)


STREETS = frozenset((
    "road", "rd", "street", "avenue", "ave", "lane", "drive", "boulevard", "blvd", "highway", "hwy", "parkway",
    "pike", "court", "square", "strase", "strasse", "str", "weg", "platz", "allee", "gasse",
))  # fmt: skip
"""What follows the name of a street."""
STREETS_BEFORE = frozenset(("calle", "avenida", "plaza", "paseo", "rue", "chemin", "route", "boulevard", "avenue"))


def _is_part_of_another_name(
    text: str, words: Sequence[Token], place: int, *, name: str, vocabulary: Vocabulary
) -> bool:
    """True of "Maple" in "our Maple Road clinic", which names no Maple Hollow Creamery."""
    if place and words[place - 1].text in STREETS_BEFORE:
        return True
    following = words[place + 1] if place + 1 < len(words) and words[place + 1].gap == " " else None
    if following is None or following.text in fold(name).split():
        return False
    written = text[following.start : following.end]
    unknown = following.text not in vocabulary.longest and following.text not in vocabulary.stop
    return following.text in STREETS or (written.istitle() and len(written) > 2 and not following.number and unknown)


OF_SENTENCES = frozenset(("role", "time", "outcome", "family", "service", "price", "most", "least"))
"""What a sentence may begin with before a customer is named, in capitals too."""


def _within_a_name(text: str, words: Sequence[Token], place: int, *, vocabulary: Vocabulary) -> bool:
    """True of "Iron" in "American Iron and Steel", which is no part of "Gray Iron": a longer name stands there."""
    if not place or words[place].gap != " ":
        return False
    before = words[place - 1]
    written = text[before.start : before.end]
    said = {meaning.attribute for meaning in vocabulary.phrases.get(before.text, ())}
    known = before.text in vocabulary.stop or before.text in TITLES or bool(said & OF_SENTENCES)
    return written.istitle() and len(written) > 2 and not known
