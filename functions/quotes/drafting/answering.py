"""Answers one thing that is asked for: what to offer, in which words, at which past prices, and what to ask back."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quarry import retrieval
from quarry.precedents import past_prices
from quarry.precedents.line_parts import line_text
from quarry.precedents.past_lines import LINE_ITEMS, disagreement
from quarry.precedents.past_lines import filters as of_lines
from quarry.products import PRODUCTS
from quarry.retrieval import Hit, Outcome, requests
from quarry.retrieval.part_numbers import model_key
from quarry.retrieval.passages import passage
from quarry.retrieval.reasons import together
from quarry.tool.errors import Unavailable
from quarry.understanding import Request, families_of
from quarry.units import Units, beside
from quotes.drafting import characteristics
from quotes.drafting.needed import AnsweredItem, NeededItem, Offer, TextSource
from quotes.drafting.offer_prices import OfferPrices
from quotes.drafting.questions import to_ask

LOOKED_AT = 20
"""Products of which those to offer are chosen, so that two of a smaller one are seen."""

LINES_LOOKED_AT = 12
OFFERS = {True: 4, False: 2}
PRECEDENTS = {True: 4, False: 1}
PASSAGE = 240
TEXT = {True: 6000, False: PASSAGE}
"""Most characters of proven text, and of a passage of it."""

OUTCOMES = ("won", "open", "lost")
ALTERNATE = re.compile(r"\balternat(?:e|ive)\b|\boption(?:al)?\b", re.IGNORECASE)
FACTS = (
    ("hp", "HP"), ("cfm", "cfm"), ("psi", "psi"), ("vacuum_inhg", "inHg"), ("dewpoint_f", "°F dew point"),
    ("gallons", "gal"), ("lubrication", ""), ("cooling", "cooled"), ("voltage", "V"), ("noise_dba", "dB(A)"),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedItem:
    """``number`` is the item's place, from 1; with ``full`` its text and block come whole."""

    number: int
    item: NeededItem
    units: Units
    full: bool
    customer: str | None
    currency: str | None = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """A product's hit, and how many of it together do what is asked."""

    hit: Hit
    machines: int = 1

    @property
    def name(self) -> tuple[str, str]:
        return self.hit.row["manufacturer"], self.hit.row["model"]


def answer(asked: AskedItem, *, tenant: str) -> AnsweredItem:
    """Raises Unavailable when embeddings are down and no word of the item matches."""
    item = asked.item
    products = retrieval.search(
        PRODUCTS, tenant=tenant, query=item.query, limit=LOOKED_AT, filters=item.given(), units=asked.units
    )
    request = products.reading.request if products.reading else None
    of_service = _families(request) == {"service"}
    chosen = [] if of_service else _chosen(products, request, most=OFFERS[asked.full])
    first = chosen[0] if chosen else None
    line, degraded = _line(asked, first, request, tenant=tenant)
    names = [one.name for one in chosen]
    prices = OfferPrices.of(names, item.query, tenant=tenant, customer=asked.customer, currency=asked.currency)
    quantity = item.quantity or (request.items[0].quantity if request and request.items else None)
    blocked, trouble = _block(first, asked, quantity=quantity)
    said = [None if of_service else products.notice, _several_things(request), trouble]
    text = None if line is None else _text(line, asked)
    return AnsweredItem(
        item=asked.number,
        query=item.query,
        quantity=quantity,
        understood=[need.shown or need.words for need in request.needs] or None if request else None,
        not_understood=list(request.not_understood) or None if request else None,
        offers=[_offer(one, prices, units=asked.units) for one in chosen],
        text=text,
        more="get_quote" if line is not None and text != line.row["description"] else None,
        source=None if line is None else _source(line, first),
        prices=list(prices.sentences) or None,
        precedents=prices.newest(most=PRECEDENTS[asked.full]) or None,
        ask=to_ask(request) or None,
        characteristics=blocked,
        degraded=products.degraded or degraded,
        notice=" ".join(filter(None, said)) or None,
    )


def _families(request: Request | None) -> frozenset[str]:
    return families_of(request) if request else frozenset()


def _chosen(outcome: Outcome, request: Request | None, *, most: int) -> list[Chosen]:
    """What may be offered, best first: a probable miss only where several of it together would do."""
    fitting = [Chosen(hit) for hit in outcome.hits if hit.confidence != "probable_miss"][:most]
    needs = request.items[0].needs if request and request.items else ()
    pair = together(needs, ((hit.row, hit.answer) for hit in outcome.hits))
    if pair is None or any(_meets(one.hit) for one in fitting):
        return fitting
    several = [Chosen(hit, pair.machines) for hit in outcome.hits if hit.row is pair.row]
    return [*several, *(one for one in fitting if one.hit.row is not pair.row)][:most]


