"""Plain questions of a table, each compared row by row with the rows that were put."""

from collections.abc import Callable, Iterator
from statistics import median
from typing import Any
from unittest.mock import Mock

import pytest

from equipment.search_equipment import handler as search_equipment
from operations.ingest import KINDS
from quarry.retrieval import legs, listing
from quotes.search_line_items import handler as search_line_items
from quotes.search_past_quotes import handler as search_past_quotes
from tests.deployment import Deployment, Handler, invoke
from tests.sample_rows import Row, line, product, quote

CUSTOMERS = ("Elm Dairy", "Oak Mill", "Ash Foundry")
QUOTES = [
    quote(f"T-{n:02}", customer=CUSTOMERS[n % 3], quote_date=f"202{n % 4}-0{n % 9 + 1}-{n + 10}",
          status=("won", "lost", "open", "won")[n % 4], industry=("Food", "Wood", None)[n % 3],
          total_price=str(1000 * n) if n % 5 and n != 8 else None)
    for n in range(1, 13)
]  # fmt: skip
LINES = [
    line(str(each["quote_number"]), position, f"Machine {n} of place {position}.",
         model=f"M-{n % 4}" if position == 1 else None, category=("COMPRESSOR", "FREIGHT")[position - 1],
         family=("compressor", "service")[position - 1], hp=(10 * n if n % 3 else None) if position == 1 else None,
         gallons=60 * n if position == 1 and n % 2 else None, told=f"{n} weeks" if position == 1 and n % 4 else None,
         unit_price=str(100 * n + position) if n % 4 else None, optional=position == 2 and n % 2 == 0)
    for n, each in enumerate(QUOTES, start=1) for position in (1, 2)
]  # fmt: skip
MACHINES = [
    product(f"M-{n}", manufacturer=("Acme", "Zenith", "Orion")[n % 3], hp=10 * n, cfm=50 * n if n % 4 else None,
            cooling=("Air", "Water")[n % 2])
    for n in range(1, 13)
]  # fmt: skip
OF = {str(each["quote_number"]): each for each in QUOTES}


@pytest.fixture(scope="module", autouse=True)
def serving(deployment: Deployment) -> Iterator[None]:
    deployment.declare_sample()
    deployment.put_quotes(*QUOTES)
    deployment.put_lines(*LINES)
    deployment.put_products(*MACHINES)
    with deployment.serving("quarry_read"):
        yield


def table(handler: Handler, **arguments: object) -> list[dict[str, str]]:
    answer = invoke(handler, {"top_k": 50, **arguments})
    assert "error" not in answer, answer
    assert not answer.get("unread"), answer["unread"]
    assert answer["total"] == len(answer["rows"])
    return [dict(zip(answer["columns"], row, strict=True)) for row in answer["rows"]]


def asks(attribute: str, asked: str) -> dict[str, str]:
    return {"attribute": attribute, "is": asked}


def money(value: object) -> str:
    return f"{float(str(value)):,.2f} USD" if value else ""


def written(row: Row) -> dict[str, str]:
    of = OF[row["quote_number"]]
    return {
        "id": f"{row['quote_number']}/{row['position']}", "date": of["quote_date"], "status": of["status"],
        "customer": of["customer"], "model": row["model"] or "", "category": row["category"],
        "price": money(row["unit_price"]),
    }  # fmt: skip


def quoted(row: Row) -> dict[str, str]:
    return {
        "id": row["quote_number"], "date": row["quote_date"], "status": row["status"], "customer": row["customer"],
        "industry": row["industry"] or "", "project": f"{row['project'][:31]}…", "total": money(total_of(row)),
    }  # fmt: skip


def total_of(row: Row) -> str | float | None:
    """As the quote states it, else the sum of its lines if all of them have a price."""
    prices = [each["unit_price"] for each in LINES if each["quote_number"] == row["quote_number"]
              and not each["optional"]]  # fmt: skip
    return row["total_price"] or (sum(map(float, prices)) if None not in prices else None)


def usual(rows: list[dict[str, str]], expected: list[dict[str, str]]) -> list[dict[str, str]]:
    """Without the columns of what filters bound."""
    return [{name: row[name] for name in expected[0]} for row in rows]


