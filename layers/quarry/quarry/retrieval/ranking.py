"""Ranking: candidates in, hits in their order out, each with the probability that it is right.

What the legs found becomes one relevance in [0, 1]; what was asked and what the row has become findings. Rows that
contradict nothing come before the first that does: first the ones that say in their own words what is asked for, then
the others, in both those that meet every need before those that leave one open. Within each of these groups the order
is that of the probability, by weights that were learned from judged searches (weights.py).
"""

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from quarry.needs.model import Finding, Judgement, Need
from quarry.retrieval.legs import Found, Match
from quarry.retrieval.weights import LIKELY_GOOD, PROBABLE_MISS, Weights

FEEDBACK = 0.3
"""Weight of nearness to the row that is nearest to the query, relative to nearness to the query itself."""

MEANING = 1.75
"""Weight of the vector leg beside the text leg's 1."""

ENOUGH_COVERAGE = 0.8
"""Share of the query's idf from which the best match of words gets full marks; below, it gets a part of them."""

MOST_OPEN = 0.79
"""The highest score of a row that leaves something open: it is not likely_good."""

MOST_CONTRADICTED = 0.19

ASIDE = 0.9
"""Factor on the chance of options and alternates, which are right less often than lines that were sold."""

UNSAID = 0.8
"""Factor on the chance for each unread figure that another row says and this one nowhere."""

NAMING = frozenset(("family", "category", "model", "manufacturer"))
"""Attributes that name goods and say nothing of their properties."""

WHOSE = frozenset(("family", "customer"))
"""Attributes whose contradiction means other goods, or another customer."""

FAR = 4.0
"""Factor by which a size may be off before it is as far as can be."""

AMPLE = math.log(1.5) / math.log(FAR)
"""A row whose size is off by more than half as much again is no longer surely what was asked for."""

FEW_WORDS, APART, BEHIND = 0.2, 0.15, 20
"""Of texts, the coverage below which none has the query's words, and how far the nearest is from so many behind it
where its meaning tells it from others. A model that knows little of a language finds all texts in it near.
"""

WHOLE, FEW = 0.99, 1 / 8
"""Share of the query's idf from which a text has all its words, and that of the texts read that are few."""


class Candidate(NamedTuple):
    """A row that may be a hit, with all that ranking looks at.

    ``cosine`` is to the query and ``closeness`` to the row nearest to it; both are None without a vector. ``named``
    says that the query names its model, or is all in a text. Ranks count from 1 in each leg.
    ``judgement`` is how it answers the needs, None where there are none.
    Of the words that were not read, ``lacking`` and ``told`` are those that its text lacks and has, as shares of the
    request; ``foreign`` counts those that no row has, ``unsaid`` the figures that it says nowhere.
    ``says_all`` marks a row that says in its own words what is asked for, ``unanswered`` rows behind the first of the
    order asked for, ``aside`` a line that was an option.
    """

    doc: int
    row: Mapping[str, Any]
    cosine: float | None = None
    closeness: float | None = None
    match: Match | None = None
    vector_rank: int | None = None
    text_rank: int | None = None
    named: bool = False
    judgement: Judgement | None = None
    lacking: float = 0.0
    told: float = 0.0
    unanswered: bool = False
    foreign: int = 0
    says_all: bool = False
    unsaid: int = 0
    aside: bool = False
    fingerprint: int | None = None
    value: float | None = None
    """The value that rows are sorted by."""
    apart: int = 0
    """The place of its currency, where the value is an amount."""

    @property
    def contradicts(self) -> bool:
        return self.judgement is not None and self.judgement.contradicted > 0

    @property
    def answers_all(self) -> bool:
        """Whether it meets all needs, of which one says more than a family or a model, and lacks no word."""
        if self.judgement is None or self.aside or self.unanswered or self.foreign or self.lacking:
            return False
        told = any(each.need.name not in NAMING and not each.need.wish for each in self.judgement.findings)
        return told and self.judgement.is_met and size_of(self.judgement) <= AMPLE

    @property
    def meets(self) -> bool:
        """Whether it meets a need and contradicts none."""
        return self.judgement is not None and self.judgement.count("met") > 0 and not self.contradicts


