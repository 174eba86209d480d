"""How rows answer a request: each judged by the item that it answers best, and in the order of a superlative."""

import math
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from quarry.data.environment import kept
from quarry.retrieval.corpus import Corpus
from quarry.retrieval.ranking import NOTHING_ASKED, Answered, Candidate
from quarry.retrieval.requests import QUOTE_LEVEL, Reading
from quarry.understanding.extremes import EXTREMES, extreme_of, ordered
from quarry.understanding.fit import judge
from quarry.understanding.needs import VERDICTS, Finding, Item, Judgement, Need, Request
from quarry.understanding.text import STEM, WORD, fold
from quarry.understanding.traits import quote_traits, row_traits
from quarry.understanding.words import Vocabulary

MOST_TRAITS = 20_000
"""Rows whose traits a process remembers."""

LISTED = frozenset(("service", "accessory_kind"))
"""What stands in a line of its own where it was sold."""


def answered(candidates: Sequence[Candidate], reading: Reading, *, corpus: Corpus) -> list[Candidate]:
    """The candidates with what each answers to the request."""
    request = reading.request
    if request is None or not request.needs:
        return list(candidates)
    idle = reading.vocabulary.idle if reading.vocabulary and corpus.kind == "equipment" else frozenset()
    unread = UnreadWords.of(request, [_text(one.row) for one in candidates], idle=idle)
    found = [
        replace(one, answer=_answer(one, request, corpus=corpus, words=reading.vocabulary, unread=unread))
        for one in candidates
    ]
    for place, item in enumerate(reading.answered):
        if (need := extreme_of(item)) is not None:
            found = _in_order(found, need, item=place, corpus=corpus, words=reading.vocabulary)
    return found


def any_tells(candidates: Sequence[Candidate], reading: Reading, *, least: float) -> bool:
    """Whether a row has at least two of the words that no rule reads, and ``least`` of their worth."""
    texts = [_text(one.row) for one in candidates]
    if reading.request is None:
        return False
    unread = UnreadWords.of(reading.request, texts)
    return any(unread.told(text) >= least and sum(stem in text for stem in unread.worth) > 1 for text in texts)


def _in_order(
    candidates: Sequence[Candidate], need: Need, *, item: int, corpus: Corpus, words: Vocabulary | None
) -> list[Candidate]:
    """The candidates with what each answers to the superlative of one item."""
    own = {one.doc: one.answer for one in candidates if one.answer is not None and one.answer.item == item}
    judged = []
    for one in candidates:
        if one.doc in own:
            row = _whole(one.row)
            judged.append((own[one.doc].judgement, row, _traits(one.doc, row, corpus=corpus, words=words)))
    for (doc, answer), (judgement, place) in zip(list(own.items()), ordered(need, judged), strict=True):
        own[doc] = replace(answer, judgement=judgement, place=place, first=need.machines or 1)
    return [replace(one, answer=own.get(one.doc, one.answer)) for one in candidates]


def _answer(
    one: Candidate, request: Request, *, corpus: Corpus, words: Vocabulary | None, unread: "UnreadWords"
) -> Answered:
    """The best of the items' judgements, and how much the row tells of the words that no rule reads."""
    row, text = one.row, _text(one.row)
    if corpus.kind == "past_quotes":
        judged = [_of_quote(request, row, text=text)]
    else:
        whole = _whole(row)
        traits = _traits(one.doc, whole, corpus=corpus, words=words)
        judged = [judge(item, whole, traits=traits) for item in request.items]
    best = max(range(len(judged)), key=lambda place: (*_worth(judged[place]), -place))
    told = unread.told(text)
    return Answered(best, judged[best], unread.share * (1 - told), unread.share * told, unread.figure)


@dataclass(frozen=True, slots=True)
class UnreadWords:
    """The words of a request that no rule reads, each by its stem and worth the more the fewer rows have it.

    A word that no row has may be what matters: another maker, another thing. ``share`` is that of these words among
    all that was asked. With a ``figure`` among them nobody knows what it asks.
    """

    worth: Mapping[str, float]
    share: float
    figure: bool = False

    @staticmethod
    def of(request: Request, texts: Sequence[str], *, idle: frozenset[str] = frozenset()) -> "UnreadWords":
        """``idle`` are words that ask nothing."""
        typed = [word.lower() for word in request.not_understood if fold(word) not in idle]
        stems = {
            word[:STEM]
            for word in typed
            if (word.isalpha() and len(word) > 2) or (word.isdecimal() and len(word) == 2)
        }
        having = {stem: sum(stem in text for text in texts) for stem in stems}
        worth = {stem: math.log(1 + len(texts) / (1 + having[stem])) for stem in sorted(stems)}
        figure = any(word[0].isdigit() for word in request.not_understood)
        return UnreadWords(worth, len(stems) / (len(stems) + len(request.needs)) if stems else 0.0, figure)

    def told(self, text: str) -> float:
        """The share of their worth that a text has."""
        whole = sum(self.worth.values())
        return sum(worth for stem, worth in self.worth.items() if stem in text) / whole if whole else 0.0


def _text(row: Mapping[str, Any]) -> str:
    lines = row.get("_lines") or ()
    told = (value for each in (row, *lines) for value in each.values() if isinstance(value, str))
    return " ".join(told).lower()


def _tells(text: str, need: Need) -> bool:
    """Whether the text has the very words that a need was read from."""
    stems = [word[:STEM] for word in WORD.findall(need.words.lower()) if len(word) > 2]
    return need.operator == "one_of" and bool(stems) and all(stem in text for stem in stems)


