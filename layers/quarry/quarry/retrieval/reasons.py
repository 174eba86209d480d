"""Notices on an answer, drawn from data: what nobody has, what is nearest, which filter leaves nothing."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import islice
from typing import Any

from psycopg.sql import SQL, Composable, Composed, Identifier, Literal, Placeholder

from quarry.attributes.model import Attributes, Value
from quarry.data import database
from quarry.money import MONEY
from quarry.needs.judge import find, machines_for
from quarry.needs.model import Finding, Need, amounts_in
from quarry.reading.source import pieces_of
from quarry.retrieval.clauses import compiled, saying
from quarry.retrieval.corpus import Corpus
from quarry.retrieval.here import names_of
from quarry.retrieval.judging import Judge
from quarry.retrieval.ranking import Ranked
from quarry.text import figure_of, key_of

COUNTED = SQL("SELECT {counts} FROM {base} d {narrow} WHERE d.tenant = %(tenant)s")
# It reads every row, and therefore runs on tables of moderate size only.
SILENT = SQL("{counted} AND (SELECT c.reltuples FROM pg_class c WHERE c.oid = {base}::regclass) < 50000")
CURRENCIES = SQL("""
    SELECT {currency} AS currency, count(*) AS count FROM {base} d {joins}
    WHERE d.tenant = %(tenant)s AND {condition}
        AND (SELECT c.reltuples FROM pg_class c WHERE c.oid = {whole}::regclass) < 50000
    GROUP BY 1 ORDER BY 1
