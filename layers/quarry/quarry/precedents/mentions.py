"""What a text of the archive names that belongs to its own quote: to be replaced before the text is sent."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from quarry.understanding.makers import maker_at, person_at
from quarry.understanding.models import model_at
from quarry.understanding.names import Names
from quarry.understanding.needs import Language
from quarry.understanding.text import Token, fold, tokens
from quarry.understanding.units import unit_at
from quarry.understanding.words import Vocabulary

MentionKind = Literal["person", "company", "place", "quote_number", "date", "price"]

MOST = 40
"""Mentions of one text."""

PIECE = 1_500
"""Characters read at a time; a longer text is read line by line and cut at a blank."""

QUOTE_NUMBER = re.compile(r"(?<![\w-])Q-?\d{2,4}-\d{2,9}(?:R\d)?(?![\w-])")
AMOUNT = re.compile(
    r"(?:(?:US|C|MX)?\$|€|£|\b(?:USD|EUR|CHF|MXN|CAD|GBP)\b)\s?\d[\d.,']*\d?(?:\s?[kKmM]\b)?"
    r"|\d[\d.,']*\d?\s?(?:€|£|\b(?:USD|EUR|CHF|MXN|CAD|GBP)\b)|(?<![\w.])\d{1,3}k\b"
)
_MONTH = (
    r"(?:Jan(?:uary|uar)?|Feb(?:ruary|ruar)?|Mar(?:ch)?|März|Apr(?:il)?|May|Mai|June?|Juni|July?|Juli"
    r"|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Okt(?:ober)?|Nov(?:ember)?|Dec(?:ember)?|Dez(?:ember)?)\.?"
)
DATE = re.compile(
    r"\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}[./]\d{1,2}[./](?:19|20)?\d{2}\b"
    rf"|\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? (?:19|20)\d{{2}})?"
    rf"|\b{_MONTH}(?: ?- ?{_MONTH})? (?:19|20)\d{{2}}\b|\b{_MONTH} ?- ?{_MONTH}|\bweek \d{{1,2}}\b|\bKW ?\d{{1,2}}\b"
    r"|(?<=\bin )(?:19|20)\d{2}\b|(?<=\bthe )(?:19|20)\d{2}\b|(?<=\bsince )(?:19|20)\d{2}\b"
)
_NAME = r"[A-ZÄÖÜÉ][a-zäöüßéèáíóúñç]+(?:[ -](?:[A-ZÄÖÜÉ]\.|[A-ZÄÖÜÉ][a-zäöüßéèáíóúñç]+)){0,2}"
PERSON = re.compile(
    r"(?:\b(?:walked with|contact on site is|contact is|agreed with|talked (?:to|with)|attn\.?:?|ask for|call"
    r"|regards to)"
    rf"|\b(?:Mr|Mrs|Ms|Dr|Mag|Ing|Herr|Frau|Hr|Fr|Sr|Sra|Mme)\b\.?)\s+(?:(?:Mag|Dr|Ing)\.\s+)?(?P<after>{_NAME})"
    rf"|(?:^|(?<=[.!?]\s))(?P<before>{_NAME})(?= arranges|, please| will (?:meet|show|let))"
)
COMPANY = re.compile(
    r"\b(?:[A-ZÄÖÜ][\w&'-]+ ){1,3}(?:Inc|LLC|L\.L\.C|Corp|Ltd|GmbH|AG|KG|SE|SARL|S\.A|SL|AB|Electric|Mechanical"
    r"|Plumbing|Rigging|Crane)\b\.?"
)
SITE = re.compile(
    r"\b(?:[Dd]oor|[Bb]ldg\.?|[Bb]uilding|[Rr]oom|[Ss]uites?|[Cc]olumn|[Bb]ay|[Pp]anel|[Dd]ock|[Hh]all|[Aa]isle"
    r"|[Gg]ate|[Ff]loor|[Tt]ent|[Uu]nit"
    r"|[Tt]or|[Hh]alle|[Ss]alle|[Pp]uerta|[Nn]ave|AHU|MDP|MCC|DP)[ -]#?(?:[A-Z]{0,3}-?\d+[A-Z]?|[A-Z])\b"
)
NAMED_ROOM = re.compile(
    r"\b(?:at|in|for|to|from|behind|beside|near|of) (?:the|your) (?P<place>"
    r"(?:(?!(?:whole|entire|same|other|next|new|old|existing|own|and|by|of|or|with"
    r"|compressor|pump|machine|equipment|mechanical)\b)[a-z][\w'&-]* ){1,2}"
    r"(?:hall|building|shop|lab|laboratory|cell|dock|wing|room|department|kitchen|cellar|warehouse|annex))\b"
)
"""A place that is called after what is done there: the honey packing hall; a compressor room is anybody's."""
PLACE = re.compile(
    r"(?:(?<=\bin )|(?<=\bfrom )|(?<=\bnear )|(?<=\bat )|(?<=\bto )|(?<=\ben )|(?<=\bOn )|(?<=\bon ))"
    r"(?P<place>[A-ZÄÖÜ][a-zäöüßéèáíóúñ]{2,}(?: (?:[A-ZÄÖÜ][a-zäöüßéèáíóúñ]+|Blvd|St|Ave|Rd)){0,2})"
)


