"""What a kind of data that is ingested consists of: its row, its key, its SQL; and what reading a file yields."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from psycopg.sql import SQL, Composable, Composed, Identifier
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from quarry.attributes.model import Attributes

LONGEST_RAW = 2_000
"""Characters of a rejected row that are kept."""

LARGEST_CHUNK = 2_000_000
"""Characters of the rows that are written at once, but for the last of them."""

LEVEL = " › "
"""Between the name of a file and the headings above a passage of it, in the passage's title."""


Family = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
"""One of the tenant's families."""


def parted(text: str) -> list[str]:
    """What stands apart by signs that no text has otherwise."""
    return [part.strip() for part in re.split("[|;；؛、､]", text) if part.strip()]


Listed = BeforeValidator(lambda value: parted(value) if isinstance(value, str) else value)
"""Splits a CSV cell, which holds several values as a|b|c or a;b;c."""


class Row(BaseModel):
    """A row of a kind; an empty CSV cell counts as absent, text is kept to the letter."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True, slots=True)
class Mending:
    """How a CSV row with more cells than its header may be mended: authors forget the quotes round a comma in
    ``columns``; the values of ``recurring`` ones have to be known from the rest of the file, where there is one.
    """

    columns: tuple[str, ...]
    recurring: tuple[str, ...]


UPSERT = SQL("""
    INSERT INTO {table} AS t (tenant, {columns})
    SELECT %(tenant)s, {values} FROM jsonb_populate_recordset(NULL::{table}, %(rows)s) AS r
""")
OR_UPDATE = SQL("""
    ON CONFLICT (tenant, {key}) DO UPDATE SET {assignments}, updated_at = now()
    WHERE ({held}) IS DISTINCT FROM ({given})
    RETURNING (t.xmax = 0) AS inserted
""")
OF_THE_HOUSE = SQL("coalesce(r.{0}, (SELECT h.{0} FROM quarry.house h WHERE h.tenant = %(tenant)s))")
STORED = SQL("SELECT to_jsonb(t) AS content FROM {table} t WHERE t.tenant = %(tenant)s ORDER BY {keys}")
HELD = SQL("""
    SELECT (e.index - 1)::integer AS index, to_jsonb(t)::text AS content
    FROM jsonb_array_elements(%(keys)s) WITH ORDINALITY AS e (value, index)
    CROSS JOIN LATERAL jsonb_populate_record(NULL::{table}, e.value) k
    JOIN {table} t ON t.tenant = %(tenant)s AND {same}
""")


def or_update(key: Sequence[str], columns: Iterable[str]) -> Composed:
    """The end of an INSERT INTO … AS t: a row that is there by ``key`` is updated where one of ``columns`` differs;
    (inserted boolean) comes back per row that changed.
    """
    names = [Identifier(name) for name in columns if name not in (*key, "created_at")]
    return OR_UPDATE.format(
        key=_listed(map(Identifier, key)),
        assignments=_listed(SQL("{0} = excluded.{0}").format(name) for name in names),
        held=_listed(SQL("t.{}").format(name) for name in names),
        given=_listed(SQL("excluded.{}").format(name) for name in names),
    )


def of_the_house(column: str) -> Composed:
    """What an upsert writes into a column whose field, where it is absent, is the house's."""
    return OF_THE_HOUSE.format(Identifier(column))


def _listed(parts: Iterable[Composable]) -> Composed:
    return SQL(", ").join(parts)


