"""CSV and JSON Lines, row by row."""

import io
import json
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg.sql import SQL
from pydantic import Field

from operations.bounds import is_formula
from operations.reading import RowsRead, decoded, read
from quarry.ingestion import LONGEST_RAW, Accepted, Kind, Rejected, Row, chunks
from quarry.plain_text import plain
from quarry.tool.errors import ValidationFailed


class PartRow(Row):
    name: str = Field(min_length=1, max_length=300_000)
    maker: str | None = None
    weight: float | None = Field(default=None, gt=0, allow_inf_nan=False)


PARTS = Kind(name="parts", row=PartRow, key=("name",), table="x.things", upsert=SQL(""))


def test_every_field_but_the_key_is_written_where_it_differs() -> None:
    kind = Kind(name="parts", row=PartRow, key=("name",), table="x.things", values={"weight": SQL("r.weight / 2")})
    statement = " ".join(kind.writing.as_string().replace('"', "").split())
    assert "INSERT INTO x.things AS t (tenant, name, maker, weight)" in statement
    assert "SELECT %(tenant)s, r.name, r.maker, r.weight / 2 FROM" in statement
    assert "DO UPDATE SET maker = excluded.maker, weight = excluded.weight, updated_at = now()" in statement
    assert "WHERE (t.maker, t.weight) IS DISTINCT FROM (excluded.maker, excluded.weight)" in statement


def items(content: str | bytes, file_name: str) -> RowsRead:
    return read(io.BytesIO(content.encode() if isinstance(content, str) else content), PARTS, file_name=file_name)


def csv_items(content: str | bytes) -> list[Accepted[Row] | Rejected]:
    return list(items(content, "parts.csv"))


def json_items(content: str | bytes) -> list[Accepted[Row] | Rejected]:
    return list(items(content, "parts.JSONL"))


def lines_and_names(found: list[Accepted[Row] | Rejected]) -> list[tuple[int, object]]:
    return [
        (item.line, getattr(item.row, "name", None) if isinstance(item, Accepted) else "rejected") for item in found
    ]


def only_reject(found: list[Accepted[Row] | Rejected]) -> Rejected:
    [reject] = [item for item in found if isinstance(item, Rejected)]
    return reject


def test_an_unknown_ending_is_refused_by_the_file_name() -> None:
    with pytest.raises(
        ValidationFailed, match=r"'parts\.pages' is neither a table \(\.xlsx, .*\.csv.* nor \.jsonl; save"
    ):
        items("", "parts.pages")


@pytest.mark.parametrize(
    ("header", "complaint"),
    [
        ("name,colour", r"unknown columns \['colour'\]"),
        ("maker,weight", r"missing columns \['name'\]"),
        ("name,maker,maker", "repeated columns"),
        ("", r"missing columns \['name'\]"),
        ('"name', "not valid CSV"),
    ],
)
def test_a_header_that_does_not_fit_is_refused_as_a_whole(header: str, complaint: str) -> None:
    with pytest.raises(ValidationFailed, match=complaint):
        csv_items(header)


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-32", "utf-32"),
        ("cp1252", "cp1252"),
        ("latin-1", "cp1252"),
    ],
)
def test_an_encoding_is_detected_and_said(encoding: str, said: str) -> None:
    found = items("name,maker\r\nSchraube groß,Müller\r\n".encode(encoding), "parts.csv")
    [item] = found
    assert isinstance(item, Accepted)
    assert item.row.model_dump(exclude={"weight"}) == {"name": "Schraube groß", "maker": "Müller"}
    assert found.encoding == said


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("name,maker\nŁożysko kulkowe żeliwne,Źródło ciśnienia\n", "cp1250"),
        ("name,maker\nСтальной болт с шестигранной головкой,Завод\n", "cp1251"),
        ("name,maker\n六角ボルトの説明です,ボルト\n", "cp932"),
    ],
)
def test_legacy_encodings_of_other_scripts_are_detected(text: str, encoding: str) -> None:
    found = items(text.encode(encoding), "parts.csv")
    [item] = found
    assert isinstance(item, Accepted)
    assert item.row.model_dump()["name"] == text.split("\n")[1].split(",")[0]
    assert found.encoding == encoding


