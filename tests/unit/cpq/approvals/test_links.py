"""Approval tokens: only what this key signed is read, in one spelling, and a key has to be one."""

import string
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from cpq.approvals import links
from quarry.data.settings import Settings
from quarry.tool.errors import Unavailable

KEY = b"a key that is long enough to sign with"
EXPIRY = datetime(2026, 2, 26, 15, 40, tzinfo=UTC)


def minted() -> str:
    return links.mint(KEY, tenant="acme", request_id="APR-2026-0089", expires_at=EXPIRY)


def test_what_was_minted_is_read_back_and_no_two_are_alike() -> None:
    token = minted()
    assert links.read(KEY, token) == links.Claim("acme", "APR-2026-0089", EXPIRY, token)
    assert minted() != minted()


def test_a_token_needs_no_escaping_in_an_address() -> None:
    assert set(minted()) <= set(string.ascii_letters + string.digits + "-_.")


@given(place=st.integers(0, 130), character=st.sampled_from(string.ascii_letters + string.digits + "-_.=|é"))
def test_any_other_character_anywhere_makes_it_worthless(place: int, character: str) -> None:
    token = minted()
    place %= len(token)
    if token[place] != character:
        assert links.read(KEY, token[:place] + character + token[place + 1 :]) is None


@given(st.text(max_size=200))
def test_nonsense_is_never_read_and_never_raises(text: str) -> None:
    assert links.read(KEY, text) is None


def test_another_key_reads_nothing() -> None:
    assert links.read(b"another key that is long enough as well", minted()) is None


def test_a_forms_token_holds_for_one_link_and_one_visit() -> None:
    token, other = minted(), minted()
    mine = links.form_token(KEY, token=token, visit="v")
    assert mine == links.form_token(KEY, token=token, visit="v")
    assert mine != links.form_token(KEY, token=other, visit="v")
    assert mine != links.form_token(KEY, token=token, visit="w")


@pytest.mark.parametrize("key", [None, "", "too short"])
def test_a_missing_or_short_key_is_refused_with_what_to_set(key: str | None) -> None:
    settings = Settings(approval_key=None if key is None else SecretStr(key))
    with pytest.raises(Unavailable, match="APPROVAL_KEY_SECRET_ID"):
        links.signing_key(settings)