@dataclass(frozen=True, slots=True)
class Kind:
    """``key`` names the natural key; ``upsert`` takes %(tenant)s and %(rows)s, a JSON array, and returns a row
    (inserted boolean) per row it changed. By default it writes each field to the column of its name, or there what
    ``values`` says instead. ``missing`` (optional) takes the same and returns (index, reason) of the rows that refer
    to something absent; ``outdated`` (optional) then takes out, with %(tenant)s, rows that are no longer in the files
    they came from; ``after`` (optional) runs once at the end with %(tenant)s, and each of ``links`` then, which
    makes what follows from rows of several kinds and is no change that an undo takes back; ``doubts`` (optional) then
    returns what somebody should look at, as (told), by %(ingest_id)s too; ``changes`` (optional) takes the same and
    tells what a load changed where a new version stands for a changed row; ``mending`` (optional) says when a CSV row
    with too many cells may be mended; ``corpus`` (optional) names the searchable table, of which the report says how
    many rows await a vector; ``derived`` (optional) gives a row what follows from the rest of it, and says what, or
    None where nothing does; ``passages`` says that a row may also be a passage of a document: Markdown, text, HTML or
    PDF.

    ``table`` holds the rows, under ``primary_key`` and the tenant. ``stored`` takes %(tenant)s and returns them in
    order, as (content jsonb), with at least the columns that a file has; by default the table's own. ``held`` takes
    %(keys)s besides, a JSON array of natural keys, and returns (index, content text) of those that are stored. What
    a row leaves unsaid stays as it is stored, but where ``by_field`` is False: there a row is one statement.
    ``partly`` says that a row of what is stored already may leave out what a new one needs, and ``known_by`` which
    field names it where its key is left out too. A file
    that replaces is the whole truth for those values of the column ``whole_of`` alone that it names: the lines of its
    quotes, the prices of its books. ``exported`` is False where another kind's files hold the same rows;
    ``declares`` (optional) gives what the tenant has declared with the row, which counts for those below it;
    ``attributed`` says that its field ``attributes`` has what the tenant's own attributes say.
    """

    name: str
    row: type[Row]
    key: tuple[str, ...]
    table: str
    upsert: SQL | Composed | None = None
    values: Mapping[str, SQL | Composed] = field(default_factory=dict)
    primary_key: tuple[str, ...] = ("id",)
    stored: SQL | Composed | None = None
    held: SQL | Composed | None = None
    by_field: bool = True
    partly: bool = False
    known_by: str | None = None
    whole_of: str | None = None
    replaceable: bool = True
    exported: bool = True
    missing: SQL | Composed | None = None
    outdated: SQL | Composed | None = None
    after: SQL | Composed | None = None
    links: tuple[SQL | Composed, ...] = ()
    doubts: SQL | Composed | None = None
    changes: SQL | Composed | None = None
    mending: Mending | None = None
    derived: "Callable[[Any], tuple[Row, str] | None] | None" = None
    corpus: str | None = None
    passages: bool = False
    attributed: bool = False
    declares: "Callable[[Any, Attributes], Attributes] | None" = None

    @property
    def writing(self) -> SQL | Composed:
        if self.upsert is not None:
            return self.upsert
        columns = list(dict.fromkeys([*self.row.model_fields, *self.values]))
        insert = UPSERT.format(
            table=Identifier(*self.table.split(".")),
            columns=_listed(map(Identifier, columns)),
            values=_listed(self.values.get(name, SQL("r.{}").format(Identifier(name))) for name in columns),
        )
        return insert + or_update(self.key, columns)

    @property
    def rows_held(self) -> SQL | Composed:
        if self.stored is not None:
            return self.stored
        keys = _listed(SQL("t.{}").format(Identifier(name)) for name in self.key)
        return STORED.format(table=Identifier(*self.table.split(".")), keys=keys)

    @property
    def rows_of_keys(self) -> SQL | Composed:
        if self.held is not None:
            return self.held
        same = (SQL("t.{0} = k.{0}").format(Identifier(name)) for name in self.key)
        return HELD.format(table=Identifier(*self.table.split(".")), same=SQL(" AND ").join(same))

    @property
    def rows_known(self) -> SQL | Composed:
        """What ``rows_of_keys`` gives, by the values of ``known_by``."""
        same = SQL("t.{0} = k.{0}").format(Identifier(self.known_by or ""))
        return HELD.format(table=Identifier(*self.table.split(".")), same=same)

    def may_lack(self, given: Collection[str]) -> bool:
        """Whether a row of these fields may be one of what is stored already, which has the others."""
        return self.partly and (self.known_by in given or all(name in given for name in self.key))

    def identity(self, row: Row) -> tuple[Any, ...]:
        """What two rows of the same thing share: the key or, where it is left out, what else names the row."""
        key = tuple(getattr(row, name) for name in self.key)
        return (self.known_by, getattr(row, self.known_by)) if self.known_by and None in key else key

    def accepts(self, row: Mapping[str, object]) -> bool:
        try:
            self.row.model_validate(row)
        except ValidationError:
            return False
        return True


