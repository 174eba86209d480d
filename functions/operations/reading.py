"""Reads a file of whatever encoding row by row into validated rows and rejects; nothing is dropped silently."""

import codecs
import dataclasses
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import IO, Any

from pydantic import ValidationError, create_model
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from operations import bounds
from operations.code_pages import code_page_of, declared_in, is_unlikely
from operations.documents import FORMS, PACKED, passages
from operations.exchange.files import WHOLE
from operations.tables import source as tables
from operations.tables.attributes import (
    FIELD,
    NO_ATTRIBUTES,
    OF_ATTRIBUTES,
    AttributeCells,
    of_other_families,
    unknown_family,
)
from operations.tables.leftover import Causes, Leftover
from operations.tables.mapping import MAPPINGS, Mapping, as_record
from operations.tables.sheets import LOOKED_THROUGH, beginning, separator_of
from quarry.attributes.model import Attributes
from quarry.ingestion import Accepted, CellFault, Kind, Rejected, Row, UnreadRecord, escaped, storable
from quarry.plain_text import all_plain, taken_from
from quarry.tool.contract import PATTERNS
from quarry.tool.errors import ValidationFailed

SAMPLE = 256 * 1024
"""An encoding is detected from this many bytes where there is no byte order mark."""

MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
UNLIKELY = "makes words that hardly are any: set encoding in the mapping, or save the file as UTF-8"
TEXT = ".txt"
"""The ending of prose, and of a table that a spreadsheet saved as Unicode text."""

