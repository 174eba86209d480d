"""The words that the legs look for: those of a request, and those in which rows are written."""

import re
from collections.abc import Mapping

from quarry.retrieval.corpus import Kind
from quarry.understanding.extremes import EXTREMES
from quarry.understanding.needs import Request
from quarry.understanding.text import WORD, fold, key_of
from quarry.understanding.words import Vocabulary

FEW_WORDS = 2

WRITTEN_AS: Mapping[str, str] = {
    "deposit": "with order anticipo",
    "exchange-rate": "rate fixed currency clause",
    "prompt-payment": "cash discount paid in ten days",
    "matched": "matched competitor",
    "free": "thrown in no charge",
    "increase": "list up since",
    "direct": "sold direct",
}
"""How quotes write terms and reasons for which people have many words."""

QUANTITIES = ("hp", "cfm", "psi", "inhg", "dewpoint_f", "gallons", "dba")


def words_looked_for(query: str, request: Request, *, vocabulary: Vocabulary, kind: Kind) -> str:
    """The query in the words that rows are written in; of past quotes with a word for each thing that they tell in
    other words.
    """
    words = _as_written(query, request, kind=kind)
    if kind != "past_quotes":
        return words
    things = unread_things(request, vocabulary, query=query)
    return " ".join([words, *(phrases[0].strip() for phrases in things)])


def _as_written(query: str, request: Request, *, kind: Kind) -> str:
    """In English, and with the units of the catalogue beside those typed."""
    said: list[str] = []
    query = _without_denied(query, request)
    for need in request.needs:
        if need.operator == "none_of" or need.absent or need.attribute in EXTREMES:
            continue
        if need.attribute in ("price", "reason"):
            said += [WRITTEN_AS[value] for value in sorted(need.values & WRITTEN_AS.keys())]
        if need.attribute in QUANTITIES:
            canonical = need.shown.split(" (")[0].removeprefix("at least ").removeprefix("at most ")
            if request.language != "en" or canonical.split(" ")[-1].lower() not in need.words.lower():
                said.append(canonical)
        elif need.attribute == "model" and key_of(need.words) not in map(key_of, need.values):
            said += sorted(need.values)
        elif need.attribute == "accessory_kind" and not any(_told(value, query) for value in need.values):
            said += sorted(value.replace("-", " ") for value in need.values)
        elif need.implied_by == "problem" and any(_told(value, query) for value in need.values):
            continue
        elif need.implied_by in ("equivalent", "problem") or (request.language != "en" and need.attribute != "date"):
            said += sorted(value.replace("_", " ") for value in need.values)
    # A few words may look German and be a name; lines are written in the languages of customers.
    if kind != "line_items" and request.language != "en" and said and len(query.split()) > FEW_WORDS:
        return " ".join([*dict.fromkeys(said), *request.not_understood])
    return " ".join([query, *said])


def unread_things(
    request: Request, vocabulary: Vocabulary, *, query: str
) -> Mapping[tuple[str, ...], frozenset[str]]:
    """What is said in words that no need was read from, each thing as the beginnings of words that tell it, with the
    words that say it here. A trade is wider than its words: milk powder is told more closely than a dairy.
    """
    read = {word for need in request.needs if need.attribute != "industry" for word in WORD.findall(fold(need.words))}
    said = vocabulary.synonyms.said(query)
    return {phrases: words for phrases, words in said.items() if not words <= read}


def _without_denied(query: str, request: Request) -> str:
    """The query without the names that are denied: of "anybody but Quincy" no leg looks for Quincy."""
    for need in sorted(request.needs, key=lambda need: -need.start):
        denied = need.operator == "none_of" and need.attribute in ("manufacturer", "model", "customer")
        end = need.start + len(need.words)
        if denied and need.words and query[need.start : end] == need.words:
            query = query[: need.start] + query[end:]
    return query


def _told(value: str, query: str) -> bool:
    """Whether the query has a word of what it was read as: "VFD" has none of frequency drive."""
    return any(word in query.lower() for word in re.split("[-_]", value))
