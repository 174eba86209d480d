"""Why an answer is empty or weak: the filter that empties it, what is nearest, what is not here, what was not read.

The statements here run only when there is something to explain, never on the way of a search that found.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from psycopg.sql import SQL, Identifier

from quarry.data import database
from quarry.retrieval.corpus import Corpus, Given
from quarry.retrieval.nearness import distance, how_far, is_over_by_a_little
from quarry.retrieval.ranking import Answered, Ranked, contradicts
from quarry.retrieval.requests import Reading
from quarry.spelling import alike
from quarry.understanding.figures_fit import TWICE, UNHARMED
from quarry.understanding.fit import short
from quarry.understanding.needs import Need
from quarry.understanding.traits import PLEX
from quarry.units import spoken

MOST_VALUES = 20
MOST_READ = 2_000
"""Values that are read to find those spelt like a typed one."""
MOST_NAMED = 4
MOST_NEAREST = 2
MOST_MACHINES = 4
SUPPLIED_WITH = frozenset(("lubrication", "cooling", "drive", "voltage", "arrangement"))
"""Filters without which there is another machine to name, and no other maker or model."""

ALTITUDE_FT = 1000
AT_ALTITUDE = (
    "The catalogue rates at sea level: thin air takes capacity, motor and cooling. Ask the maker for the rating at "
    "this altitude, and the customer whether his flow is inlet or standard air."
)

COUNT = SQL("SELECT count(*) AS rows FROM {base} d {narrow} WHERE d.tenant = %(tenant)s AND {condition}")

# Of the rows that satisfy the other filters: the value that comes nearest, and whose it is by nearness in size.
EDGE = SQL("""
    SELECT {value} AS value, {label} AS label FROM {base} d {narrow}
    WHERE d.tenant = %(tenant)s AND {condition} AND {value} IS NOT NULL
    ORDER BY value {direction}, {off_size}, label LIMIT {most}
""")

UNKNOWN = SQL("""
    SELECT {label} AS label, sum(count(*)) OVER ()::int AS rows, count(*) OVER () AS names FROM {base} d {narrow}
    WHERE d.tenant = %(tenant)s AND {condition} AND {value} IS NULL GROUP BY label ORDER BY label LIMIT {most}
""")

VALUES = SQL("""
    SELECT {value}::text AS value, count(*) AS rows,
        (array_agg({label} ORDER BY {off_size}, {label}))[1:{most_named}] AS labels
    FROM {base} d {narrow}
    WHERE d.tenant = %(tenant)s AND {condition} AND {value} IS NOT NULL
    GROUP BY 1 ORDER BY rows DESC, value LIMIT {most}