@dataclass(frozen=True, slots=True)
class TextMention:
    """``start`` and ``end`` are characters of the text."""

    kind: MentionKind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Mentioning:
    """Reads mentions with the tenant's names; ``theirs`` are names of the quote that a text is from."""

    names: Names
    vocabulary: Vocabulary

    def of(self, text: str, *, theirs: Iterable[str] = ()) -> list[TextMention]:
        """In their order, none inside another, MOST at the most."""
        found: list[TextMention] = []
        for start, piece in _split(text):
            for mention in self._in(piece, tuple(theirs)):
                found.append(TextMention(mention.kind, mention.start + start, mention.end + start))
            if len(found) >= MOST:
                break
        return found[:MOST]

    def _in(self, text: str, theirs: tuple[str, ...]) -> list[TextMention]:
        words = tokens(fold(text))
        language = self.vocabulary.language_of(words)
        german = language == "de"  # every noun has a capital there
        models = list(self._machines(text, words, language=language))
        claims = [
            *(TextMention("quote_number", *match.span()) for match in QUOTE_NUMBER.finditer(text)),
            *(TextMention("price", *_trimmed(match)) for match in AMOUNT.finditer(text)),
            *_people(text, theirs=theirs, stop=self.vocabulary.stop),
            *self._known(text, words),
            *(TextMention("company", *match.span()) for match in COMPANY.finditer(text)),
            *(TextMention("date", *match.span()) for match in DATE.finditer(text)),
            *(
                TextMention("place", *match.span())
                for match in SITE.finditer(text)
                if not _measured(text, match.end())
            ),
            *(TextMention("place", *match.span("place")) for match in NAMED_ROOM.finditer(text)),
            *(
                TextMention("place", *match.span("place"))
                for match in (() if german else PLACE.finditer(text))
                if self._a_place(match)
            ),
        ]
        kept: list[TextMention] = []
        for claim in claims:
            spans = [*models, *((each.start, each.end) for each in kept)]
            if not any(start < claim.end and claim.start < end for start, end in spans):
                kept.append(claim)
        return sorted(kept, key=lambda mention: mention.start)

    def _machines(self, text: str, words: list[Token], *, language: Language) -> Iterator[tuple[int, int]]:
        """Where a model or a maker is named, which says nothing of the customer."""
        place, taken = 0, bytearray(len(words))
        while place < len(words):
            named = model_at(text, words, place, taken, names=self.names, vocabulary=self.vocabulary)
            named = named or maker_at(
                text, words, place, names=self.names, vocabulary=self.vocabulary, language=language
            )
            if named is not None:
                yield words[named.first].start, words[named.last - 1].end
            place = named.last if named is not None else place + 1

    def _known(self, text: str, words: list[Token]) -> Iterator[TextMention]:
        place = 0
        while place < len(words):
            named = person_at(text, words, place, names=self.names, vocabulary=self.vocabulary)
            whole = named is not None and (
                named.last - named.first > 1 or any(fold(value) == words[place].text for value in named.values)
            )
            if named is not None and whole:
                kind: MentionKind = "company" if named.attribute == "customer" else "person"
                yield TextMention(kind, words[named.first].start, words[named.last - 1].end)
            place = named.last if named is not None else place + 1

    def _a_place(self, match: re.Match[str]) -> bool:
        """A capital is a place's where no list has the word: no month, no day, no word of the trade."""
        first = tokens(fold(match["place"]))
        known = (*self.vocabulary.stop, *self.vocabulary.months)
        return bool(first) and first[0].text.removesuffix("s") not in NO_PLACES and not any(
            first[0].text in words for words in (self.vocabulary.longest, self.vocabulary.makers, known)
        )  # fmt: skip


NO_PLACES = frozenset(
    (
        "saturday", "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "fri", "sat", "sun", "mon",
        "samstag", "sonntag", "montag", "english", "spanish", "french", "german", "deutsch", "ethernet",
        "modbus", "celsius", "fahrenheit", "class", "section", "schedule", "type", "grade", "page", "item",
        "winter", "sommer", "summer", "christma", "easter", "italics", "stainless", "teflon", "nema", "emt",
        "freie", "serie", "option",
    )
)  # fmt: skip
"""Words with a capital behind a preposition that are none."""


def _measured(text: str, end: int) -> bool:
    """Whether a figure has a unit behind it: a hall of 38 F is no hall 38."""
    return unit_at(fold(text[end : end + 20]), 0) is not None


def _people(text: str, *, theirs: tuple[str, ...], stop: frozenset[str]) -> Iterator[TextMention]:
    for match in PERSON.finditer(text):
        yield TextMention("person", *match.span("after" if match["after"] else "before"))
    for place, name in enumerate(theirs):
        for part in (each for each in _parts(name, company=place == 0) if fold(each) not in stop):
            for match in re.finditer(rf"(?<!\w){re.escape(part)}(?!\w)", text):
                yield TextMention("company" if place == 0 else "person", *match.span())


def _parts(name: str, *, company: bool) -> list[str]:
    """A name as it may be written: whole, and its first and last word where these are long enough to be one."""
    words = name.split()
    ends = words[:1] if company else [words[0], words[-1]] if words else []
    return [name, *(word for word in ends if len(word) > 3 and word[0].isupper() and word.isalpha())]


def _trimmed(match: re.Match[str]) -> tuple[int, int]:
    return match.start(), match.start() + len(match[0].rstrip(".,' "))


def _split(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for line in text.splitlines(keepends=True):
        start = 0
        while start < len(line):
            end = min(len(line), start + PIECE)
            if end < len(line):
                end = line.rfind(" ", start, end) + 1 or end
            yield at + start, line[start:end]
            start = end
        at += len(line)
