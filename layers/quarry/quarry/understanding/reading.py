"""Reads a request: from text to items with needs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import islice

from quarry.understanding.assembly import Assembler
from quarry.understanding.dates import Said, amounts, times
from quarry.understanding.electrics import supplies
from quarry.understanding.implied import bare_power, equivalent_at
from quarry.understanding.items import segments
from quarry.understanding.marks import Mark, Role
from quarry.understanding.names import (
    SPOKEN_QUOTE,
    Mention,
    Names,
    abridged_model_at,
    maker_at,
    misspelt_maker,
    misspelt_model_at,
    model_at,
    near_models,
    one_slip,
    person_at,
    spaced_model_at,
    unknown_model_at,
)
from quarry.understanding.needs import Language, Request
from quarry.understanding.own_reading import OwnReader
from quarry.understanding.quantities import Reader
from quarry.understanding.text import MOST_CHARACTERS, MOST_TOKENS, Token, fold, key_of, tokens
from quarry.understanding.words import SHORTEST_FORGIVEN, Meaning, Vocabulary

MOST_SLIPS = 12
"""Unknown words of one text that are compared with the words of the trade, letter by letter."""
GREETINGS = frozenset((
    "hi", "hello", "hey", "hola", "hallo", "dear", "morning", "good", "afternoon", "evening",
    "guten", "tag", "moin", "servus", "bonjour", "salut", "buenos", "dias", "buenas", "tardes",
    "estimado", "estimada", "lieber", "liebe", "cher", "chere", "mr", "mrs", "ms", "herr",
    "frau",
))  # fmt: skip
ENUMERATED = frozenset(("item", "pos", "position", "posicion", "poste", "line", "nr", "no"))
KINDS = frozenset(("family", "compression", "lubrication", "dryer_kind"))
"""What a short word is forgiven a missing letter for: scrol."""
MOST_NOT_UNDERSTOOD = 40
AFTER_THE_LAST = 8
"""Characters after the last word that is read: a unit may end with signs."""
MOST_UNKNOWN_MODELS = 12
COLOUR = re.compile(r"\bral[\s-]?(\d{4})\b")
PAINT = frozenset(("painting",))
PAINTED = 5
"""Words before a colour among which paint is the coat of the machine."""
NAMED_BEHIND = 3
"""Words within which a model or machine follows: "instead of our old Busch R5"."""
AGAINST = frozenset(("against",))
VARIABLE_SPEED = frozenset({"variable-speed"})


def understand(text: str, *, words: Vocabulary, names: Names, today: date | None = None) -> Request:
    """What `text` asks for. `today` is needed to read "last year"; nothing that is typed makes this raise."""
    length = len(text)
    text = text[:MOST_CHARACTERS]
    folded = fold(text)
    found = tokens(folded)
    if not found:
        return Request((), (), "en")
    unread = length - found[-1].end if len(found) == MOST_TOKENS else length - len(text)
    text, folded = text[: found[-1].end + AFTER_THE_LAST], folded[: found[-1].end + AFTER_THE_LAST]
    language = words.language_of(found)
    reading = _Reading(text, folded, found, words, names, language)
    reading.read(today)
    parts = segments(found, reading.marks, reading.roles, stop=words.stop, numbers=words.numbers)
    assembler = Assembler(text, found, reading.roles, words, language)
    items = assembler.items(parts, reading.marks, reading.taken)
    absent = tuple(need for item in items for need in item.needs if need.absent)
    return Request(items, reading.not_understood(), language, tuple(dict.fromkeys(absent)), unread,
                   any(role.value == "option" for role in reading.roles))  # fmt: skip


@dataclass
class _Reading:
    text: str
    folded: str
    words: list[Token]
    vocabulary: Vocabulary
    names: Names
    language: Language
    marks: list[Mark] = field(default_factory=list)
    roles: list[Role] = field(default_factory=list)
    slips: int = 0
    unknown: int = 0

    def __post_init__(self) -> None:
        self.taken = bytearray(len(self.words))

    def read(self, today: date | None) -> None:
        self._enumerations()
        self._quote_numbers()
        self._supplies()
        self._own_attributes()
        self._colours()
        self._models()
        reader = Reader(self.folded, self.words, vocabulary=self.vocabulary, language=self.language)
        for said in amounts(self.folded, self.words, self.taken, reader=reader):
            self._said(said)
        for measure in reader.measures(self.taken):
            if measure.attribute:
                self._add(Mark(
                    measure.attribute, measure.first, measure.last, measure.start, measure.end,
                    operator=measure.operator, low=measure.low, high=measure.high, machines=measure.machines,
                    absolute=measure.unit.absolute, unit=measure.unit.name,
                ))  # fmt: skip
        for said in times(self.words, self.taken, vocabulary=self.vocabulary, language=self.language, today=today):
            self._said(said)
        self._terms()
        self._replaced()
        self._rivals()
        self._separate_drives()
        power = bare_power(self.words, self.marks, self.taken, language=self.language)
        if power is not None:
            self._add(power)
        self.marks.sort(key=lambda mark: (mark.first, mark.last))
        self.roles.sort(key=lambda role: role.first)

    def _own_attributes(self) -> None:
        if self.vocabulary.labels.attributes:
            reader = OwnReader(self.folded, self.words, vocabulary=self.vocabulary, language=self.language)
            self.marks += reader.own(self.vocabulary.labels, self.taken)

    def not_understood(self) -> tuple[str, ...]:
        """Words of content that no rule read, as they are typed."""
        left: dict[str, None] = {}
        for token, taken in zip(self.words, self.taken, strict=True):
            if not taken and token.text not in self.vocabulary.stop and (len(token.text) > 1 or token.number):
                left[self.text[token.start : token.end]] = None
            if len(left) == MOST_NOT_UNDERSTOOD:
                break
        return tuple(left)

    def _add(self, mark: Mark) -> None:
        self.marks.append(mark)
        self._take(mark.first, mark.last)

    def _take(self, first: int, last: int) -> None:
        self.taken[first:last] = b"\1" * (last - first)

    def _span(self, first: int, last: int) -> tuple[int, int]:
        return self.words[first].start, self.words[last - 1].end

    def _said(self, said: Said) -> None:
        self._add(Mark(said.attribute, said.first, said.last, *self._span(said.first, said.last),
                       values=said.values, operator=said.operator, low=said.low, high=said.high))  # fmt: skip

    def _enumerations(self) -> None:
        """Lets "1) … 2) …" part items as lines do, and keeps its figures from being read as quantities."""
        expected, found = 1, []
        for place in range(len(self.words) - 1):
            token, following = self.words[place], self.words[place + 1].gap
            closed = following[:1] in (")", ".", ":") and following[1:2] in (" ", "\n")
            if token.text == str(expected) and closed and (place == 0 or token.gap[-1:] in (" ", "\n", "(", "#")):
                found.append(place)
                expected += 1
        if len(found) > 1:
            for place in found:
                first = place - 1 if place and self.words[place - 1].text in ENUMERATED else place
                self.words[first].gap = "\n"
                self.words[first].soft = self.words[place + 1].soft = False
                self._take(first, place + 1)

    def _quote_numbers(self) -> None:
        for match in islice(SPOKEN_QUOTE.finditer(self.folded), MOST_UNKNOWN_MODELS):
            places = [at for at, token in enumerate(self.words) if match.start() <= token.start < match.end()]
            number = f"Q{match[1]}-{match[2]}"
            self._mention(Mention("quote_number", frozenset({number}), places[0], places[-1] + 1))

    def _colours(self) -> None:
        """ "Painted RAL 3020" tells a colour: the figure is no size, and paint is not the customer's trade."""
        for match in islice(COLOUR.finditer(self.folded), MOST_UNKNOWN_MODELS):
            places = [at for at, token in enumerate(self.words) if match.start() <= token.start < match.end()]
            first, last = places[0], places[-1] + 1
            for at in range(first - 1, max(-1, first - PAINTED), -1):
                if {each.value for each in self.vocabulary.phrases.get(self.words[at].text, ())} & PAINT:
                    first = at
            start, end = self._span(first, last)
            self._add(Mark("feature", first, last, start, end, values=frozenset({f"RAL {match[1]}"})))

    def _replaced(self) -> None:
        """Settles what "instead of" means: before a model the machine that goes, else a negation."""
        both = {(role.first, role.last) for role in self.roles if role.value == "replace"} & {
            (role.first, role.last) for role in self.roles if role.value == "negation"
        }
        for span in both:
            goes = any(mark.attribute == "model" and 0 <= mark.first - span[1] <= NAMED_BEHIND for mark in self.marks)
            unmeant = "negation" if goes else "replace"
            self.roles = [role for role in self.roles if (role.first, role.last, role.value) != (*span, unmeant)]

    def _rivals(self) -> None:
        """Reads the maker of "Kaeser beat us" and "lost to Kaeser" as who won, and not as what was offered."""
        if not any(mark.attribute == "outcome" and "lost" in mark.values for mark in self.marks):
            # "What do we have against an Edwards?" asks for an equal, and tells of no order that went there.
            self.marks = [mark for mark in self.marks if self.text[mark.start : mark.end].lower() not in AGAINST]
            return
        won = [mark for mark in self.marks if mark.attribute == "reason" and "competitor" in mark.values]
        self.marks = [
            replace(mark, attribute="competitor", absent=False)
            if mark.attribute == "manufacturer" and any(self._beside(mark, reason) for reason in won)
            else mark
            for mark in self.marks
        ]

    def _beside(self, mark: Mark, reason: Mark) -> bool:
        behind = range(reason.last, mark.first)
        return mark.last == reason.first or (
            mark.first >= reason.last and all(self.words[at].text in self.vocabulary.stop for at in behind)
        )

    def _separate_drives(self) -> None:
        """Reads "VFD for a blower" as the drive itself; a machine "with a VFD" is a machine."""
        drives = [place for place, mark in enumerate(self.marks) if mark.values == VARIABLE_SPEED]
        machine = min((mark.first for mark in self.marks if mark.attribute == "family"), default=0)
        for place in drives:
            mark = self.marks[place]
            serves = any(role.value == "for" and role.first == mark.last for role in self.roles)
            if serves and mark.last < machine <= mark.last + NAMED_BEHIND + 1:
                self.marks[place] = replace(mark, attribute="accessory_kind", values=frozenset({"frequency-drive"}))
                self.marks.append(replace(mark, attribute="family", values=frozenset({"accessory"})))
                return

    def _supplies(self) -> None:
        place = 0
        for supply in supplies(self.folded):
            while place < len(self.words) and self.words[place].end <= supply.start:
                place += 1
            last = place
            while last < len(self.words) and self.words[last].start < supply.end:
                last += 1
            if last > place:
                self._add(Mark("voltage", place, last, supply.start, supply.end, values=supply.values))

    def _models(self) -> None:
        place = 0
        figures = [place for place, token in enumerate(self.words) if token.number]
        near = {at for figure in figures for at in range(figure - 3, figure + 1)}
        while place < len(self.words):
            token = self.words[place]
            worth = place in near or (token.text not in self.vocabulary.longest and token.text in self.names.models)
            mention = None
            if worth and not self.taken[place]:
                mention = model_at(
                    self.text, self.words, place, self.taken, names=self.names, vocabulary=self.vocabulary
                )
                if mention is None and token.text in self.names.abridged_starts:
                    mention = abridged_model_at(self.text, self.words, place, self.taken, names=self.names)
                if mention is None and self._glued(place):
                    mention = spaced_model_at(self.words, place, self.taken, names=self.names)
            if mention is None and self.vocabulary.equivalents and not self.taken[place]:
                mention = equivalent_at(self.text, self.words, place, self.taken, vocabulary=self.vocabulary)
            if mention is not None:
                self._mention(mention)
            place = mention.last if mention is not None else place + 1

    def _mention(self, mention: Mention) -> None:
        self._add(Mark(mention.attribute, mention.first, mention.last, *self._span(mention.first, mention.last),
                       values=mention.values, absent=mention.absent))  # fmt: skip

    def _terms(self) -> None:
        place, bar = 0, 0
        while place < len(self.words):
            if self.taken[place]:
                place += 1
                continue
            if bar <= place:
                bar = self.taken.find(b"\1", place)
                bar = len(self.words) if bar < 0 else bar
            count, meanings = self.vocabulary.match(self.words, place, bar=bar)
            maker = maker_at(
                self.text, self.words, place, names=self.names, vocabulary=self.vocabulary, language=self.language
            )
            person = person_at(self.text, self.words, place, names=self.names, vocabulary=self.vocabulary)
            if maker is not None and maker.last - place >= count and maker.last <= bar:
                self._mention(maker)
                place = self._model_of(maker.last)
            elif count < 2 and self._glued(place) and (last := self._model_unknown(place)):
                place = last
            elif person is not None and person.last - place > count and person.last <= bar:
                if self._is_addressed(person):
                    self._take(person.first, person.last)
                else:
                    self._mention(person)
                place = person.last
            elif count:
                self._meant(place, place + count, meanings)
                place += count
            else:
                place = self._unknown(place)

    def _is_addressed(self, person: Mention) -> bool:
        """True for whom a mail begins with: "Hi Tina, …" asks Tina, and not for what she sold."""
        ended = person.last < len(self.words) and self.words[person.last].gap.lstrip()[:1] in (",", "-", "!")
        greeted = all(token.text in GREETINGS for token in self.words[: person.first])
        alone = person.last - person.first == 1 and person.attribute != "customer"
        return ended and greeted and (alone or person.first > 0)

    def _meant(self, first: int, last: int, meanings: Sequence[Meaning]) -> None:
        spoken = (self.language, "en", "")
        said = False
        start, end = self._span(first, last)
        for meaning in meanings:
            if meaning.attribute == "role":
                related = meaning.language == self.language or (
                    meaning.language == "en"
                    and meaning.value in ("negation", "only", "equal", "waived", "excluded_after")
                )
                if related:
                    self.roles.append(Role(meaning.value, first, last))
                    said = True
            elif meaning.attribute == "dimension":
                self.roles.append(Role(meaning.value, first, last))
                said = True
            elif meaning.attribute == "time":
                said = said or meaning.value in ("recent", "last_year", "this_year")
            elif self.language != "en" or meaning.language in spoken or end - start > 4:
                self.marks.append(Mark(meaning.attribute, first, last, start, end,
                                       values=frozenset({meaning.value}), family=meaning.family))  # fmt: skip
                said = True
        if said:
            self._take(first, last)

    def _glued(self, place: int) -> bool:
        """True where letters and figures stand together: D75, XK-20."""
        if place + 1 >= len(self.words) or self.taken[place + 1]:
            return False
        token, following = self.words[place], self.words[place + 1]
        return following.gap in ("", "-") and token.number != following.number and len(token.text) < 8

    def _model_unknown(self, place: int) -> int:
        """Where a part number ends that the data does not hold or that was mistyped; 0 for none."""
        if self.unknown >= MOST_UNKNOWN_MODELS:
            return 0
        mention = unknown_model_at(
            self.text, self.words, place, self.taken, names=self.names, vocabulary=self.vocabulary
        )
        if mention is None:
            return 0
        self.unknown += 1
        self._mention(mention)
        return mention.last

    def _model_of(self, place: int) -> int:
        """Reads "Sierra 100" and "S 100" after a maker: a name and a figure without a unit."""
        if place + 1 >= len(self.words) or self.taken[place] or self.taken[place + 1]:
            return place
        name, figure = self.words[place], self.words[place + 1]
        written = self.text[name.start : name.end]
        known = name.text in self.vocabulary.longest and len(name.text) > 2
        if not (name.soft and figure.soft and figure.number and not written.islower()) or known:
            return place
        following = self.words[place + 2] if place + 2 < len(self.words) else None
        last = place + 2
        if following is not None and following.gap == "" and len(following.text) < 3:
            last += 1
        near = near_models(key_of(self.text[name.start : self.words[last - 1].end]), names=self.names)
        values = near or frozenset({self.text[name.start : self.words[last - 1].end]})
        self._mention(Mention("model", values, place, last, absent=not near))
        return last

    def _unknown(self, place: int) -> int:
        """One word that no list holds: a model with a slip, a maker with a slip, a word of the trade with a slip."""
        token = self.words[place]
        glued = place + 1 < len(self.words) and self.words[place + 1].gap in ("", "-", "/", ".")
        if (glued or (token.text[0].isalpha() and len(token.text) < 6)) and (last := self._model_unknown(place)):
            return last
        if token.number or token.text in self.vocabulary.stop:
            return place + 1
        series = self.names.series.get(token.text)
        if series is not None and (len(token.text) > 3 or self.text[token.start : token.end].isupper()):
            self._mention(Mention("model", series, place, place + 1, whole=False))
            return place + 1
        if self.slips < MOST_SLIPS and len(token.text) >= 5:
            self.slips += 1
            return self._slip(place)
        return place + 1

    def _slip(self, place: int) -> int:
        token = self.words[place]
        maker = misspelt_maker(self.words, place, names=self.names, vocabulary=self.vocabulary)
        if maker is not None and not any(self.taken[maker.first : maker.last]):
            self._mention(maker)
            return maker.last
        model = misspelt_model_at(self.words, place, self.taken, names=self.names)
        if model is not None:
            self._mention(model)
            return model.last
        letters = len(token.text)
        short = letters <= SHORTEST_FORGIVEN
        for length in (letters + 1,) if short else (letters, letters - 1, letters + 1):
            for form in self.vocabulary.spelt.get((token.text[0], length), ()):
                meanings = self.vocabulary.phrases[form]
                forgiven = not short or not KINDS.isdisjoint(each.attribute for each in meanings)
                if forgiven and one_slip(token.text, form):
                    self._meant(place, place + 1, meanings)
                    return place + 1
        return place + 1
