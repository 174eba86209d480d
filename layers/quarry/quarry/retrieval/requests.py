"""A request as a search uses it: what was understood, which words the legs look for, and how a row answers it."""

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from quarry.data import database
from quarry.data.environment import kept
from quarry.retrieval import own_words
from quarry.retrieval.bounds import bounds_of
from quarry.retrieval.corpus import Corpus
from quarry.retrieval.own_words import OwnWords
from quarry.retrieval.query_words import words_looked_for
from quarry.understanding.extremes import EXTREMES
from quarry.understanding.heads import AUXILIARY
from quarry.understanding.implied import OF_COMPRESSORS, Named, as_variant, compared
from quarry.understanding.inflection import plain
from quarry.understanding.names import ModelName, Names
from quarry.understanding.needs import Item, Need, Request
from quarry.understanding.reading import understand
from quarry.understanding.text import STEM, fold, key_of
from quarry.understanding.units import shown
from quarry.understanding.words import Vocabulary

NAMES_KEPT_S = 60.0
"""How long a process goes by the names it has read; a part number that is typed is looked up each time."""

OF_A_COMPRESSOR = frozenset(("hp", "cfm", "psi", "lubrication"))

TELLING_A_FAMILY = frozenset(
    ["family", "model", "inhg", "dewpoint_f", "gallons", "dryer_kind", "filter_kind", "accessory_kind", "service"]
)

QUOTE_LEVEL = frozenset(
    [
        "outcome", "competitor", "reason", "date", "industry", "customer", "salesperson", "contact", "price", "use",
        "currency", "country", "quote_number", "discount", "reference", "name",
    ]
)  # fmt: skip
"""Needs that a past quote answers itself; what was sold answers the others."""

OF_QUOTES_ALONE = frozenset(("date", "outcome", "reason", "competitor"))
"""What no product of a catalogue has."""

OF_LINES_ALONE = frozenset(("visits", "years", "optional"))
"""What only a line of a quote tells."""

FAMILY_OF_USE: Mapping[str, str] = {"aeration": "blower", "hold-down": "vacuum_pump"}
"""What a use is sold, where the request does not say."""

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


@dataclass(frozen=True, slots=True)
class Known:
    """The tenant's names and words, each model by its key as far as others are compared with it, and the families
    that each maker makes.
    """

    names: Names
    models: Mapping[str, Named]
    made_by: Mapping[str, frozenset[str]]
    own: OwnWords
    trades: frozenset[str] = frozenset()
    """Industries of the tenant's quotes."""
    currency: str = ""
    """What most of them are in."""

    def family(self, model: str) -> str:
        """The family of a model; "" where it is not known."""
        named = self.models.get(key_of(model))
        return named.family if named is not None else ""


def read(corpus: Corpus, query: str, *, tenant: str, names: Known | None = None) -> Reading:
    """Passages are not judged by needs: their queries are taken as they are."""
    if corpus.names is None:
        return Reading(query, query)
    if names is None:
        names = _names(corpus, tenant=tenant)
    words = own_words.vocabulary(names.own, kind=corpus.kind, of_quotes=OF_QUOTES.search(fold(query)) is not None)
    request = understand(query, words=words, names=names.names, today=date.today())
    items = [_as_asked(item, known=names) for item in request.items]
    if corpus.kind == "equipment":
        items = [_of_the_catalogue(item) for item in items]
    if corpus.kind != "line_items":
        items = [
            replace(item, needs=tuple(need for need in item.needs if need.attribute not in OF_LINES_ALONE))
            for item in items
        ]
    if corpus.kind == "line_items":
        items = [_of_a_line(item) for item in items]
    if corpus.kind == "past_quotes":
        items = _of_one_quote(items)
    request = replace(request, items=tuple(items))
    bounds = [found for item in request.items if (found := bounds_of(item, currency=names.currency))]
    looked_for = words_looked_for(query, request, vocabulary=words, kind=corpus.kind)
    also = words.synonyms.of(query, stop=words.stop) if corpus.kind == "line_items" else ""
    return Reading(query, looked_for, request, bounds, words, corpus.kind == "past_quotes", also)


def known_names(corpus: Corpus, *, tenant: str) -> tuple[Names, Vocabulary]:
    """The names of the tenant's data and the words of the trade with its own, as its searches read them."""
    names = _names(corpus, tenant=tenant)
    return names.names, own_words.vocabulary(names.own, kind=corpus.kind, of_quotes=False)


def attributes_wanted(corpus: Corpus, asked: str, *, tenant: str) -> str:
    """The filters on the tenant's own attributes as SQL reads them. Raises ValidationFailed."""
    known = {attribute.name: attribute for attribute in _names(corpus, tenant=tenant).own.attributes}
    return own_words.wanted(asked, attributes=known)


