"""Ranking: candidates in, hits in the order of one number out.

What the legs found becomes one relevance in [0, 1]; what was asked and what the row has become findings; both
together become the probability that the row is right, by weights that were learned from judged searches (weights.py).
That number is the score of a hit, and the order of hits follows it.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from quarry.retrieval.confidence import LIKELY_GOOD, PROBABLE_MISS
from quarry.retrieval.legs import Found, Match
from quarry.retrieval.weights import Weights
from quarry.understanding.figures_fit import FAR_APART, PASSIVE, TWICE
from quarry.understanding.needs import SIZES, Judgement, Verdict

FEEDBACK = 0.3
"""Weight of nearness to the row that is nearest to the query, beside nearness to the query itself."""

MEANING = 1.75
"""Weight of the vector leg beside the text leg's 1."""

ENOUGH_COVERAGE = 0.8
"""Share of the query's idf above which the best match of words gets full marks; a weaker one gets its share."""


@dataclass(frozen=True, slots=True)
class Answered:
    """How a row answers the item of the request that it answers best; ``item`` counts from 0.

    ``missing`` and ``told`` are shares of the request: words that no rule read and that its text lacks, or has.
    ``open_figure`` says that the request has a figure which no rule read.
    ``place`` counts from 0 where the request has a superlative by which rows that answer all else are in order, and
    asks for the ``first`` so many.
    """

    item: int
    judgement: Judgement
    missing: float = 0.0
    told: float = 0.0
    open_figure: bool = False
    place: int | None = None
    first: int = 1
    behind: bool = False
    """True where it leaves open what another row meets."""

    @property
    def read_share(self) -> float:
        """The share of the request that rules read."""
        return 1 - self.missing - self.told

    @property
    def wholly_read(self) -> bool:
        return self.missing + self.told == 0 and not self.open_figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A row that may be a hit, with all that ranking looks at.

    ``cosine`` is to the query and ``closeness`` to the row nearest to it; both are None without a vector. ``near``
    says that it is among the rows nearest in meaning, as far as those were read, and ``named`` that the query names
    its model. Ranks count from 1 in each leg. ``answer`` is how it answers the request, None where nothing was
    understood; ``aside`` is a line that was offered as an option or an alternate.
    """

    doc: int
    row: Mapping[str, Any] = field(repr=False)
    cosine: float | None = None
    closeness: float | None = None
    near: bool = False
    match: Match | None = None
    vector_rank: int | None = None
    text_rank: int | None = None
    named: bool = False
    answer: Answered | None = None
    aside: bool = False
    fingerprint: int | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate in its place. ``meaning`` and ``words`` add up to ``relevance``; ``score`` is the probability that
    the row is right, or of a ``similar`` row, where nothing meets the request, how near it comes.
    """

    candidate: Candidate
    meaning: float
    words: float
    score: float
    similar: bool = False

    @property
    def relevance(self) -> float:
        return self.meaning + self.words


def candidates(rows: Sequence[Mapping[str, Any]], found: Found, *, pool: int) -> list[Candidate]:
    """The rows with what the legs said of each."""
    vector_ranks = {doc: rank for rank, doc in enumerate(found.nearest, start=1)}
    text_ranks = {doc: rank for rank, doc in enumerate(found.matches, start=1)}
    least = _least(list(found.nearest.values()), pool=pool)
    made = []
    for row in rows:
        doc, cosine = row["_doc"], row["_cosine"]
        made.append(
            Candidate(
                doc=doc,
                row=row,
                cosine=cosine,
                closeness=row["_closeness"],
                near=doc in vector_ranks or (cosine is not None and cosine >= least),
                match=found.matches.get(doc),
                vector_rank=vector_ranks.get(doc),
                text_rank=text_ranks.get(doc),
                fingerprint=row.get("_fingerprint"),
                aside=bool(row.get("optional")),
            )
        )
    return made


def _least(cosines: Sequence[float], *, pool: int) -> float:
    """The cosine below which a row would not be among the ``pool`` nearest.

    Where fewer were read, similarity is taken to go on falling with the logarithm of the rank.
    """
    if not cosines:
        return math.inf
    if len(cosines) >= pool or len(cosines) == 1:
        return cosines[-1]
    logs = [math.log(rank) for rank in range(1, len(cosines) + 1)]
    mean_log, mean_cosine = sum(logs) / len(logs), sum(cosines) / len(cosines)
    variance = sum((value - mean_log) ** 2 for value in logs)
    covariance = sum((a - mean_log) * (b - mean_cosine) for a, b in zip(logs, cosines, strict=True))
    return cosines[-1] + covariance / variance * math.log(pool / len(cosines))


