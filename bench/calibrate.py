"""`make calibrate DATA="folder ..."`: learns the weights of ranking from judged searches, through the product itself.

Equipment, line items and past quotes are learned from the tuning half of the judged trade set, passages from the
tuning half of the queries of each collection. What they are worth is told of both halves.
"""

import argparse
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench.eval import search
from bench.judging import Collection
from bench.learning import Judged, Worth, learn, loss, reliability, worth
from local.failure import run_command
from local.files import ROOT
from quarry.reading import reader
from quarry.reading.reader import Reading, read
from quarry.retrieval import ranking
from quarry.retrieval.corpus import Kind
from quarry.retrieval.ranking import Candidate, Ranked
from quarry.retrieval.weights import WEIGHTS, Weights
from tests.deployment import Deployment
from tests.trade.asking import ask, sample_deployment
from tests.trade.cases import Case, judged, read_cases
from tests.trade.rows import Corpus, read_corpus
from tests.trades.requests import RIGHT

MODULE = ROOT / "layers" / "quarry" / "quarry" / "retrieval" / "weights.py"
BEGIN = "# fmt: off\n"

KINDS: Mapping[str, Kind] = {
    "search_equipment": "equipment",
    "search_line_items": "line_items",
    "search_past_quotes": "past_quotes",
}

Halves = dict[str, list[Judged]]
"""Searches to learn from by "tune", to report on by "check"."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.calibrate", description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, help="folders with corpus.jsonl, queries.jsonl, qrels.tsv")
    parser.add_argument("--write", action="store_true", help="keep the weights in the layer")
    arguments = parser.parse_args()
    with sample_deployment() as deployment:
        judged = judged_searches(deployment, [Collection(folder) for folder in arguments.folders])
    learned = {kind: _learned(halves, held=WEIGHTS[kind]) for kind, halves in judged.items()}
    print(table(judged, learned))
    if arguments.write:
        MODULE.write_text(module(MODULE.read_text("utf-8"), {**WEIGHTS, **learned}), "utf-8")
        print(f"Written to {MODULE.relative_to(ROOT)}.")


def judged_searches(deployment: Deployment, collections: Sequence[Collection]) -> dict[Kind, Halves]:
    """By kind; passages only where collections are given."""
    corpus = read_corpus()
    found: dict[Kind, Halves] = {kind: {"tune": [], "check": []} for kind in KINDS.values()}
    with deployment.serving("quarry_read", LOG_LEVEL="ERROR"):
        for case in (case for case in read_cases() if not case.unseen):
            searches = found[KINDS[case.tool]][case.split]
            searches.append(_of_case(case, corpus))
            with forgetting(case):
                searches.append(replace(_of_case(case, corpus), share=SHARE_OF_FORGOTTEN, forgotten=True))
    if collections:
        found["passages"] = {"tune": [], "check": []}
    for collection in collections:
        for half, searches in _of_collection(deployment, collection).items():
            found["passages"][half] += searches
    return found


def _of_case(case: Case, corpus: Corpus) -> Judged:
    with recorded() as ranked:
        ask(case, depth=10)
    answers = judged(case, corpus)
    grades = {one.doc: float(answers.judgements[_key(one)].grade) for one in _candidates(ranked)}
    return Judged(_candidates(ranked), grades, list(answers.grades.values()), RIGHT)


@contextmanager
def forgetting(case: Case) -> Iterator[None]:
    """Requests are read within as if no rule knew the words of one need.

    The words of judged cases are known, as people mended after them; a stranger uses others, and what such a word
    costs is learned from known ones that are forgotten.
    """

    def forgetful(text: str, **given: Any) -> Reading:
        reading = read(text, **given)
        if not reading.needs:
            return reading
        gone = int(case.id, 16) % len(reading.needs)
        kept = [place for place in range(len(reading.needs)) if place != gone]
        return replace(
            reading,
            needs=tuple(reading.needs[place] for place in kept),
            said=tuple(reading.said[place] for place in kept),
            rest=f"{reading.rest} {' '.join(reading.said[gone])}",
        )

    with patch.object(reader, "read", forgetful):
        yield


def _key(one: Candidate) -> str:
    """As tests.trade.asking has it of an answer."""
    row = one.row
    if "position" in row:
        return f"{row['quote_number']}/{row['position']}"
    return str(row["model"] if "model" in row else row["quote_number"])


def _of_collection(deployment: Deployment, collection: Collection) -> Halves:
    """Each query's candidates; those of one collection weigh as much as those of another, whatever its size."""
    deployment.put_quotes(*collection.rows(), tenant=collection.tenant)
    deployment.embed()
    halves: Halves = {"tune": [], "check": []}
    with deployment.serving("quarry_read", LOG_LEVEL="ERROR"):
        for query in collection.queries():
            with recorded() as ranked:
                search(query, tenant=collection.tenant, limit=10)
            candidates = _candidates(ranked)
            grades = {one.doc: query.grades.get(str(one.row["quote_number"]), 0.0) for one in candidates}
            odd = int(hashlib.sha256(query.text.encode()).hexdigest()[0], 16) % 2
            lowest = min(query.grades.values())
            halves["tune" if odd else "check"].append(Judged(candidates, grades, list(query.grades.values()), lowest))
    return {half: _weighed(searches) for half, searches in halves.items()}


