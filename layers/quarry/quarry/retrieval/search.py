"""The one search path: understand the request, find candidates, rank them, show what each is worth."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from quarry.data.settings import settings
from quarry.observation import metrics
from quarry.retrieval import answers, ranking, reasons, requests, unread_words
from quarry.retrieval.confidence import noise_of
from quarry.retrieval.corpus import Corpus, Given
from quarry.retrieval.hits import Outcome, hit_of
from quarry.retrieval.legs import Find, find, read
from quarry.retrieval.part_numbers import part_numbers
from quarry.retrieval.ranking import Candidate, Ranked
from quarry.retrieval.requests import Reading
from quarry.retrieval.rerank import RerankerDown, relevances
from quarry.retrieval.weights import WEIGHTS
from quarry.tool.errors import Unavailable
from quarry.understanding.needs import Verdict
from quarry.units import Units

POOL = 100
"""Candidates that each leg brings."""

LEAST_READ = 40
"""Rows that are read for ranking, if the legs found as many, however few are asked for."""

NOTHING_LIKE_IT = "Nothing here resembles it, in meaning or in words."

ENOUGH_COVERAGE = 0.5
"""Share of the query's idf that must match for a text hit to count as evidence by itself."""


ENOUGH_TOLD = 0.5
"""Share of the worth of the words that no rule reads which a quote and its lines must have to count as evidence."""


def search(
    corpus: Corpus,
    *,
    tenant: str,
    query: str,
    limit: int,
    filters: Mapping[str, object | None],
    units: Units = "us",
    explain: bool = False,
) -> Outcome:
    """At most ``limit`` hits; with any filter set, only and all rows that satisfy every one are eligible.
    Their bounds are in ``units``.

    Without a filter, a query that nothing in a gated corpus resembles gives no hit at all.
    Raises Unavailable when embeddings are down and the text leg finds nothing.
    """
    asked = filters.get("attributes")
    own = requests.attributes_wanted(corpus, asked, tenant=tenant) if isinstance(asked, str) else None
    given = Given(filters, units, own)
    outcome = _search(corpus, tenant=tenant, query=query, limit=limit, given=given, explain=explain)
    metrics.note_search([hit.confidence for hit in outcome.hits], degraded=outcome.degraded)
    return outcome


def _search(corpus: Corpus, *, tenant: str, query: str, limit: int, given: Given, explain: bool) -> Outcome:
    configuration = settings()
    reranked = configuration.rerank_url is not None and corpus.document is not None
    wanted = max(limit, configuration.rerank_top) if reranked else limit
    pool = max(POOL, wanted)
    keys = part_numbers(query) if corpus.model_key or corpus.names else []
    reading = requests.read(corpus, query, tenant=tenant)
    looked_up = [(corpus.named, {"tenant": tenant, "part_numbers": keys})] if corpus.named and keys else []
    finding = find(
        corpus,
        reading.words,
        tenant=tenant,
        filters=given.columns,
        pool=pool,
        limit=wanted,
        explain=explain,
        others=looked_up,
        also=reading.also,
    )
    if looked_up:
        reading = requests.read_again(corpus, reading, named=finding.others[0], tenant=tenant)
    read_as = requests.misspelt(reading, read_as=finding.found.read_as)
    if read_as:
        reading = requests.read_as_meant(corpus, reading, read_as=read_as, tenant=tenant)
    rows = _rows(corpus, finding, reading, tenant=tenant, given=given, limit=wanted, texts=reranked)
    named = requests.named_models(reading, keys=[*keys, *read_as.values()]) if corpus.model_key else frozenset()
    options_wanted = reading.request is not None and reading.request.options
    chosen = [
        replace(one, named=one.row.get("_model_key") in named, aside=_is_aside(one, options_wanted=options_wanted))
        for one in ranking.candidates(rows, finding.found, pool=pool)
    ]
    ranked = ranking.rank(answers.answered(chosen, reading, corpus=corpus), weights=WEIGHTS[corpus.kind])
    if finding.down and not given.names:
        ranked = [item for item in ranked if item.candidate.match is not None or ranking.meets(item.candidate)]
    ranked = ranking.shown(_newest_of_each(ranked), most=wanted)
    notices = [_degraded(ranked, finding.down)] if finding.down else []
    noise = noise_of(configuration.embedding_model)
    understood = reading.request is not None and any(
        need.attribute not in ("industry", "use") for need in reading.request.needs
    )
    gated = corpus.gated and not given.names and not understood
    if gated and not finding.down and not _any_evidence(ranked[:limit], reading, noise=noise):
        ranked = []
        notices.append(NOTHING_LIKE_IT)
    if given.names and not ranked:
        notices += reasons.of_filters(corpus, given, reading, tenant=tenant)
    elif given.names and corpus.filters and len(ranked) < limit:
        notices += reasons.left_out(corpus, given, reading, tenant=tenant)
    notices += reasons.of_request(reading, ranked)
    if given.names and ranked and not finding.down and all(ranking.contradicts(item.candidate) for item in ranked):
        notices += _without_filters(corpus, tenant=tenant, query=query, given=given)
    notices += [f"No text has the part number '{typed}'; it was read as '{term}'." for typed, term in read_as.items()]
    judged: Mapping[int, float | None] = {}
    if reranked:
        ranked, judged, trouble = _reranked(ranked, query=query)
        notices += [trouble] if trouble else []
    hits = [
        hit_of(
            item,
            relevance=judged.get(item.candidate.doc),
            degraded=finding.down is not None,
            explain=explain,
        )
        for item in ranked[:limit]
    ]
    return Outcome(
        hits,
        degraded=finding.down is not None,
        notice=" ".join(notices) or None,
        read_as=read_as,
        reading=reading,
    )


