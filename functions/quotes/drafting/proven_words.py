"""The proven words for a thing: the line of a past quote that suits best, and what is told of it."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from quarry.precedents.comparable_goods import HALF, TELLING, WORK_AND_PARTS, is_headed, share_of_words
from quarry.precedents.line_parts import PIECE, line_text
from quarry.precedents.mentions import Mentioning
from quarry.precedents.past_lines import LINE_ITEMS, disagreement
from quarry.precedents.past_lines import filters as of_lines
from quarry.precedents.sites import of_one_site
from quarry.products import PRODUCTS
from quarry.retrieval import requests
from quarry.retrieval.confidence import Confidence
from quarry.retrieval.hits import Hit
from quarry.retrieval.part_numbers import model_key
from quarry.retrieval.search import search
from quarry.tool.errors import Unavailable
from quarry.understanding.figures_fit import Traits
from quarry.understanding.fit import short
from quarry.understanding.needs import Finding, Language, Request
from quarry.understanding.text import fold
from quarry.understanding.traits import row_traits
from quarry.units import METRIC_FIGURE, Units
from quotes.drafting.needed import TextSource
from quotes.drafting.offers import Chosen, is_called
from quotes.model import MOST_OF_A_TERM

LINES_LOOKED_AT, WORK_LOOKED_AT = 12, 40
"""Of machines, and of work, whose lines are alike and mostly of one site."""
LONGEST_WORK = 15
"""Sentences of work that may be done elsewhere; what says more is the plan of one site."""
READ_FOR_LANGUAGE = 240
OUTCOMES = ("won", "open", "lost")
US = re.compile(r"(?i)\d\s?-?(?:s?cfm|acfm|psig?|hp|horse\w*|gal\w*|inhg|°?f|lbs?|in\.)(?![a-z])")
KINDS = ("compression", "dryer_kind", "filter_kind", "accessory_kind")
SIZES = frozenset(("hp", "gallons"))
"""Of which a text that is for the machine to offer states no other."""
LANGUAGES: Mapping[Language, str] = {"en": "English", "de": "German", "es": "Spanish", "fr": "French"}
MATERIALS = frozenset(("metal", "paper", "glass", "rubber"))
"""Trades whose name is what a duct, a frame or a seal is of: they tell no other customer's."""
OFF = 0.05
SENTENCE_SHOWN = 60
OF_THE_SALE = frozenset(("customer", "contact", "date"))
"""What tells whose a line is and of when, and nothing of what it sells."""


def best_line(
    query: str,
    first: Chosen | None,
    request: Request | None,
    *,
    bought: Sequence[Mapping[str, Any]],
    tenant: str,
    units: Units,
    plain: bool,
    language: Language,
) -> tuple[Hit | None, bool]:
    """(the line whose words suit best, whether only words were searched): one of the very model before any other, of
    these what this customer was sold before what was written for another.

    Where nothing tells what is wanted no words are proven for it; ``plain`` leaves out options and alternates.
    """
    needs = request.needs if request else ()
    if first is None and not any(need.attribute in TELLING for need in needs):
        return None, False
    makers = {row["manufacturer"] for row in bought}
    own = {row["quote_number"] for row in bought}
    degraded = False
    for given in [*([{"model": first.name[1]}] if first else []), {}]:
        try:
            most = LINES_LOOKED_AT if first else WORK_LOOKED_AT
            found = search(LINE_ITEMS, tenant=tenant, query=query, limit=most, filters=of_lines(**given))
        except Unavailable:
            return None, True
        degraded = degraded or found.degraded
        if "model" in given:
            hits = [hit for hit in found.hits if model_key(hit.row["model"]) == model_key(given["model"])]
        else:
            kinds = row_traits(first.hit.row) if first else {}
            hits = [
                hit
                for hit in found.hits
                if _suits(hit, first, kinds=kinds, plain=plain)
                and not (makers and is_for_another_machine(hit.row, query, makers=makers))
                and (first is not None or _is_of_the_kind(hit, request, tenant=tenant))
            ]
        if hits:
            return min(hits, key=lambda hit: _place(hit, language, units=units, own=own, tenant=tenant)), degraded
    return None, degraded


def own_work(query: str, request: Request | None, *, names: Sequence[str], tenant: str) -> list[Hit]:
    """Lines of this very customer, by its ``names``, that sell the work or the parts that are asked for, the best
    first. Raises Unavailable.
    """
    if request is None or not request.families or not request.families <= WORK_AND_PARTS:
        return []
    found = [
        hit
        for name in names
        for hit in search(
            LINE_ITEMS, tenant=tenant, query=query, limit=WORK_LOOKED_AT, filters=of_lines(customer=name)
        ).hits
        if hit.row["customer"] == name and _is_of_the_kind(hit, request, tenant=tenant) and _is_no_other(hit)
    ]
    return sorted(found, key=lambda hit: (_is_aside(hit), -hit.row["quote_date"].toordinal()))