""")


def of_filters(corpus: Corpus, given: Given, reading: Reading, *, tenant: str) -> list[str]:
    """For each filter without which something would qualify: what there is in place of it, of the family that the
    request names; and for each value that no row has at all, the values there are.
    """
    names, kind = given.names, _kind(given, reading)
    said = [_of_filter(corpus, name, given, kind=kind, tenant=tenant) for name in names]
    if names and not any(said):
        none = f"No row satisfies {_listed(names)}, not even with one of them left out: loosen several."
        said = [none, *(_unheard_of(corpus, name, given, tenant=tenant) for name in names)]
    return [sentence for sentence in said if sentence]


def left_out(corpus: Corpus, given: Given, reading: Reading, *, tenant: str) -> list[str]:
    """The rows that a filter leaves out only because they do not say; of the family that the request names, where it
    names one: no compressor says a dew point.
    """
    kind = _kind(given, reading)
    said = []
    for measure in dict.fromkeys(map(_measure, given.names)):
        value = corpus.filters.get(measure)
        if value is None:
            continue
        loosened = {name: None if _measure(name) == measure else bound for name, bound in given.columns.items()}
        loosened |= kind
        rows = database.fetch(
            tenant, UNKNOWN.format(**_values(corpus, value), most=MOST_NAMED), {**loosened, "tenant": tenant}
        )
        if rows:
            count = rows[0]["rows"]
            names = ", ".join(row["label"] for row in rows)
            said.append(
                f"{count} more left out, {measure} unknown: {names}{', …' if rows[0]['names'] > len(rows) else ''}."
            )
    return said


def _kind(given: Given, reading: Reading) -> Mapping[str, object]:
    """The family that the request names, as a filter, where it names one and none is given."""
    families = reading.request.families if reading.request else frozenset()
    of_one = len(families) == 1 and "family" in given.columns and given.columns["family"] is None
    return {"family": next(iter(families))} if of_one else {}


def _of_filter(corpus: Corpus, name: str, given: Given, *, kind: Mapping[str, object], tenant: str) -> str | None:
    parameters = {**given.columns, **kind, name: None, "tenant": tenant}
    measure = _measure(name)
    value = corpus.filters.get(measure)
    if value is None or not database.fetch(tenant, COUNT.format(**_values(corpus, value)), parameters)[0]["rows"]:
        return None
    bound = f"{name}={_plain(given.typed[name])}"
    if name.endswith(("_min", "_max", "_from", "_to")):
        highest = name.endswith(("_min", "_from"))
        direction = SQL("DESC" if highest else "ASC")
        statement = EDGE.format(**_values(corpus, value), direction=direction, most=MOST_NEAREST)
        edge = database.fetch(tenant, statement, parameters)
        if not edge:
            return f"{bound} leaves nothing: no row that satisfies the rest says its {measure}."
        end = "highest" if highest else "lowest"
        nearest = spoken(measure, edge[0]["value"], units=given.units)
        labels = ", ".join(dict.fromkeys(row["label"] for row in edge if row["value"] == edge[0]["value"]))
        return f"{bound} leaves nothing: the {end} {measure} of the rest is {nearest} ({labels})."
    there = _known(corpus, name, given.typed[name], parameters, tenant=tenant)
    if not there:
        return f"{bound} leaves nothing: no row that satisfies the rest says its {measure}."
    return f"{bound} leaves nothing: of the rest there are {there}."


def _unheard_of(corpus: Corpus, name: str, given: Given, *, tenant: str) -> str | None:
    """Where several filters leave nothing together: a value that no row has, whatever else is asked."""
    value, typed = corpus.filters.get(name), given.typed[name]
    if value is None or not isinstance(typed, str):
        return None
    alone = {**dict.fromkeys(given.typed), name: typed, "tenant": tenant}
    if database.fetch(tenant, COUNT.format(**_values(corpus, value)), alone)[0]["rows"]:
        return None
    there = _known(corpus, name, typed, {**dict.fromkeys(given.typed), "tenant": tenant}, tenant=tenant)
    return f"No row has {name}={typed}: there are {there}."


def _known(corpus: Corpus, name: str, typed: object, parameters: Mapping[str, object | None], *, tenant: str) -> str:
    """Values of the rows that satisfy the filters: those spelt like the typed one, and the others if they are few."""
    values = VALUES.format(**_values(corpus, corpus.filters[name]), most=MOST_READ, most_named=MOST_NEAREST)
    rows = database.fetch(tenant, values, parameters)
    if name in SUPPLIED_WITH and len(rows) <= MOST_NAMED:
        return "; ".join(f"{row['value']} ({', '.join(row['labels'])})" for row in rows)
    found = [row["value"] for row in rows]
    near = alike(str(typed), found)
    if name == "model" and not near and len(found) > MOST_VALUES:
        return f"{len(found)} models, none spelt like it"
    shown = list(dict.fromkeys([*near, *found]))[
        : MOST_VALUES if len(found) <= MOST_VALUES else len(near) or MOST_VALUES
    ]
    return "; ".join(shown) + (f", and {len(found) - len(shown)} less alike" if len(found) > len(shown) else "")


def _measure(name: str) -> str:
    return re.sub(r"_(min|max|from|to)$", "", name)


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _values(corpus: Corpus, value: SQL) -> dict[str, Any]:
    return {
        "base": Identifier(corpus.schema, corpus.table),
        "narrow": corpus.narrow,
        "condition": corpus.condition,
        "label": corpus.label,
        "off_size": corpus.off_size,
        "value": value,
    }


def of_request(reading: Reading, ranked: Sequence[Ranked], *, compared: bool = False) -> list[str]:
    """What the request asks for that is not here, and what comes nearest to it. Rows that are ``compared`` are in no
    order, and each shows what it lacks.
    """
    request = reading.request
    if request is None:
        return []
    # Of a machine that is replaced nothing here has to be an equal.
    notices = [_absent(need, request.needs, shown=bool(ranked) and need in request.needs) for need in request.absent]
    nobody = {name for one in ranked for name in _names_denied(one)}
    notices += [f"No {'quote' if reading.whole else 'line'} here names {name}." for name in sorted(nobody)]
    if nobody:
        return notices
    notices += _traps(request.needs, ranked)
    if any(need.attribute == "altitude_ft" and need.low and need.low >= ALTITUDE_FT for need in request.needs):
        notices.append(AT_ALTITUDE)
    for place, item in enumerate(reading.answered):
        own = [one for one in ranked if one.candidate.answer and one.candidate.answer.item == place]
        satisfied = any(one.candidate.answer and one.candidate.answer.judgement.overall == "met" for one in own)
        if not item.needs or satisfied:
            continue
        about = f"'{item.text.strip()}': " if len(reading.answered) > 1 else ""
        several = together(item.needs, ((one.candidate.row, one.candidate.answer) for one in own))
        if several:
            notices.append(f"{about}{several.told}")
            notices += [f"{about}{lone}"] if (lone := _over_by_a_little(own)) else []
        if compared:
            notices += [f"{about}Nothing meets all of it; nearest is {_nearest(own)}."] if len(own) > 1 else []
            continue
        nearest = next((one for one in own if not contradicts(one.candidate)), own[0] if own else None)
        if nearest is None or nearest.candidate.answer is None:
            notices += [f"{about}nothing here is like it."] if about and ranked else []
        elif nearest.candidate.answer.judgement.overall in ("contradicted", "close"):
            fit = short(nearest.candidate.answer.judgement.findings)
            notices.append(f"{about}Nothing meets all of it; nearest is {_label(nearest)}: {fit}.")
    if request.not_understood and not any(_good(one) for one in ranked):
        notices.append(f"Not understood: {', '.join(request.not_understood)}.")
    return notices


def _over_by_a_little(those: Sequence[Ranked]) -> str | None:
    """The one that misses nothing but a limit, and that by least, with what it misses."""
    found = []
    for one in those:
        judged, row = one.candidate.answer and one.candidate.answer.judgement, one.candidate.row
        off = [each for each in judged.findings if each.verdict == "contradicted"] if judged else []
        if len(off) == 1 and is_over_by_a_little(off[0], row):
            found.append((distance(off[0], row), f"{_label(one)} alone would miss only this: {short(off)}."))
    return min(found, default=(0.0, None))[1]


def _nearest(those: Sequence[Ranked]) -> str:
    far = [(how_far(answer.judgement, one.candidate.row), _label(one)) for one in those
           if (answer := one.candidate.answer)]  # fmt: skip
    return min(far)[1]


def _names_denied(one: Ranked) -> list[str]:
    findings = one.candidate.answer.judgement.findings if one.candidate.answer else ()
    return [each.need.words for each in findings if each.need.attribute == "name" and each.verdict == "contradicted"]


def _good(one: Ranked) -> bool:
    answer = one.candidate.answer
    return answer is not None and answer.judgement.overall == "met" and answer.judgement.met > 0


def _absent(need: Need, needs: Sequence[Need], *, shown: bool) -> str:
    name = _listed(sorted(need.values))
    worth = [each for each in needs if each.implied_by == "equivalent" and each.start == need.start]
    if worth:
        words = " ".join(each.shown for each in worth if each.operator == "one_of")
        figures = [each.shown for each in worth if each.operator != "one_of"]
        taken_as = ", ".join([words, *figures] if words else figures)
        return f"{name} is not in the catalogue; taken as {taken_as}."
    kind = "makers" if need.attribute == "manufacturer" else "models"
    return f"{name} is not among the {kind} here{': what is shown is at most its equal' if shown else ''}."


def _traps(needs: Sequence[Need], ranked: Sequence[Ranked]) -> list[str]:
    """Models whose number looks like the power that is asked for and is not."""
    asked = {need.low for need in needs if need.attribute == "hp" and need.low is not None}
    asked |= {float(figure) for need in needs if need.attribute == "model" for figure in _figures(need.values)}
    misleading: dict[float, list[str]] = {}
    for one in ranked[:20]:
        row = one.candidate.row
        model, power = row.get("model"), row.get("hp")
        if not model or not power or (row.get("family") not in (None, "compressor")):
            continue
        figures = [float(figure) for figure in _figures([str(model)])]
        if any(abs(figure / power - 1) > 0.1 and (figure in asked) for figure in figures):
            misleading.setdefault(float(power), []).append(str(model))
    return [
        f"{_listed(list(dict.fromkeys(models))[:6])} {'is' if len(set(models)) == 1 else 'are'} {power:g} HP, "
        "whatever the number in the name."
        for power, models in misleading.items()
    ]


def _figures(names: Sequence[str] | frozenset[str]) -> list[str]:
    return [figure for name in names for figure in re.findall(r"(?<!\d)\d{2,3}(?!\d)", name)]


@dataclass(frozen=True, slots=True)
class Together:
    """So many machines of a row's model that have what one of them lacks; ``share`` is of what was asked for."""

    machines: int
    row: Mapping[str, Any]
    attribute: str
    share: float

    @property
    def told(self) -> str:
        has = self.machines * float(self.row[self.attribute])
        return f"{self.machines} × {label_of(self.row)} = {has:g} {self.attribute} would do."