@pytest.mark.parametrize(
    ("text", "language", "encoding"),
    [
        ("name,maker\nPompa głębinowa,Łódź\n", None, "cp1250"),
        ("name,maker\nPříruba řemenice,Kolín\n", "cs", "cp1250"),
        ("name,maker\nDalgıç pompa,Şişli\n", "tr", "cp1254"),
        ("name,maker\nKühler für Öl,Höß\n", "de", "cp1252"),
        ("name,maker\nPumpe ½ Zoll Makita®,Höß\n", "da", "cp1252"),
        ("name,maker\nمضخة مياه,شركة الخليج\n", "ar", "cp1256"),
        ("name,maker\nשַׁסתום מחו״ל,חיפה\n", "he", "cp1255"),
        ("name,maker\nŪdens sūknis ēkai,Rīga\n", "lv", "cp1257"),
        ("name,maker\nเครื่องสูบน้ำ,กรุงเทพ\n", "th", "cp874"),
        ("name,maker\nНасос центробежный,Завод\n", "ru", "koi8_r"),
        ("name,maker\nポンプ・モーター「大」,株式会社\n", "ja", "cp932"),
        ("name,maker\nKühler für Größe,Höß\n", "ru", "cp1252"),
        ("name,maker\nمضخة مياه للمباني,شركة الخليج\n", "de", "cp1256"),
    ],
)
def test_of_encodings_that_fit_the_usual_one_of_the_house_is_taken(text: str, language: str, encoding: str) -> None:
    read_text, said = decoded(io.BytesIO(text.encode(encoding)), legacy=True, language=language)
    assert (read_text.read(), said) == (text, encoding)


@pytest.mark.parametrize(("encoding", "is_doubt"), [("cp1252", False), ("cp850", True)])
def test_an_encoding_that_makes_no_words_is_a_doubt(encoding: str, is_doubt: bool) -> None:
    found = items("name,maker\nKühler für Größe,Müller\n".encode(encoding), "parts.csv")
    assert len(list(found)) == 1
    assert any("set encoding in the mapping" in doubt for doubt in found.doubts) == is_doubt


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_a_separator_is_detected_and_said(separator: str) -> None:
    found = items(f"name{separator}weight\nbolt{separator}1.5\n", "parts.csv")
    [item] = found
    assert isinstance(item, Accepted)
    assert item.row.model_dump() == {"name": "bolt", "maker": None, "weight": 1.5}
    assert found.separator == separator


def test_bom_carriage_returns_and_blank_lines_do_not_matter() -> None:
    assert lines_and_names(csv_items("\ufeffname,maker\r\nbolt,Acme\r\n\r\nnut,\r\n")) == [(2, "bolt"), (4, "nut")]
    assert lines_and_names(json_items('\ufeff{"name": "bolt"}\r\n\r\n{"name": "nut"}')) == [(1, "bolt"), (3, "nut")]


def test_an_empty_cell_is_absent_and_blanks_are_kept_to_the_letter() -> None:
    [item] = csv_items('name,maker,weight\n"  bolt ",,\n')
    assert isinstance(item, Accepted)
    assert item.row.model_dump() == {"name": "  bolt ", "maker": None, "weight": None}


def test_a_quoted_cell_may_hold_line_breaks_commas_and_quotes() -> None:
    [first, second] = csv_items('name,maker\n"a\r\nb, ""c""",Acme\nnut,\n')
    assert isinstance(first, Accepted)
    assert first.row.model_dump()["name"] == 'a\r\nb, "c"'
    assert (first.line, second.line) == (3, 4)


@pytest.mark.parametrize("row", ["bolt", "bolt,Acme,1,more"])
def test_a_ragged_row_is_rejected_with_its_line_and_the_next_one_is_read(row: str) -> None:
    found = csv_items(f"name,maker,weight\n{row}\nnut,,\n")
    assert lines_and_names(found) == [(2, "rejected"), (3, "nut")]
    assert "3 cells" in only_reject(found).reason


def test_every_broken_csv_row_has_a_line_of_its_own() -> None:
    found = csv_items('name,maker\nbolt\n"a"b,c\n"d"e,f\nnut,\n')
    assert lines_and_names(found) == [(2, "rejected"), (3, "rejected"), (4, "rejected"), (5, "nut")]


def test_a_quote_that_never_closes_is_rejected_not_lost() -> None:
    found = csv_items('name,maker\nnut,\n"bolt,Acme\nscrew,Acme\n')
    assert lines_and_names(found) == [(2, "nut"), (3, "rejected"), (4, "screw")]
    assert "not valid CSV" in only_reject(found).reason
    assert only_reject(found).raw == '"bolt,Acme'


def test_the_lines_of_a_broken_cell_stay_with_their_row() -> None:
    found = csv_items('name,maker,weight\n"bolt "M8" of\nsteel and\nzinc",Acme,\nnut,,\n')
    assert lines_and_names(found) == [(2, "rejected"), (4, "rejected"), (5, "nut")]
    assert isinstance(found[0], Rejected)
    assert found[0].raw == '"bolt "M8" of\nsteel and'


