"""How rows answer a request: each judged by the item that it answers best, and in the order of a superlative."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from quarry.data.environment import kept
from quarry.retrieval.corpus import Corpus
from quarry.retrieval.ranking import NOTHING_ASKED, Answered, Candidate
from quarry.retrieval.requests import QUOTE_LEVEL, Reading
from quarry.retrieval.unread_words import UnreadWords, closer_words, has_stem, stem_of, texts_of
from quarry.understanding.extremes import EXTREMES, extreme_of, ordered
from quarry.understanding.fit import judge
from quarry.understanding.needs import VERDICTS, Finding, Item, Judgement, Need, Request
from quarry.understanding.text import STEM, WORD
from quarry.understanding.traits import quote_traits, row_traits
from quarry.understanding.words import Vocabulary

ENOUGH_TOLD = 0.8
"""Share of what the best row tells of the words that no rule reads, below which a row leaves something open."""

LISTED = frozenset(("service", "accessory_kind"))
"""What stands in a line of its own where it was sold."""

MOST_TRAITS = 20_000
"""Rows whose traits a process remembers."""


def answered(candidates: Sequence[Candidate], reading: Reading, *, corpus: Corpus) -> list[Candidate]:
    """The candidates with what each answers to the request."""
    request = reading.request
    of_lines = corpus.kind == "line_items"
    if request is None or not (request.needs or (of_lines and request.not_understood)):
        return list(candidates)
    said = reading.vocabulary or Vocabulary.shipped()
    idle = said.idle if corpus.kind == "equipment" else frozenset()
    texts = [texts_of(one.row) for one in candidates]
    closer = closer_words(request, said, query=reading.query) if of_lines else frozenset()
    unread = UnreadWords.of(request, texts, closer=closer, idle=idle)
    found = [
        replace(one, answer=_answer(one, request, parts, corpus=corpus, words=reading.vocabulary, unread=unread))
        for one, parts in zip(candidates, texts, strict=True)
    ]
    if of_lines:
        found = _behind_those_that_tell(found, request)
    for place, item in enumerate(reading.answered):
        if (need := extreme_of(item)) is not None:
            found = _in_order(found, need, item=place, corpus=corpus, words=reading.vocabulary)
    return found


def _behind_those_that_tell(candidates: Sequence[Candidate], request: Request) -> list[Candidate]:
    """The candidates, where a line that leaves open what another one tells does not answer all of the request.

    Of work that was written about the text is what is looked for: "with a crane" is not answered by any installation.
    A superlative is answered by comparing rows, whatever they tell.
    """
    fitting = [one for one in candidates if one.answer and one.answer.judgement.overall != "contradicted"]
    known = [one.answer for one in fitting if one.answer]
    offered_beside = request.options and any(not one.aside for one in fitting)
    best = {answer.item: 0.0 for answer in known}
    told: set[tuple[int, Need]] = set()
    for answer in known:
        best[answer.item] = max(best[answer.item], answer.told)
        told |= {(answer.item, each.need) for each in answer.judgement.findings if each.verdict == "met"}

    def leaves_open(answer: Answered) -> bool:
        of_another_trade = any(
            each.verdict == "close" and each.need.attribute == "industry" for each in answer.judgement.findings
        )
        compared = extreme_of(request.items[answer.item]) is not None
        said_less = answer.told < ENOUGH_TOLD * best[answer.item]
        return (
            of_another_trade
            or (said_less and not compared)
            or any(
                each.verdict in ("unknown", "close") and (answer.item, each.need) in told
                for each in answer.judgement.findings
            )
        )

    return [
        replace(one, answer=replace(one.answer, judgement=replace(one.answer.judgement, overall="unknown")))
        if one.answer
        and one.answer.judgement.overall == "met"
        and (leaves_open(one.answer) or (offered_beside and one.aside))
        else one
        for one in candidates
    ]


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
    one: Candidate,
    request: Request,
    parts: Sequence[str],
    *,
    corpus: Corpus,
    words: Vocabulary | None,
    unread: UnreadWords,
) -> Answered:
    """The best of the items' judgements, and how much the row tells of the words that no rule reads."""
    row = one.row
    if corpus.kind == "past_quotes":
        judged = [_of_quote(request, row, text=" ".join(parts))]
    else:
        whole = _whole(row)
        traits = _traits(one.doc, whole, corpus=corpus, words=words)
        judged = [judge(item, whole, traits=traits) for item in request.items]
        if row.get("family") == "service":
            judged = [_with_what_is_told(judgement, parts) for judgement in judged]
    best = max(range(len(judged)), key=lambda place: (*_worth(judged[place]), -place))
    told = unread.told(parts)
    return Answered(best, judged[best], unread.share * (1 - told), unread.share * told, unread.figure)


def _with_what_is_told(judgement: Judgement, parts: Sequence[str]) -> Judgement:
    """What a line of work says in the very words of the request, though no column of it does: a 100 hp rental."""
    findings = tuple(
        replace(each, verdict="met", has="named in its text")
        if each.verdict == "unknown" and each.need.attribute != "service" and _named_in(each.need, parts)
        else each
        for each in judgement.findings
    )
    told = sum(each.verdict == "met" for each in findings) - judgement.met
    return replace(judgement, findings=findings, met=judgement.met + told, unknown=judgement.unknown - told)


def _named_in(need: Need, parts: Sequence[str]) -> bool:
    stems = [stem_of(word) for word in WORD.findall(need.words) if len(word) > 2 or word.isdecimal()]
    return bool(stems) and any(all(has_stem(stem, part) for stem in stems) for part in parts)


def _tells(text: str, need: Need) -> bool:
    """Whether the text has the very words that a need was read from."""
    stems = [word[:STEM] for word in WORD.findall(need.words.lower()) if len(word) > 2]
    return need.operator == "one_of" and bool(stems) and all(f" {stem}" in text for stem in stems)


def _of_quote(request: Request, row: Mapping[str, Any], *, text: str) -> Judgement:
    """A quote by itself and, for each thing that was sold, by the line of it that answers best.

    A quote that lacks one of several things is close, one that lacks more is contradicted.
    """
    items = request.items
    own = replace(items[0], needs=tuple(need for need in items[0].needs if need.attribute in QUOTE_LEVEL))
    whole = judge(own, row, traits=quote_traits(row))
    sold = [replace(item, needs=tuple(need for need in item.needs if _of_goods(need))) for item in items]
    apart = [part for item in sold for part in _apart(item)]
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


def _apart(item: Item) -> list[Item]:
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
