"""How rows answer a request: each judged by the item that it answers best, and in the order of a superlative."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

from quarry.data.environment import kept
from quarry.retrieval.corpus import Corpus
from quarry.retrieval.query_words import unread_things
from quarry.retrieval.quote_answers import judge_quote, worth
from quarry.retrieval.ranking import Answered, Candidate
from quarry.retrieval.requests import Reading
from quarry.retrieval.unread_words import UnreadWords, has_stem, stem_of, texts_of, unread_pairs, wider_words
from quarry.understanding.extremes import extreme_of, ordered
from quarry.understanding.fit import judge
from quarry.understanding.needs import Judgement, Need, Request
from quarry.understanding.text import WORD
from quarry.understanding.traits import row_traits
from quarry.understanding.words import Vocabulary

ENOUGH_TOLD = 0.8
"""Share of what the best row tells of the words that no rule reads, below which a row leaves something open."""

MOST_TRAITS = 20_000
"""Rows whose traits a process remembers."""


def answered(candidates: Sequence[Candidate], reading: Reading, *, corpus: Corpus) -> list[Candidate]:
    """The candidates with what each answers to the request."""
    request = reading.request
    of_lines = corpus.kind == "line_items"
    if request is None or not (request.needs or (corpus.kind != "equipment" and request.not_understood)):
        return list(candidates)
    said = reading.vocabulary or Vocabulary.shipped()
    idle = frozenset() if of_lines else said.idle
    texts = [texts_of(one.row) for one in candidates]
    closer = wider_words(request, said) if corpus.kind != "equipment" else frozenset()
    closer |= unread_pairs(request, query=reading.query) if of_lines else frozenset()
    in_other_words = said.synonyms.said(reading.query) if of_lines else {}
    if corpus.kind == "past_quotes":
        in_other_words = unread_things(request, said, query=reading.query)
    unread = UnreadWords.of(request, texts, closer=closer, idle=idle, said=in_other_words)
    words = reading.vocabulary and (reading.vocabulary.of_rows or reading.vocabulary)
    found = [
        replace(one, answer=_answer(one, request, parts, corpus=corpus, words=words, unread=unread))
        for one, parts in zip(candidates, texts, strict=True)
    ]
    found = _without_the_unknown(found, request)
    if of_lines:
        found = _behind_those_that_tell(found, request)
    elif corpus.kind == "past_quotes":
        found = _open_where_others_tell(found)
    for place, item in enumerate(reading.answered):
        if (need := extreme_of(item)) is not None:
            found = _in_order(found, need, item=place, corpus=corpus, words=words)
    return found


def _without_the_unknown(candidates: Sequence[Candidate], request: Request) -> list[Candidate]:
    """The candidates, all of which contradict where the request names somebody whom none of them does."""
    named = {each.need for one in candidates if one.answer for each in one.answer.judgement.findings
             if each.verdict == "met"}  # fmt: skip
    absent = {need for need in request.needs if need.attribute == "name"} - named
    if not absent:
        return list(candidates)
    return [
        replace(one, answer=replace(one.answer, judgement=_denied(one.answer.judgement, absent)))
        if one.answer
        else one
        for one in candidates
    ]


def _denied(judgement: Judgement, needs: Set[Need]) -> Judgement:
    findings = tuple(
        replace(each, verdict="contradicted", has="not named") if each.need in needs else each
        for each in judgement.findings
    )
    gone = sum(each.need in needs for each in findings)
    return replace(judgement, findings=findings, unknown=judgement.unknown - gone,
                   contradicted=judgement.contradicted + gone, overall="contradicted")  # fmt: skip


def _open_where_others_tell(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates, where a quote that does not tell what another one meets leaves that open: why it was lost."""
    told = {
        each.need
        for one in candidates
        if one.answer and one.answer.judgement.overall != "contradicted"
        for each in one.answer.judgement.findings
        if each.verdict == "met"
    }
    return [
        replace(
            one, answer=replace(one.answer, judgement=replace(one.answer.judgement, overall="unknown"), behind=True)
        )
        if one.answer
        and one.answer.judgement.overall == "met"
        and any(each.verdict == "unknown" and each.need in told for each in one.answer.judgement.findings)
        else one
        for one in candidates
    ]


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
        judged = [judge_quote(request, row, text=" ".join(parts))]
    else:
        whole = _whole(row)
        traits = _traits(one.doc, whole, corpus=corpus, words=words)
        judged = [judge(item, whole, traits=traits) for item in request.items]
        if row.get("family") == "service":
            judged = [_with_what_is_told(judgement, parts) for judgement in judged]
    best = max(range(len(judged)), key=lambda place: (*worth(judged[place]), -place))
    told = unread.told(parts)
    return Answered(best, judged[best], unread.share * (1 - told), unread.share * told,
                    unread.leaves_a_figure(parts))  # fmt: skip


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