def shortlist(found: Found, *, most: int) -> list[int]:
    """The rows that are worth reading, by what the legs said alone."""
    best_raw, trust = _scale(list(found.matches.values()))
    docs = dict.fromkeys([*found.nearest, *found.matches])

    def worth(doc: int) -> tuple[float, int]:
        match = found.matches.get(doc)
        words = match.raw / best_raw * trust if match else 0.0
        return -(MEANING * max(found.nearest.get(doc, 0.0), 0.0) + words), doc

    return sorted(docs, key=worth)[:most]


@dataclass(frozen=True, slots=True, kw_only=True)
class Best:
    """The highest values among the candidates of one query: how sure of them ranking can be at all.

    A row's own cosine and coverage are in its relevance; here they are the query's, and change no order.
    """

    relevance: float
    cosine: float
    coverage: float


def rank(candidates: Sequence[Candidate], *, weights: Weights) -> list[Ranked]:
    """All candidates, best first."""
    parts, best = weighed(candidates)
    scored = [
        Ranked(one, meaning, words, probability(one, meaning + words, best=best, weights=weights))
        for one, meaning, words in parts
    ]
    placed = _in_order(_contradicted_below(_open_below(_larger_behind(_nearest_raised(scored)))))
    return sorted(placed, key=lambda item: (-item.score, -item.relevance, item.candidate.doc))


def weighed(candidates: Sequence[Candidate]) -> tuple[list[tuple[Candidate, float, float]], Best]:
    """Each candidate with its parts of meaning and of words, and the best values of all."""
    best_raw, trust = _scale([one.match for one in candidates if one.match is not None])
    parts = []
    for one in candidates:
        meaning = _meaning(one) * MEANING / (MEANING + 1)
        words = one.match.raw / best_raw * trust / (MEANING + 1) if one.match is not None else 0.0
        parts.append((one, meaning, words))
    best = Best(
        relevance=max((meaning + words for _, meaning, words in parts), default=0.0),
        cosine=max((one.cosine or 0.0 for one in candidates), default=0.0),
        coverage=max((one.match.coverage for one in candidates if one.match), default=0.0),
    )
    return parts, best


def _scale(matches: Sequence[Match]) -> tuple[float, float]:
    """What counts as a full match of words here, and how much of full marks the best one deserves."""
    best_raw = max((match.raw for match in matches), default=0.0)
    coverage = max((match.coverage for match in matches), default=0.0)
    return best_raw or 1.0, min(1.0, coverage / ENOUGH_COVERAGE)


def _meaning(one: Candidate) -> float:
    """Cosine in [0, 1], with feedback; 0 for a row that is not among the nearest."""
    if not one.near or one.cosine is None:
        return 0.0
    closeness = one.closeness if one.closeness is not None else one.cosine
    return max(0.0, one.cosine + FEEDBACK * closeness) / (1 + FEEDBACK)


def probability(one: Candidate, relevance: float, *, best: Best, weights: Weights) -> float:
    """That the row is right, in (0, 1): below .2 where it contradicts the request, below .8 where it leaves open or
    misses by a little something that was asked.
    """
    named = features(one, relevance, best=best)
    value = weights.bias + sum(weight * feature for weight, feature in zip(weights.of_features, named, strict=True))
    chance = 1 / (1 + math.exp(-max(-30.0, min(30.0, value))))
    if one.aside:
        chance *= ASIDE
    if one.named:  # a row of the very model that is asked for is never a probable miss
        chance = (1 + chance) / 2
    return chance * highest(one) * weights.caution


def highest(one: Candidate) -> float:
    """The score that the row cannot exceed, whatever else speaks for it."""
    if one.answer is None:
        return 1.0
    highest = MOST[one.answer.judgement.overall]
    behind = one.answer.place is not None and one.answer.place >= one.answer.first
    left_open = one.answer.open_figure or one.answer.missing >= MOST_MISSING
    return min(highest, MOST["close"]) if behind or left_open else highest


