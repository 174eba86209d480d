"""make preview: what load_check says of a file, and the mapping that it writes beside it."""

from pathlib import Path

import pytest

from local.failure import LocalError
from local.preview import GUESSED
from tests.customers.files import COMPANIES, HOUSE
from tests.integration.onboarding.conftest import Desk

OVEN = "families", "family,name,words\noven,Oven,ovens\n"
FIELDS = '{ from = "Typ" }'


def test_it_takes_columns_for_what_the_tenant_declared_and_says_the_one_count_that_the_load_has(
    desk: Desk, tmp_path: Path
) -> None:
    desk.load(kind="families", text="family,words\npump,\n")
    desk.load(kind="attributes", text="name,families,unit,words\nhead,pump,m,\nrate,pump,l/s,Flow\n")
    file = tmp_path / "Price List 2026.xlsx"
    file.write_bytes(COMPANIES["cascade"]()[file.name])
    told = desk.previewed("products", file, constants={"family": "pump"})
    assert "attributes.head              from 'Head (ft)' in ft" in told
    assert "attributes.rate              from 'Flow (GPM)' in GPM" in told
    assert "'rate': {'value': 3.78541, 'raw': '60 GPM', 'unit': 'GPM'}" in told
    assert "Head (ft): " not in told
    [count] = [line for line in told.splitlines() if line.startswith("Of ")]
    mapping = file.with_name(f"{file.name}.products.toml").read_text("utf-8")
    answer = desk.load(kind="products", file=file.name, mapping=mapping)
    assert count.startswith(f"Of {answer['rows']['read']} rows: {answer['rows']['new']} new")
    assert "would be" not in told


def test_a_guess_that_nobody_edited_is_made_anew_and_an_edited_one_is_kept(desk: Desk, tmp_path: Path) -> None:
    desk.load(kind=OVEN[0], text=OVEN[1])
    file = tmp_path / "list.csv"
    file.write_text("Model;Mfg;Description;Width (mm)\nA;Acme;Oven A;80\nB;Acme;Oven B;90\n")
    assert "attributes.width" not in desk.previewed(
        "products", file, constants={"category": "OVEN", "family": "oven"}
    )
    desk.load(kind="attributes", text="name,unit\nwidth,mm\n")
    told = desk.previewed("products", file, constants={"category": "OVEN", "family": "oven"})
    assert "attributes.width" in told
    written = file.with_name("list.csv.products.toml")
    assert written.read_text().startswith(GUESSED)
    written.write_text(written.read_text().replace('"OVEN"', '"Bakery"'))
    assert "category: Bakery" in desk.previewed("products", file)
    with pytest.raises(LocalError, match="SET is for a new guess"):
        desk.previewed("products", file, constants={"category": "OVEN"})


