"""The one search path: read what is asked, find candidates, judge and rank them, show what each is worth."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from quarry import observation
from quarry.attributes.model import Attributes, Names, models_like
from quarry.data import database
from quarry.data.settings import settings
from quarry.money import MONEY
from quarry.needs.grammar import FIELDS
from quarry.needs.model import BUILT_IN, DESCRIPTION, KindOfRow, Need, Unread, amounts_in
from quarry.retrieval import here, legs, ranking, reasons
from quarry.retrieval.clauses import of_filters
from quarry.retrieval.condition import Condition
from quarry.retrieval.corpus import Corpus, Kind
from quarry.retrieval.hits import Outcome, hit_of
from quarry.retrieval.judging import Judge, RowWords, UnreadWords, figures_of, plain_value, words_in
from quarry.retrieval.legs import Found
from quarry.retrieval.ranking import Ranked
from quarry.retrieval.statements import meeting
from quarry.retrieval.weights import WEIGHTS, noise_of
from quarry.text import part_key
from quarry.tool.errors import Unavailable

if TYPE_CHECKING:
    from quarry.retrieval.own_words import OwnWords

POOL = 100
"""Candidates that each leg brings."""

LEAST_READ = 40
"""Fewest rows that are read for ranking, if the legs found as many."""

NOTHING_LIKE_IT = "Nothing here resembles it, in meaning or in words."

ALL_ALIKE = (
    "Nothing here has the words of the query, and much is as near to it in meaning: expect that none is about it, or "
    "ask again in words, and in the language, of the texts."
)

ENOUGH_COVERAGE = 0.5
"""Share of the query's idf that must match for a text hit to count as evidence by itself."""

KINDS_OF_ROWS: Mapping[Kind, KindOfRow] = {
    "equipment": "product", "line_items": "line", "past_quotes": "quote", "passages": "product",
}  # fmt: skip


class AskedSearch(NamedTuple):
    """The inputs of a search: its words, the needs given or read from them, the condition that filters make;
    ``either`` has the places of needs of which one is meant, ``figures`` what unread figures may be in rows.
    """

    corpus: Corpus
    tenant: str
    query: str
    needs: Sequence[Need]
    unread: Sequence[Unread | str]
    rest: str
    condition: Condition
    filters: Sequence[Need]
    attributes: Attributes | None = None
    notes: Sequence[str] = ()
    limit: int = LEAST_READ
    sort: str | None = None
    machines: int = 1
    down: int = 0
    either: Sequence[Sequence[int]] = ()
    figures: Sequence[frozenset[str]] = ()

    @property
    def judge(self) -> Judge | None:
        """The judge of its rows; None for a corpus whose rows are not judged by needs."""
        if self.attributes is None:
            return None
        return Judge(
            self.corpus, self.needs, self.attributes, self.machines, self.down, either=self.either,
            currency=self.currency,
        )  # fmt: skip

    @property
    def currency(self) -> str | None:
        """The currency that amounts are compared in; None where bare figures are."""
        if self.attributes is None:
            return None
        return amounts_in((*self.needs, *self.filters), attributes=self.attributes)


def search(
    corpus: Corpus,
    *,
    tenant: str,
    query: str | None = None,
    limit: int,
    needs: Sequence[Need] = (),
    filters: Sequence[Need] = (),
    sort: str | None = None,
    machines: int = 1,
    down: int = 0,
    condition: Condition = legs.EVERY,
    currency: str | None = None,
) -> Outcome:
    """Returns at most ``limit`` hits; with filters, all rows that satisfy every one are eligible and no others.

    Amounts are of ``currency``, or of the house's, unless a need or a filter says of which currency rows are.
    ``condition`` filters a corpus whose rows are not judged by needs. Where needs are given, the query is not read
    for others and only orders rows. Without a filter, a query that nothing in a gated corpus resembles gives no hit
    at all. Raises Unavailable when embeddings are down and the text leg finds nothing.
    """
    asked = _asked(corpus, query or "", needs, filters, condition, tenant=tenant)
    if asked.attributes and currency not in (None, asked.attributes.currency):
        asked = asked._replace(attributes=replace(asked.attributes, currency=currency))
    outcome = _search(asked._replace(limit=limit, sort=sort, machines=machines, down=down))
    observation.note_search([hit.confidence for hit in outcome.hits], degraded=outcome.degraded)
    return outcome


