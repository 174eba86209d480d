"""The names of a tenant's data and its words of the trade, as its searches read them."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quarry.data import database
from quarry.data.environment import kept
from quarry.retrieval import own_words
from quarry.retrieval.corpus import Corpus
from quarry.retrieval.own_words import OwnWords
from quarry.understanding.implied import Named
from quarry.understanding.inflection import plain
from quarry.understanding.names import ModelName, Names
from quarry.understanding.text import key_of
from quarry.understanding.words import Vocabulary

NAMES_KEPT_S = 60.0
"""How long a process goes by the names it has read; a part number that is typed is looked up each time."""


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


@kept
def known() -> dict[tuple[str, Corpus], tuple[float, Known]]:
    """Names by tenant, with the moment they were read."""
    return {}


def names_of(corpus: Corpus, *, tenant: str) -> Known:
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
        {row["key"]: named_row(row) for row in rows if row["kind"] == "model"},
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


def named_row(row: Mapping[str, Any]) -> Named:
    wanted = ("hp",) if row["family"] == "compressor" else ("cfm", "gallons")
    sizes = tuple((column, float(row[column])) for column in wanted if row.get(column))
    flow = float(row["cfm"]) if row.get("cfm") else None
    return Named(row["maker"] or "", row["family"] or "", sizes, row.get("lubrication") or "", flow)
