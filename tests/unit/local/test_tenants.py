"""Which tenant a stack serves, and when its sample counts as loaded."""

from pathlib import Path

import pytest

from local import sample
from local.failure import LocalError
from local.files import ROOT
from local.settings import read_settings
from local.tenants import Choice, choose


def chosen(data_dir: Path, **variables: str) -> tuple[str, bool]:
    choice = choose(read_settings({"DATA_DIR": str(data_dir), **variables}))
    return choice.tenant, choice.sample


def test_a_plain_start_serves_the_sample(tmp_path: Path) -> None:
    assert chosen(tmp_path) == ("sample", True)


def test_a_data_directory_remembers_its_tenant_and_that_it_has_no_sample(tmp_path: Path) -> None:
    assert chosen(tmp_path, TENANT="acme", SAMPLE="0") == ("acme", False)
    Choice(tenant="acme", sample=False).keep(tmp_path)
    assert chosen(tmp_path) == ("acme", False)
    assert chosen(tmp_path, SAMPLE="1") == ("acme", True)
    assert chosen(tmp_path, TENANT="globex") == ("globex", False)


def test_an_empty_start_wants_a_name(tmp_path: Path) -> None:
    with pytest.raises(LocalError, match="NEW_TENANT=1 SAMPLE=0 TENANT=acme make serve"):
        chosen(tmp_path, SAMPLE="0")


def test_a_name_that_no_tenant_can_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LocalError, match="TENANT: "):
        chosen(tmp_path, TENANT="Acme Inc.")


def test_the_sample_counts_as_loaded_until_one_of_its_rows_or_the_cluster_changes(tmp_path: Path) -> None:
    rows = tmp_path / "products.csv"
    rows.write_text("a")
    wanted = sample.fingerprint((rows,), cluster="one")
    assert not sample.is_loaded(tmp_path, wanted=wanted)
    sample.record(tmp_path, loaded=wanted)
    (tmp_path / "README.md").write_text("no row")
    assert sample.is_loaded(tmp_path, wanted=sample.fingerprint((rows,), cluster="one"))
    assert not sample.is_loaded(tmp_path, wanted=sample.fingerprint((rows,), cluster="two"))
    rows.write_text("b")
    assert not sample.is_loaded(tmp_path, wanted=sample.fingerprint((rows,), cluster="one"))


def test_no_file_that_only_tells_about_the_sample_is_part_of_it() -> None:
    assert {path.suffix for path in sample.FILES} == {".csv", ".jsonl"}
    assert all(path.is_relative_to(ROOT / "local" / "corpus") for path in sample.FILES)
