"""How a past quote answers a request: by itself, and each thing that was sold by its best line."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from quarry.retrieval.asked_here import QUOTE_LEVEL
from quarry.retrieval.ranking import NOTHING_ASKED
from quarry.understanding.extremes import EXTREMES
from quarry.understanding.fit import judge
from quarry.understanding.needs import VERDICTS, Finding, Item, Judgement, Need, Request
from quarry.understanding.quote_traits import quote_traits
from quarry.understanding.text import STEM, WORD

LISTED = frozenset(("service", "accessory_kind"))
"""What stands in a line of its own where it was sold."""


def _tells(text: str, need: Need) -> bool:
    """Whether the text has the very words that a need was read from."""
    stems = [word[:STEM] for word in WORD.findall(need.words.lower()) if len(word) > 2]
    return need.operator == "one_of" and bool(stems) and all(f" {stem}" in text for stem in stems)


def judge_quote(request: Request, row: Mapping[str, Any], *, text: str) -> Judgement:
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
    best = _with_a_drive_apart(best, sold, row, options=options)
    if best.overall in ("contradicted", "unknown") and any(_tells(text, need) for need in sold.needs):
        others = replace(sold, needs=tuple(need for need in sold.needs if not _tells(text, need)))
        told = _of_lines(others, row, options=options) if others.needs else NOTHING_ASKED
        if told.overall == "met":
            best = replace(told, close=told.close + 1, overall="close")
    return best


def _with_a_drive_apart(best: Judgement, sold: Item, row: Mapping[str, Any], *, options: bool) -> Judgement:
    """A machine with variable speed may have its frequency drive in a line of its own."""
    wanted = [need for need in sold.needs if need.attribute == "drive" and need.values == {"variable-speed"}]
    if best.overall == "met" or not wanted or wanted[0].operator != "one_of":
        return best
    others = replace(sold, needs=tuple(need for need in sold.needs if need not in wanted))
    drive = replace(wanted[0], attribute="accessory_kind", values=frozenset({"frequency-drive"}))
    part = replace(wanted[0], attribute="family", values=frozenset({"accessory"}))
    apart = _of_lines(replace(sold, needs=(part, drive)), row, options=options)
    machine = _of_lines(others, row, options=options) if others.needs else NOTHING_ASKED
    if apart.overall != "met" or machine.overall != "met":
        return best
    return _both(machine, Judgement((Finding("met", "frequency drive", wanted[0]),), 1, 0, 0, 0, "met"))


def _as_a_whole(best: Judgement) -> Judgement:
    """What no line of a quote tells was not sold: there is no other place where a service would stand."""
    unsold = any(each.verdict == "unknown" and each.need.attribute in LISTED for each in best.findings)
    return replace(best, overall="contradicted") if unsold else best


def _of_lines(sold: Item, row: Mapping[str, Any], *, options: bool) -> Judgement:
    lines = row.get("_lines") or []
    judged = [(judge(sold, line), not _is_aside(sold, line, options=options)) for line in lines]
    if not judged:
        return judge(sold, {}, traits={})
    best, plain = max(judged, key=lambda pair: (*worth(pair[0]), pair[1]))
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


def worth(judgement: Judgement) -> tuple[int, int, int, int]:
    """What is larger of the better of two judgements."""
    return -judgement.contradicted, -VERDICTS.index(judgement.overall), judgement.met, judgement.close
