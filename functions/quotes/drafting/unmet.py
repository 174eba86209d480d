"""Why nothing fits: which of the needs no product meets beside the rest, and what comes nearest."""

from collections.abc import Collection, Sequence

from quarry.retrieval.hits import Hit
from quarry.retrieval.nearness import (
    HERTZ,
    distance,
    is_below_freezing,
    is_of_another_kind,
    is_only_rated_lower,
    missed,
)
from quarry.retrieval.reasons import label_of
from quarry.understanding.fit import SIDE_ISSUES, short
from quarry.understanding.needs import Finding, Need
from quarry.understanding.words_fit import PLAIN_STEEL
from quotes.drafting.offers import Chosen

MOST_TOLD = 3
MOST_NAMED = 4
ONLY_RATED = "a sheet prints the pressure of its rating: ask the maker for the highest allowed"


def told(hits: Sequence[Hit], offered: Sequence[Chosen], *, assumed: str | None) -> str | None:
    """Sentences on the needs that the nearest contradicts; ``assumed`` is what tells a frequency that is not said."""
    kin = [hit for hit in hits if hit.answer and not is_of_another_kind(hit)]
    if not offered or not kin:
        return None
    shown = {one.name[1] for one in offered}
    nearest = offered[0].hit
    said = [
        _of_frequency(each.need, kin, offered, assumed=assumed)
        or (is_below_freezing(each, nearest.row) and _of_frost(each.need, hits))
        or _of(each.need, kin, shown=shown)
        for each in missed(nearest)[:MOST_TOLD]
    ]
    answer = nearest.answer
    findings = answer.judgement.findings if answer else ()
    unknown = [each for each in findings if each.verdict == "unknown" and each.need.attribute not in SIDE_ISSUES]
    if not said and unknown:
        others = [_who_has(each.need, kin) for each in unknown[:MOST_TOLD]]
        said = [f"No offer is known to meet all of it: {short(unknown)}", *filter(None, others)]
        said = ["; ".join(said) + "."]
    return " ".join(said) or f"No offer is like all of it; nearest is {label_of(nearest.row)}."


def _finding(hit: Hit, need: Need) -> Finding | None:
    findings = hit.answer.judgement.findings if hit.answer else ()
    return next((each for each in findings if each.need == need), None)


def _of(need: Need, kin: Sequence[Hit], *, shown: Collection[str]) -> str:
    """That nothing has what is needed, what comes nearest, and what is as near and not ``shown``."""
    off = [(missed(hit), hit) for hit in kin]
    alone = [(findings[0], hit) for findings, hit in off if [each.need for each in findings] == [need]]
    has_it = _who_has(need, kin)
    nothing = "Nothing that meets the rest" if alone or has_it else "Nothing of the kind"
    said = f"{nothing} has {need.shown or need.words}"
    if alone:
        finding, hit = min(alone, key=lambda each: (_close(each[1]), distance(each[0], each[1].row)))
        said += f"; nearest is {label_of(hit.row)}: {short([finding])}"
        if is_only_rated_lower(finding, hit.row):
            said += f" ({ONLY_RATED})"
        others = [label for _, one in alone if one is not hit and (label := label_of(one.row)) not in shown]
        if others:
            said += f"; also {_some(others)}"
    return f"{'; '.join(filter(None, (said, has_it)))}."


def _of_frost(need: Need, hits: Sequence[Hit]) -> str | None:
    """That cold drying ends at freezing, and the dryers of another kind that meet all else that is asked."""
    others = [hit for hit in hits if {each.need.attribute for each in missed(hit)} == {"dryer_kind"}]
    there = [label_of(hit.row) for hit in others if (each := _finding(hit, need)) and each.verdict == "met"]
    asked = need.shown or need.words
    return f"No refrigerated dryer reaches {asked}; of another kind do: {_some(there)}." if there else None


def _some(names: Sequence[str]) -> str:
    return f"{', '.join(names[:MOST_NAMED])}{', …' if len(names) > MOST_NAMED else ''}"


def _who_has(need: Need, kin: Sequence[Hit]) -> str | None:
    """What meets the need and misses least besides, of these what suits the supply."""
    those = [
        hit
        for hit in kin
        if (each := _finding(hit, need)) and each.verdict in ("met", "close") and each.has != PLAIN_STEEL
    ]
    hit = min(those, key=_lack, default=None)
    return None if hit is None else f"{label_of(hit.row)} has it, but {short(missed(hit)) or 'not all else'}"


def _lack(hit: Hit) -> tuple[bool, int, int, float]:
    """The supply first, then how much it misses, then of what it is made, then by how far its figures are off."""
    findings = hit.answer.judgement.findings if hit.answer else ()
    other_stuff = sum(each.has == PLAIN_STEEL for each in findings)
    off = sum(distance(each, hit.row) for each in missed(hit))
    return _is_off_the_supply(hit), len(missed(hit)), other_stuff, off


def _is_off_the_supply(hit: Hit) -> bool:
    return any(each.need.attribute == "voltage" for each in missed(hit))


def _close(hit: Hit) -> int:
    return hit.answer.judgement.close if hit.answer else 0


def _of_frequency(need: Need, kin: Sequence[Hit], offered: Sequence[Chosen], *, assumed: str | None) -> str | None:
    """That what is offered is for the other frequency, and what is nearest at the one that is asked for."""
    asked = next((hertz for hertz in HERTZ if need.attribute == "voltage" and hertz in need.values), None)
    if asked is None:
        return None
    other = next(hertz for hertz in HERTZ if hertz != asked)
    if not all((each := _finding(one.hit, need)) and other in each.has and asked not in each.has for one in offered):
        return None
    by = f", as {assumed} tells" if assumed else ""
    said = f"All offers are for {other}, and {asked} is asked for{by}"
    there = [hit for hit in kin if (each := _finding(hit, need)) and asked in each.has]
    nearest = min(there, key=lambda hit: len(missed(hit)), default=None)
    if nearest is None:
        return f"{said}; none of the kind is at {asked}: ask the maker."
    return f"{said}; nearest at {asked} is {label_of(nearest.row)}: {short(missed(nearest)) or 'see its fit'}."