def by_id(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    return sorted(rows, key=lambda row: row["id"])


@pytest.mark.parametrize(
    ("arguments", "holds"),
    [
        ({}, lambda _row, _of: True),
        ({"filters": [asks("hp", ">= 50 hp")]}, lambda row, _of: (row["hp"] or 0) >= 50),
        ({"filters": [asks("hp", "20..70")]}, lambda row, _of: 20 <= (row["hp"] or 0) <= 70),
        ({"filters": [asks("hp", "not 10 | 20")]}, lambda row, _of: (row["hp"] or 10) not in (10, 20)),
        ({"filters": [asks("price", "< 500")]}, lambda row, _of: float(row["unit_price"] or 500) < 500),
        ({"filters": [asks("model", "M-1 | M-2")]}, lambda row, _of: row["model"] in ("M-1", "M-2")),
        ({"filters": [asks("year", "2022")]}, lambda _row, of: of["quote_date"][:4] == "2022"),
        ({"customer": "elm"}, lambda _row, of: of["customer"] == "Elm Dairy"),
        ({"status": "lost", "category": "freight"}, lambda row, of: of["status"] == "lost" and row["position"] == 2),
        ({"optional": True}, lambda row, _of: row["optional"]),
        (
            {"date_from": "2021-01-01", "date_to": "2022-12-31", "category": "compressor"},
            lambda row, of: "2021" <= of["quote_date"] < "2023" and row["position"] == 1,
        ),
    ],
)
def test_which_lines_are_such(arguments: dict[str, Any], holds: Any) -> None:
    expected = [written(row) for row in LINES if holds(row, OF[row["quote_number"]])]
    assert expected
    assert by_id(usual(table(search_line_items, **arguments), expected)) == by_id(expected)


@pytest.mark.parametrize(
    ("arguments", "holds"),
    [
        ({}, lambda _row: True),
        ({"status": "won"}, lambda row: row["status"] == "won"),
        ({"industry": "food"}, lambda row: row["industry"] == "Food"),
        ({"filters": [asks("total", ">= 6000 USD")]}, lambda row: float(total_of(row) or 0) >= 6000),
        ({"filters": [asks("date", "2021..2022")]}, lambda row: row["quote_date"][:4] in ("2021", "2022")),
        ({"customer": "OAK", "date_from": "2021-01-01"},
         lambda row: row["customer"] == "Oak Mill" and row["quote_date"] >= "2021"),
        ({"filters": [asks("hp", ">= 70")]},
         lambda row: any((each["hp"] or 0) >= 70 for each in LINES if each["quote_number"] == row["quote_number"])),
    ],
)  # fmt: skip
def test_which_quotes_are_such(arguments: dict[str, Any], holds: Any) -> None:
    expected = [quoted(row) for row in QUOTES if holds(row)]
    assert expected
    assert by_id(usual(table(search_past_quotes, **arguments), expected)) == by_id(expected)


def test_which_are_the_dearest_and_which_the_newest() -> None:
    dear = [row["id"] for row in table(search_line_items, sort="-price", filters=[asks("price", ">= 0")])]
    priced = sorted((row for row in LINES if row["unit_price"]), key=lambda row: -float(row["unit_price"]))
    assert dear == [written(row)["id"] for row in priced]
    newest = [row["date"] for row in table(search_past_quotes)]
    assert newest == sorted((row["quote_date"] for row in QUOTES), reverse=True)


def test_what_files_call_a_price_a_total_and_a_day_is_known_to_tables() -> None:
    for search, field, name in (
        (search_line_items, "unit_price", "price"),
        (search_past_quotes, "total_price", "total"),
    ):
        asked = {"filters": [asks("quote_date", ">= 2021"), asks(field, "> 300 USD")], "sort": f"-{field}"}
        [other, own] = [table(search, **asked, columns=[each]) for each in (field, name)]
        assert [row[field] for row in other] == [row[name] for row in own] != []


def test_rows_without_a_figure_come_last_in_its_order() -> None:
    shown = [row["hp"] for row in table(search_line_items, sort="hp", columns=["hp"], category="compressor")]
    figures = sorted(row["hp"] for row in LINES if row["hp"])
    assert shown == [*(f"{each} hp" for each in figures), *[""] * (12 - len(figures))]


@pytest.mark.parametrize("by", ["customer", "status", "model", "year"])
def test_how_many_lines_share_it_and_what_they_cost(by: str) -> None:
    def key(row: Row) -> str:
        of = OF[row["quote_number"]]
        return str({"model": row["model"], "year": of["quote_date"][:4], **of}[by] if by != "model" else row["model"])

    machines = [row for row in LINES if row["position"] == 1]
    groups = table(search_line_items, group=by, category="compressor")
    assert {row[by] for row in groups} == {key(row) for row in machines}
    for group in groups:
        own = [row for row in machines if key(row) == group[by]]
        prices = sorted(float(row["unit_price"]) for row in own if row["unit_price"])
        assert group["lines"] == str(len(own))
        assert group["quotes"] == str(len({row["quote_number"] for row in own}))
        assert (group["least"], group["most"]) == (
            (money(prices[0]), money(prices[-1])) if prices else ("", "")
        )  # fmt: skip


def test_what_a_customer_bought_adds_up_without_options() -> None:
    groups = {row["customer"]: row for row in table(search_line_items, group="customer")}
    for customer, group in groups.items():
        sold = [row for row in LINES if OF[row["quote_number"]]["customer"] == customer and not row["optional"]]
        assert group["quantity"] == str(sum(int(row["quantity"]) for row in sold))
        total = sum(int(row["quantity"]) * float(row["unit_price"]) for row in sold if row["unit_price"])
        assert group["sum"] == money(total)


def test_groups_come_in_the_order_of_any_of_their_columns() -> None:
    bought = table(search_past_quotes, group="customer", sort="-sum")
    sums = [float(row["sum"].split()[0].replace(",", "")) for row in bought]
    assert sums == sorted(sums, reverse=True)
    assert len(sums) > 1
    assert [row["year"] for row in table(search_past_quotes, group="year", sort="year")] == sorted(
        {str(each["quote_date"])[:4] for each in QUOTES}
    )
    answer = invoke(search_past_quotes, {"group": "customer", "sort": "colour"})
    assert "sorted by customer, quotes, least" in answer["unread"][0]


def test_sums_of_two_currencies_are_not_sorted_as_one(deployment: Deployment) -> None:
    sold = [("Pesos", "MXN", "900000"), ("Few", "EUR", "10"), ("Thirds", "EUR", "100"), ("Thirds", "EUR", "100.01")]
    deployment.put_quotes(
        *(quote(f"C-{n}", customer=customer, currency=currency, total_price=total)
          for n, (customer, currency, total) in enumerate(sold)), tenant="currencies",
    )  # fmt: skip
    answer = invoke(search_past_quotes, {"group": "customer", "sort": "-sum"}, tenant="currencies")
    groups = [dict(zip(answer["columns"], row, strict=True)) for row in answer["rows"]]
    assert [each["customer"] for each in groups] == ["Thirds", "Few", "Pesos"]
    assert groups[0]["mean"] == "100.00 EUR"


def test_groups_of_one_customer_stand_together_whatever_their_currency(deployment: Deployment) -> None:
    sold = ["Ash EUR", "Ash EUR", "Elm USD", "Elm USD", "Ash USD", "Oak EUR", "Oak EUR", "Oak EUR", "Oak EUR"]
    quotes = ((f"C-{n}", *each.split()) for n, each in enumerate(sold))
    deployment.put_quotes(
        *(quote(number, customer=customer, currency=currency, total_price="10")
          for number, customer, currency in quotes), tenant="together",
    )  # fmt: skip
    rows = invoke(search_past_quotes, {"group": "customer"}, tenant="together")["rows"]
    assert [tuple(row[:2]) for row in rows] == [("Oak", "4"), ("Ash", "2"), ("Ash", "1"), ("Elm", "2")]


def test_a_customer_or_maker_of_several_spellings_is_one_group_called_by_the_newest(deployment: Deployment) -> None:
    deployment.put_quotes(
        *(quote(number, customer=customer, quote_date=day, total_price=total)
          for number, customer, day, total in (
              ("S-1", "HOTEL TERME MARCONI SPA", "2023-05-01", "100"),
              ("S-2", "Hotel Terme Marconi Spa", "2025-05-01", "50"),
              ("S-3", "Hotel Terme Marconi", "2024-05-01", "20"))), tenant="spellings",
    )  # fmt: skip
    deployment.put_lines(
        *(line(f"S-{n}", 1, "One.", unit_price="10", manufacturer=maker)
          for n, maker in enumerate(("SIAT", "Siat", None), 1)), tenant="spellings",
    )  # fmt: skip
    deployment.put_products(
        product("A-1", manufacturer="SIAT"), product("A-2", manufacturer="Siat"), tenant="spellings"
    )

    def rows(handler: Handler, **asked: object) -> list[list[str]]:
        return [*invoke(handler, asked, tenant="spellings")["rows"]]

    [quotes] = rows(search_past_quotes, group="customer")
    assert (quotes[:3], quotes[-1]) == (["Hotel Terme Marconi Spa", "3", "20.00 USD"], "170.00 USD")
    [lines] = rows(search_line_items, group="customer", sort="customer")
    assert (lines[:2], lines[-3:]) == (["Hotel Terme Marconi Spa", "3"], ["3", "3", "30.00 USD"])
    assert [row[:2] for row in rows(search_equipment, group="manufacturer")] == [["SIAT", "2"]]
    assert [row[:2] for row in rows(search_line_items, group="manufacturer")] == [["Siat", "2"], ["", "1"]]
    for search, name in ((search_past_quotes, "customer"), (search_line_items, "customer")):
        assert len(rows(search, filters=[asks(name, quotes[0])])) == 3
    assert len(rows(search_equipment, filters=[asks("manufacturer", "SIAT")])) == 2


def test_prices_for_different_units_are_told_not_to_compare_and_a_unit_of_its_own_for_a_piece_is_none(
    deployment: Deployment,
) -> None:
    deployment.put(KINDS["units"], [{"symbol": "ark.", "dimension": "pieces", "factor": 1}], tenant="units")
    deployment.put_quotes(quote("U-1"), tenant="units")
    sold = [line("U-1", n, f"Thing {n}.", category=("SET", "TRIP")[n == 3], unit=unit, unit_price="10")
            for n, unit in enumerate(("pcs", "ark.", "km"), 1)]  # fmt: skip
    deployment.put_lines(*sold, tenant="units")

    def notice(**asked: object) -> str | None:
        return invoke(search_line_items, asked, tenant="units").get("notice")

    sets = [asks("category", "SET")]
    assert notice(sort="price") == "Prices are for different units, which do not compare: each, /km."
    assert notice(filters=[asks("price", "> 5")]) is not None
    assert notice() is notice(sort="price", filters=sets) is None
    [group] = invoke(search_line_items, {"group": "category", "filters": sets}, tenant="units")["rows"]
    assert group[2:6] == ["10.00 USD"] * 4
    assert group[6].startswith("10.00 USD/ark. ")


def test_the_middle_of_two_is_halfway_between_them() -> None:
    won = sorted(
        float(str(each["total_price"])) for each in QUOTES if each["status"] == "won" and each["total_price"]
    )
    groups = {row["status"]: row for row in table(search_past_quotes, group="status")}
    assert groups["won"]["median"] == money(median(won))
    assert groups["won"]["sum"] == money(sum(won))


@pytest.mark.parametrize(
    ("search", "attribute", "says"),
    [
        (search_line_items, "unit_price", lambda row: row["unit_price"] is not None),
        (search_line_items, "gallons", lambda row: row["gallons"] is not None),
        (search_past_quotes, "total", lambda row: total_of(row) is not None),
    ],
)
def test_rows_that_say_nothing_of_it_are_a_filter_as_those_that_do(
    search: Handler, attribute: str, says: Callable[[Row], bool]
) -> None:
    every = LINES if search is search_line_items else QUOTES
    name = "price" if attribute == "unit_price" else attribute
    for asked, wanted in (("?", False), ("not ?", True)):
        rows = table(search, filters=[asks(name, asked)])
        assert len(rows) == sum(says(row) is wanted for row in every)


def test_a_filter_may_keep_rows_that_say_nothing_beside_those_within_it() -> None:
    rows, silent, within = (table(search_line_items, filters=[asks("hp", at)]) for at in ("<= 75 | ?", "?", "<= 75"))
    assert len(rows) == len(silent) + len(within)
    assert 0 < len(within) < len(rows)


@pytest.mark.parametrize("asked", ["?", "<= 75 | ?"])
def test_a_need_cannot_be_silence(asked: str) -> None:
    answer = invoke(search_line_items, {"needs": [asks("hp", asked)]})
    assert answer["unread"] == [f"hp {asked}: only filters ask for rows that say nothing of it"]


def test_how_many_quotes_ended_so() -> None:
    groups = {row["status"]: row["quotes"] for row in table(search_past_quotes, group="status")}
    assert groups == {"won": "6", "lost": "3", "open": "3"}


@pytest.mark.parametrize(
    ("arguments", "holds"),
    [
        ({"filters": [asks("cooling", "air"), asks("cfm", ">= 350 cfm")]},
         lambda row: row["cooling"] == "Air" and (row["cfm"] or 0) >= 350),
        ({"filters": [asks("manufacturer", "Acme | Orion"), asks("hp", "<= 60")]},
         lambda row: row["manufacturer"] != "Zenith" and row["hp"] <= 60),
        ({"hp_min": 50, "filters": [asks("cooling", "not air")]},
         lambda row: row["hp"] >= 50 and row["cooling"] == "Water"),
    ],
)  # fmt: skip
def test_which_goods_are_such_the_largest_first(arguments: dict[str, Any], holds: Any) -> None:
    shown = table(search_equipment, sort="-hp", columns=["cfm", "manufacturer"], **arguments)
    expected = sorted((row for row in MACHINES if holds(row)), key=lambda row: -row["hp"])
    assert expected
    assert [(row["id"], row["hp"], row["cfm"], row["manufacturer"]) for row in shown] == [
        (row["model"], f"{row['hp']} hp", f"{row['cfm']} cfm" if row["cfm"] else "", row["manufacturer"])
        for row in expected
    ]


def test_what_was_told_for_these_models_and_what_those_with_a_tank_cost() -> None:
    told = table(search_line_items, columns=["told"], filters=[asks("model", "M-1 | M-3")])
    assert {row["id"]: row["told"] for row in told} == {
        written(row)["id"]: row["told"] or "" for row in LINES if row["model"] in ("M-1", "M-3")
    }
    tanks = table(search_line_items, sort="price", columns=["gallons"], filters=[asks("gallons", ">= 200 gal")])
    expected = [row for row in LINES if (row["gallons"] or 0) >= 200]
    assert by_id(tanks) == by_id([
        {"id": written(row)["id"], "price": money(row["unit_price"]), "gallons": f"{row['gallons']} gal"}
        for row in expected
    ])  # fmt: skip


def test_what_the_lines_of_two_quotes_say() -> None:
    said = table(search_line_items, columns=["description"], filters=[asks("quote_number", "T-01 | T-05")])
    assert {row["id"]: row["description"] for row in said} == {
        written(row)["id"]: row["description"] for row in LINES if row["quote_number"] in ("T-01", "T-05")
    }


@pytest.mark.parametrize("handler", [search_line_items, search_past_quotes])
def test_a_large_corpus_shows_the_same_rows_as_a_small_one(handler: Handler, monkeypatch: pytest.MonkeyPatch) -> None:
    filters: list[list[dict[str, str]]] = [[], [asks("status", "won")], [asks("customer", "Elm Dairy")]]
    tables = [
        {"top_k": top_k, "filters": each} | ({"sort": sort} if sort else {})
        for top_k in (1, 4, 50) for each in filters for sort in (None, "date", "-date")
    ]  # fmt: skip
    of_a_small_one = [invoke(handler, each) for each in tables]
    end = Mock(wraps=listing._end)
    monkeypatch.setattr(legs, "EXACT_UP_TO", 0)
    monkeypatch.setattr(listing, "NEAR", 2)
    monkeypatch.setattr(listing, "_end", end)
    assert [invoke(handler, each) for each in tables] == of_a_small_one
    assert end.call_count == len(tables)