def read_again(corpus: Corpus, reading: Reading, *, named: Sequence[Mapping[str, Any]], tenant: str) -> Reading:
    """The same with models that the query names and that this process had not read yet."""
    held = _names(corpus, tenant=tenant)
    new = {row["key"]: row for row in named if row["key"] not in held.names.models}
    if not new:
        return reading
    models = {key: [ModelName(row["name"], row["maker"] or "")] for key, row in new.items()}
    makers = {row["maker"].lower(): row["maker"] for row in new.values() if row["maker"]}
    names = replace(held.names, models={**held.names.models, **models}, makers={**held.names.makers, **makers})
    grown = replace(held, names=names, models={**held.models, **{key: _named(row) for key, row in new.items()}})
    known()[tenant, corpus] = (time.monotonic(), grown)
    return read(corpus, reading.query, tenant=tenant, names=grown)


def misspelt(reading: Reading, *, read_as: Mapping[str, str]) -> dict[str, str]:
    """Part numbers that no text has, but for what was understood as a measure, an amount or a date: 100k, Nm3/min."""
    if reading.request is None:
        return dict(read_as)
    needs = sorted(reading.request.needs, key=lambda need: need.start)
    measured = key_of("".join(need.words for need in needs if need.operator not in ("one_of", "none_of")))
    return {typed: term for typed, term in read_as.items() if typed not in measured}


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


def _of_one_quote(items: Sequence[Item]) -> list[Item]:
    """The items, each with what is asked of the quote itself, wherever that was said."""
    own = {need.shown: need for item in items for need in item.needs if need.attribute in QUOTE_LEVEL | EXTREMES}
    sold = [tuple(need for need in item.needs if need.attribute not in QUOTE_LEVEL | EXTREMES) for item in items]
    return [replace(item, needs=(*own.values(), *needs)) for item, needs in zip(items, sold, strict=True)]


def _of_a_line(item: Item) -> Item:
    """The item without why an order was lost, where nothing else is said of how it ended: no line tells that. Work
    that is asked for stands in a line of its own.
    """
    work = item.need("service")
    if work is not None and work.operator == "one_of" and not item.families and item.need("model") is None:
        item = replace(item, needs=(*item.needs, _family(frozenset({"service"}), by=work)))
    ended = any(need.attribute in ("outcome", "competitor") for need in item.needs)
    return item if ended else replace(item, needs=tuple(need for need in item.needs if need.attribute != "reason"))


def _of_the_catalogue(item: Item) -> Item:
    needs = tuple(need for need in item.needs if need.attribute not in OF_QUOTES_ALONE)
    used = next((need for need in needs if need.attribute == "use" and need.values & FAMILY_OF_USE.keys()), None)
    if used is not None and not TELLING_A_FAMILY & {need.attribute for need in needs}:
        family = FAMILY_OF_USE[min(used.values & FAMILY_OF_USE.keys())]
        needs = (*needs, replace(_family(frozenset({family}), by=used), implied_by=None))
    return replace(item, needs=needs)


def _as_asked(item: Item, *, known: Known) -> Item:
    """The item without what only names its surroundings, and with the family that its quantities imply.

    A dryer "behind a ZT75" is a dryer: a model of another family than the one asked for is none that is wanted.
    Pressure, power and lubrication without a word for the machine are a compressor's.
    """
    meant = as_variant(item, names=known.names.models)
    item = _of_its_attributes(compared(meant, known.models), known=known)
    item = replace(item, needs=tuple(_as_here(need, known=known) for need in item.needs))
    if item.families:
        item = _of_the_part(item, known=known)
        item = _of_the_served(item, known=known)
        needs = tuple(
            need
            for need in item.needs
            if need.attribute != "model"
            or not need.values
            or any(known.family(value) in ("", *item.families) for value in need.values)
        )
        return replace(item, needs=needs)
    attributes = {need.attribute: need for need in item.needs if need.operator != "none_of"}
    telling = next((need for name, need in attributes.items() if name in OF_A_COMPRESSOR), None)
    maker = item.need("manufacturer")
    made = {family for value in maker.values for family in known.made_by.get(value, ())} if maker else set()
    if (
        telling is not None
        and not attributes.keys() & TELLING_A_FAMILY
        and not any(need.attribute == "compression" and not need.values & OF_COMPRESSORS for need in item.needs)
        and (not made or "compressor" in made)
    ):
        return replace(item, needs=(*item.needs, _family(frozenset({"compressor"}), by=telling)))
    return item


def _of_the_part(item: Item, *, known: Known) -> Item:
    """The item without the machine for which a part is named: "SAM 4.0-16, how many compressors can it take"."""
    model, family = item.need("model"), item.need("family")
    families = {known.family(value) for value in model.values} if model is not None and not model.absent else set()
    if model is None or family is None or not families or not families <= AUXILIARY or family.values & AUXILIARY:
        return item
    return replace(item, needs=tuple(need for need in item.needs if need is not family))