@dataclass(frozen=True, slots=True)
class Accepted[R: Row]:
    """``repair`` says what had to be mended to read the row; ``repeats`` is the line where its key came before;
    ``size`` counts the characters it was read from; ``emptied`` names the fields that the row empties, an attribute
    as ``attributes.power``: what it does not name and does not state, it says nothing of. ``lacks`` are fields that
    it would need if nothing of it were stored; ``stated`` are those that the file itself states, where the row was
    completed with what is stored. ``differs`` says what the row of its key before had otherwise.
    ``place`` names sheet and row, where the file has sheets.
    """

    line: int
    row: R
    repair: str | None = None
    repeats: int | None = None
    size: int = 0
    emptied: frozenset[str] = frozenset()
    lacks: tuple[str, ...] = ()
    stated: frozenset[str] | None = None
    differs: str = ""
    place: str = ""

    @property
    def where(self) -> str:
        return self.place or f"line {self.line}"


FIRST_FIVE = SQL("""string_agg(found.shown, '; ' ORDER BY found.place) FILTER (WHERE found.place <= 5)
    || CASE WHEN count(*) > 5 THEN ' …' ELSE '' END""")
"""What a doubt names of the rows ``found`` that it counts: ``shown`` of the first five by ``place``."""


@dataclass(frozen=True, slots=True)
class CellFault:
    """Why one field of a row cannot be stored: ``cause`` is what rows with the same fault share, ``value`` what the
    file says, ``place`` where.
    """

    field: str
    cause: str
    value: str = ""
    place: str = ""

    def __str__(self) -> str:
        said = f" {self.value!r}" if self.value else ""
        return f"{self.field}:{said} {self.cause}" + (f" ({self.place})" if self.place else "")


@dataclass(frozen=True, slots=True)
class Rejected:
    """``line`` counts from 1 in the file; for CSV it is the line on which the record ends, in a workbook the row,
    counted over all its sheets, of which ``place`` names the one.
    """

    line: int
    reason: str
    raw: str
    faults: tuple[CellFault, ...] = ()
    place: str = ""

    @property
    def where(self) -> str:
        return self.place or f"line {self.line}"

    @classmethod
    def by(cls, faults: Sequence[CellFault], *, line: int, raw: str, place: str = "") -> "Rejected":
        return cls(line, storable("; ".join(map(str, faults))), storable(raw), tuple(faults), place)


@dataclass(frozen=True, slots=True)
class UnreadRecord:
    """A record as the file has it, before it is validated; ``places`` says where its fields stand. A field that is
    None is one that the file empties.
    """

    line: int
    raw: str
    value: object
    repair: str | None = None
    places: dict[str, str] = field(default_factory=dict)


def escaped(text: str) -> str:
    """``text`` with what Postgres cannot store shown as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\x00", "\\x00")


def storable(raw: str) -> str:
    return escaped(raw)[:LONGEST_RAW]


def chunks(
    items: Iterable[Accepted[Row] | Rejected], *, identity_of: Callable[[Row], tuple[Any, ...]], size: int
) -> Iterator[list[Accepted[Row] | Rejected]]:
    """Chunks of at most ``size`` rows and about LARGEST_CHUNK characters.

    No natural key repeats in one, because an upsert cannot touch a row twice.

    Rows whose key came before in the file are not with the others, so that they are counted apart.
    """
    chunk: list[Accepted[Row] | Rejected] = []
    keys: set[tuple[Any, ...]] = set()
    repeating, characters = False, 0
    for item in items:
        identity = identity_of(item.row) if isinstance(item, Accepted) else None
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


BOUNDARIES = (
    re.compile(r"\n(?:[^\S\n]*+\n)++\s*+"),
    re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？।॥۔؟])[\"'”’」』）)\]]*\s*|\n\s*"),
    re.compile(r"\s+"),
)
"""Where a text may be cut: at a paragraph, a sentence or line, or a word. The first kind found in the second half of
the room is used."""


def cut(text: str, *, most: int) -> list[str]:
    """Cuts a text into pieces of at most ``most`` characters; only white space at the cuts is lost."""
    pieces = []
    rest = text.strip()
    while len(rest) > most:
        end = _end(rest, most=most)
        pieces.append(rest[:end].rstrip())
        rest = rest[end:].lstrip()
    return [*pieces, rest] if rest else pieces


def _end(text: str, *, most: int) -> int:
    """Returns where the first piece ends, from 1 to ``most``; a word is cut only if it fills half the room."""
    # One character more, because the white space after a piece that fits exactly lies beyond the room.
    window = text[: most + 1]
    for boundary in BOUNDARIES:
        ends = [found.start() + len(found.group().rstrip()) for found in boundary.finditer(window)]
        if in_reach := [end for end in ends if max(most // 2, 1) <= end <= most]:
            return in_reach[-1]
    return most