""")
MOST_NAMED, MOST_LISTED = 3, 8
"""Most values named as near to what nobody has, and most of which all are named."""
FEW = 3
"""How many machines are few enough to be offered in place of one."""
TELLING = frozenset(("family", "category", "model"))
"""Built-in attributes whose needs leave no doubt of what kind of thing is meant."""


def of(
    corpus: Corpus,
    filters: Sequence[Need],
    *,
    attributes: Attributes,
    tenant: str,
    needs: Sequence[Need] = (),
    ranked: Sequence[Ranked] = (),
    judge: Judge | None = None,
) -> list[str]:
    told = [*_taken_as_absolute((*needs, *filters)), *nobody_has((*needs, *filters), attributes, tenant=tenant)]
    if filters and not ranked:
        return [*told, _each_filter(corpus, filters, attributes, tenant=tenant)]
    if judge is not None and ranked and all(one.candidate.contradicts for one in ranked):
        told.append(_nearest(ranked[0], judge, corpus))
    elif judge is not None and needs and sum(_is_met(one) for one in ranked) < MOST_NAMED:
        sets = ", ".join(islice(_sets(ranked, judge, corpus), MOST_NAMED))
        told += [f"Several together do, too: {sets}."] if sets else []
    return told


def of_families(needs: Sequence[Need], ranked: Sequence[Ranked]) -> Iterator[str]:
    """Tells to which families the rows that meet all needs belong, where they are several and none is asked for."""
    if not needs or any(need.name in TELLING for need in needs):
        return
    judged = ((one.candidate.judgement, one.candidate.row.get("family")) for one in ranked)
    families = dict.fromkeys(str(family) for judgement, family in judged if family and judgement and judgement.is_met)
    if len(families) > 1:
        yield f"Rows of several families meet every need: {', '.join(families)}. A need of family says which."


def _taken_as_absolute(needs: Sequence[Need]) -> Iterator[str]:
    """Tells of each pressure asked of a vacuum that does not say whether it is the one that is left."""
    for need in needs:
        if any(choice.absolute for choice in need.choices):
            yield (
                f"{need.name} '{need.asked}' is read as absolute, the pressure that is left; one below the "
                "atmosphere is a negative gauge pressure."
            )


def nobody_has(needs: Sequence[Need], attributes: Attributes, *, tenant: str) -> Iterator[str]:
    """Tells of each value that was asked for and that no row has."""
    for need in needs:
        listed = attributes.listed.get(need.name)
        if need.name == "manufacturer":
            listed = frozenset(names_of(tenant).manufacturers.values())
        if need.name == "family":
            listed = frozenset(attributes.families)
        if need.negated or need.is_silence or need.attribute.kind != "text" or not listed:
            continue
        for choice in need.choices:
            one = Need(need.attribute, (choice,), choice.value)
            told = (find(one, Value(texts=(text,)), attributes=attributes).verdict for text in listed)
            if "met" in told:
                continue
            near, few = _near(choice.value, listed), sorted(listed) if len(listed) <= MOST_LISTED else []
            hint = f"; nearest: {', '.join(near)}" if near else f"; there are {', '.join(few)}" if few else ""
            yield f"Nobody here has {need.name} '{choice.value}'{hint}."


def _near(asked: str, listed: Iterable[str]) -> list[str]:
    """Returns first the values that hold what is asked as a part, then those whose figure is nearest, of values that
    differ from it in their figure alone; else those spelt most alike.
    """
    spaced = f" {' '.join(pieces_of(asked))} "
    holding = [text for text in sorted(listed) if spaced in f" {' '.join(pieces_of(text))} "]
    spelled = {key_of(text): text for text in sorted(listed)}
    figure, rest = _figure_in(key_of(asked))
    off = {text: abs(has - figure) for key, text in spelled.items() for has, other in [_figure_in(key)]
           if figure is not None and has is not None and (other == rest or not rest)}  # fmt: skip
    alike = () if off else get_close_matches(key_of(asked), spelled, n=MOST_NAMED, cutoff=0.5)
    near = dict.fromkeys((*holding, *sorted(off, key=off.__getitem__), *(spelled[key] for key in alike)))
    return [*near][:MOST_NAMED]


def _figure_in(key: str) -> tuple[float | None, str]:
    """Splits a value that begins with a figure: (460, "v") of "460 v"; a word of letters and digits has none."""
    found = re.match(r"([\d.,]*\d)(?![\d.,]) ?(.*)", key)
    return (figure_of(found[1]), found[2]) if found else (None, key)


def _each_filter(corpus: Corpus, filters: Sequence[Need], attributes: Attributes, *, tenant: str) -> str:
    """Tells how many rows each filter leaves by itself."""
    currency = amounts_in(filters, attributes=attributes)
    clauses, parameters = compiled(corpus, filters, attributes=attributes, prefix="f", currency=currency)
    counts: list[Composable] = [
        SQL("count(*) FILTER (WHERE {}) AS {}").format(clause.sql, Identifier(f"of_{place}"))
        for place, clause in enumerate(clauses)
    ]
    [row] = database.fetch(tenant, _counted(corpus, counts), parameters)
    alone = ", ".join(f"{need.name} {need.asked} {row[f'of_{place}']}" for place, need in enumerate(filters))
    return f"No row satisfies {'all filters' if len(filters) > 1 else 'the filter'}; alone they leave: {alone}."


def _counted(corpus: Corpus, counts: Iterable[Composable]) -> Composed:
    base = Identifier(corpus.schema, corpus.table)
    return COUNTED.format(counts=SQL(", ").join(counts), base=base, narrow=corpus.narrow)


def silent(
    corpus: Corpus, filters: Sequence[Need], sort: str | None, *, attributes: Attributes
) -> list[database.Query]:
    """Returns the statement that counts, for each attribute filtered or sorted by, rows that could have it, have no
    value of it and satisfy every other filter; none where there is nothing to count.
    """
    by = attributes.named(sort.removeprefix("-")) if sort is not None else None
    wanted = [*(need.name for need in filters if not (need.is_silence or need.or_silent)), *([by.name] if by else [])]
    names = [name for name in dict.fromkeys(wanted) if name not in corpus.built_in]
    parameters: dict[str, object] = {}
    counts: list[Composable] = []
    for place, name in enumerate(names):
        said, of_name = saying(corpus, name, attributes=attributes, prefix=f"s{place}_")
        others = [need for need in filters if need.name != name]
        currency = amounts_in(others, attributes=attributes)
        clauses, of_others = compiled(corpus, others, attributes=attributes, prefix=f"s{place}f", currency=currency)
        parameters |= of_name | of_others
        of_kind: list[Composable] = []
        if families := attributes.by_name[name].families:
            column, key = corpus.built_in["family"], f"s{place}families"
            parameters[key] = sorted(families)
            of_kind = [column.within.format(SQL("{} = ANY ({}::text[])").format(column.sql, Placeholder(key)))]
        condition = SQL(" AND ").join(
            [SQL("({}) IS NOT TRUE").format(said), *of_kind, *(each.sql for each in clauses)]
        )
        counts.append(SQL("count(*) FILTER (WHERE {}) AS {}").format(condition, Identifier(name)))
    base = Literal(f"{corpus.schema}.{corpus.table}")
    statement = SILENT.format(counted=_counted(corpus, counts), base=base)
    return [(statement, parameters)] if names else []


def currencies(corpus: Corpus, filters: Sequence[Need], *, attributes: Attributes, tenant: str) -> Mapping[str, int]:
    """Counts the rows of each currency that satisfy the filters of all but amounts."""
    others = [need for need in filters if need.name not in MONEY]
    clauses, parameters = compiled(corpus, others, attributes=attributes, prefix="f")
    statement = CURRENCIES.format(
        currency=corpus.currency,
        base=Identifier(corpus.schema, corpus.table),
        whole=Literal(f"{corpus.schema}.{corpus.table}"),
        joins=SQL(" ").join([corpus.narrow, corpus.grouping]),
        condition=SQL(" AND ").join([SQL("{} IS NOT NULL").format(corpus.money), *(each.sql for each in clauses)]),
    )
    counted = database.fetch(tenant, statement, {**parameters, "priced": True})
    return {row["currency"]: row["count"] for row in counted}


def of_silent(row: Mapping[str, int]) -> Iterator[str]:
    told = ", ".join(f"{name} {count}" for name, count in row.items() if count)
    if told:
        yield f"Rows that say nothing of what is asked and satisfy the rest: {told}."


def _nearest(one: Ranked, judge: Judge, corpus: Corpus) -> str:
    """Tells what the first row misses, and how many of it would meet that."""
    row = one.candidate.row
    missed = ", ".join(f"{each.need.name} {each.has or 'not stated'}" for each in _faults(one))
    text = f"Nothing meets all of it; nearest is {label_of(row, corpus)}: {missed}."
    count = _machines(one, judge)
    return f"{text} {count} of it together would meet it." if count else text


def _sets(ranked: Iterable[Ranked], judge: Judge, corpus: Corpus) -> Iterator[str]:
    """Yields rows that contradict as one machine and of which a few together meet everything, with how many."""
    if judge.machines > 1 or judge.down or corpus.kind != "equipment":
        return
    for one in ranked:
        count = _machines(one, judge) if one.candidate.contradicts else None
        if count and count <= FEW and replace(judge, machines=count).of(one.candidate.row).is_met:
            yield f"{count} × {label_of(one.candidate.row, corpus)}"


def _is_met(one: Ranked) -> bool:
    return one.candidate.judgement is not None and one.candidate.judgement.is_met


def _faults(one: Ranked) -> list[Finding]:
    judgement = one.candidate.judgement
    assert judgement is not None
    return [
        each for each in judgement.findings if (each.lacking or each.verdict == "contradicted") and not each.need.wish
    ]


def _machines(one: Ranked, judge: Judge) -> int | None:
    """Returns how many of a row would together meet what one misses; None where more do not help."""
    faults = _faults(one)
    values = judge.values(one.candidate.row, [each.need.name for each in faults])
    counts = [machines_for(each, values.get(each.need.name)) for each in faults]
    known = [count for count in counts if count is not None]
    return max(known) if known and len(known) == len(counts) else None


def label_of(row: Mapping[str, Any], corpus: Corpus) -> str:
    """Returns what a reader knows the row by."""
    if "position" in row:
        return f"{row['quote_number']}/{row['position']}"
    return str(row.get(corpus.label))