def _of_the_served(item: Item, *, known: Known) -> Item:
    """The item with the flow of the model that it serves, as the catalogue has it, where it says none itself."""
    named = (
        [known.models[key] for key in map(key_of, item.served.values) if key in known.models] if item.served else []
    )
    flow = item.need("cfm")
    if item.served is None or len(named) != 1 or not named[0].flow or named[0].family in item.families:
        return item
    if flow is not None and not flow.implied_by:
        return item
    value = named[0].flow * (item.served.machines or 1)
    told = f"{shown('cfm', 'about', value, value)}, of {item.served.shown}"
    passing = replace(item.served, attribute="cfm", operator="about", low=value, high=value, values=frozenset(),
                      machines=None, hard=False, shown=told)  # fmt: skip
    return replace(item, needs=(*(need for need in item.needs if need is not flow), passing))


def _as_here(need: Need, *, known: Known) -> Need:
    """An amount is in the tenant's currency unless it says another, and a trade is also what the tenant calls so."""
    if (
        need.attribute == "price"
        and need.operator not in ("one_of", "none_of")
        and not need.values
        and known.currency
    ):
        return replace(need, values=frozenset({known.currency}), shown=f"{need.shown} {known.currency}")
    if need.attribute == "industry":
        typed = {word[:STEM] for word in fold(need.words).split()}
        return replace(need, values=need.values | {trade for trade in known.trades if fold(trade)[:STEM] in typed})
    return need


def _of_its_attributes(item: Item, *, known: Known) -> Item:
    """The item with the families of the tenant's own attributes that it names, where it names no family."""
    own = {attribute.name: attribute.families for attribute in known.own.attributes if attribute.families}
    telling = [need for need in item.needs if need.attribute in own]
    if item.families or not telling or item.need("model") is not None:
        return item
    families: frozenset[str] = frozenset().union(*(own[need.attribute] for need in telling))
    return replace(item, needs=(*item.needs, _family(families, by=telling[0])))


def _family(families: frozenset[str], *, by: Need) -> Need:
    told = " or ".join(sorted(families)).replace("_", " ")
    return Need("family", "one_of", values=families, words=by.words, shown=told, start=by.start,
                implied_by="attribute")  # fmt: skip


@kept
def known() -> dict[tuple[str, Corpus], tuple[float, Known]]:
    """Names by tenant, with the moment they were read."""
    return {}


def _names(corpus: Corpus, *, tenant: str) -> Known:
    """Makers, models, customers and salespeople of the tenant, as this process read them last."""
    held = known().get((tenant, corpus))
    if held is not None and time.monotonic() - held[0] < NAMES_KEPT_S:
        return held[1]
    assert corpus.names is not None
    whose = {"tenant": tenant}
    own = [(each, whose) for each in (own_words.WORDS, own_words.EQUIVALENTS, own_words.ATTRIBUTES)]
    rows, words, equivalents, attributes = database.fetch_each(tenant, [(corpus.names, whose), *own])
    models: dict[str, list[ModelName]] = {}
    people: dict[str, dict[str, str]] = {
        kind: {} for kind in ("customer", "salesperson", "contact", "industry", "heading", "currency")
    }
    makers: dict[str, str] = {}
    for row in rows:
        if row["kind"] == "model":
            models.setdefault(row["key"], []).append(ModelName(row["name"], row["maker"] or ""))
            if row["maker"]:
                makers[row["maker"].lower()] = row["maker"]
        else:
            people[row["kind"]][row["name"].lower()] = row["name"]
    names = Names(makers, models, people["customer"], people["salesperson"], people["contact"])
    made_by: dict[str, set[str]] = {}
    for row in rows:
        if row["kind"] == "model" and row["maker"]:
            made_by.setdefault(row["maker"], set()).add(row["family"])
    shipped = Vocabulary.shipped().phrases
    unknown = [trade for trade in sorted(people["industry"]) if plain(trade) not in shipped]
    of_quotes = people["heading"] if corpus.kind == "past_quotes" else ()
    headings = [name for name in sorted(of_quotes) if not own_words.is_known(name, shipped)]
    read_now = Known(
        names,
        {row["key"]: _named(row) for row in rows if row["kind"] == "model"},
        {maker: frozenset(families) for maker, families in made_by.items()},
        OwnWords.of(
            [*words, *map(own_words.of_trade, unknown), *map(own_words.of_heading, headings)],
            equivalents,
            attributes,
        ),
        frozenset(people["industry"]),
        next(iter(people["currency"].values()), ""),
    )
    known()[tenant, corpus] = (time.monotonic(), read_now)
    return read_now


def _named(row: Mapping[str, Any]) -> Named:
    wanted = ("hp",) if row["family"] == "compressor" else ("cfm", "gallons")
    sizes = tuple((column, float(row[column])) for column in wanted if row.get(column))
    flow = float(row["cfm"]) if row.get("cfm") else None
    return Named(row["maker"] or "", row["family"] or "", sizes, row.get("lubrication") or "", flow)