def part_lines(words: Sequence[str], query: str, *, names: Sequence[str], tenant: str) -> list[Hit]:
    """Lines that sell a part which no rule knows, called by these words: this customer's own before others'. Raises
    Unavailable.
    """
    for name in [*names, None]:
        hits = search(
            LINE_ITEMS, tenant=tenant, query=query, limit=WORK_LOOKED_AT, filters=of_lines(customer=name)
        ).hits
        shares = [(share_of_words(words, hit.row), hit) for hit in hits]
        if found := sorted((one for one in shares if one[0] >= HALF), key=lambda one: -one[0]):
            return [hit for _, hit in found]
    return []


def _is_of_the_kind(hit: Hit, request: Request | None, *, tenant: str) -> bool:
    """Whether a line sells such work or such parts, where that is asked for: no installation where it is upkeep."""
    families = request.families if request else frozenset[str]()
    if not families or not families <= WORK_AND_PARTS:
        return True
    needs = request.needs if request else ()
    services = {value for need in needs if need.attribute == "service" for value in need.values}
    return hit.row["family"] in families and is_headed(hit.row["category"], services, tenant=tenant)


def _is_no_other(hit: Hit) -> bool:
    """Whether nothing speaks against a line but whose it is and when it was written; some of it has to be met."""
    findings = hit.answer.judgement.findings if hit.answer else ()
    against = [each for each in findings if each.verdict == "contradicted"]
    met = any(each.verdict == "met" and each.need.attribute not in (*OF_THE_SALE, "family") for each in findings)
    return met and all(each.need.attribute in OF_THE_SALE for each in against)


def _suits(hit: Hit, first: Chosen | None, *, kinds: Traits, plain: bool) -> bool:
    """Whether words of another model, or of none, may stand for the machine to offer, which is of these ``kinds``."""
    oil = {hit.row["lubrication"], first.hit.row["lubrication"] if first else None} - {None}
    if hit.confidence == "probable_miss" or (plain and _is_aside(hit)) or len(oil) > 1:
        return False
    return not kinds or not _is_of_another_kind(hit.row, kinds)


def _is_of_another_kind(line: Mapping[str, Any], ours: Traits) -> bool:
    """Whether a line tells of a piston machine where a screw is offered, or of another dryer, filter or part."""
    theirs = row_traits(line)
    pairs = ((theirs.get(kind), ours.get(kind)) for kind in KINDS)
    return any(one and other and not one & other for one, other in pairs)


def is_for_another_machine(row: Mapping[str, Any], query: str, *, makers: Collection[str]) -> bool:
    """Whether a line sells spare parts of none of the customer's ``makers``, and the query names neither their maker
    nor their series: a kit for R5 pumps fits no other.
    """
    if row["family"] != "accessory" or "kit" not in row_traits(row).get("accessory_kind", ()):
        return False
    folded = fold(query)
    named = bool(row["model"]) and is_called(row["model"], folded)
    named = named or (bool(row["manufacturer"]) and fold(row["manufacturer"]) in folded)
    return bool(row["manufacturer"]) and not named and row["manufacturer"] not in makers


def _place(hit: Hit, language: str, *, units: Units, own: Collection[str], tenant: str) -> tuple[bool | int, ...]:
    """The customer's own before others', plain lines before options and alternates, the customer's language and units
    before others, work that may be done elsewhere before the plan of a site, likely ones before others, of these won
    before open before lost, what says more of what is asked before what says less, what tells less of another site
    before what tells more, the newest first.
    """
    text, likely = hit.row["description"], hit.confidence == "likely_good"
    won = OUTCOMES.index(hit.row["status"])
    written = _language(text, tenant=tenant)
    ours, theirs = (METRIC_FIGURE, US) if units == "metric" else (US, METRIC_FIGURE)
    aside, his_own = _is_aside(hit), hit.row["quote_number"] in own
    planned, told = (False, 0) if his_own else _of_a_site(hit)
    return (
        aside or not his_own,
        aside,
        written != language,
        theirs.search(text) is not None and ours.search(text) is None,
        planned,
        not likely,
        won if likely else 0,
        -hit.answer.judgement.met if hit.answer else 0,
        won,
        told,
        -hit.row["quote_date"].toordinal(),
    )


def _of_a_site(hit: Hit) -> tuple[bool, int]:
    """(whether little is left to copy of a text on work, how many sentences of what sells hold for the customer of
    then alone or name him).
    """
    name = hit.row["customer"].split()[0]
    said = [match[0] for match in PIECE.finditer(line_text(hit.row["description"]).selling) if match[0].strip()]
    his = sum(name in each or of_one_site(each, folded=fold(each)) for each in said)
    work = hit.row["family"] == "service"
    return work and (2 * his >= len(said) or len(said) > LONGEST_WORK), his


def _language(text: str, *, tenant: str) -> Language:
    return requests.language_of(LINE_ITEMS, text[:READ_FOR_LANGUAGE], tenant=tenant)


def _is_aside(hit: Hit) -> bool:
    return hit.row["optional"] or line_text(hit.row["description"]).alternate