class Ranked(NamedTuple):
    candidate: Candidate
    relevance: float
    score: float


def candidates(
    rows: Sequence[Mapping[str, Any]], found: Found, *, judged: Sequence[Mapping[str, Any]] = ()
) -> list[Candidate]:
    """Joins each row with what the legs found of it, and with its fields in ``judged``, if any."""
    vector_ranks = {doc: rank for rank, doc in enumerate(found.nearest, start=1)}
    text_ranks = {doc: rank for rank, doc in enumerate(found.matches, start=1)}
    return [
        Candidate(
            doc=(doc := row["_doc"]),
            row=row,
            cosine=row["_cosine"],
            closeness=row["_closeness"],
            match=found.matches.get(doc),
            vector_rank=vector_ranks.get(doc),
            text_rank=text_ranks.get(doc),
            fingerprint=row.get("_fingerprint"),
            **{"aside": bool(row.get("optional")), **(judged[place] if judged else {})},
        )
        for place, row in enumerate(rows)
    ]


def named_texts(rows: Sequence[Mapping[str, Any]], found: Found) -> list[dict[str, Any]]:
    """Returns fields of a Candidate for each text. The best that has every word of the query, as few have, is named:
    a number or a name may mean nothing to the model.
    """
    whole = [doc for doc, match in found.matches.items() if match.coverage > WHOLE]
    named = whole[:1] if len(whole) <= max(1, FEW * len(rows)) else []
    return [{"named": row["_doc"] in named} for row in rows]


def all_alike(texts: Sequence[Candidate]) -> bool:
    nearest, *behind = sorted((one.cosine for one in texts if one.cosine is not None), reverse=True) or [0.0]
    words = max((one.match.coverage for one in texts if one.match is not None), default=0.0)
    others = behind[:BEHIND]
    return len(others) == BEHIND and words < FEW_WORDS and nearest - sum(others) / len(others) < APART


def shortlist(found: Found, *, most: int) -> list[int]:
    """Returns the ids of the rows most worth reading, by what the legs found alone."""
    best_raw, trust = _scale(list(found.matches.values()))
    docs = dict.fromkeys([*found.nearest, *found.matches])

    def worth(doc: int) -> tuple[float, int]:
        match = found.matches.get(doc)
        words = match.raw / best_raw * trust if match else 0.0
        return -(MEANING * max(found.nearest.get(doc, 0.0), 0.0) + words), doc

    return sorted(docs, key=worth)[:most]


class Best(NamedTuple):
    """The highest values among the candidates of one query: how sure of them ranking can be at all. They are the same
    for all and change no order; a row's own cosine and coverage are in its relevance.
    """

    relevance: float
    cosine: float
    coverage: float
    unsaid: int = 0
    """Of figures that a row does not say, the fewest."""


def rank(candidates: Sequence[Candidate], *, weights: Weights, sort: str | None = None) -> list[Ranked]:
    """Returns all candidates, best first, scores falling; ``sort`` orders those that contradict nothing by their
    values.
    """
    relevant, best = weighed(_first_of(candidates, sort) if sort else candidates)
    scored = [
        Ranked(one, relevance, probability(one, relevance, best=best, weights=weights)) for one, relevance in relevant
    ]
    return falling(sorted(scored, key=lambda one: _place(one, sort=sort)))


def _first_of(candidates: Sequence[Candidate], sort: str) -> list[Candidate]:
    """Marks all rows as open but the first in the order of a value: only the cheapest answers "cheapest"."""
    met = (one for one in candidates if one.judgement is None or one.judgement.is_met)
    first = min((_sorted_at(one, sort) for one in met if not one.contradicts), default=NOWHERE)
    return [one if _sorted_at(one, sort) == first else one._replace(unanswered=True) for one in candidates]


