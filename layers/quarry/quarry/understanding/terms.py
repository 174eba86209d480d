"""The pass over the words of a text: makers, people, models that are not here, words of the trade, slips of all."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from quarry.understanding.collocations import Collocation
from quarry.understanding.makers import is_titled, maker_at, misspelt_maker, person_at
from quarry.understanding.marked_text import MarkedText
from quarry.understanding.marks import Mark, Role
from quarry.understanding.models import misspelt_model_at, near_models, unknown_model_at
from quarry.understanding.names import Mention
from quarry.understanding.problem_words import SENTENCE
from quarry.understanding.text import halves, key_of, one_slip
from quarry.understanding.words import MOST_WITHIN, SHORTEST_FORGIVEN, SHORTEST_WITHIN, Meaning

MOST_NEARLY = 8
"""Unknown words of one text that may be words of a phrase with a slip."""
MOST_SLIPS = 12
"""Unknown words of one text that are compared with the words of the trade, letter by letter."""
MOST_UNKNOWN_MODELS = 12
GREETINGS = frozenset((
    "hi", "hello", "hey", "hola", "hallo", "dear", "morning", "good", "afternoon", "evening",
    "guten", "tag", "moin", "servus", "bonjour", "salut", "buenos", "dias", "buenas", "tardes",
    "estimado", "estimada", "lieber", "liebe", "cher", "chere", "mr", "mrs", "ms", "herr",
    "frau",
))  # fmt: skip
CLINICS = frozenset(("clinic", "clinics", "klinik", "clinica", "clinique"))
"""Where doctors work, and dentists too."""
CHAIRS = frozenset(("chairs", "operatories", "behandlungsstuhle", "sillones", "fauteuils"))
"""What a dentist counts."""
SHORTEST_FOREIGN = 8
"""Letters of a word in which a slip is forgiven though the text is in another language."""
KINDS = frozenset((
    "family", "compression", "lubrication", "dryer_kind", "filter_kind", "accessory_kind", "arrangement",
    "certificate", "industry",
))  # fmt: skip
"""What a short word is forgiven a missing letter for: scrol."""
TELLING_OF_OTHERS = frozenset(("archive", "story", "fitted"))
"""Roles of words that tell how others are meant, and are not understood by that themselves."""
NEAR = 6
"""Words that may stand between the two of a collocation."""
DENYING = ("un", "non", "nicht")
"""How a word begins that denies what it goes on with."""
OVERRULED = frozenset(("reason", "outcome"))
"""What a word of a collocation no longer tells by itself: a rebuilt airend is no reason why an order was lost."""
OF_WORK = frozenset(("compression", "industry"))
"""The same of work: a screw element that is changed is no screw machine, a class at our school no trade."""


class TermReader:
    def __init__(self, marked: MarkedText) -> None:
        self.marked = marked
        self.text, self.words, self.taken, self.language = marked.text, marked.words, marked.taken, marked.language
        self.vocabulary, self.names = marked.vocabulary, marked.names
        self.slips = 0
        self.unknown = 0
        self.nearly: dict[int, tuple[str, ...]] = {}

    def read(self) -> None:
        place, bar = 0, 0
        self.nearly = nearly = self._nearly()
        while place < len(self.words):
            if self.taken[place]:
                place += 1
                continue
            if bar <= place:
                bar = self.taken.find(b"\1", place)
                bar = len(self.words) if bar < 0 else bar
            count, meanings = self.vocabulary.match(self.words, place, bar=bar)
            if nearly and not nearly.keys().isdisjoint(range(place, place + MOST_WITHIN)):
                longer = self.vocabulary.match_nearly(self.words, place, nearly, bar=bar)
                count, meanings = max((count, meanings), longer, key=lambda found: found[0])
            maker = maker_at(
                self.text, self.words, place, names=self.names, vocabulary=self.vocabulary, language=self.language
            )
            person = person_at(self.text, self.words, place, names=self.names, vocabulary=self.vocabulary)
            if maker is not None and person is not None and person.last > maker.last:
                maker = None
            if maker is not None and maker.last - place >= count and maker.last <= bar:
                self.marked.mention(maker)
                place = self._model_of(maker.last)
            elif count < 2 and self.marked.glued(place) and (last := self._model_unknown(place)):
                place = last
            elif person is not None and person.last - place > count and person.last <= bar:
                if self._is_addressed(person):
                    self.marked.take(person.first, person.last)
                else:
                    self.marked.mention(person)
                place = person.last
            elif count:
                self._meant(place, place + count, self._of_teeth(place, meanings))
                place += count
            else:
                place = self._unknown(place)

    def _nearly(self) -> dict[int, tuple[str, ...]]:
        """By its place: the words of the trade that an unknown word may be with a slip."""
        found: dict[int, tuple[str, ...]] = {}
        spoken = frozenset((self.language, "en"))
        for place, token in enumerate(self.words):
            if self.taken[place] or token.number or len(token.text) < SHORTEST_WITHIN or self._is_known(token.text):
                continue
            found[place] = self.vocabulary.nearly(token.text, spoken=spoken)
            if len(found) == MOST_NEARLY:
                break
        return {place: words for place, words in found.items() if words}

    def _is_known(self, word: str) -> bool:
        vocabulary, names = self.vocabulary, self.names
        return (
            word in vocabulary.languages
            or word in vocabulary.maker_starts
            or word in vocabulary.bound_words
            or word in names.maker_starts
            or word in names.people
        )

    def _is_addressed(self, person: Mention) -> bool:
        """True for whom a mail begins with: "Hi Tina, …" asks Tina, and not for what she sold."""
        ended = person.last < len(self.words) and self.words[person.last].gap.lstrip()[:1] in (",", "-", "!")
        greeted = all(token.text in GREETINGS for token in self.words[: person.first])
        alone = person.last - person.first == 1 and person.attribute != "customer"
        return ended and greeted and (alone or person.first > 0)

    def _meant(self, first: int, last: int, meanings: Sequence[Meaning]) -> None:
        spoken = (self.language, "en", "")
        said = False
        start, end = self.marked.span(first, last)
        for meaning in meanings:
            if meaning.attribute == "role":
                related = meaning.language == self.language or (
                    meaning.language == "en"
                    and meaning.value in ("negation", "only", "equal", "waived", "excluded_after")
                )
                if related:
                    self.marked.roles.append(Role(meaning.value, first, last))
                    said = said or meaning.value not in TELLING_OF_OTHERS
            elif meaning.attribute == "dimension":
                self.marked.roles.append(Role(meaning.value, first, last))
                said = True
            elif meaning.attribute == "time":
                said = said or meaning.value in ("recent", "last_year", "this_year")
            elif self.language != "en" or meaning.language in spoken or end - start > 4:
                self.marked.marks.append(Mark(meaning.attribute, first, last, start, end,
                                              values=frozenset({meaning.value}), family=meaning.family))  # fmt: skip
                said = True
        if said:
            self.marked.take(first, last)

    def _model_unknown(self, place: int) -> int:
        """Where a part number ends that the data does not hold or that was mistyped; 0 for none."""
        if self.unknown >= MOST_UNKNOWN_MODELS:
            return 0
        mention = unknown_model_at(
            self.text,
            self.words,
            place,
            self.taken,
            names=self.names,
            vocabulary=self.vocabulary,
        )
        if mention is None:
            return 0
        self.unknown += 1
        self.marked.mention(mention)
        return mention.last

    def _model_of(self, place: int) -> int:
        """Reads "Sierra 100" and "S 100" after a maker: a name and a figure without a unit."""
        if place + 1 >= len(self.words) or self.taken[place]:
            return place
        if self._is_a_series(place):
            self.marked.take(place, place + 1)
            return place + 1
        if self.taken[place + 1]:
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
        self.marked.mention(Mention("model", values, place, last, absent=not near))
        return last

    def _is_a_series(self, place: int) -> bool:
        """True of "Twistair" in "Joy Twistair TA-075": a name between a maker and its model."""
        name = self.words[place]
        written = self.text[name.start : name.end]
        model = place + 1 in {mark.first for mark in self.marked.marks if mark.attribute == "model"}
        known = name.text in self.vocabulary.longest or name.text in self.vocabulary.stop
        return name.soft and written[:1].isupper() and not known and (model or self.marked.glued(place + 1))

    def _unknown(self, place: int) -> int:
        """One word that no list holds: a model with a slip, a maker with a slip, a word of the trade with a slip."""
        token = self.words[place]
        glued = place + 1 < len(self.words) and self.words[place + 1].gap in ("", "-", "/", ".")
        if (glued or (token.text[0].isalpha() and len(token.text) < 6)) and (last := self._model_unknown(place)):
            return last
        if token.number or token.text in self.vocabulary.stop:
            return place + 1
        if self._denied(place):
            return place + 1
        series = self.names.series.get(token.text)
        if series is not None and (len(token.text) > 3 or self.text[token.start : token.end].isupper()):
            last = place + 1
            if last < len(self.words) and self.words[last].number and not self.taken[last]:
                key = token.text + self.words[last].text
                narrowed = frozenset(model for model in series if key_of(model).startswith(key))
                series, last = (narrowed, last + 1) if narrowed else (series, last)
            self.marked.mention(Mention("model", series, place, last))
            return last
        if self.slips < MOST_SLIPS and len(token.text) >= 5 and not is_titled(self.words, place):
            self.slips += 1
            return self._slip(place)
        return place + 1

    def _of_teeth(self, place: int, meanings: Sequence[Meaning]) -> Sequence[Meaning]:
        """What a clinic means: beside a word of dentistry a dentist's, and no hospital."""
        if self.words[place].text not in CLINICS or not self._dental:
            return meanings
        return [replace(each, value="dental") if each.attribute == "industry" else each for each in meanings]

    @cached_property
    def _dental(self) -> bool:
        said = (each for token in self.words for each in self.vocabulary.phrases.get(token.text, ()))
        chairs = any(token.text in CHAIRS for token in self.words)
        return chairs or any(each.attribute == "industry" and each.value == "dental" for each in said)

    def _denied(self, place: int) -> bool:
        """Reads a property that its own word denies: ungalvanized, unverzinkt."""
        text = self.words[place].text
        prefix = next((each for each in DENYING if text.startswith(each)), "")
        meanings = self.vocabulary.phrases.get(text.removeprefix(prefix), ()) if prefix else ()
        features = [each for each in meanings if each.attribute == "feature"]
        if features:
            self.marked.roles.append(Role("negation", place, place))
            self._meant(place, place + 1, features)
        return bool(features)

    def _slip(self, place: int) -> int:
        token = self.words[place]
        maker = misspelt_maker(self.words, place, names=self.names, vocabulary=self.vocabulary)
        if maker is not None and not any(self.taken[maker.first : maker.last]):
            self.marked.mention(maker)
            return maker.last
        model = misspelt_model_at(self.words, place, self.taken, names=self.names)
        if model is not None:
            self.marked.mention(model)
            return model.last
        letters = len(token.text)
        short = letters <= SHORTEST_FORGIVEN
        begin, end = halves(token.text)
        for length in (letters + 1,) if short else (letters, letters - 1, letters + 1):
            for form in self.vocabulary.spelt.get((token.text[0], length), ()):
                if not (form.startswith(begin) or form.endswith(end)) or not one_slip(token.text, form):
                    continue
                meanings = self._slipped(form)
                if meanings and (not short or not KINDS.isdisjoint(each.attribute for each in meanings)):
                    self._meant(place, place + 1, meanings)
                    return place + 1
        for form in self.nearly.get(place, ()):
            # Two letters that changed places are forgiven in a shorter word too: drian.
            meanings = (
                self._slipped(form) if form in self.vocabulary.phrases and sorted(form) == sorted(token.text) else ()
            )
            if not KINDS.isdisjoint(each.attribute for each in meanings):
                self._meant(place, place + 1, meanings)
                return place + 1
        return place + 1

    def _slipped(self, form: str) -> tuple[Meaning, ...]:
        """What a form means that is written with a slip: a short one of another language is a word of this one."""
        meanings = self.vocabulary.phrases[form]
        if len(form) >= SHORTEST_FOREIGN:
            return meanings
        return tuple(each for each in meanings if each.language in (self.language, "en", ""))


