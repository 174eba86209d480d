"""A mapping as an agent gives and gets it: closed rows, which strict function schemas need in place of free keys."""

import csv
import io
from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, ValidationError

from operations.tables.mapping import SECTION, SHEET, FieldRule, Mapping, ProseValue, TableMapping, faults_of
from operations.tables.sheets import separator_of
from quarry.tool.contract import OPAQUE, Part
from quarry.tool.errors import ValidationFailed

Text = Annotated[str, Field(max_length=500)]
Numbers = Literal["1.234,56", "1,234.56"]
Dates = Literal["day first", "month first"]


class Meaning(Part):
    """What a cell's text stands for."""

    says: Text = Field(description="The cell.")
    means: Text = Field(description="The value.")


class FieldOf(Part):
    """One field of the kind."""

    model_config = ConfigDict(populate_by_name=True, serialize_by_alias=True)

    field: Text = Field(description="Or attributes.<name>.")
    columns: list[Text] = Field(
        default=[], alias="from", max_length=20, description="Columns, or (section), (sheet)."
    )
    always: Text | None = Field(default=None, description="For all rows.")
    unit: Text | None = Field(default=None, description="Where the cells say none.")
    values: list[Meaning] = Field(default=[], max_length=500, description="Or 'on request'.")
    join: Text | None = Field(default=None, description="Between columns; else a blank.")
    label: bool = Field(default=False, description="Name the further columns: DN: 50.")
    take: Literal["currency"] | None = Field(default=None, description="Beside the amount.")
    prefix: Text | None = Field(default=None, description="Before the text.")
    count_within: Text | None = Field(default=None, description="Number rows within this field.")
    per: Text | None = Field(default=None, description="Column: for how many pieces.")
    ordered: Text | None = Field(default=None, description="Values in order: A > B > C.")
    part: int | None = Field(default=None, ge=1, le=9, description="Which figure of 850x775x785.")

    def as_rule(self) -> FieldRule:
        given = self.model_dump(exclude={"field", "always", "values"}, exclude_none=True, by_alias=True)
        return FieldRule.model_validate({**given, "values": {each.says: each.means for each in self.values}})

    @classmethod
    def of_rule(cls, name: str, rule: FieldRule) -> Self:
        said = rule.model_dump(by_alias=True, exclude_defaults=True)
        values = [Meaning(says=says, means=means) for says, means in said.pop("values", {}).items()]
        return cls.model_validate({**said, "field": name, "from": list(rule.columns), "values": values})


PROSE = ("of", "row", "attribute", "from", "says", "means")
"""Columns of the CSV in which values are named that only a cell's prose says."""


class TableOf(Part):
    """One table of the file."""

    sheet: Text | None = Field(default=None, description="None in a CSV.")
    header_row: int = Field(default=1, ge=1, le=1000, description="From 1.")
    header_rows: int = Field(default=1, ge=1, le=2, description="2: units or parts stand below.")
    headings: bool = Field(default=False, description="Rows of one cell are headings.")
    aside: list[Text] = Field(default=[], max_length=200, description="Not needed.")
    fields: list[FieldOf] = Field(max_length=200, description="Made of it.")
    prose: Annotated[str, Field(max_length=40_000)] | None = Field(
        default=None, description="CSV of,row,attribute,from,says,means: what only prose says, in its words; of: SKU."
    )

    @property
    def reads(self) -> bool:
        return any(each.columns or each.count_within for each in self.fields)

    def as_table(self) -> TableMapping:
        rules = {each.field: each.as_rule() for each in self.fields if each.always is None}
        read = [name for rule in rules.values() for name in rule.reads if name not in (SECTION, SHEET)]
        return TableMapping(
            sheet=self.sheet,
            skip=self.header_row - 1,
            header_rows=self.header_rows,
            header=tuple(dict.fromkeys(read)),
            headings=self.headings,
            aside=tuple(self.aside),
            fields=rules,
            prose=prose_of(self.prose or ""),
            constants={each.field: each.always for each in self.fields if each.always is not None},
        )

    @classmethod
    def of_table(cls, table: TableMapping) -> Self:
        always = [FieldOf(field=name, always=str(value)) for name, value in table.constants.items()]
        return cls(
            sheet=table.sheet,
            header_row=table.skip + 1,
            header_rows=table.header_rows,
            headings=table.headings,
            aside=list(table.aside),
            prose=_as_csv(table.prose),
            fields=[*(FieldOf.of_rule(name, rule) for name, rule in table.fields.items()), *always],
        )


def prose_of(text: str) -> tuple[ProseValue, ...]:
    """Raises ValidationError, and ValidationFailed where a column is none of these."""
    lines = io.StringIO(text.strip(), newline="").readlines()
    reader = csv.DictReader(lines, delimiter=separator_of(lines), restkey="behind", skipinitialspace=True)
    if strange := set(reader.fieldnames or ()) - set(PROSE):
        raise ValidationFailed(f"prose: its columns are {', '.join(PROSE)}, not {', '.join(sorted(strange))}.")
    return tuple(ProseValue.model_validate({name: cell for name, cell in row.items() if cell}) for row in reader)


def _as_csv(values: Sequence[ProseValue]) -> str | None:
    if not values:
        return None
    written = io.StringIO()
    writer = csv.DictWriter(written, PROSE, lineterminator="\n")
    writer.writeheader()
    writer.writerows(one.model_dump(by_alias=True) for one in values)
    return written.getvalue()


class MappingUsed(Part):
    """The mapping that was found or guessed, as it can be sent again."""

    model_config = ConfigDict(json_schema_extra={OPAQUE: True})

    tables: list[TableOf] = Field(description="As the argument tables.")
    numbers: Numbers | None = Field(default=None, description="As the argument.")
    dates: Dates | None = Field(default=None, description="As the argument.")
    encoding: str | None = Field(default=None, description="As the argument.")


def mapping_of(kind: str, tables: Sequence[TableOf], **written: str | None) -> Mapping:
    """``written`` says how the file is: numbers, dates, encoding. Raises ValidationFailed with the place."""
    try:
        made = [table.as_table() for table in tables]
        return Mapping.model_validate({"kind": kind, "tables": made, **written})
    except ValidationError as error:
        raise ValidationFailed(f"tables: {faults_of(error)}.") from error


def used(mapping: Mapping) -> MappingUsed:
    tables = [TableOf.of_table(table) for table in mapping.tables]
    return MappingUsed(tables=tables, **mapping.model_dump(include={"numbers", "dates", "encoding"}))