def source_of(
    line: Hit,
    offered: Chosen | None,
    request: Request | None,
    *,
    text: str,
    compressors: Sequence[str],
    own: bool,
    language: Language,
    tenant: str,
) -> TextSource:
    """``compressors`` are the lubrications of those that the letter offers; ``own``: this customer was sold it;
    ``language`` is the request's.
    """
    row, parts = line.row, line_text(line.row["description"])
    mentioning = Mentioning(*requests.known_names(LINE_ITEMS, tenant=tenant))
    named = mentioning.of(text, theirs=[row["customer"], *([row["contact"]] if row["contact"] else [])])
    other = offered is not None and bool(row["model"]) and model_key(row["model"]) != model_key(offered.name[1])
    written = _language(text, tenant=tenant)
    fitting = offered.hit.answer.judgement.findings if offered and offered.hit.answer else ()
    told = {short((each,)) for each in fitting if each.verdict != "met"}
    confidence, apart = _of_their_own(line, told=told) if own else (line.confidence, _apart(line, told=told))
    differs = [
        f"it is in {LANGUAGES[written]}: translate it, with `Original:`" if written != language else None,
        f"it speaks of {row['model']}, not of {offered.name[1]}" if offered and other else None,
        None if other else disagreement(row, row["_catalogue"]),
        apart,
    ]
    return TextSource(
        quote_number=row["quote_number"],
        position=row["position"],
        quote_date=row["quote_date"],
        customer=row["customer"],
        status=row["status"],
        model=row["model"],
        optional=_is_aside(line),
        # Words of another model need rewriting, however well they suit.
        confidence="analog" if other and confidence == "likely_good" else confidence,
        delivery_weeks=parts.delivery_weeks,
        warranty=parts.of("warranty")[:MOST_OF_A_TERM] or None,
        differs="; ".join(filter(None, differs)) or None,
        take_out=None
        if own
        else list(_of_another_job(text, offered, request, compressors=compressors, tenant=tenant)) or None,
        mentions=list(dict.fromkeys(f"{each.kind}: {text[each.start : each.end]}" for each in named)) or None,
    )


def _apart(line: Hit, *, told: Collection[str], but: Collection[Finding] = ()) -> str | None:
    """What the line does not meet, without what is ``told`` of the offer as well."""
    findings = line.answer.judgement.findings if line.answer else ()
    lacking = (short((each,)) for each in findings if each.verdict != "met" and each not in but)
    return "; ".join(each for each in lacking if each and each not in told) or None


def _of_their_own(line: Hit, *, told: Collection[str]) -> tuple[Confidence | None, str | None]:
    """(what a line of this very customer is worth, where it parts from the need): a street that is called like
    another customer, Maple Road, asks for no line of that one.
    """
    findings = line.answer.judgement.findings if line.answer else ()
    off = [each for each in findings if each.verdict == "contradicted"]
    if not off:
        return "analog" if line.confidence == "probable_miss" else line.confidence, _apart(line, told=told)
    if any(each.need.attribute not in OF_THE_SALE for each in off):
        return line.confidence, _apart(line, told=told)
    return "analog", _apart(line, told=told, but=off)


def _of_another_job(
    text: str, offered: Chosen | None, request: Request | None, *, compressors: Sequence[str], tenant: str
) -> Iterator[str]:
    """Sentences that speak of another site, or of a trade, model, size or lubrication that neither the request nor
    the offer has.
    """
    asked = request.needs if request else ()
    row = offered.hit.row if offered else {}
    for sentence in dict.fromkeys(match[0].strip() for match in PIECE.finditer(text)):
        read = requests.read(PRODUCTS, sentence, tenant=tenant).request if sentence else None
        needs = read.needs if read else ()
        for need in needs:
            same = [each for each in asked if each.attribute == need.attribute]
            if need.attribute == "industry":  # what says anything of the goods besides is for a person to reword
                other = (
                    not need.values <= MATERIALS
                    and not any(need.values & each.values for each in same)
                    and all(each.attribute in ("industry", "use") for each in needs)
                )
            elif need.attribute == "model":
                named = {model_key(value) for value in need.values}
                other = bool(row) and not need.absent and model_key(row["model"]) not in named
            elif need.attribute == "lubrication" and need.operator == "one_of":
                theirs = {row["lubrication"]} - {None} if row.get("lubrication") else set(compressors)
                other = bool(theirs) and not theirs & need.values
            else:
                size = need.attribute in SIZES and need.low is not None and not need.machines
                known = (row.get(need.attribute), *(end for each in same for end in (each.low, each.high)))
                other = size and not any(_near(need.low, each) for each in known)
            if other:
                yield _shown(sentence, need.shown or need.words)
                break
        else:
            if sentence and of_one_site(sentence, folded=fold(sentence)):
                yield _shown(sentence, "another site")


def _shown(sentence: str, told_by: str) -> str:
    said = sentence if len(sentence) <= SENTENCE_SHOWN else f"{sentence[:SENTENCE_SHOWN]}…"
    return f"{said} ({told_by})"


def _near(value: float | None, known: object) -> bool:
    return isinstance(known, int | float) and value is not None and abs(value - known) <= OFF * abs(known)