def _of_quote(request: Request, row: Mapping[str, Any], *, text: str) -> Judgement:
    """A quote by itself and, for each thing that was sold, by the line of it that answers best.

    A quote that lacks one of several things is close, one that lacks more is contradicted.
    """
    items = request.items
    own = replace(items[0], needs=tuple(need for need in items[0].needs if need.attribute in QUOTE_LEVEL))
    whole = judge(own, row, traits=quote_traits(row))
    sold = [replace(item, needs=tuple(need for need in item.needs if _of_goods(need))) for item in items]
    apart = [part for item in sold for part in _parts(item)]
    found = [_sold(part, row, text=text, options=request.options) for part in apart]
    without = [need for item in items for need in item.needs if need.attribute == "included"]
    lacking = sum(each.overall in ("contradicted", "unknown") for each in found)
    if len(found) > 1 and lacking == 1:
        found = [
            replace(each, contradicted=0, overall="close") if each.overall == "contradicted" else each
            for each in found
        ]
    for each in (*found, *(_without(need, row) for need in without)):
        whole = _both(whole, each)
    return whole


def _parts(item: Item) -> list[Item]:
    """What lines of their own answer: a dryer, and the extended warranty that was sold with it."""
    headed = [need for need in item.needs if need.attribute == "heading"]
    others = tuple(need for need in item.needs if need.attribute != "heading")
    return [replace(item, needs=needs) for needs in (others, *((need,) for need in headed)) if needs]


def _of_goods(need: Need) -> bool:
    """Whether the lines of a quote answer it; what a quote is not to include is asked of all of them."""
    return need.attribute not in QUOTE_LEVEL | EXTREMES | {"included"} and not need.implied_by


def _without(need: Need, row: Mapping[str, Any]) -> Judgement:
    """A quote that is not to hold a kind of goods answers with all its lines."""
    sold = {str(line.get("family")) for line in row.get("_lines") or []} & need.values
    if sold:
        return Judgement((Finding("contradicted", ", ".join(sorted(sold)), need),), 0, 0, 0, 1, "contradicted")
    return Judgement((Finding("met", "none", need),), 1, 0, 0, 0, "met")


def _sold(sold: Item, row: Mapping[str, Any], *, text: str, options: bool) -> Judgement:
    """The line that answers best; an option answers less than what was sold, where none is asked for.

    A machine of which the quote's text tells, though it sold another, is what the customer had or was offered.
    """
    best = _as_a_whole(_of_lines(sold, row, options=options))
    if best.overall in ("contradicted", "unknown") and any(_tells(text, need) for need in sold.needs):
        others = replace(sold, needs=tuple(need for need in sold.needs if not _tells(text, need)))
        told = _of_lines(others, row, options=options) if others.needs else NOTHING_ASKED
        if told.overall == "met":
            best = replace(told, close=told.close + 1, overall="close")
    return best


def _as_a_whole(best: Judgement) -> Judgement:
    """What no line of a quote tells was not sold: there is no other place where a service would stand."""
    unsold = any(each.verdict == "unknown" and each.need.attribute in LISTED for each in best.findings)
    return replace(best, overall="contradicted") if unsold else best


def _of_lines(sold: Item, row: Mapping[str, Any], *, options: bool) -> Judgement:
    lines = row.get("_lines") or []
    judged = [(judge(sold, line), not _is_aside(sold, line, options=options)) for line in lines]
    if not judged:
        return judge(sold, {}, traits={})
    best, plain = max(judged, key=lambda pair: (*_worth(pair[0]), pair[1]))
    return best if plain or best.overall != "met" else replace(best, close=best.close + 1, overall="close")


def _is_aside(sold: Item, line: Mapping[str, Any], *, options: bool) -> bool:
    """An option where none is asked for, or the other way round, and one machine where two alike are."""
    fewer = float(line.get("quantity") or 1) < (sold.quantity or 1)
    return bool(line.get("optional")) != options or fewer


def _both(one: Judgement, other: Judgement) -> Judgement:
    overall = max(one.overall, other.overall, key=VERDICTS.index)
    if not one.findings:
        overall = other.overall
    return Judgement(
        (*one.findings, *other.findings),
        one.met + other.met,
        one.close + other.close,
        one.unknown + other.unknown,
        one.contradicted + other.contradicted,
        overall,
    )


def _worth(judgement: Judgement) -> tuple[int, int, int, int]:
    return -judgement.contradicted, -VERDICTS.index(judgement.overall), judgement.met, judgement.close


def _whole(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with what its quote and its catalogue row know where the line itself is silent."""
    catalogue: Mapping[str, Any] = row.get("_catalogue") or {}
    of_quote = {"salesperson": row["_salesperson"]} if row.get("_salesperson") else {}
    silent = {name: value for name, value in catalogue.items() if row.get(name) is None and value is not None}
    return {**row, **of_quote, **silent}


@kept
def remembered() -> OrderedDict[tuple[Corpus, Vocabulary | None, int, int], Mapping[str, frozenset[str]]]:
    """Traits of rows, by what they were read from."""
    return OrderedDict()


def _traits(
    doc: int, row: Mapping[str, Any], *, corpus: Corpus, words: Vocabulary | None
) -> Mapping[str, frozenset[str]]:
    key = (
        corpus,
        words,
        doc,
        hash((row.get("description"), row.get("category"), row.get("drive"), row.get("voltage"))),
    )
    if (traits := remembered().get(key)) is None:
        traits = remembered()[key] = row_traits(row, words=words)
        if len(remembered()) > MOST_TRAITS:
            remembered().popitem(last=False)
    return traits