def _asked(
    corpus: Corpus,
    query: str,
    needs: Sequence[Need],
    filters: Sequence[Need],
    condition: Condition,
    *,
    tenant: str,
) -> AskedSearch:
    if not corpus.judged:
        return AskedSearch(corpus, tenant, query, (), (), query, condition, ())
    attributes, names = here.attributes_of(tenant), here.names_of(tenant)
    given, notes = with_models(needs, names)
    hiding = with_models(filters, names)[0]
    if needs or not query:
        condition = of_filters(corpus, hiding, attributes=attributes, beside=needs)
        # A caller with needs has said in them what is needed: the words beside them only order.
        words = query or _described(given)
        return AskedSearch(corpus, tenant, words, given, (), query, condition, filters, attributes, notes=notes)
    # A call with needs alone never reads text, and this would be a tenth of its imports.
    from quarry.reading.reader import read

    reading = read(query, attributes=attributes, names=names, kind_of_row=KINDS_OF_ROWS[corpus.kind])
    if reading.figures and (now := here.attributes_of(tenant, kept_s=here.AGAIN_S)) is not attributes:
        # What tells whose a figure is may just have been loaded.
        attributes = now
        reading = read(query, attributes=attributes, names=names, kind_of_row=KINDS_OF_ROWS[corpus.kind])
    said = {need.name for need in filters}
    own = [(need, words) for need, words in zip(reading.needs, reading.said, strict=True) if need.name not in said]
    needs, unread, rest = [need for need, _ in own], reading.unread, reading.rest
    condition = of_filters(corpus, hiding, attributes=attributes, beside=needs)
    return AskedSearch(
        corpus, tenant, query, needs, unread, rest, condition, filters, attributes, either=_of_one_word(own),
        figures=reading.figures,
    )  # fmt: skip


def _of_one_word(read: Sequence[tuple[Need, tuple[str, ...]]]) -> list[list[int]]:
    """Returns the places of needs that the same words were read into, because several attributes of the goods have
    that value. A customer's industry is another matter.
    """
    same: dict[tuple[str, tuple[str, ...]], list[int]] = {}
    for place, (need, words) in enumerate(read):
        if need.attribute.kind == "text" and not need.negated and need.name not in BUILT_IN:
            same.setdefault((need.asked, words), []).append(place)
    return [places for places in same.values() if len(places) > 1]


def _described(needs: Sequence[Need]) -> str:
    """Returns the words that needs ask of descriptions, which are searched for where no query is given."""
    asked = [need for need in needs if need.name == DESCRIPTION and not need.negated]
    return " ".join(choice.value for need in asked for choice in need.choices)


def with_models(needs: Sequence[Need], names: Names) -> tuple[list[Need], list[str]]:
    """Returns (needs in which an unknown model also stands for those that it may mean, notes that say so)."""
    found, notes = [], []
    for need in needs:
        choices = list(need.choices)
        for choice in need.choices if need.name == "model" and not need.negated else ():
            if like := models_like(choice.value, names):
                choices += [choice._replace(value=model) for model in like]
                notes.append(f"No model is called '{choice.value}'; taken as {', '.join(like)}.")
        found.append(need._replace(choices=tuple(choices)))
    return found, notes


