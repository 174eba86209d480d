"""Addresses of customers in a table, whose street may be missing or stand in several columns."""

import io

from cpq.ingestion.customers import ACCOUNTS
from operations.reading import read
from operations.tables.mapping import Mapping
from quarry.ingestion import Accepted

TEXT = "Nr;Name;Code;City;Street;House\na;Anna;33-100;Tarnów;;\nb;Berta;35-105;Rzeszów;Rynek;2\n"
MAPPING = """
    kind = "accounts"
    [[tables]]
    [tables.constants]
    segment = "standard"
    "billing_address.country" = "PL"
    [tables.fields]
    id = { from = "Nr", values = { a = "acct_a", b = "acct_b" } }
    name = { from = "Name" }
    "billing_address.city" = { from = "City" }
    "billing_address.postal_code" = { from = "Code" }
    "billing_address.lines" = { from = ["Street", "House"]%s }
"""


def lines(join: str) -> list[list[str]]:
    mapping = Mapping.parse(Mapping.parse(MAPPING % join, source="test").written(), source="again")
    items = list(read(io.BytesIO(TEXT.encode()), ACCOUNTS, file_name="a.csv", mappings=[mapping]))
    assert all(isinstance(item, Accepted) for item in items), items
    return [item.row.model_dump()["billing_address"]["lines"] for item in items if isinstance(item, Accepted)]


def test_columns_are_lines_of_their_own_unless_the_mapping_joins_them_and_a_street_may_be_missing() -> None:
    assert lines("") == [[], ["Rynek", "2"]]
    assert lines(', join = " "') == [[], ["Rynek 2"]]
