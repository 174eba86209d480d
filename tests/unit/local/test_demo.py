"""What the demo decides by rule of what the tools answered: which machine, whose words, which sentences of them."""

from local.demo import first_words, fitting, proven_line, rows_of

QUOTE = {
    "customer": "Alder Valley Creamery, Inc.", "contact": "Jo Brandt", "salesperson": "Tina Vance",
    "project": "oilless air, whey tower",
}  # fmt: skip
TEXT = """OILLESS AIR COMPRESSOR
Furnish one (1) machine complete for the whey tower.
Runs without oil, compleate w/ aftercooler. Any pump can be pulled while nine carry the plant.
Alder Valley keeps its own spares on the shelf. DS-100 as above, Net $98,450.00 each, installed.
Warrenty is 12 months on parts."""


def row(model: str, *, fit: str = "++", price: str = "10,000.00 USD") -> dict[str, str]:
    return {"id": model, "fit": fit, "list price": price}


def line(name: str, *, model: str = "DS-100", customer: str = "Other Ltd", status: str = "won") -> dict[str, str]:
    return {"id": name, "model": model, "customer": customer, "status": status, "fit": "++"}


def words(text: str, *, request: str = "oilless compressor") -> list[str]:
    return first_words(QUOTE, {"description": text, "category": "AIR COMPRESSOR"}, request=request)


def models(*rows: dict[str, str]) -> list[str]:
    return [each["id"] for each in fitting(rows)]


def test_the_cheapest_that_meets_every_must_and_most_wishes_comes_first() -> None:
    assert models(row("A"), row("B", price="9,000.00 USD"), row("C", price="")) == ["B", "A", "C"]
    assert models(row("A"), row("B", fit="+w", price="9,000.00 USD")) == ["A", "B"]
    assert models(row("A"), row("B", fit="+~", price="9,000.00 USD")) == ["A", "B"]


def test_what_contradicts_a_must_does_not_fit() -> None:
    assert models(row("A", fit="+-"), row("B", fit="+?")) == ["B"]
    assert models(row("A", fit="+-")) == []


def test_words_are_those_of_what_is_offered_the_customers_own_first_then_what_was_sold() -> None:
    lines = [line("Q-1/1", model="DS-50"), line("Q-2/1", status="lost"), line("Q-3/1")]
    assert proven_line(lines, "DS-100", customer="Acme") == "Q-3/1"
    own = [*lines, line("Q-4/1", customer="Acme", status="lost")]
    assert proven_line(own, "DS-100", customer="Acme") == "Q-4/1"
    assert proven_line(lines, "DS-200", customer="Acme") is None


def test_sentences_of_the_goods_are_taken_and_those_with_names_prices_or_the_job_are_not() -> None:
    assert words(TEXT) == [
        "Runs without oil, compleate w/ aftercooler.",
        "Any pump can be pulled while nine carry the plant.",
        "Warrenty is 12 months on parts.",
    ]


def test_a_table_is_read_by_column_and_none_has_no_rows() -> None:
    assert rows_of({"columns": ["id", "fit"], "rows": [["A", "+"]]}) == [{"id": "A", "fit": "+"}]
    assert rows_of(None) == []