def test_a_quote_that_closes_by_chance_swallows_no_row() -> None:
    found = csv_items('name,maker,weight\nbolt,"Acme,1\nnut,Acme,2\nscrew,Acme",3\n')
    assert lines_and_names(found) == [(2, "rejected"), (3, "nut"), (4, "screw")]


def test_a_key_that_comes_again_in_a_file_is_said() -> None:
    found = csv_items("name,maker\nbolt,\nnut,\nbolt,Acme\n")
    assert [item.repeats for item in found if isinstance(item, Accepted)] == [None, None, 2]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not valid JSON"),
        ("[1]", "row: "),
        ("7", "row: "),
        ('{"name": ""}', "name: "),
        ('{"name": "bolt", "weight": NaN}', "weight: "),
        ('{"name": "bolt", "weight": -1}', "weight: "),
        ('{"name": "bolt", "colour": "red"}', "colour: "),
        ('{"maker": "Acme"}', "name: "),
        ('{"name": "b\\u0000lt"}', "name: "),
        ('{"name": "\\ud800"}', "name: "),
        ("[" * 200_000, "not valid JSON"),
        ('{"name": ' + "[" * 30 + "]" * 30 + "}", "the row is nested deeper"),
        ('{"name": "bolt", "a": [' + "1," * 20_000 + "1]}", "the row has more than 10,000 values"),
        ('{"name": "=HYPERLINK(\\"http://x\\",\\"bolt\\")"}', "name: a spreadsheet would run this"),
        ('{"name": ' + "9" * 5000 + "}", "not valid JSON"),
    ],
)
def test_a_bad_json_line_is_rejected_with_its_reason(line: str, reason: str) -> None:
    found = json_items(f'{{"name": "nut"}}\n{line}\n{{"name": "bolt"}}\n')
    assert lines_and_names(found) == [(1, "nut"), (2, "rejected"), (3, "bolt")]
    assert only_reject(found).reason.startswith(reason)


@pytest.mark.parametrize(
    "line", [b'{"name": "b\xfflt"}', b'{"na\xffme": 1}', b'{"na\\u0000me": 1}', b'{"\\ud800": 1}', b"\x00\xff{"]
)
def test_a_reject_can_always_be_stored(line: bytes) -> None:
    reject = only_reject(json_items(line))
    for text in (reject.reason, reject.raw):
        assert "\x00" not in text
        assert text.encode()


def test_bad_utf8_in_csv_is_rejected_and_shown_escaped() -> None:
    found = csv_items("name,maker\nöse,Größe\n".encode() + b"b\xfflt,\nnut,\n")
    assert lines_and_names(found) == [(2, "öse"), (3, "rejected"), (4, "nut")]
    reject = only_reject(found)
    assert reject.reason.startswith("name: ")
    assert "udcff" in reject.raw


def test_a_huge_row_is_accepted_whole_and_a_rejected_one_is_kept_in_part() -> None:
    [accepted, rejected] = json_items(
        json.dumps({"name": "x" * 250_000}) + "\n" + json.dumps({"name": "y" * 400_000})
    )
    assert isinstance(accepted, Accepted)
    assert len(accepted.row.model_dump()["name"]) == 250_000
    assert isinstance(rejected, Rejected)
    assert len(rejected.raw) == LONGEST_RAW


names = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=20).filter(
    lambda name: plain(name) == name and not is_formula(name)
)


@given(st.lists(st.fixed_dictionaries({"name": names, "maker": st.none() | names}), max_size=8))
def test_json_lines_give_back_every_row_verbatim(rows: list[dict[str, str | None]]) -> None:
    content = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    found = [item.row.model_dump(exclude={"weight"}) for item in json_items(content) if isinstance(item, Accepted)]
    assert found == rows


@dataclass(frozen=True)
class Keys:
    """The keys of each chunk."""

    chunks: list[list[str]]

    @classmethod
    def of(cls, keys: list[str], *, size: int) -> "Keys":
        rows = (Accepted(line, PartRow(name=key)) for line, key in enumerate(keys))
        return cls(
            [
                [str(item.row.model_dump()["name"]) for item in chunk if isinstance(item, Accepted)]
                for chunk in chunks(rows, identity_of=lambda row: (row.model_dump()["name"],), size=size)
            ]
        )


def test_a_repeated_key_starts_the_next_chunk() -> None:
    assert Keys.of(["a", "b", "a", "c"], size=10).chunks == [["a", "b"], ["a", "c"]]


@given(st.lists(st.sampled_from("abcdef"), max_size=40), st.integers(1, 7))
def test_chunks_keep_order_size_and_distinct_keys(keys: list[str], size: int) -> None:
    found = Keys.of(keys, size=size).chunks
    assert [key for chunk in found for key in chunk] == keys
    assert all(0 < len(chunk) <= size and len(set(chunk)) == len(chunk) for chunk in found)
