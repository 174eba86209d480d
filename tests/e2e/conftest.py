"""One real stack for all end-to-end tests, on a data directory of its own."""

from collections.abc import Iterator

import pytest

from local.stack import Stack, require
from tests.house import House, new_house


@pytest.fixture(scope="session")
def house() -> Iterator[House]:
    with new_house() as house:
        yield house


@pytest.fixture
def stack(house: House) -> Stack:
    """As it is now: process ids change when a part was killed, and the port when the stack was restarted."""
    return require(house.data_dir)
