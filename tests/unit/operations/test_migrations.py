"""Migration files, as they are read."""

from pathlib import Path

import pytest

from operations.migrations import read
from quarry.tool.errors import ValidationFailed


def write(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).write_text(f"SELECT '{name}';", "utf-8")
    return folder


def test_migrations_come_in_order_with_their_checksums(tmp_path: Path) -> None:
    found = read(write(tmp_path, "0002_b.sql", "0001_a.sql", "schema.sql", "README.md"))
    assert [(migration.version, migration.name) for migration in found] == [(1, "0001_a"), (2, "0002_b")]
    assert len({migration.sha256 for migration in found}) == 2


@pytest.mark.parametrize(
    "names",
    [
        (),
        ("0002_b.sql",),
        ("0001_a.sql", "0003_c.sql"),
        ("0001_a.sql", "0001_b.sql"),
        ("0001_a.sql", "2_b.sql"),
        ("0001_a.sql", "0002-b.sql"),
    ],
)
def test_a_gap_a_repeated_number_a_wrong_name_and_an_empty_folder_are_refused(
    tmp_path: Path, names: tuple[str, ...]
) -> None:
    with pytest.raises(ValidationFailed, match=r"0001, 0002, … without gaps"):
        read(write(tmp_path, *names))