def test_what_set_says_and_no_row_has_is_refused_once(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "prices.csv"
    file.write_text("SKU;Price EUR\nA;1,50\nB;2,50\n")
    said = 'kind = "prices"\n[[tables]]\nconstants = { vat = "20" }\nfields = {}\n'
    told = desk.refused("load_check", kind="prices", file=desk.put(file.name, file.read_bytes()), mapping=said)
    assert "vat: no field of prices, whose fields are price_book_id, product_id, price" in told


def test_of_headings_that_nobody_knows_a_mapping_is_written_with_what_is_needed(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "Cmimet.csv"
    file.write_text("Ref.;Emërtimi;Çmimi 1+\nA-1;Pompë;389,00\nA-2;Pompë 2;468,50\n")
    told = desk.previewed("prices", file, constants={"price_book_id": "pb_2026"})
    assert "NEEDED: price has no column" in told
    assert "column 'Çmimi 1+' is read by no field: 2 cells" in told
    written = file.with_name("Cmimet.csv.prices.toml").read_text("utf-8")
    assert "# NEEDED: price has no column: set it in constants, or name one." in written
    assert 'product_id = { from = "Ref." }' in written


def test_where_no_heading_is_known_all_columns_are_written_to_be_filled_in(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "Mallrat.csv"
    file.write_text("Kodi;Emërtimi\nA-1;Pompë\nA-2;Pompë 2\n")
    told = desk.previewed("products_for_sale", file)
    assert "column 'Emërtimi' is read by no field: 2 cells" in told
    assert "NEEDED: id has no column" in told
    written = file.with_name("Mallrat.csv.products_for_sale.toml").read_text("utf-8")
    assert '# FIELD = { from = "Kodi" }\n# FIELD = { from = "Emërtimi" }\n' in written
    assert "product_type (simple, configurable, service), needed" in written


def test_a_kind_that_is_not_guessed_says_how_it_is_given(desk: Desk, tmp_path: Path) -> None:
    with pytest.raises(LocalError, match=r"make ingest KIND=house FILE=…: id, currency, .*, facts \(as JSON\)\."):
        desk.previewed("house", tmp_path / "house.csv")
    with pytest.raises(LocalError, match=r"KIND=units FILE=…: symbol, spellings \(as a\|b\), dimension"):
        desk.previewed("units", tmp_path / "units.csv")


def test_causes_stand_above_rows_with_their_cells_and_gaps_below(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "Preisliste_2026.xlsx"
    file.write_bytes(COMPANIES["harz"]()[file.name])
    for kind in ("families", "attributes"):
        desk.load(kind=kind, text=(HOUSE / "harz" / f"{kind}.csv").read_text("utf-8"))
    told = desk.previewed("products", file)
    assert "attributes.power: 8 of 12" in told
    assert told.index("Such as") < told.index("A filter never finds")


def test_headings_are_taken_for_declared_families(desk: Desk, tmp_path: Path) -> None:
    desk.load(kind="families", text="family,name,words\nmixer,Mixer,mixers;spiral mixer\nprover,,provers\n")
    file = tmp_path / "list.csv"
    rows = ("Spiral mixers,,", "SM25,Fixed bowl 25 kg,3450", "SM50,Fixed bowl 50 kg,4980",
            "Provers and retarders,,", "PR1,Cabinet of 18 trays,2950", "PR2,Cabinet of 36 trays,8640")  # fmt: skip
    file.write_text("\n".join(("Code,Description,List price £", *rows)))
    told = desk.previewed("products", file, constants={"manufacturer": "Hearth"})
    assert "Spiral mixers = mixer, Provers and retarders = prover" in told
    assert "Of 4 rows: 4 new" in told
    assert "PLEASE CHECK: family" not in told


def test_how_a_file_is_written_may_be_said_with_a_new_guess(desk: Desk, tmp_path: Path) -> None:
    desk.load(kind="families", text="family\nvalve\n")
    file = tmp_path / "klienci.csv"
    file.write_bytes("Artikel;Hersteller;Bezeichnung\nŁ-1;Kłos;Łąka\nŚ-2;Kłos;Kula\n".encode("cp1250"))
    constants = {"family": "valve", "category": "x", "encoding": "cp1250"}
    assert "model: Ł-1; manufacturer: Kłos" in desk.previewed("products", file, constants=constants)
    assert 'encoding = "cp1250"' in file.with_name("klienci.csv.products.toml").read_text("utf-8")


def test_columns_left_over_are_written_as_the_houses_language_reads_the_file(desk: Desk, tmp_path: Path) -> None:
    desk.ingest("house", [{"currency": "HUF", "language": "hu"}])
    file = tmp_path / "vevok.csv"
    file.write_bytes("Vevőkód;Vevő;Ország;Űrlap\n1;Győri Fűrész;HU;őz\n2;Kő;HU;fű\n".encode("cp1250"))
    desk.previewed("accounts", file, constants={"segment": "trade"})
    written = file.with_name("vevok.csv.accounts.toml").read_text("utf-8")
    assert [line for line in written.splitlines() if "# FIELD" in line] == ['# FIELD = { from = "Űrlap" }']


def test_what_no_row_stores_is_listed_with_its_values_and_what_nobody_declared_is_a_cause(
    desk: Desk, tmp_path: Path
) -> None:
    desk.load(kind=OVEN[0], text=OVEN[1])
    file, written = tmp_path / "list.csv", tmp_path / "map.toml"
    file.write_bytes("Model;Breite;Rabatt;Lager\nŁ-1;;A1;ja\nŁ-2;12,5;A1;nein\nŁ-3;;B2;ja\n".encode("cp1250"))
    written.write_text(
        'kind = "products"\nnumbers = "1.234,56"\nencoding = "cp1250"\n[[tables]]\naside = ["Lager"]\n'
        '[tables.constants]\nmanufacturer = "Acme"\ncategory = "OVEN"\nfamily = "oven"\ndescription = "An oven"\n'
        '[tables.fields]\nmodel = { from = "Model" }\n"attributes.width" = { from = "Breite" }\n',
        "utf-8",
    )
    told = desk.previewed("products", file, given=written)
    assert "Of 3 rows: 2 new, 1 rejected" in told
    assert "attributes.width is no attribute of your goods: there is none yet; declare it first" in told
    assert "column 'Rabatt' is read by no field: 3 cells, 'A1' (2), 'B2'" in told
    assert "'Lager' is read by no field" not in told