ENDINGS = {
    **dict.fromkeys(WHOLE, "workbook"),
    **{".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".toml": "mapping"},
}
TABLES = ("workbook", "csv")
"""The forms of files whose columns a mapping reads."""

CAUSES = {
    "missing": "is missing",
    "extra_forbidden": "is no field of this kind",
    "string_too_short": "is empty",
    "none_required": "has to be empty",
    "bool_parsing": "is neither yes nor no",
    **dict.fromkeys(("float_parsing", "decimal_parsing"), "is not a number"),
    **dict.fromkeys(("int_parsing", "int_from_float"), "is not a whole number"),
    **dict.fromkeys(("date_parsing", "date_from_datetime_parsing"), "is not a date such as 2023-03-14"),
    **dict.fromkeys(("datetime_parsing", "datetime_from_date_parsing"), "is not a date such as 2023-03-14"),
}
"""What a reject says of a value that does not fit, by the type of pydantic's error."""

TOO_MUCH = {
    "decimal_max_digits": "has more than {max_digits} digits: round it in the file",
    "decimal_max_places": "has more than {decimal_places} decimal places: round it in the file",
    "decimal_whole_digits": "is too large: at most {whole_digits} digits stand before the decimal mark",
    "string_too_long": "is longer than {max_length} characters: shorten it in the file, or name another column",
    "too_long": "has more than {max_length} parts: leave some out",
}

OF_FILES = PATTERNS | {
    "^[a-z][a-z0-9_]{0,39}$": "is no family: say in the mapping's values which one it means",
    "^[a-z][0-9a-z_]{0,39}$": "is no name: begin with a letter and write small letters, digits and _",
    r"^per_[^\W\d_A-Z]{1,30}(_per_(month|year))?$": "is no unit of a price: write per_ and a word of small letters, "
    "such as per_thousand, and behind it _per_month or _per_year for what runs",
}


class RowsRead(Iterator[Accepted[Row] | Rejected]):
    """Rows of a file in order, without the first ``skip``; ``encoding``, ``separator`` (of a table) and ``shape`` (of
    the mapping) say how it was read. Once the rows have ended, ``stopped`` says why the file was not read to its end,
    ``leftover`` what it says and no row stores, and ``doubts`` what somebody should look at.
    """

    def __init__(
        self,
        items: Iterable[Accepted[Row] | Rejected],
        source: tables.TableSource,
        *,
        encoding: str,
        skip: int,
    ) -> None:
        self._items = islice(self._bounded(items), skip, None)
        self.encoding = ", ".join((encoding, *source.said))
        self.separator, self.shape, self._leftover = source.separator, source.shape, source.leftover
        self.stopped: str | None = None

    def __next__(self) -> Accepted[Row] | Rejected:
        return next(self._items)

    @property
    def leftover(self) -> list[str]:
        return [line for table in self._leftover for line in table.told()]

    @property
    def doubts(self) -> list[str]:
        return [line for table in self._leftover for line in table.to_look_at()]

    def _bounded(self, items: Iterable[Accepted[Row] | Rejected]) -> Iterator[Accepted[Row] | Rejected]:
        rejected = 0
        for count, item in enumerate(items):
            rejected += isinstance(item, Rejected)
            if count == bounds.MOST_ROWS:
                self.stopped = (
                    f"The file has more than {bounds.MOST_ROWS:,} rows; put the others as a file of their own."
                )
            elif rejected > bounds.MOST_REJECTS:
                self.stopped = f"More than {bounds.MOST_REJECTS:,} rows were rejected, the last on line {item.line}."
            if self.stopped:
                return
            yield item


def read(
    stream: io.BufferedIOBase,
    kind: Kind,
    *,
    file_name: str,
    size: int = 0,
    skip: int = 0,
    mappings: Sequence[Mapping] = (),
    attributes: Attributes = NO_ATTRIBUTES,
    partly: bool = False,
) -> RowsRead:
    """Reads the rows of a table, a document, a .jsonl or .toml file of ``size`` bytes, without the first ``skip``.

    A table has the kind's own column names, or one of ``mappings`` fits it; ``attributes`` are what the tenant has
    declared. ``partly`` lets a row leave out what a stored one has. Raises ValidationFailed when the file as a whole
    cannot be read.
    """
    kind = dataclasses.replace(kind, partly=kind.partly and partly)
    stream = io.BufferedReader(stream, SAMPLE)
    form = form_of(file_name, stream.peek(SAMPLE), passages=kind.passages)
    bounds.check_size(size, whole=form == "workbook" or form in FORMS.values())
    if form not in ("workbook", *PACKED):
        bounds.check_unpacked(stream.peek(SAMPLE))
    _refuse_unreadable(form, kind, file_name=file_name)
    strange = Leftover()
    if form == "workbook":
        source = tables.workbook(stream.read(), kind, mappings=mappings, file_name=file_name, attributes=attributes)
        encoding = Path(file_name).suffix.lower()[1:]
    elif form in FORMS.values():
        said = next((each.encoding for each in mappings if not each.reads), None)
        said = said or (declared_in(stream.peek(SAMPLE)) if form == "html" else None)
        source, encoding = _document(
            stream, form=form, file_name=file_name, encoding=said, language=attributes.language
        )
    else:
        given = (
            each.encoding for each in mappings if form == "csv" and _is_read_with(each, stream.peek(SAMPLE), kind)
        )
        head, said = stream.peek(SAMPLE), next(given, None)
        text, encoding = decoded(stream, legacy=form == "csv", encoding=said, language=attributes.language)
        if said is None and not encoding.startswith("utf") and is_unlikely(head, encoding):
            strange.doubts.add(CellFault("encoding", UNLIKELY, encoding), where=file_name)
        lines = bounds.bounded_lines(text)
        if form == "csv":
            source = tables.delimited(lines, kind, mappings=mappings, file_name=file_name, attributes=attributes)
        elif form == "mapping":
            whole = "".join(_uncut(lines))
            source = tables.TableSource(iter([UnreadRecord(1, whole, as_record(whole))]))
        else:
            left = Leftover()
            source = tables.TableSource(_attributed(_json_lines(lines), kind, attributes, left), leftover=(left,))
    source = dataclasses.replace(source, leftover=(*source.leftover, strange))
    items = _validated(source.records, kind, attributes, strange.doubts)
    return RowsRead(_with_repeats(items, kind), source, encoding=encoding, skip=skip)


def form_of(file_name: str, beginning_of: bytes, *, passages: bool = False) -> str:
    """Returns how a file is read, by its ending: "workbook", "csv", "jsonl", "mapping" or a document's form; "" where
    it is not. A text is a "csv" if its beginning has a table, unless it is read in ``passages``.
    """
    ending = Path(file_name).suffix.lower()
    if ending == TEXT and not passages and has_table(beginning_of):
        return "csv"
    return ENDINGS.get(ending) or FORMS.get(ending, "")


def _refuse_unreadable(form: str, kind: Kind, *, file_name: str) -> None:
    if form == "word" and not kind.passages:
        raise ValidationFailed(
            f"'{file_name}' is a Word document: load it as documents, or save its table as one of a workbook."
        )
    if form == "text" and not kind.passages:
        raise ValidationFailed(f"'{file_name}' is text without a table; where it has one, name it .csv.")
    readable = (*TABLES, "jsonl", *(FORMS.values() if kind.passages else ()))
    if form not in readable and not (form == "mapping" and kind.name == MAPPINGS.name):
        endings = "a table (.xlsx, .xls, .ods, .csv, .tsv), a catalogue (.xml) nor .jsonl"
        documents = f"a document ({', '.join(FORMS)}), " if kind.passages else ""
        raise ValidationFailed(f"'{file_name}' is neither {documents}{endings}; save it as one of these.")


def _document(
    stream: io.BufferedIOBase, *, form: str, file_name: str, encoding: str | None, language: str | None
) -> tuple[tables.TableSource, str]:
    """Returns (the document's passages, its encoding)."""
    content: str | bytes
    if form in PACKED:
        content, encoding = stream.read(), form
    else:
        text, encoding = decoded(stream, legacy=True, encoding=encoding, language=language)
        content = text.read()
    return tables.TableSource(passages(content, form=form, file_name=file_name)), encoding


def _is_read_with(mapping: Mapping, head: bytes, kind: Kind) -> bool:
    """Whether a file that begins with ``head`` has the mapping's columns, read in the mapping's encoding."""
    if mapping.encoding is None or mapping.kind != kind.name:
        return False
    lines = head.decode(mapping.encoding, "replace").splitlines(keepends=True)[:LOOKED_THROUGH]
    return bool(mapping.tables_in([beginning(lines, separator=separator_of(lines))]))


def has_table(beginning_of: bytes) -> bool:
    """Whether most lines of a text have the same number of cells, by a separator other than commas, as in prose."""
    text, _ = decoded(io.BytesIO(beginning_of), legacy=True)
    lines = [line for line in islice(bounds.bounded_lines(text), LOOKED_THROUGH) if line.strip()]
    separator = separator_of(lines)
    widths = Counter(len(row) for row in beginning(lines, separator=separator).rows)
    same = any(width > 1 and 3 * times >= 2 * len(lines) and times > 1 for width, times in widths.items())
    return separator != "," and same


def decoded(
    stream: io.BufferedIOBase, *, legacy: bool, encoding: str | None = None, language: str | None = None
) -> tuple[IO[str], str]:
    """Returns the text, its line ends unchanged, and the name of its encoding: that of a byte order mark, the given
    one, or what is detected; only ``legacy`` files may be other than Unicode. Where several fit, that of the house's
    ``language`` is taken.

    In a UTF-8 file, bytes that are not UTF-8 become surrogates, so that only their rows are rejected.
    """
    stream = io.BufferedReader(stream, SAMPLE)
    sample = stream.peek(SAMPLE)
    marked = next((name for mark, name in MARKS if sample.startswith(mark)), None)
    encoding = marked or encoding or _encoding(sample, legacy=legacy, language=language)
    errors = "surrogateescape" if encoding.startswith("utf-8") else "replace"
    text = io.TextIOWrapper(stream, encoding, errors, newline="")
    return text, encoding.removesuffix("-sig")


def _encoding(sample: bytes, *, legacy: bool, language: str | None) -> str:
    if sample[1:400:2].count(0) > len(sample[:400]) // 3:
        return "utf-16-le"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
        return "utf-8"
    except UnicodeDecodeError:
        text = sample.decode("utf-8", "surrogateescape")
    strange = sum(1 for character in text if "\udc80" <= character <= "\udcff")
    if not legacy or sum(1 for character in text if character > "\x7f") >= 2 * strange:
        return "utf-8"
    return code_page_of(sample, language=language)


def _json_lines(lines: Iterable[str]) -> Iterator[UnreadRecord | Rejected]:
    for line, raw_line in enumerate(lines, start=1):
        raw = raw_line.strip("\ufeff \t\r\n")
        if not raw:
            continue
        if isinstance(raw_line, bounds.CutLine):
            yield Rejected(line, bounds.TOO_LONG, storable(raw))
            continue
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError) as error:
            yield Rejected(line, f"not valid JSON: {error}", storable(raw))
            continue
        problem = bounds.too_intricate(value, raw)
        yield Rejected(line, problem, storable(raw)) if problem else UnreadRecord(line, raw, value)