def _search(asked: AskedSearch) -> Outcome:
    corpus, limit, judge = asked.corpus, asked.limit, asked.judge
    pool = max(POOL, limit)
    found, eligible = _find(asked, pool=pool)
    rows = _rows(asked, found, [row["doc"] for row in eligible])
    judged, unread_words = _judged(asked, judge, rows) if judge else (ranking.named_texts(rows, found), UnreadWords())
    chosen = ranking.candidates(rows, found, judged=judged)
    ranked = ranking.rank(chosen, weights=WEIGHTS[corpus.kind], sort=asked.sort)
    if found.down and asked.query and not asked.condition:
        ranked = [item for item in ranked if item.candidate.match is not None or item.candidate.meets]
    ranked = _newest_of_each(ranked)
    notices = [_degraded(ranked, found.down)] if found.down else []
    gated = corpus.gated and not asked.condition and not asked.needs and bool(asked.query)
    noise = noise_of(settings().embedding_model)
    if gated and not found.down and not _any_evidence(ranked[:limit], noise=noise):
        ranked = []
        notices.append(NOTHING_LIKE_IT)
    elif judge is None and not found.down and ranking.all_alike([item.candidate for item in ranked]):
        notices.append(ALL_ALIKE)
    notices += asked.notes
    nowhere: list[str] = []
    if asked.rest != asked.query or not asked.needs:
        # Where needs are given the words only order rows, so that no notice is due of those that no row has.
        words = here.names_of(asked.tenant).words if judge else ()
        nowhere, unlike = unread_words.told_of(asked.needs, words=words)
        nowhere = [word for word in nowhere if not any(word in str(each) for each in asked.unread)]
        notices += [unlike] if unlike and ranked else []
    if judge is not None:
        notices += reasons.of(
            corpus, asked.filters, attributes=judge.attributes, tenant=asked.tenant, needs=asked.needs, ranked=ranked,
            judge=judge,
        )  # fmt: skip
        notices += reasons.of_families((*asked.needs, *asked.filters), ranked[:limit])
    notices += _misread(asked, found)
    hits = [hit_of(item, degraded=found.down is not None) for item in ranked[:limit]]
    fitting = sum(not item.candidate.contradicts for item in ranked)
    satisfying = eligible[0]["eligible"] if eligible else 0
    total = satisfying if asked.condition and not asked.needs else fitting
    unread = (*asked.unread, *nowhere)
    return Outcome(hits, found.down is not None, notices, asked.needs, unread, total)


def _find(asked: AskedSearch, *, pool: int) -> tuple[Found, Sequence[Mapping[str, Any]]]:
    """Runs both legs for the words, and in the same round trip selects (doc, eligible) of rows that are worth judging
    for their attributes, ``eligible`` being how many rows satisfy the filters.
    """
    corpus, tenant, met, small = asked.corpus, asked.tenant, None, False
    if asked.attributes is not None:
        small = legs.small(corpus, tenant=tenant, count=True)
        met = meeting(
            corpus, asked.needs, condition=asked.condition, attributes=asked.attributes, small=small,
            sort=asked.sort, currency=asked.currency,
        )  # fmt: skip
    if not asked.query:
        rows = database.fetch_each(tenant, [met], keep_plans=small)[0] if met else []
        return Found({}, {}), rows
    found = legs.find(
        corpus, asked.query, tenant=tenant, condition=asked.condition, pool=pool, limit=asked.limit,
        others=[met] if met else [],
    )  # fmt: skip
    return found, found.others[0] if met else []


def _rows(asked: AskedSearch, found: Found, docs: Iterable[int]) -> Sequence[Mapping[str, object]]:
    """Reads the rows that ranking chooses from, in one round trip."""
    corpus, limit = asked.corpus, asked.limit
    best = ranking.shortlist(found, most=max(2 * limit, LEAST_READ))
    docs = list(dict.fromkeys([*best, *docs]))
    if not docs and not asked.condition:
        return []
    # Filters may leave rows that neither leg nor a need finds; in judged corpora these come if nothing else does.
    enough = bool(docs) if corpus.judged else len(docs) >= limit
    fill = limit if asked.condition and not enough else 0
    named = {*(need.name for need in (*asked.needs, *asked.filters)), (asked.sort or "").removeprefix("-")}
    priced = {"priced": bool(named & {"price", "currency", "on_request"})} if corpus.judged else {}
    return legs.read(
        corpus,
        docs,
        tenant=asked.tenant,
        condition=asked.condition,
        vector=found.vector,
        best=next(iter(found.nearest), None),
        fill=fill,
        also=priced,
    )


