"""A request as a search uses it: what was understood, which words the legs look for, and how a row answers it."""

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from quarry.retrieval import own_words
from quarry.retrieval.asked_here import OF_LINES_ALONE, as_asked, of_a_line, of_one_quote, of_the_catalogue
from quarry.retrieval.bounds import bounds_of
from quarry.retrieval.corpus import Corpus
from quarry.retrieval.names_here import Known, known, named_row, names_of
from quarry.retrieval.query_words import words_looked_for
from quarry.understanding.names import ModelName, Names
from quarry.understanding.needs import Item, Language, Request
from quarry.understanding.reading import understand
from quarry.understanding.text import fold, key_of, tokens
from quarry.understanding.words import Vocabulary

OF_QUOTES = re.compile(
    r"\b(quote|quotation|offer|deal|opportunit|proposal|job|bid|order|business|sale"
    r"|angebot|auftrag|auftrage|cotiza|oferta|pedido|devis|offre|commande|affaire)"
)
"""Of a folded text that it speaks of quotes."""


@dataclass(frozen=True, slots=True)
class Reading:
    """``words`` is what the legs look for; ``bounds`` are the columns' limits of each item that names any."""

    query: str
    words: str
    request: Request | None = None
    bounds: Sequence[Mapping[str, object]] = ()
    vocabulary: Vocabulary | None = None
    whole: bool = False
    """True where one row answers all items of the request: a quote has sold all that is asked for."""
    also: str = ""
    """Other words for what is said, in any language, which the text leg looks for too."""

    @property
    def answered(self) -> tuple[Item, ...]:
        """The items that rows answer each by itself."""
        items = self.request.items if self.request else ()
        return items[:1] if self.whole else items


def read(corpus: Corpus, query: str, *, tenant: str, names: Known | None = None) -> Reading:
    """Passages are not judged by needs: their queries are taken as they are."""
    if corpus.names is None:
        return Reading(query, query)
    if names is None:
        names = names_of(corpus, tenant=tenant)
    words = own_words.vocabulary(names.own, kind=corpus.kind, of_quotes=OF_QUOTES.search(fold(query)) is not None)
    request = understand(query, words=words, names=names.names, today=date.today())
    items = list(request.items)
    if corpus.kind == "equipment":
        items = [of_the_catalogue(item) for item in items]
    items = [as_asked(item, known=names) for item in items]
    if corpus.kind != "line_items":
        items = [
            replace(item, needs=tuple(need for need in item.needs if need.attribute not in OF_LINES_ALONE))
            for item in items
        ]
    if corpus.kind == "line_items":
        items = [of_a_line(item) for item in items]
    if corpus.kind == "past_quotes":
        items = of_one_quote(items)
    request = replace(request, items=tuple(items))
    bounds = [found for item in request.items if (found := bounds_of(item, currency=names.currency))]
    looked_for = words_looked_for(query, request, vocabulary=words, kind=corpus.kind)
    also = words.synonyms.of(query, stop=words.stop) if corpus.kind == "line_items" else ""
    return Reading(query, looked_for, request, bounds, words, corpus.kind == "past_quotes", also)


def language_of(corpus: Corpus, text: str, *, tenant: str) -> Language:
    """Of a text, by the words of the trade and the tenant's own."""
    _, words = known_names(corpus, tenant=tenant)
    return words.language_of(tokens(fold(text)))


def known_names(corpus: Corpus, *, tenant: str) -> tuple[Names, Vocabulary]:
    """The names of the tenant's data and the words of the trade with its own, as its searches read them."""
    names = names_of(corpus, tenant=tenant)
    return names.names, own_words.vocabulary(names.own, kind=corpus.kind, of_quotes=False)


def attributes_wanted(corpus: Corpus, asked: str, *, tenant: str) -> str:
    """The filters on the tenant's own attributes as SQL reads them. Raises ValidationFailed."""
    known = {attribute.name: attribute for attribute in names_of(corpus, tenant=tenant).own.attributes}
    return own_words.wanted(asked, attributes=known)


def read_again(corpus: Corpus, reading: Reading, *, named: Sequence[Mapping[str, Any]], tenant: str) -> Reading:
    """The same with models that the query names and that this process had not read yet."""
    held = names_of(corpus, tenant=tenant)
    new = {row["key"]: row for row in named if row["key"] not in held.names.models}
    if not new:
        return reading
    models = {key: [ModelName(row["name"], row["maker"] or "")] for key, row in new.items()}
    makers = {row["maker"].lower(): row["maker"] for row in new.values() if row["maker"]}
    names = replace(held.names, models={**held.names.models, **models}, makers={**held.names.makers, **makers})
    grown = replace(held, names=names, models={**held.models, **{key: named_row(row) for key, row in new.items()}})
    known()[tenant, corpus] = (time.monotonic(), grown)
    return read(corpus, reading.query, tenant=tenant, names=grown)


def misspelt(reading: Reading, *, read_as: Mapping[str, str]) -> dict[str, str]:
    """Part numbers that no text has, but for what was understood as a measure, an amount or a date (100k, Nm3/min) or
    as a part of a model.
    """
    if reading.request is None:
        return dict(read_as)
    needs = sorted(reading.request.needs, key=lambda need: need.start)
    measured = key_of("".join(need.words for need in needs if need.operator not in ("one_of", "none_of")))
    models = [key_of(need.words) for need in needs if need.attribute == "model" and not need.absent]
    return {
        typed: term
        for typed, term in read_as.items()
        if typed not in measured and not any(typed in model and typed != model for model in models)
    }


def read_as_meant(corpus: Corpus, reading: Reading, *, read_as: Mapping[str, str], tenant: str) -> Reading:
    """The same with each misspelt part number as it was read; what the legs look for stays."""
    if corpus.names is None:
        return reading
    meant = " ".join(read_as.get(key_of(word), word) for word in reading.query.split())
    return replace(reading, request=read(corpus, meant, tenant=tenant).request)


def named_models(reading: Reading, *, keys: Sequence[str]) -> frozenset[str]:
    """Keys of the models that are asked for: what was understood, and where no model was, what looks like one."""
    needs = reading.request.needs if reading.request else ()
    models = [need for need in needs if need.attribute == "model" and need.operator != "none_of" and not need.absent]
    return frozenset(key_of(value) for need in models for value in need.values) or frozenset(keys)
