"""Rows that are worth a look for what they have, whatever their words are."""

from collections.abc import Sequence

from psycopg.sql import SQL, Composable, Identifier, Literal, Placeholder

from quarry.attributes.model import Attributes
from quarry.data import database
from quarry.needs.model import BUILT_IN, DESCRIPTION, Need
from quarry.retrieval.clauses import Condition, compiled, value_of
from quarry.retrieval.corpus import Corpus
from quarry.retrieval.statements import template

MOST_NEEDS = 8
"""Needs that choose them; all are judged."""

NOTHING_IS = SQL("(SELECT 0)")


def statement_of(
    corpus: Corpus,
    needs: Sequence[Need],
    *,
    condition: Condition,
    attributes: Attributes,
    tenant: str,
    small: bool,
    sort: str | None = None,
) -> database.Query | None:
    """The statement that finds them; None where neither a need nor a filter tells any row.

    Rows of a family that is asked for always are; wishes choose where nothing else is asked. Of a small corpus rows
    that lack something are too, those with the most first; of a large one those that have all.
    """
    told = [need for need in needs if need.name != DESCRIPTION]
    asked = ([need for need in told if not need.wish] or told)[:MOST_NEEDS]
    only_denied = bool(needs) and all(need.negated for need in needs)
    if not asked and not condition and sort is None and not only_denied:
        return None
    clauses, parameters = compiled(corpus, asked, attributes=attributes, prefix="n", close=True)
    families = [clause for need, clause in zip(asked, clauses, strict=True) if need.name == "family"]
    within = families if small else clauses
    met = [SQL("coalesce({}, false)::integer").format(clause) for clause in clauses]
    distances = [each for number, need in enumerate(asked) if (each := _distance(corpus, need, number, parameters))]
    ordered, sorting = _ordered(corpus, sort, attributes)
    statement = SQL(template("meeting")).format(
        base=Identifier(corpus.schema, corpus.table),
        narrow=corpus.narrow,
        condition=condition.as_one if small else condition.composed,
        within=SQL(" AND ").join(within) if within else SQL("true"),
        met=SQL(" + ").join(met) if met else NOTHING_IS,
        distance=ordered or (SQL(" + ").join(distances) if distances else NOTHING_IS),
        most=Literal(corpus.most_judged),
    )
    return statement, {**condition.parameters, **parameters, **sorting, "tenant": tenant}


def _ordered(corpus: Corpus, sort: str | None, attributes: Attributes) -> tuple[Composable | None, dict[str, object]]:
    """The order of a superlative, in place of the nearness of sizes."""
    if sort is None:
        return None, {}
    value, parameters, _ = value_of(corpus, sort.removeprefix("-"), attributes)
    if value is None:
        return None, {}
    return SQL("{} {} NULLS LAST").format(value, SQL("DESC" if sort.startswith("-") else "ASC")), parameters


def _distance(corpus: Corpus, need: Need, number: int, parameters: dict[str, object]) -> Composable | None:
    """How far a row is from the figure that is asked for, as a difference of logarithms."""
    figure = next((choice.low for choice in need.choices if choice.low), None)
    if figure is None or figure <= 0 or need.negated or need.name in BUILT_IN:
        return None
    parameters[f"n{number}_asked"] = figure
    value = SQL(corpus.value.as_string()).format(
        field=Identifier("low"), attribute=Placeholder(f"n{number}_attribute")
    )
    return SQL("coalesce(abs(ln(nullif(greatest({}, 0), 0) / {}::float8)), 0)").format(
        value, Placeholder(f"n{number}_asked")
    )
