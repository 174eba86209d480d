"""Damaged staging files: nothing is read wrongly and every row is accounted for; `make damaged` takes more seeds."""

import pytest

from tests.damaged.files import problems


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "files"), [(18, 300), (1, 60), (7, 60)])
def test_nothing_is_read_wrongly_and_nothing_is_unaccounted(seed: int, files: int) -> None:
    assert list(problems(seed, files=files)) == []
