"""Answers one thing that is asked for: what to offer, in which words, at which past prices, and what to ask back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quarry.precedents import past_prices
from quarry.precedents.line_parts import line_text
from quarry.precedents.mentions import Mentioning
from quarry.precedents.past_lines import LINE_ITEMS, disagreement
from quarry.precedents.past_lines import filters as of_lines
from quarry.products import PRODUCTS
from quarry.retrieval import requests
from quarry.retrieval.confidence import Confidence
from quarry.retrieval.hits import Hit, Outcome
from quarry.retrieval.part_numbers import model_key
from quarry.retrieval.passages import passage
from quarry.retrieval.reasons import together
from quarry.retrieval.search import search
from quarry.tool.errors import Unavailable
from quarry.understanding.needs import Request
from quarry.units import Units, beside
from quotes.drafting import characteristics
from quotes.drafting.asked import Sought
from quotes.drafting.needed import AnsweredItem, NeededItem, Offer, TextSource
from quotes.drafting.offer_prices import OfferPrices
from quotes.drafting.questions import to_ask
from quotes.drafting.usual import service_for_sale
from quotes.model import MOST_OF_A_TERM

LOOKED_AT = 20
"""Products of which those to offer are chosen, so that two of a smaller one are seen."""

LINES_LOOKED_AT = 12
MACHINES = frozenset(("compressor", "vacuum_pump", "blower", "dryer", "receiver"))
"""Of which a customer who names no size may want another of its own."""

NEAREST = 3
"""Products that are told where none fits, so that a person may choose among them."""

KINDS = frozenset(("family", "accessory_kind", "filter_kind", "dryer_kind"))
"""What a thing is: where a product contradicts it, it is no answer at all."""

READ_FOR_LANGUAGE = 240

NOTHING_OF_THE_KIND = "Nothing of this kind is in the catalogue."
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
    sought: Sought
    customer: str | None
    currency: str | None = None
    bought: Sequence[Mapping[str, Any]] = ()
    """The customer's lines of products, won before open before lost, the newest first."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A product's hit, and how many of it together do what is asked."""

    hit: Hit
    machines: int = 1
    guessed: bool = False
    """True: it is what the customer has, and nothing tells that it is wanted again."""

    @property
    def name(self) -> tuple[str, str]:
        return self.hit.row["manufacturer"], self.hit.row["model"]

    @property
    def confidence(self) -> Confidence | None:
        """Of the hit; several together, a guess, and the equal of what is not in the catalogue are analogs."""
        return "analog" if self.machines > 1 or self.guessed or _is_an_equal(self.hit) else self.hit.confidence


@dataclass(frozen=True, slots=True)
class FoundItem:
    """``cfm`` is what the machine to offer delivers, all of them together."""

    item: AnsweredItem
    cfm: float | None = None


def answer(asked: AskedItem, *, tenant: str) -> FoundItem:
    """Raises Unavailable when embeddings are down and no word of the item matches."""
    item, query = asked.item, asked.sought.query
    products = search(PRODUCTS, tenant=tenant, query=query, limit=LOOKED_AT, filters=item.given(), units=asked.units)
    request = products.reading.request if products.reading else None
    of_service = _families(request) == {"service"}
    again, hint = _as_before(asked, request, tenant=tenant)
    chosen = [] if of_service else again or _chosen(products, request, most=asked.depth.offers)
    first = chosen[0] if chosen and chosen[0].confidence != "probable_miss" else None
    most = SHORT.text if of_service and not asked.depth.text else asked.depth.text
    missed = bool(chosen) and first is None
    line, degraded = _line(asked, first, request, tenant=tenant, plain=missed) if most else (None, False)
    names = [one.name for one in chosen]
    prices = OfferPrices.of(names, query, tenant=tenant, customer=asked.customer, currency=asked.currency)
    quantity = item.quantity or (request.items[0].quantity if request and request.items else None)
    blocked, trouble = _block(first, asked, quantity=quantity)
    other = products.hits and not chosen and all(_is_of_another_kind(hit) for hit in products.hits)
    nearest = NOTHING_OF_THE_KIND if other else products.notice
    said = [None if of_service or again else nearest, hint, _of_several_things(asked.sought), trouble]
    selling = None if line is None else line_text(line.row["description"]).selling
    text = None if selling is None else passage(selling, query=query, most=most)
    told = request is not None and (asked.depth.told or first is None)
    answered = AnsweredItem(
        item=asked.number,
        query=item.query,
        quantity=quantity,
        understood=[need.shown or need.words for need in request.needs] or None if request and told else None,
        assumed=list(asked.sought.assumed) or None,
        not_understood=list(request.not_understood) or None if request else None,
        offers=[_offer(one, prices, asked, first=one is chosen[0]) for one in chosen],
        text=text,
        more="get_quote" if text != selling else None,
        source=None if line is None or text is None else _source(line, chosen[:1], text=text, tenant=tenant),
        product_id=service_for_sale(request, tenant=tenant) if of_service and request else None,
        prices=list(prices.sentences)[: asked.depth.prices] or None,
        precedents=prices.newest(most=asked.depth.precedents, reasons=asked.depth.told) or None,
        ask=to_ask(request, supply_assumed=asked.sought.supply_assumed) or None if told and not again else None,
        characteristics=blocked,
        degraded=products.degraded or degraded,
        notice=" ".join(filter(None, said)) or None,
    )
    cfm = first.hit.row.get("cfm") if first else None
    return FoundItem(answered, cfm * first.machines if first and isinstance(cfm, int | float) else None)


def _families(request: Request | None) -> frozenset[str]:
    return request.families if request else frozenset()


def _chosen(outcome: Outcome, request: Request | None, *, most: int) -> list[Chosen]:
    """What may be offered, best first; where nothing may, the nearest, as the probable miss that it is."""
    found = [Chosen(hit) for hit in outcome.hits]
    fitting = [one for one in found if one.confidence != "probable_miss"][:most]
    needs = request.items[0].needs if request and request.items else ()
    pair = together(needs, ((hit.row, hit.answer) for hit in outcome.hits))
    if pair is None or any(_meets(one.hit) for one in fitting):
        return fitting or _nearest(found)[: min(most, NEAREST)]
    several = [Chosen(hit, pair.machines) for hit in outcome.hits if hit.row is pair.row]
    return [*several, *(one for one in fitting if one.hit.row is not pair.row)][:most]


def _nearest(found: Sequence[Chosen]) -> list[Chosen]:
    """Those that meet anything, and are no other kind of thing than was asked for."""
    return [
        one for one in found if one.hit.answer and one.hit.answer.judgement.met and not _is_of_another_kind(one.hit)
    ]


def _is_of_another_kind(hit: Hit) -> bool:
    findings = hit.answer.judgement.findings if hit.answer else ()
    return any(each.verdict == "contradicted" and each.need.attribute in KINDS for each in findings)


def _as_before(asked: AskedItem, request: Request | None, *, tenant: str) -> tuple[list[Chosen] | None, str | None]:
    """(what the customer has of the kind, a sentence that says so) where neither size nor model is named."""
    families = _families(request) & MACHINES
    if request is None or any(need.attribute in past_prices.TELLING for need in request.needs):
        return None, None
    row = next((row for row in asked.bought if row["family"] in families), None)
    if row is None:
        return None, None
    found = search(
        PRODUCTS, tenant=tenant, query=f"{row['manufacturer']} {row['model']}", limit=1,
        filters={**asked.item.given(), "model": row["model"]}, units=asked.units,
    )  # fmt: skip
    same = [hit for hit in found.hits if model_key(hit.row["model"]) == model_key(row["model"])]
    where = f"{row['quote_number']} line {row['position']}, {row['quote_date']}, {row['status']}"
    has = f"Neither size nor model is named; this customer's own is {row['manufacturer']} {row['model']} ({where})"
    if not same:
        return None, f"{has}, which the catalogue has no more."
    return [Chosen(same[0], guessed=True)], f"{has}: ask whether it is meant."


def _meets(hit: Hit) -> bool:
    return hit.answer is not None and hit.answer.judgement.overall in ("met", "unknown")


def _is_an_equal(hit: Hit) -> bool:
    """Whether all that it misses is to be the maker and the model that are not here."""
    missed = [each for each in hit.answer.judgement.findings if each.verdict != "met"] if hit.answer else []
    return hit.confidence == "probable_miss" and bool(missed) and all(each.need.absent for each in missed)


def _line(
    asked: AskedItem, first: Chosen | None, request: Request | None, *, tenant: str, plain: bool
) -> tuple[Hit | None, bool]:
    """(the line whose words suit best, whether only words were searched): one of the very model before any other.

    Where nothing tells what is wanted no words are proven for it; ``plain`` leaves out options and alternates.
    """
    needs = request.needs if request else ()
    if first is None and not any(need.attribute in past_prices.TELLING for need in needs):
        return None, False
    degraded = False
    for given in [*([of_lines(model=first.name[1])] if first else []), of_lines()]:
        try:
            found = search(LINE_ITEMS, tenant=tenant, query=asked.sought.query, limit=LINES_LOOKED_AT, filters=given)
        except Unavailable:
            return None, True
        degraded = degraded or found.degraded
        if first is not None and given["model"]:
            hits = [hit for hit in found.hits if model_key(hit.row["model"]) == model_key(first.name[1])]
        else:
            hits = [
                hit for hit in found.hits
                if hit.confidence != "probable_miss"
                and not (plain and _is_aside(hit))
                and not _otherwise_oiled(hit, first)
            ]  # fmt: skip
        if hits:
            language = request.language if request else "en"
            return min(
                hits, key=lambda hit: (_is_anothers(hit, asked), _place(hit, language, tenant=tenant))
            ), degraded
    return None, degraded


def _otherwise_oiled(line: Hit, first: Chosen | None) -> bool:
    """Whether the words are of a machine that takes its oil otherwise than the one to offer."""
    said = {line.row["lubrication"], first.hit.row["lubrication"] if first else None} - {None}
    return len(said) > 1


def _is_anothers(hit: Hit, asked: AskedItem) -> bool:
    """What this customer was sold before it was written for it."""
    numbers = {row["quote_number"] for row in asked.bought}
    return hit.row["quote_number"] not in numbers or _is_aside(hit)


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


def _source(line: Hit, offered: Sequence[Chosen], *, text: str, tenant: str) -> TextSource:
    row, parts = line.row, line_text(line.row["description"])
    mentioning = Mentioning(*requests.known_names(LINE_ITEMS, tenant=tenant))
    named = mentioning.of(text, theirs=[row["customer"], *([row["contact"]] if row["contact"] else [])])
    other = bool(offered and row["model"]) and model_key(row["model"]) != model_key(offered[0].name[1])
    differs = [
        f"it speaks of {row['model']}, not of {offered[0].name[1]}" if other else None,
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


def _offer(one: Chosen, prices: OfferPrices, asked: AskedItem, *, first: bool) -> Offer:
    """An alternate that meets all says no more of it than that."""
    row = one.hit.row
    all_met = one.hit.answer is not None and one.hit.answer.judgement.overall == "met"
    return Offer(
        manufacturer=row["manufacturer"],
        model=row["model"],
        machines=one.machines,
        facts=facts(row, metric=asked.units == "metric"),
        fit=one.hit.fit if (first and asked.depth.told) or not all_met else "met",
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


def _of_several_things(sought: Sought) -> str | None:
    if not sought.left:
        return None
    things = "; ".join([sought.query, *sought.left])
    count = 1 + len(sought.left)
    return f"This reads as {count} things ({things}); the first was looked for: give each as an item of its own."