def _is_aside(one: Candidate, *, options_wanted: bool) -> bool:
    """An option where none is asked for, and what was no option where one is."""
    return "optional" in one.row and one.aside != options_wanted


def _without_filters(corpus: Corpus, *, tenant: str, query: str, given: Given) -> list[str]:
    """What comes nearest, where the filters leave only rows that contradict the request."""
    none = Given(dict.fromkeys(given.typed), given.units)
    found = _search(corpus, tenant=tenant, query=query, limit=1, given=none, explain=False)
    return [
        f"Without the filters the nearest is {reasons.label_of(hit.row)}: {hit.fit}."
        for hit in found.hits
        if hit.confidence != "probable_miss"
    ]


def _rows(
    corpus: Corpus,
    finding: Find,
    reading: Reading,
    *,
    tenant: str,
    given: Given,
    limit: int,
    texts: bool,
) -> Sequence[Mapping[str, object]]:
    """The rows that ranking chooses from, in one round trip."""
    docs = ranking.shortlist(finding.found, most=max(2 * limit, LEAST_READ))
    if not docs and not given.names and not reading.bounds:
        return []
    return read(
        corpus,
        docs,
        tenant=tenant,
        filters=given.columns,
        vector=finding.vector,
        best=next(iter(finding.found.nearest), None),
        bounds=reading.bounds,
        fill=limit if given.names and len(docs) < limit else 0,
        texts=texts,
    )


def _newest_of_each(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Of rows with the same words the newest stands for all, in the place of the best; the others go behind every
    other row, so that they still come where nothing else is left.
    """
    groups: dict[object, list[Ranked]] = {}
    for item in ranked:
        groups.setdefault(item.candidate.fingerprint or ("row", item.candidate.doc), []).append(item)
    first: list[Ranked] = []
    repeated: list[Ranked] = []
    for group in groups.values():
        # One that contradicts ("before 2021") stands for none that fits, nor the newest for the first.
        fitting = [item for item in group if not ranking.contradicts(item.candidate)] or group
        fitting = [item for item in fitting if _stands_as(item) == _stands_as(fitting[0])]
        newest = max(fitting, key=lambda item: str(item.candidate.row.get("_dated", "")))
        first.append(replace(newest, score=group[0].score))
        repeated += [
            replace(item, candidate=replace(item.candidate, row={**item.candidate.row, "_copies": 0, "_copied": ()}))
            for item in group
            if item is not newest
        ]
    return [*first, *repeated]


def _stands_as(one: Ranked) -> tuple[Verdict, int | None] | None:
    answer = one.candidate.answer
    return (answer.judgement.overall, answer.place) if answer else None


def _reranked(ranked: list[Ranked], *, query: str) -> tuple[list[Ranked], Mapping[int, float | None], str | None]:
    """Hits by the reranker's judgement, but for models that the query names (first) and what contradicts (last)."""
    configuration = settings()
    top, rest = ranked[: configuration.rerank_top], ranked[configuration.rerank_top :]
    try:
        scores = relevances(query, [item.candidate.row["_text"] for item in top], settings=configuration)
    except RerankerDown as error:
        return ranked, {}, f"Reranking is unavailable ({error.reason}): the order is that of the search itself."
    judged = {item.candidate.doc: score for item, score in zip(top, scores, strict=True)}

    def place(item: Ranked) -> tuple[bool, bool, bool, float]:
        relevance = judged[item.candidate.doc]
        one = item.candidate
        return ranking.contradicts(one), not one.named, relevance is None, -(relevance or 0.0)

    return [*sorted(top, key=place), *rest], judged, None


def _degraded(ranked: Sequence[Ranked], reason: str) -> str:
    if not ranked:
        raise Unavailable(
            f"Embeddings are unavailable ({reason}) and text search alone found nothing, which does not mean "
            "that nothing fits. Try again later, or name models, sizes or words that the text would contain.",
            retryable=True,
        )
    return f"Embeddings are unavailable ({reason}): ranked by text only, without scores or confidence."


def _any_evidence(ranked: Sequence[Ranked], reading: Reading, *, noise: float) -> bool:
    def evidence(one: Candidate) -> bool:
        return (
            (one.cosine is not None and one.cosine >= noise)
            or (one.match is not None and one.match.coverage >= ENOUGH_COVERAGE)
            or one.named
            or ranking.meets(one)
        )

    shown = [item.candidate for item in ranked]
    return any(map(evidence, shown)) or (reading.whole and unread_words.any_tells(shown, reading, least=ENOUGH_TOLD))