def _attributed(
    items: Iterable[UnreadRecord | Rejected], kind: Kind, attributes: Attributes, left: Leftover
) -> Iterator[UnreadRecord | Rejected]:
    """Yields rows with attributes in one place, wherever JSON has them; implausible values are noted in ``left``."""
    cells = AttributeCells(attributes)
    for item in items:
        if isinstance(item, Rejected) or not isinstance(item.value, dict):
            yield item
            continue
        value, faults, doubts = cells.from_json(item.value, kind)
        for doubt in doubts:
            left.doubts.add(doubt, where=f"line {item.line}")
        if faults:
            yield Rejected.by(faults, line=item.line, raw=item.raw)
        else:
            yield dataclasses.replace(item, value=value)


def _uncut(lines: Iterable[str]) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        if isinstance(line, bounds.CutLine):
            raise ValidationFailed(f"Line {number}: {bounds.TOO_LONG}.")
        yield line


def _validated(
    items: Iterable[UnreadRecord | Rejected], kind: Kind, attributes: Attributes, doubts: Causes
) -> Iterator[Accepted[Row] | Rejected]:
    """Validates rows in order, for what a row declares counts for those below it; fills ``doubts``."""
    for item in items:
        found = item if isinstance(item, Rejected) else _validate(item, kind, attributes)
        if isinstance(item, UnreadRecord) and "" in item.places:
            found = dataclasses.replace(found, place=item.places[""])
        if kind.declares and isinstance(found, Accepted):
            attributes = kind.declares(found.row, attributes)
        if kind.attributed and isinstance(found, Accepted):
            for doubt in of_other_families(found.row, attributes):
                doubts.add(doubt, where=found.where)
        yield found


