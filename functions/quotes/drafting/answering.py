"""Answers one thing that is asked for: what to offer, in which words, at which past prices, and what to ask back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quarry import retrieval
from quarry.precedents import past_prices
from quarry.precedents.line_parts import line_text
from quarry.precedents.mentions import Mentioning
from quarry.precedents.past_lines import LINE_ITEMS, disagreement
from quarry.precedents.past_lines import filters as of_lines
from quarry.products import PRODUCTS
from quarry.retrieval import Confidence, Hit, Outcome, requests
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
from quotes.model import MOST_OF_A_TERM

LOOKED_AT = 20
"""Products of which those to offer are chosen, so that two of a smaller one are seen."""

LINES_LOOKED_AT = 12
READ_FOR_LANGUAGE = 240

OUTCOMES = ("won", "open", "lost")
FACTS = (
    ("hp", "HP"), ("cfm", "cfm"), ("psi", "psi"), ("vacuum_inhg", "inHg"), ("dewpoint_f", "°F dew point"),
    ("gallons", "gal"), ("lubrication", ""), ("cooling", "cooled"), ("voltage", "V"), ("noise_dba", "dB(A)"),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Depth:
    """Most offers, precedents, sentences on prices and characters of proven text of an item."""

    offers: int
    precedents: int
    prices: int
    text: int
    block: bool = False
    told: bool = True
    """False: no more than an offer and its newest price, where the item has an offer."""


WHOLE = Depth(offers=4, precedents=4, prices=4, text=3000, block=True)
SHORT = Depth(offers=2, precedents=1, prices=1, text=240)
ROW = Depth(offers=1, precedents=1, prices=0, text=0, told=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedItem:
    """``number`` is the item's place, from 1."""

    number: int
    item: NeededItem
    units: Units
    depth: Depth
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

    @property
    def confidence(self) -> Confidence | None:
        """Of the hit; several together, and the equal of a machine that is not in the catalogue, are an analog."""
        return "analog" if self.machines > 1 or _is_an_equal(self.hit) else self.hit.confidence


def answer(asked: AskedItem, *, tenant: str) -> AnsweredItem:
    """Raises Unavailable when embeddings are down and no word of the item matches."""
    item = asked.item
    products = retrieval.search(
        PRODUCTS, tenant=tenant, query=item.query, limit=LOOKED_AT, filters=item.given(), units=asked.units
    )
    request = products.reading.request if products.reading else None
    of_service = _families(request) == {"service"}
    chosen = [] if of_service else _chosen(products, request, most=asked.depth.offers)
    first = chosen[0] if chosen and chosen[0].confidence != "probable_miss" else None
    most = SHORT.text if of_service and not asked.depth.text else asked.depth.text
    line, degraded = _line(asked, first, request, tenant=tenant) if most else (None, False)
    names = [one.name for one in chosen]
    prices = OfferPrices.of(names, item.query, tenant=tenant, customer=asked.customer, currency=asked.currency)
    quantity = item.quantity or (request.items[0].quantity if request and request.items else None)
    blocked, trouble = _block(first, asked, quantity=quantity)
    said = [None if of_service else products.notice, _several_things(request), trouble]
    selling = None if line is None else line_text(line.row["description"]).selling
    text = None if selling is None else passage(selling, query=item.query, most=most)
    told = request is not None and (asked.depth.told or first is None)
    return AnsweredItem(
        item=asked.number,
        query=item.query,
        quantity=quantity,
        understood=[need.shown or need.words for need in request.needs] or None if request and told else None,
        not_understood=list(request.not_understood) or None if request else None,
        offers=[_offer(one, prices, asked) for one in chosen],
        text=text,
        more="get_quote" if text != selling else None,
        source=None if line is None or text is None else _source(line, first, text=text, tenant=tenant),
        prices=list(prices.sentences)[: asked.depth.prices] or None,
        precedents=prices.newest(most=asked.depth.precedents, reasons=asked.depth.told) or None,
        ask=to_ask(request) or None if told else None,
        characteristics=blocked,
        degraded=products.degraded or degraded,
        notice=" ".join(filter(None, said)) or None,
    )


def _families(request: Request | None) -> frozenset[str]:
    return families_of(request) if request else frozenset()


def _chosen(outcome: Outcome, request: Request | None, *, most: int) -> list[Chosen]:
    """What may be offered, best first; where nothing may, the nearest, as the probable miss that it is."""
    found = [Chosen(hit) for hit in outcome.hits]
    fitting = [one for one in found if one.confidence != "probable_miss"][:most]
    needs = request.items[0].needs if request and request.items else ()
    pair = together(needs, ((hit.row, hit.answer) for hit in outcome.hits))
    if pair is None or any(_meets(one.hit) for one in fitting):
        return fitting or [one for one in found[:1] if one.hit.answer and one.hit.answer.judgement.met]
    several = [Chosen(hit, pair.machines) for hit in outcome.hits if hit.row is pair.row]
    return [*several, *(one for one in fitting if one.hit.row is not pair.row)][:most]


def _meets(hit: Hit) -> bool:
    return hit.answer is not None and hit.answer.judgement.overall in ("met", "unknown")


def _is_an_equal(hit: Hit) -> bool:
    """Whether all that it misses is to be the maker and the model that are not here."""
    missed = [each for each in hit.answer.judgement.findings if each.verdict != "met"] if hit.answer else []
    return hit.confidence == "probable_miss" and bool(missed) and all(each.need.absent for each in missed)


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
    written = requests.read(LINE_ITEMS, hit.row["description"][:READ_FOR_LANGUAGE], tenant=tenant).request
    return (
        _is_aside(hit),
        written is not None and written.language != language,
        hit.confidence != "likely_good",
        OUTCOMES.index(hit.row["status"]),
        -hit.row["quote_date"].toordinal(),
    )


def _is_aside(hit: Hit) -> bool:
    return hit.row["optional"] or line_text(hit.row["description"]).alternate


def _source(line: Hit, first: Chosen | None, *, text: str, tenant: str) -> TextSource:
    row, parts = line.row, line_text(line.row["description"])
    mentioning = Mentioning(*requests.known_names(LINE_ITEMS, tenant=tenant))
    named = mentioning.of(text, theirs=[row["customer"], *([row["contact"]] if row["contact"] else [])])
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
        delivery_weeks=parts.delivery_weeks,
        warranty=parts.of("warranty")[:MOST_OF_A_TERM] or None,
        differs="; ".join(filter(None, differs)) or None,
        mentions=list(dict.fromkeys(f"{each.kind}: {text[each.start : each.end]}" for each in named)) or None,
    )


def _offer(one: Chosen, prices: OfferPrices, asked: AskedItem) -> Offer:
    row = one.hit.row
    all_met = one.hit.answer is not None and one.hit.answer.judgement.overall == "met"
    return Offer(
        manufacturer=row["manufacturer"],
        model=row["model"],
        machines=one.machines,
        facts=facts(row, metric=asked.units == "metric"),
        fit=one.hit.fit if asked.depth.told or not all_met else "met",
        confidence=one.confidence,
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
    if first is None or not asked.depth.block:
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