def _judged(
    asked: AskedSearch, judge: Judge, rows: Sequence[Mapping[str, Any]]
) -> tuple[list[dict[str, Any]], UnreadWords]:
    """Returns fields of a Candidate for each row: how it answers needs, and what its text has of words not read."""
    models = {part_key(choice.value) for need in asked.needs if need.name == "model" and not need.negated
              for choice in need.choices}  # fmt: skip
    options_wanted = any(
        need.name == "optional" and choice.flag and not need.negated for need in (*asked.needs, *asked.filters)
        for choice in need.choices
    )  # fmt: skip
    words = [words_in(row) for row in rows] if asked.rest else []
    count = len(asked.needs)
    unread = UnreadWords.of(asked.rest, words, needs=count, query=asked.query) if words else UnreadWords()
    own = _own_words(asked, words)
    sort = (asked.sort or "").removeprefix("-")
    by = FIELDS.get(sort, sort)
    house, counts = judge.attributes.currency, Counter(str(row.get("currency")) for row in rows)
    apart = sorted(counts, key=lambda code: (code != house, 0 if house else -counts[code], code))
    found: list[dict[str, Any]] = []
    for place, row in enumerate(rows):
        found.append({"foreign": len(unread.foreign), **(unread.of_row(words[place]) if words else {})})
        if asked.figures:
            said = figures_of(row) | words[place].stems
            found[-1]["unsaid"] = sum(said.isdisjoint(figure) for figure in asked.figures)
        if asked.needs:
            judgement = judge.of(row)
            says_figures = not found[-1].get("unsaid")
            opened = own.opened(judgement, row, words[place] if words else None) if own and says_figures else None
            found[-1] |= {"judgement": opened or judgement, "says_all": opened is not None}
        if models:
            found[-1]["named"] = part_key(str(row.get("model") or "")) in models
        if options_wanted:
            found[-1]["aside"] = False
        if by:
            value = judge.values(row, [by]).get(by) or plain_value(row.get(by))
            found[-1]["value"] = value and value.high
            found[-1]["apart"] = apart.index(str(row.get("currency"))) if by in MONEY else 0
    return found, unread


def _own_words(asked: AskedSearch, words: Sequence[RowWords]) -> "OwnWords | None":
    """Returns None where needs were given, so that words only order."""
    if not asked.needs or asked.rest == asked.query:
        return None
    # Imported here, because only a search whose words were read has use for it.
    from quarry.retrieval.own_words import OwnWords

    # Quotes say much of many goods: of these a whole name alone tells.
    return OwnWords.of(asked.query, asked.rest, () if asked.corpus.kind == "past_quotes" else words)


def _misread(asked: AskedSearch, found: Found) -> list[str]:
    """Tells how part numbers that no text has were read, unless the reader understood them otherwise."""
    open_words = {part_key(word) for word in asked.rest.split()}
    return [
        f"No text has the part number '{typed}'; it was read as '{term}'."
        for typed, term in found.read_as.items()
        if part_key(typed) in open_words
    ]


def _newest_of_each(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Lets the newest of rows with the same words stand for all, in the place of the best; the others go behind every
    other row, so that they still come where nothing else is left.
    """
    groups: dict[object, list[Ranked]] = {}
    for item in ranked:
        groups.setdefault(item.candidate.fingerprint or ("row", item.candidate.doc), []).append(item)
    first: list[Ranked] = []
    repeated: list[Ranked] = []
    for group in groups.values():
        if len(group) == 1:
            first += group
            continue
        # A row that contradicts a need must not stand for one that fits.
        fitting = [item for item in group if _signs(item) == _signs(group[0])]
        newest = max(fitting, key=lambda item: str(item.candidate.row.get("_dated", "")))
        first.append(newest._replace(score=group[0].score))
        repeated += [
            item._replace(candidate=item.candidate._replace(row={**item.candidate.row, "_copies": 0}))
            for item in group
            if item is not newest
        ]
    return [*first, *repeated]


def _signs(one: Ranked) -> tuple[str, float | None]:
    judgement = one.candidate.judgement
    return (judgement.signs if judgement else ""), one.candidate.value


def _degraded(ranked: Sequence[Ranked], reason: str) -> str:
    if not ranked:
        raise Unavailable(
            f"Embeddings are unavailable ({reason}) and text search alone found nothing, which does not mean "
            "that nothing fits. Try again later, or name models, sizes or words that the text would contain.",
            retryable=True,
        )
    return f"Embeddings are unavailable ({reason}): ranked by text only, without scores or confidence."


def _any_evidence(ranked: Sequence[Ranked], *, noise: float) -> bool:
    return any(
        (one.cosine is not None and one.cosine >= noise)
        or (one.match is not None and one.match.coverage >= ENOUGH_COVERAGE)
        or one.named
        for one in (item.candidate for item in ranked)
    )