def read_collocations(marked: MarkedText) -> None:
    """Marks what two words tell that stand near each other, in either order, where no phrase has told it; the first
    two of the text tell it for all.
    """
    known = marked.vocabulary.collocations
    seen: dict[tuple[Collocation, int], tuple[int, int]] = {}
    marks: set[Collocation] = set()
    texts = [token.text for token in marked.words] if known else []
    broken = 0
    for place, text in enumerate(texts):
        if marked.words[place].gap != " " and SENTENCE.search(marked.words[place].gap):
            broken = place
        for count, said in enumerate((text, " ".join(texts[place : place + 2])), start=1):
            for one, side in known.get(said, ()):
                seen[one, side] = (place, place + count)
                other = seen.get((one, 1 - side))
                near = other is not None and other[0] >= broken and 0 <= place - other[1] <= NEAR
                if near and one not in marks:
                    marks.add(one)
                    _mark(marked, one, act=seen[one, 0], of=seen[one, 1])


def _mark(marked: MarkedText, one: Collocation, *, act: tuple[int, int], of: tuple[int, int]) -> None:
    places = {*range(*act), *range(*of)}
    own = [mark for mark in marked.marks if places.intersection(range(mark.first, mark.last))]
    elsewhere = {mark.attribute for mark in marked.marks if mark not in own}
    kind, value = one.says[0]
    told = any(mark.attribute == kind and (kind == "service" or value in mark.values) for mark in marked.marks)
    if one.alone and elsewhere & {"family", "model"}:
        return
    if told or kind != "accessory_kind":
        overruled = OVERRULED | OF_WORK if kind == "service" else OVERRULED
        own = [mark for mark in own if mark.attribute in overruled]
    marked.marks = [mark for mark in marked.marks if mark not in own]
    if told:
        return
    marked.roles = [role for role in marked.roles if role.value != "replace" or role.first not in places]
    start, end = marked.span(*act)
    for attribute, said in one.says:
        marked.add(Mark(attribute, *act, start, end, values=frozenset({said})))
    marked.take(*of)