NOWHERE = math.inf, 0.0


def _sorted_at(one: Candidate, sort: str) -> tuple[float, float]:
    if one.value is None:
        return NOWHERE
    return one.apart, -one.value if sort.startswith("-") else one.value


def _place(one: Ranked, *, sort: str | None) -> tuple[float, ...]:
    row, judgement = one.candidate, one.candidate.judgement or NOTHING_ASKED
    group = (float(not row.says_all), 2.0 if judgement.contradicted else 0.0 if judgement.is_met else 1.0)
    if judgement.contradicted:
        return *group, *_off(judgement), -one.score, -one.relevance, row.doc
    if sort is not None:
        return 0.0, *_sorted_at(row, sort), *group, -one.score, row.doc
    return *group, -one.score, -one.relevance, row.doc


def _off(judgement: Judgement) -> tuple[float, ...]:
    """Returns the key by which rows that contradict are sorted: other goods or another customer's last, those first
    that leave the fewest needs unmet, then the nearest size.
    """
    unmet = [
        each for each in judgement.findings if each.verdict in ("contradicted", "unknown") and not each.need.wish
    ]
    other = float(any(each.need.name in WHOSE and each.verdict == "contradicted" for each in unmet))
    return other, float(len(unmet)), sum(map(_missed_by, unmet))


def _missed_by(fault: Finding) -> float:
    """Returns how far a need is missed, 1 being altogether; a wrong size where an exact one is asked for is more."""
    attribute = fault.need.attribute
    if attribute.kind != "number" or fault.verdict == "unknown":
        return fault.distance or 1.0
    return min(fault.distance, FAR) / FAR + (1.0 if attribute.sense == "exactly" else 0.0)


