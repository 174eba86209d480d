"""A request as a search uses it: limits of columns, words for the legs, and what a machine's figures imply."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from psycopg.sql import SQL

from quarry.data.environment import fresh_environment
from quarry.retrieval import answers, requests
from quarry.retrieval.corpus import Corpus
from quarry.retrieval.names_here import Known, known
from quarry.retrieval.own_words import OwnWords
from quarry.retrieval.ranking import Candidate
from quarry.retrieval.requests import Reading
from quarry.understanding.implied import Named
from quarry.understanding.text import key_of
from tests.unit.understanding.trade import NAMES

CORPUS = Corpus(
    schema="made",
    table="up",
    columns=SQL("d.id"),
    condition=SQL("true"),
    kind="equipment",
    names=SQL("none is asked"),
)
LINES, QUOTES = replace(CORPUS, kind="line_items"), replace(CORPUS, kind="past_quotes")
GA75 = Named("Atlas Copco", "compressor", (("hp", 100.0),), "oil-flooded")
OTHERS = {key_of(model): Named("", "compressor", ()) for model in ("ZT75", "QMB30", "CSD100")}
KNOWN = Known(NAMES, {**OTHERS, "ga75": GA75}, {}, OwnWords())


@pytest.fixture(autouse=True)
def environment() -> Iterator[None]:
    with fresh_environment():
        for corpus in (CORPUS, LINES, QUOTES):
            known()["acme", corpus] = (float("inf"), KNOWN)
        yield


def read(query: str, corpus: Corpus = CORPUS) -> Reading:
    return requests.read(corpus, query, tenant="acme")


def bounds(query: str) -> Mapping[str, Any]:
    [found] = read(query).bounds
    return found


def families(query: str) -> list[frozenset[str]]:
    request = read(query).request
    assert request is not None
    return [item.families for item in request.items]


def test_a_corpus_of_passages_takes_a_query_as_it_is() -> None:
    passages = replace(CORPUS, names=None)
    assert requests.read(passages, "100 hp oilless", tenant="acme") == Reading("100 hp oilless", "100 hp oilless")


def test_limits_leave_room_on_the_side_where_a_row_is_still_close() -> None:
    found = bounds("100 hp oilless compressor")
    assert found["hp_low"] < 100 < found["hp_high"]
    assert (found["hp_asked"], found["families"], found["lubrication"]) == (100, ["compressor"], ["oilless"])


def test_at_least_has_no_upper_limit_and_at_most_no_lower_one() -> None:
    assert bounds("compressor with at least 300 cfm")["cfm_high"] is None
    at_most = bounds("compressor with at most 50 hp")
    assert (at_most["hp_low"], at_most["hp_high"] >= 50) == (None, True)


def test_each_item_of_a_list_has_limits_of_its_own() -> None:
    found = read("1. 100 hp oilless compressor\n2. refrigerated dryer for 500 cfm").bounds
    assert [one.get("families") for one in found] == [["compressor"], ["dryer"]]


def test_what_tells_no_rows_apart_has_no_limits() -> None:
    assert read("a compressor").bounds == []
    assert read("something nice").bounds == []


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("75 kW compressor", "hp"),
        ("Kompressor mit 10 bar", "psi"),
        ("500 m3/h compressor", "cfm"),
    ],
)
def test_a_metric_query_is_looked_for_in_the_units_of_the_catalogue_too(query: str, words: str) -> None:
    assert words in read(query).words.lower().split()


def test_a_query_in_the_catalogues_own_units_is_looked_for_as_it_was_typed() -> None:
    assert read("100 hp oilless compressor").words == "100 hp oilless compressor"
    assert read("QMB3O please").words == "QMB3O please QMB30"


def test_a_german_query_is_looked_for_in_english() -> None:
    words = read("Wir suchen einen ölfreien Schraubenkompressor mit 75 kW").words.lower()
    assert "compressor" in words
    assert "oil-free" in words or "oilless" in words
    assert "suchen" not in words


@pytest.mark.parametrize("query", ["30 hp at 125 psi", "100 HP oilless", "oil-free, 7 bar"])
def test_power_pressure_and_lubrication_alone_are_a_compressors(query: str) -> None:
    assert families(query) == [frozenset({"compressor"})]


@pytest.mark.parametrize("query", ["28 inHg at 5 hp", "38 F dew point at 100 psi", "QMB30"])
def test_what_tells_a_family_by_itself_is_not_taken_for_a_compressor(query: str) -> None:
    assert frozenset({"compressor"}) not in families(query)


def test_a_model_of_another_family_names_the_surroundings() -> None:
    request = read("a refrigerated dryer behind a ZT75").request
    assert request is not None
    assert [item.need("model") for item in request.items] == [None]
    named = read("ZT75 compressor").request
    assert named is not None
    assert named.items[0].need("model") is not None


def test_a_model_that_this_process_had_not_read_yet_is_understood_once_postgres_names_it() -> None:
    before = requests.read(CORPUS, "ZX-770 from stock", tenant="acme")
    assert before.request is not None
    assert [need.values for need in before.request.absent] == [frozenset({"ZX-770"})]
    named = [{"key": "zx770", "name": "ZX-770", "maker": "Nova", "family": "dryer"}]
    after = requests.read_again(CORPUS, before, named=named, tenant="acme")
    assert after.request is not None
    assert after.request.absent == ()
    assert known()["acme", CORPUS][1].names.models["zx770"][0].model == "ZX-770"
    assert requests.read_again(CORPUS, after, named=named, tenant="acme") is after


def test_a_misspelt_model_is_read_as_what_was_meant() -> None:
    reading = read("QMB3O please")
    meant = requests.read_as_meant(CORPUS, reading, read_as={"qmb3o": "qmb30"}, tenant="acme")
    assert meant.request is not None
    assert meant.request.absent == ()
    assert (meant.query, meant.words) == (reading.query, reading.words)


def test_a_row_answers_the_item_that_it_answers_best() -> None:
    reading = read("1. 100 hp oilless compressor\n2. refrigerated dryer for 500 cfm")
    row = {"family": "dryer", "category": "REFRIGERATED AIR DRYER", "description": "Refrigerated dryer.", "cfm": 500}
    [one] = answers.answered([Candidate(doc=1, row=row)], reading, corpus=CORPUS)
    assert one.answer is not None
    assert (one.answer.item, one.answer.judgement.overall) == (1, "met")


@pytest.mark.parametrize(
    ("query", "read_as", "left"),
    [
        ("won over 100k", {"100k": "a100"}, {}),
        ("oil-free, 11.5 Nm3/min", {"nm3min": "m3min"}, {}),
        ("blower 500 m3/h 150 mbar", {"h150": "150a"}, {}),
        ("QMB 3O please", {"qmb": "qmb30"}, {}),
        ("QMB3O for 100k", {"100k": "a100", "qmb3o": "qmb30"}, {"qmb3o": "qmb30"}),
    ],
)
def test_a_measure_or_an_amount_is_no_misspelt_part_number(
    query: str, read_as: dict[str, str], left: dict[str, str]
) -> None:
    assert requests.misspelt(read(query), read_as=read_as) == left


def test_the_model_that_is_understood_is_the_one_that_is_named() -> None:
    assert requests.named_models(read("ZT 75 VSD"), keys=["zt75"]) == {"zt75vsd"}
    assert requests.named_models(read("a compressor"), keys=["xy12"]) == {"xy12"}


@pytest.mark.parametrize(("query", "asked"), [("open dairy quotes", True), ("foundry, 100 HP open frame", False)])
def test_open_is_an_outcome_of_quotes_and_not_a_frame(query: str, asked: bool) -> None:
    request = read(query, QUOTES).request
    assert request is not None
    assert any(need.attribute == "outcome" for need in request.needs) is asked


def test_a_pump_is_a_vacuum_pump_in_the_catalogue_alone() -> None:
    assert families("pump, 40 hp") == [{"vacuum_pump"}]
    lines = read("one pump may be locked out", LINES).request
    assert lines is not None
    assert not lines.needs


def test_a_quote_is_looked_for_by_its_number_and_its_total() -> None:
    [numbered] = read("quote 22-0518", QUOTES).bounds
    assert numbered["quote_number"] == ["q220518"]
    [priced] = read("jobs over 300k", QUOTES).bounds
    assert (priced["price_low"], priced["price_high"]) == (300_000, None)


def test_a_superlative_limits_columns_to_what_it_orders() -> None:
    found = bounds("biggest receiver")
    assert (found["families"], found["extreme"], found["sign"]) == (["receiver"], "gallons", -1)


def test_a_compressor_that_figures_imply_is_said_to_be_implied_and_is_no_need_of_a_past_quote() -> None:
    request = read("lost at 50 hp", QUOTES).request
    assert request is not None
    [family] = [need for need in request.needs if need.attribute == "family"]
    assert (family.shown, family.words, family.implied_by) == ("compressor", "50 hp", "attribute")
    sold = {"outcome": "lost", "_lines": [{"family": "dryer", "hp": 50}]}
    [found] = answers.answered([Candidate(doc=0, row=sold)], read("lost at 50 hp", QUOTES), corpus=QUOTES)
    assert found.answer is not None
    assert "family" not in {one.need.attribute for one in found.answer.judgement.findings}


def test_a_superlative_of_a_model_limits_to_its_sales() -> None:
    [found] = read("cheapest QMB30", LINES).bounds
    assert (found["models"], found["extreme"], found["sign"]) == (["qmb30"], "price", 1)


def test_the_rows_that_meet_a_request_stand_in_the_order_of_its_superlative() -> None:
    rows = [
        {"model": model, "family": "compressor", "hp": hp, "noise_dba": noise, "category": "ROTARY SCREW COMPRESSOR"}
        for model, hp, noise in (("A", 50, 74), ("B", 50, 69), ("C", 100, 60), ("D", 50, None))
    ]
    candidates = [Candidate(doc=doc, row=row) for doc, row in enumerate(rows)]
    found = answers.answered(candidates, read("quietest 50 hp screw compressor"), corpus=CORPUS)
    assert [one.answer.place if one.answer else None for one in found] == [1, 0, None, None]
    assert [one.answer.judgement.overall if one.answer else None for one in found] == [
        "met", "met", "contradicted", "met",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("query", "model", "maker", "lubrication"),
    [
        ("alternative to GA75 from another maker", None, "not Atlas Copco", "oil-flooded"),
        ("equal to Atlas Copco GA75, in Quincy", None, "Quincy", "oil-flooded"),
        ("replacing a GA75 with something oil free", None, None, "oil-free, oilless"),
        ("GA75 or equal", "GA75", None, "oil-flooded"),
    ],
)
def test_a_model_that_is_named_for_comparison_says_its_size_and_is_meant_only_where_it_fits(
    query: str, model: str | None, maker: str | None, lubrication: str
) -> None:
    request = read(query).request
    assert request is not None
    [item] = request.items
    said = {need.attribute: need.shown for need in item.needs}
    assert (said.get("model"), said.get("manufacturer"), said["lubrication"]) == (model, maker, lubrication)
    assert said["hp"].startswith("100 hp")


def line(doc: int, description: str, **said: object) -> Candidate:
    return Candidate(
        doc=doc, row={"family": "service", "category": "INSTALLATION", "description": description, **said}
    )


def verdicts(query: str, *candidates: Candidate) -> list[str]:
    found = answers.answered(candidates, read(query, LINES), corpus=LINES)
    return [one.answer.judgement.overall for one in found if one.answer]


def test_a_line_that_leaves_open_what_another_tells_does_not_answer_all() -> None:
    told, silent = line(1, "Rig and set, hot tap on Sunday."), line(2, "Rig and set, valves by others.")
    assert verdicts("installation with a hot tap", told, silent) == ["met", "unknown"]
    assert verdicts("installation with a hot tap", silent) == ["met"]


def test_one_paragraph_of_a_long_scope_has_to_tell_it() -> None:
    apart = line(1, "Riveted by us.\n\n" + "Nothing else is told. " * 100 + "\n\nTitanium by others.")
    together = line(2, "Set and pipe in riveted titanium.")
    assert verdicts("installation, riveted titanium", apart, together) == ["unknown", "met"]


def test_a_line_headed_by_other_work_contradicts() -> None:
    startup = line(1, "Start up, one trip.", category="START-UP SERVICE")
    assert verdicts("rental for a week", startup) == ["contradicted"]


def test_what_was_no_option_is_no_option() -> None:
    plain, option = line(1, "Set and pipe."), line(2, "Set and pipe.", optional=True)
    assert verdicts("installation, not optional", plain, option) == ["met", "contradicted"]


def test_no_leg_looks_for_a_maker_that_is_denied() -> None:
    assert "Quincy" not in read("refrigerated dryers from anybody but Quincy", LINES).words