LIKELY_GOOD_IS_RIGHT = 0.975
"""Of the other half; of requests that nobody has seen some two in a hundred less are, and .95 is promised."""
CAUTIONS = tuple(1 - step / 100 for step in range(18))

SHARE_OF_FORGOTTEN = 0.4
"""Weight beside the same request that is understood: strangers' words that matter are known twice as often as not."""

WEIGHT_OF_COLLECTION = 10_000
"""Candidates that a collection counts for."""


def _weighed(searches: Sequence[Judged]) -> list[Judged]:
    share = WEIGHT_OF_COLLECTION / max(1, sum(len(one.candidates) for one in searches))
    return [replace(one, share=share) for one in searches]


@contextmanager
def recorded() -> Iterator[list[list[Ranked]]]:
    """What ranking gives within, search by search."""
    seen: list[list[Ranked]] = []
    rank = ranking.rank

    def listening(candidates: Sequence[Candidate], *, weights: Weights, sort: str | None = None) -> list[Ranked]:
        seen.append(rank(candidates, weights=weights, sort=sort))
        return seen[-1]

    with patch.object(ranking, "rank", listening):
        yield seen


def _candidates(ranked: Sequence[Sequence[Ranked]]) -> list[Candidate]:
    return [item.candidate for one in ranked for item in one]


MOST_PROMISED = 0.15
"""By how much the mean score of hits that score alike may exceed the share of them that is right."""
ENOUGH_CANDIDATES = 50


def _learned(halves: Halves, *, held: Weights) -> Weights:
    """New weights, where they keep what they promise to the other half and make what is right there likelier; else
    those that are held: of some fifty searches one more or less moves what is learned.
    """
    new = cautious(learn(halves["tune"]), understood(halves["check"]))
    kept = all(
        scored.said - scored.right < MOST_PROMISED
        for scored in reliability(halves["check"], new)
        if scored.candidates >= ENOUGH_CANDIDATES
    )
    return new if kept and loss(halves["check"], new) < loss(halves["check"], held) else held


def understood(searches: Sequence[Judged]) -> list[Judged]:
    """Those whose words were all read that a rule knows."""
    return [search for search in searches if not search.forgotten]


def cautious(weights: Weights, searches: Sequence[Judged]) -> Weights:
    """The weights with the least caution at which likely_good hits of the searches are right often enough."""
    for caution in CAUTIONS:
        weights = weights._replace(caution=caution)
        right = worth(searches, weights).good_right
        if right is None or right >= LIKELY_GOOD_IS_RIGHT:
            break
    return weights


def table(judged: Mapping[Kind, Halves], learned: Mapping[Kind, Weights]) -> str:
    """Before and after, in Markdown."""
    lines = [
        "| kind | half | weights | searches | P@1 | nDCG@10 | likely_good is right | right first says likely_good |",
        "|---|---|---|--:|--:|--:|--:|--:|",
    ]
    for kind, halves in judged.items():
        for half, searches in halves.items():
            for name, weights in (("old", WEIGHTS[kind]), ("new", learned[kind])):
                lines.append(f"| {kind} | {half} | {name} | {_cells(worth(understood(searches), weights))} |")
    lines += ["", "| kind | score | candidates of the check half | mean score | right |", "|---|---|--:|--:|--:|"]
    for kind, weights in learned.items():
        lines += [
            f"| {kind} | {one.low:g} to {one.high:g} | {one.candidates:,} | {one.said:.3f} | {one.right:.3f} |"
            for one in reliability(judged[kind]["check"], weights)
        ]
    return "\n".join(lines) + "\n"


def _cells(found: Worth) -> str:
    shares = (found.first_right, found.ndcg, found.good_right, found.right_good)
    return " | ".join([str(found.searches), *("" if share is None else f"{share:.3f}" for share in shares)])


def module(source: str, weights: Mapping[Kind, Weights]) -> str:
    """The source of quarry.retrieval.weights with these weights in place of those it has."""
    lines = ["WEIGHTS: dict[Kind, Weights] = {"]
    for kind, one in weights.items():
        numbers: list[Any] = [repr(weight) for weight in one.of_features]
        rows = [", ".join(numbers[start : start + 8]) for start in range(0, len(numbers), 8)]
        lines += [f'    "{kind}": Weights(', f"        {one.bias!r},", "        ("]
        lines += [f"            {row}," for row in rows]
        lines += ["        ),", f"        {one.caution!r},", "    ),"]
    return source[: source.index(BEGIN) + len(BEGIN)] + "\n".join([*lines, "}", ""])


if __name__ == "__main__":
    run_command(main, FileNotFoundError)
