"""Guesses of files' columns, for tests without a database."""

from io import BytesIO

from onboarding.contents import opened
from operations.ingest import KINDS
from operations.reading import read
from operations.tables.columns import guess
from operations.tables.mapping import Mapping, TableMapping
from quarry.ingestion import Accepted
from tests.customers.files import COMPANIES, HOUSE
from tests.declarations import declared_beside

HARZ = declared_beside(HOUSE / "harz" / "Preisliste.xlsx")

BOOK = {"price_book_id": "pb_2026"}

type Guess = tuple[Mapping | None, tuple[str, ...]]
"""(the mapping, doubts)."""


def of(company: str, file: str, kind: str, **constants: str) -> Guess:
    content, own = COMPANIES[company]()[file], declared_beside(HOUSE / company / file)
    return guess(opened(content, file)[0], KINDS[kind], constants=constants, attributes=own)


def tables(found: Guess) -> tuple[TableMapping, ...]:
    assert found[0] is not None, found[1]
    return found[0].tables


def columns(table: TableMapping) -> dict[str, str]:
    return {name: " + ".join(rule.columns) for name, rule in table.fields.items()}


def guessed(kind: str, text: str, **constants: str) -> TableMapping:
    [table] = tables(guess(opened(text.encode(), "export.csv")[0], KINDS[kind], constants=constants))
    return table


def asked(kind: str, text: str) -> str:
    return "\n".join(guess(opened(text.encode(), "export.csv")[0], KINDS[kind], attributes=HARZ)[1])


def stored(kind: str, text: str, **constants: str) -> list[dict[str, object]]:
    sheets = opened(text.encode(), "export.csv")[0]
    mapping = guess(sheets, KINDS[kind], constants=constants, attributes=HARZ)[0]
    assert mapping is not None
    rows = read(BytesIO(text.encode()), KINDS[kind], file_name="export.csv", mappings=[mapping], attributes=HARZ)
    return [item.row.model_dump(mode="json", exclude_none=True) for item in rows if isinstance(item, Accepted)]