def _meets(hit: Hit) -> bool:
    return hit.answer is not None and hit.answer.judgement.overall in ("met", "unknown")


def _line(asked: AskedItem, first: Chosen | None, request: Request | None, *, tenant: str) -> tuple[Hit | None, bool]:
    """(the line whose words suit best, whether only words were searched): one of the very model before any other.

    Where nothing tells what is wanted no words are proven for it.
    """
    needs = request.needs if request else ()
    if first is None and not any(need.attribute in past_prices.TELLING for need in needs):
        return None, False
    degraded = False
    for given in [*([of_lines(model=first.name[1])] if first else []), of_lines()]:
        try:
            found = retrieval.search(
                LINE_ITEMS, tenant=tenant, query=asked.item.query, limit=LINES_LOOKED_AT, filters=given
            )
        except Unavailable:
            return None, True
        degraded = degraded or found.degraded
        if first is not None and given["model"]:
            hits = [hit for hit in found.hits if model_key(hit.row["model"]) == model_key(first.name[1])]
        else:
            hits = [hit for hit in found.hits if hit.confidence != "probable_miss"]
        if hits:
            language = request.language if request else "en"
            return min(hits, key=lambda hit: _place(hit, language, tenant=tenant)), degraded
    return None, degraded


def _place(hit: Hit, language: str, *, tenant: str) -> tuple[bool, bool, bool, int, int]:
    """Plain lines before options and alternates, the customer's language before another, likely ones before others,
    won before open before lost, the newest first.
    """
    written = requests.read(LINE_ITEMS, hit.row["description"][:PASSAGE], tenant=tenant).request
    return (
        _is_aside(hit),
        written is not None and written.language != language,
        hit.confidence != "likely_good",
        OUTCOMES.index(hit.row["status"]),
        -hit.row["quote_date"].toordinal(),
    )


def _is_aside(hit: Hit) -> bool:
    return hit.row["optional"] or ALTERNATE.search(hit.row["description"][:120]) is not None


def _text(line: Hit, asked: AskedItem) -> str:
    whole = line_text(line.row["description"]).selling
    if asked.full and len(whole) <= TEXT[True]:
        return whole
    return passage(whole, query=asked.item.query, most=TEXT[asked.full])


def _source(line: Hit, first: Chosen | None) -> TextSource:
    row = line.row
    other = first is not None and row["model"] and model_key(row["model"]) != model_key(first.name[1])
    differs = [
        f"it speaks of {row['model']}" if other else None,
        None if other else disagreement(row, row["_catalogue"]),
        line.fit if line.answer and line.answer.judgement.overall != "met" else None,
    ]
    return TextSource(
        quote_number=row["quote_number"],
        position=row["position"],
        quote_date=row["quote_date"],
        customer=row["customer"],
        status=row["status"],
        model=row["model"],
        optional=_is_aside(line),
        confidence=line.confidence,
        differs="; ".join(filter(None, differs)) or None,
    )


def _offer(one: Chosen, prices: OfferPrices, *, units: Units) -> Offer:
    row = one.hit.row
    return Offer(
        manufacturer=row["manufacturer"],
        model=row["model"],
        machines=one.machines,
        facts=facts(row, metric=units == "metric"),
        fit=one.hit.fit,
        confidence=one.hit.confidence,
        product_id=prices.product_ids.get(one.name),
        list_price=prices.lists.get(one.name),
    )


def facts(row: Mapping[str, Any], *, metric: bool) -> str:
    """What tells products apart, in one line, with metric figures beside where they are wanted."""
    said = [str(row["category"]).lower()]
    for name, unit in FACTS:
        value = row.get(name)
        if value is None:
            continue
        plain = f"{value:g} {unit}" if isinstance(value, int | float) else f"{value} {unit}".strip()
        other = beside(name, value) if metric else None
        said.append(f"{plain} ({other})" if other else plain)
    return ", ".join(said)


def _block(first: Chosen | None, asked: AskedItem, *, quantity: int | None) -> tuple[str | None, str | None]:
    """(the filled block, why there is none)."""
    if first is None or not asked.full:
        return None, None
    count = quantity or 1
    try:
        metric = asked.units == "metric"
        return characteristics.block(first.hit.row, quantity=count * first.machines, metric=metric), None
    except Unavailable as error:
        return None, f"No characteristics block: {error}"


def _several_things(request: Request | None) -> str | None:
    things = [item.text.strip() for item in request.items if item.families] if request else []
    if len(things) < 2:
        return None
    return f"This reads as {len(things)} things ({'; '.join(things)}): give each as an item of its own."