def falling(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Makes scores fall in the given order: neighbours that rise share their mean, under their group's cap."""
    blocks: list[tuple[float, int]] = []
    for one in ranked:
        total, count = one.score, 1
        while blocks and blocks[-1][0] / blocks[-1][1] < total / count:
            before = blocks.pop()
            total, count = total + before[0], count + before[1]
        blocks.append((total, count))
    scores = [total / count for total, count in blocks for _ in range(count)]
    capped = accumulate((min(score, highest(one.candidate)) for one, score in zip(ranked, scores, strict=True)), min)
    return [one._replace(score=score) for one, score in zip(ranked, capped, strict=True)]


def weighed(candidates: Sequence[Candidate]) -> tuple[list[tuple[Candidate, float]], Best]:
    """Returns each candidate with its relevance, and the best values of all."""
    best_raw, trust = _scale([one.match for one in candidates if one.match is not None])
    relevant = []
    for one in candidates:
        meaning = _meaning(one) * MEANING / (MEANING + 1)
        words = one.match.raw / best_raw * trust / (MEANING + 1) if one.match is not None else 0.0
        relevant.append((one, meaning + words))
    best = Best(
        relevance=max((relevance for _, relevance in relevant), default=0.0),
        cosine=max((one.cosine or 0.0 for one in candidates), default=0.0),
        coverage=max((one.match.coverage for one in candidates if one.match), default=0.0),
        unsaid=min((one.unsaid for one in candidates), default=0),
    )
    return relevant, best


def _scale(matches: Sequence[Match]) -> tuple[float, float]:
    """Returns the raw score of a full match of words here, and the share of full marks that the best one gets."""
    best_raw = max((match.raw for match in matches), default=0.0)
    coverage = max((match.coverage for match in matches), default=0.0)
    return best_raw or 1.0, min(1.0, coverage / ENOUGH_COVERAGE)


def _meaning(one: Candidate) -> float:
    """Returns the cosine in [0, 1], with feedback; 0 for a row without a vector."""
    if one.cosine is None:
        return 0.0
    closeness = one.closeness if one.closeness is not None else one.cosine
    return max(0.0, one.cosine + FEEDBACK * closeness) / (1 + FEEDBACK)


def probability(one: Candidate, relevance: float, *, best: Best, weights: Weights) -> float:
    """Returns the probability in (0, 1) that the row is right: below .2 where it contradicts the request, below .8
    where it leaves open, or misses by a little, something that was asked.
    """
    named = features(one, relevance, best=best)
    value = weights.bias + math.sumprod(weights.of_features, named)
    chance = 1 / (1 + math.exp(-max(-30.0, min(30.0, value))))
    if one.aside:
        chance *= ASIDE
    chance *= UNSAID ** (one.unsaid - best.unsaid)
    sure = chance * weights.caution
    if one.named or one.says_all or _answers(one):  # what is asked for by name, or all of it, is no probable miss
        sure = max(sure, PROBABLE_MISS + sure / 2)
    if one.answers_all:  # likely good, and still in the order of what else speaks for each
        sure = LIKELY_GOOD + max(0.0, weights.caution - LIKELY_GOOD) * chance
    # What no row says, such as a telephone number, tells none from another.
    return min(sure, highest(one), MOST_OPEN if one.unsaid > best.unsaid else 1.0)


def highest(one: Candidate) -> float:
    """Returns the score that the row cannot exceed, whatever else speaks for it."""
    if one.contradicts:
        return MOST_CONTRADICTED
    is_open = one.judgement is not None and not one.judgement.is_met
    return MOST_OPEN if is_open or one.unanswered else 1.0


FEATURES = (
    "relevance", "lead", "best cosine", "best coverage", "named", "needs", "met", "close", "unknown", "contradicted",
    "wishes missed", "size", "lacking words", "told words", "many met", "all read", "foreign words",
)  # fmt: skip


def features(one: Candidate, relevance: float, *, best: Best) -> tuple[float, ...]:
    """Returns the values of FEATURES in their order. Met, close and unknown are shares of all needs; ``lead`` is 0
    for the best row, and ``size`` 1 for one that is far from the sizes asked for.
    """
    judgement = one.judgement or NOTHING_ASKED
    needs, met, is_met = len(judgement.verdicts), judgement.count("met"), judgement.is_met
    share = 1 / needs if needs else 0.0
    return (
        relevance,
        relevance - best.relevance,
        max(best.cosine, 0.0),
        best.coverage,
        float(one.named),
        float(needs > 0),
        met * share,
        judgement.count("close") * share,
        judgement.count("unknown") * share,
        float(one.contradicts),
        min(3, judgement.wishes_missed) / 3,
        size_of(judgement),
        one.lacking,
        one.told,
        min(4, met) / 4 if is_met else 0.0,
        float(_answers(one)),
        min(3, one.foreign) / 3,
    )


def _answers(one: Candidate) -> bool:
    """Whether the row meets every need, and needs say all that was asked."""
    judgement = one.judgement or NOTHING_ASKED
    return bool(judgement.verdicts) and judgement.is_met and one.lacking == 0 and not one.foreign


def size_of(judgement: Judgement) -> float:
    """Returns how far the row is from the sizes asked for, from 0 to 1, which is four times as much or more."""
    far = [math.log1p(_apart(each)) for each in judgement.findings if each.distance and _is_size(each.need)]
    return min(1.0, max(far, default=0.0) / math.log(FAR))


def _apart(found: Finding) -> float:
    """Returns the distance; a range that holds all that is asked of it is ample, and the narrowest is the nearest."""
    holds = found.need.attribute.sense == "covers" and found.verdict == "met"
    return found.distance / (1 + 2 * found.distance) if holds else found.distance


def _is_size(need: Need) -> bool:
    """Returns whether the row nearest to the figure is best, and not the one with the least."""
    bounded = any(choice.operator in ("<", "<=") for choice in need.choices) or need.attribute.kind != "number"
    return not (need.wish or need.negated or bounded or need.attribute.sense == "at_most")


NOTHING_ASKED = Judgement()