MOST_MISSING = 0.5
"""Share of a request from which on a row that lacks words which no rule reads is not called right."""
AMPLE, OVERSIZE, FAR_OVERSIZE = 1.6, 0.3, 3.0
"""Times the size asked for up to which nothing is too large, and how fast the score falls beyond: of what meets all
else, and of what is close beside a row that meets all.
"""
LEAST_APART = 0.02
"""What keeps such rows in the order of their sizes."""
ASIDE = 0.9
"""An option or an alternate is right less often than the line that was sold, unless it is asked for."""

MOST: Mapping[Verdict, float] = {"met": 1.0, "close": 0.79, "unknown": 0.79, "contradicted": 0.19}


NEARNESS = 0.3
"""How much the nearness of a size counts among rows of another size, beside how probable each is."""

FEATURES = (
    "relevance", "lead", "best cosine", "best coverage", "named", "needs", "met", "close", "unknown", "all met",
    "all but unknown", "one close", "contradicted", "contradictions", "aside", "many met", "missing words",
    "told words", "most relevant", "all read", "met of all",
)  # fmt: skip


def features(one: Candidate, relevance: float, *, best: Best) -> tuple[float, ...]:
    """In the order of FEATURES. Met, close and unknown are shares of all needs, and "met of all" is one of all that
    was asked; ``lead`` is 0 for the best row.
    """
    judgement = one.answer.judgement if one.answer else NOTHING_ASKED
    needs = len(judgement.findings)
    share = 1 / needs if needs else 0.0
    return (
        relevance,
        relevance - best.relevance,
        max(best.cosine, 0.0),
        best.coverage,
        float(one.named),
        float(needs > 0),
        judgement.met * share,
        judgement.close * share,
        judgement.unknown * share,
        float(needs > 0 and judgement.overall == "met"),
        float(needs > 0 and judgement.overall == "unknown"),
        float(needs > 0 and judgement.overall == "close"),
        float(contradicts(one)),
        min(3.0, judgement.contradicted) / 3,
        float(one.aside),
        min(4, judgement.met) / 4 if judgement.overall == "met" else 0.0,
        one.answer.missing if one.answer else 0.0,
        one.answer.told if one.answer else 0.0,
        float(relevance >= best.relevance),
        float(needs > 0 and judgement.overall == "met" and one.answer is not None and one.answer.wholly_read),
        judgement.met * share * one.answer.read_share if one.answer else 0.0,
    )


NOTHING_ASKED = Judgement((), 0, 0, 0, 0, "met")


def contradicts(one: Candidate) -> bool:
    return one.answer is not None and one.answer.judgement.overall == "contradicted"


def meets(one: Candidate) -> bool:
    """Whether it meets a need and contradicts none."""
    return one.answer is not None and one.answer.judgement.met > 0 and not contradicts(one)


def _nearest_raised(scored: Sequence[Ranked]) -> list[Ranked]:
    """Rows of another size are similar and no miss where nothing meets the request, and so are equals of a model
    where the request asks for one. Nearer sizes come first among them.
    """
    met = any(one.candidate.answer and one.candidate.answer.judgement.overall == "met" for one in scored)
    raised = []
    for one in scored:
        near = _similar(one.candidate.answer, met=met)
        if near is not None:
            share = NEARNESS * near + (1 - NEARNESS) * one.score / MOST["close"]
            likeness = PROBABLE_MISS + (MOST["close"] - PROBABLE_MISS) * share
            one = replace(one, score=max(one.score, likeness), similar=likeness > one.score)
        raised.append(one)
    return raised


def _similar(answer: Answered | None, *, met: bool) -> float | None:
    """How near a row is that is off in nothing but a size or an equal's name, from 0 to 1; None for any other."""
    if answer is None or answer.judgement.overall != "close":
        return None
    off = [finding for finding in answer.judgement.findings if finding.verdict == "close"]
    if off and all(each.need.attribute == "model" and each.need.operator == "about" for each in off):
        return None if any(each.need.absent for each in off) else 1.0
    if met or any(each.need.operator in ("one_of", "none_of") or not each.has[:1].isdecimal() for each in off):
        return None
    sizes = [(float(each.has.split()[0]), each.need.low or each.need.high or 0.0) for each in off]
    return min((min(has, asked) / max(has, asked, 1.0) for has, asked in sizes), default=None)