def together(needs: Sequence[Need], found: Iterable[tuple[Mapping[str, Any], Answered | None]]) -> Together | None:
    """Two or more of a model whose only fault is that one is too small; of those that would do, the closest."""
    wanted = {need.attribute: need.low for need in needs if need.attribute in ("cfm", "hp") and need.low}
    enough: list[Together] = []
    for row, answer in found:
        if answer is None:
            continue
        missed = [finding for finding in answer.judgement.findings if finding.verdict in ("contradicted", "close")]
        if len(missed) != 1 or missed[0].need.attribute not in wanted or answer.judgement.unknown:
            continue
        attribute = missed[0].need.attribute
        has, low = row.get(attribute), wanted[attribute]
        if not has or low is None:
            continue
        each = missed[0].need.machines
        if each and PLEX.get(each) == row.get("arrangement"):
            low *= each
        most = TWICE if row.get("family") in UNHARMED else 1.3
        counts = range(2, MOST_MACHINES + 1)
        # Of three one may rest.
        machines = next((n for n in counts if low <= n * has <= (most if n < 3 else max(most, 1.35)) * low), None)
        if machines:
            enough.append(Together(machines, row, attribute, machines * has / low))
    return min(enough, key=lambda one: (one.share, one.told), default=None)


def _label(one: Ranked) -> str:
    return label_of(one.candidate.row)


def label_of(row: Mapping[str, Any]) -> str:
    """What a reader knows the row by."""
    if "position" in row:
        return f"{row['quote_number']}/{row['position']}"
    return str(row.get("model") or row.get("quote_number"))


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