def _validate(item: UnreadRecord, kind: Kind, attributes: Attributes) -> Accepted[Row] | Rejected:
    value, emptied = _without_emptied(item.value, kind)
    lacks = _lacks(value, kind)
    model = _in_part(kind.row) if lacks else kind.row
    try:
        row = model.model_validate(value, context=attributes)
        if unseen := taken_from(value):
            row = model.model_validate(all_plain(value), context=attributes)
    except ValidationError as error:
        return Rejected.by([_fault(each, item.places) for each in error.errors()], line=item.line, raw=item.raw)
    if kind.attributed and (unknown := unknown_family(row, attributes)):
        unknown = dataclasses.replace(unknown, place=item.places.get("family", ""))
        return Rejected.by([unknown], line=item.line, raw=item.raw)
    for name, stored in row.model_dump().items():
        if any(escaped(text) != text for text in _texts(stored)):
            return Rejected(item.line, f"{name}: has a NUL character or is not valid UTF-8", storable(item.raw))
        if not kind.passages and any(bounds.is_formula(text) for text in _texts(stored)):
            return Rejected(item.line, f"{name}: a spreadsheet would run this as a formula", storable(item.raw))
    repairs = [item.repair, f"{unseen} control or unseen characters are left out" if unseen else None]
    repair = "; ".join(filter(None, repairs)) or None
    return Accepted(item.line, row, repair, size=len(item.raw), emptied=emptied, lacks=lacks)


