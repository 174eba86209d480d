"""What a kind of data that is ingested consists of: its row, its key, its SQL; and what reading a file yields."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from psycopg.sql import SQL, Composed
from pydantic import BaseModel, ConfigDict, ValidationError

LONGEST_RAW = 2_000
"""Characters of a rejected row that are kept."""

LARGEST_CHUNK = 2_000_000
"""Characters of the rows that are written at once, but for the last of them."""


class Row(BaseModel):
    """A row of a kind; an empty CSV cell counts as absent, text is kept to the letter."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True, slots=True)
class Mending:
    """How a CSV row with more cells than its header may be mended.

    ``columns`` are those whose authors forget the quotes round a comma; the values of ``recurring`` ones have to be
    known from the rest of the file, where there is one; ``plausible`` has the last word on a row put together.
    """

    columns: tuple[str, ...]
    recurring: tuple[str, ...]
    plausible: Callable[[Mapping[str, str]], bool]


@dataclass(frozen=True, slots=True)
class Kind:
    """``key`` names the natural key; ``upsert`` takes %(tenant)s and %(rows)s, a JSON array, and returns a row
    (inserted boolean) per row it changed; ``missing`` (optional) takes the same and returns (index, reason) of
    the rows that refer to something absent; ``after`` (optional) runs once at the end with %(tenant)s;
    ``records`` (optional) cuts the lines of a .txt file into its records; ``mending`` (optional) says when a CSV row
    with too many cells may be mended; ``merge`` (optional) makes one row of those that are one; ``corpus`` (optional)
    names the searchable table, of which the report says how many rows await a vector;
    ``passages`` says that a row may also be a passage of a document: Markdown, text, HTML or PDF.
    """

    name: str
    row: type[Row]
    key: tuple[str, ...]
    upsert: SQL | Composed
    missing: SQL | Composed | None = None
    after: SQL | Composed | None = None
    mending: Mending | None = None
    merge: "Merge | None" = None
    corpus: str | None = None
    passages: bool = False
    records: "Records | None" = None

    def accepts(self, row: Mapping[str, object]) -> bool:
        try:
            self.row.model_validate(row)
        except ValidationError:
            return False
        return True


@dataclass(frozen=True, slots=True)
class Accepted[R: Row]:
    """``repair`` says what had to be mended to read the row; ``repeats`` is the line where its key came before;
    ``size`` counts the characters it was read from."""

    line: int
    row: R
    repair: str | None = None
    repeats: int | None = None
    size: int = 0


@dataclass(frozen=True, slots=True)
class Record:
    """What a .txt file says of one row, not yet validated; ``line`` is the one on which it starts."""

    line: int
    raw: str
    cells: Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Rejected:
    """``line`` counts from 1 in the file; for CSV it is the line on which the record ends."""

    line: int
    reason: str
    raw: str


Merge = Callable[[Sequence[Row]], Sequence[Row]]
"""Takes the rows of a whole file and gives, for each, the row that it becomes or becomes part of."""

Records = Callable[[Iterable[str]], Iterator[Record | Rejected]]


@dataclass(frozen=True, slots=True)
class Unread:
    """A record as the file has it, before it is validated."""

    line: int
    raw: str
    value: object
    repair: str | None = None


def escaped(text: str) -> str:
    """``text`` with what Postgres cannot store shown as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\x00", "\\x00")


def storable(raw: str) -> str:
    return escaped(raw)[:LONGEST_RAW]


def chunks(
    items: Iterable[Accepted[Row] | Rejected], *, key: tuple[str, ...], size: int
) -> Iterator[list[Accepted[Row] | Rejected]]:
    """Chunks of at most ``size`` rows and about LARGEST_CHUNK characters.

    No natural key repeats in one, because an upsert cannot touch a row twice.

    Rows whose key came before in the file are not with the others, so that they are counted apart.
    """
    chunk: list[Accepted[Row] | Rejected] = []
    keys: set[tuple[Any, ...]] = set()
    repeating, characters = False, 0
    for item in items:
        identity = tuple(getattr(item.row, name) for name in key) if isinstance(item, Accepted) else None
        repeats = isinstance(item, Accepted) and item.repeats is not None
        full = len(chunk) >= size or characters >= LARGEST_CHUNK
        if full or identity in keys or (keys and identity and repeats != repeating):
            yield chunk
            chunk, keys, characters = [], set(), 0
        characters += item.size if isinstance(item, Accepted) else len(item.raw)
        repeating = repeats if identity else repeating
        chunk.append(item)
        if identity is not None:
            keys.add(identity)
    if chunk:
        yield chunk