def _contradicted_below(scored: Sequence[Ranked]) -> list[Ranked]:
    """No row that contradicts a need may stand above one that meets a need and contradicts none."""
    floor = min((item.score for item in scored if meets(item.candidate)), default=None)
    if floor is None:
        return list(scored)
    highest = max((item.score for item in scored if contradicts(item.candidate)), default=0.0)
    if highest < floor:
        return list(scored)
    shrink = floor / highest * 0.99
    return [replace(item, score=item.score * shrink) if contradicts(item.candidate) else item for item in scored]


def _open_below(scored: Sequence[Ranked]) -> list[Ranked]:
    """No row that leaves open what another one meets stands above the best of those that meet all."""
    most = max((one.score for one in scored if _meets_all(one.candidate)), default=None)
    if most is None:
        return list(scored)
    return [
        replace(one, score=min(one.score, most * 0.99))
        if one.candidate.answer and one.candidate.answer.behind
        else one
        for one in scored
    ]


def _larger_behind(scored: Sequence[Ranked]) -> list[Ranked]:
    """Of what does at least as much as was asked the nearest is first: what is far larger has less score, and no
    less confidence for it.
    """
    any_meets = any(_meets_all(one.candidate) for one in scored)
    sizes = [_times(one) for one in scored]
    larger = [times for one, times in zip(scored, sizes, strict=True) if times > AMPLE and meets(one.candidate)]
    # What is next above the size is no miss however large it is.
    next_size = max(TWICE, 1.02 * min(larger, default=0.0))
    placed = []
    for one, times in zip(scored, sizes, strict=True):
        if times > AMPLE:
            met = _meets_all(one.candidate)
            bands = (LIKELY_GOOD, PROBABLE_MISS) if met or times <= next_size else ()
            least = next((band + LEAST_APART / times for band in bands if one.score >= band), 0.0)
            ample, falling = (AMPLE, OVERSIZE) if met else (AMPLE, 1.0)
            if any_meets and not met:
                passive = one.candidate.row.get("family") in PASSIVE
                ample, falling = FAR_APART if passive else TWICE, FAR_OVERSIZE
            one = replace(one, score=min(one.score, max(least, one.score * (ample / times) ** falling)))
        placed.append(one)
    return placed


def _times(one: Ranked) -> float:
    """How many times the least that was asked for the row has of a size."""
    findings = one.candidate.answer.judgement.findings if one.candidate.answer else ()
    sized = [
        each
        for each in findings
        if each.verdict in ("met", "close") and each.need.attribute in SIZES and each.need.operator != "between"
    ]
    # Of a plant with one machine out, or of several machines, the row's own figure is not what was compared.
    plain = [each.need for each in sized if not each.need.machines and not each.need.spare]
    row = one.candidate.row
    return max((float(row.get(need.attribute) or 0) / need.low for need in plain if need.low), default=0.0)


def _meets_all(one: Candidate) -> bool:
    return one.answer is not None and one.answer.judgement.overall == "met" and one.answer.judgement.met > 0


def _in_order(scored: Sequence[Ranked]) -> list[Ranked]:
    """Rows that a superlative orders exchange their scores, so that the order of scores is theirs."""
    places = {item.candidate.doc: place for item in scored if (place := _place(item)) is not None}
    if not places:
        return list(scored)
    scores = sorted((item.score for item in scored if item.candidate.doc in places), reverse=True)
    ordered = sorted(places, key=lambda doc: places[doc])
    score_of = dict(zip(ordered, scores, strict=True))
    return [replace(item, score=score_of.get(item.candidate.doc, item.score)) for item in scored]


def _place(one: Ranked) -> tuple[int, int, float] | None:
    answer = one.candidate.answer
    return None if answer is None or answer.place is None else (answer.item, answer.place, -one.score)


def shown(ranked: Sequence[Ranked], *, most: int) -> list[Ranked]:
    """The first ``most``, but that each item of a request keeps the best row which answers it, if one does."""
    first = list(range(min(most, len(ranked))))
    places = Counter(_item(ranked[place]) for place in first)
    for place, one in enumerate(ranked[most:], start=most):
        item = _item(one)
        if item is None or item in places or not meets(one.candidate) or len(places) >= most:
            continue
        spare = next((at for at in range(most - 1, -1, -1) if places[_item(ranked[first[at]])] > 1), None)
        if spare is None:
            break
        places[_item(ranked[first[spare]])] -= 1
        first[spare] = place
        places[item] += 1
    return [ranked[place] for place in sorted(first)]


def _item(one: Ranked) -> int | None:
    return one.candidate.answer.item if one.candidate.answer else None