def _lacks(value: object, kind: Kind) -> tuple[str, ...]:
    """Returns the fields that a new row would need and a record leaves out, if it identifies a stored row."""
    if not isinstance(value, dict) or not kind.may_lack(value):
        return ()
    fields = kind.row.model_fields.items()
    return tuple(name for name, field in fields if field.is_required() and name not in value)


@cache
def _in_part(row: type[Row]) -> type[Row]:
    """Returns the model of a row of which all fields may be left out."""
    needed = {name: field for name, field in row.model_fields.items() if field.is_required()}
    optional: dict[str, Any] = {
        name: (field.annotation, FieldInfo.merge_field_infos(field, default=None)) for name, field in needed.items()
    }
    return create_model(f"{row.__name__}InPart", __base__=row, **optional)


def _without_emptied(value: object, kind: Kind) -> tuple[object, frozenset[str]]:
    """Returns what a record states, and the names of the fields that it empties."""
    if not kind.by_field or not isinstance(value, dict):
        return value, frozenset()
    emptied = {name for name, said in value.items() if said is None and name in kind.row.model_fields}
    stated = {name: said for name, said in value.items() if name not in emptied}
    if kind.attributed and isinstance(own := stated.get(FIELD), dict):
        emptied |= {f"{OF_ATTRIBUTES}{name}" for name, said in own.items() if said is None}
        stated[FIELD] = {name: said for name, said in own.items() if said is not None}
    return stated, frozenset(emptied)


def _fault(error: ErrorDetails, places: dict[str, str]) -> CellFault:
    name = ".".join(map(str, error["loc"])) or "row"
    value = error["input"] if isinstance(error["input"], str | int | float) and error["type"] != "missing" else ""
    return CellFault(name, _cause(error), str(value)[:80], places.get(name, places.get("", "")))


def _cause(error: ErrorDetails) -> str:
    """Says what is wrong in words for whoever keeps the file."""
    kind_of_error, context = error["type"], error.get("ctx", {})
    if cause := CAUSES.get(kind_of_error):
        return cause
    if kind_of_error == "literal_error":
        return f"is none of {context['expected'].replace(chr(39), '').replace(' or ', ', ')}"
    if advice := TOO_MUCH.get(kind_of_error):
        return advice.format(**context)
    if kind_of_error == "string_pattern_mismatch":
        pattern = context["pattern"]
        if found := re.match(r"\^([a-z]+_)\[a-z0-9_\]", pattern):
            return f"is no id: write {found[1]} and then small letters, digits and _"
        return OF_FILES.get(pattern, f"does not fit the pattern {pattern}")
    return error["msg"].removeprefix("Value error, ").replace("Input should", "has to")


def _texts(value: object) -> Iterator[str]:
    """Every text in a dumped value, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for inner in value.values() for text in _texts(inner))
    elif isinstance(value, list):
        yield from (text for inner in value for text in _texts(inner))


def _with_repeats(items: Iterator[Accepted[Row] | Rejected], kind: Kind) -> Iterator[Accepted[Row] | Rejected]:
    """Sets ``repeats`` of rows whose key came before in the file."""
    lines = bounds.FirstLines()
    for item in items:
        if isinstance(item, Accepted):
            # A hash, because a file may have a million keys.
            key = hash(kind.identity(item.row))
            first = lines.line_of(key, line=item.line)
            yield item if first == item.line else dataclasses.replace(item, repeats=first)
        else:
            yield item
