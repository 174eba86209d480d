"""What makes two calls the same write."""

from pydantic import Field

from cpq.idempotency import arguments_digest
from quarry.tool.contract import Args


class DraftArgs(Args):
    account_id: str
    currency: str | None = None
    idempotency_key: str | None = None


class LaterDraftArgs(DraftArgs):
    notes: list[str] = Field(default_factory=list)
    units: str = "us"


def test_a_call_can_be_repeated_to_a_release_that_knows_more_arguments() -> None:
    before = DraftArgs(account_id="acct_1", idempotency_key="first")
    after = LaterDraftArgs(account_id="acct_1", currency=None, units="us", idempotency_key="second")
    assert arguments_digest(before) == arguments_digest(after)


def test_other_arguments_are_another_write() -> None:
    one, other = (LaterDraftArgs(account_id="acct_1", units=units) for units in ("us", "metric"))
    assert arguments_digest(one) != arguments_digest(other)
