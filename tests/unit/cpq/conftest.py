"""Drafts that the tests of check_draft share."""

import pytest

from tests.drafting.composing import Drafted
from tests.unit.cpq.checked_drafts import letter


@pytest.fixture(scope="module")
def priced() -> Drafted:
    return letter("priced small screw with receiver")
