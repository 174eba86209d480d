"""Buckets that are refilled with time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.admission import MOST_BUCKETS, RateLimit, Refusals, network_of


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_burst_passes_then_one_each_interval() -> None:
    clock = Clock()
    limit = RateLimit[tuple[str, str]](per_minute=60, burst=2, clock=clock)
    assert [limit.take(("acme", "kim")) for _ in range(3)] == [0, 0, 1]
    clock.now = 0.5
    assert limit.take(("acme", "kim")) == 0.5
    clock.now = 1.0
    assert limit.take(("acme", "kim")) == 0


def test_the_same_name_in_another_tenant_is_another_principal() -> None:
    limit = RateLimit[tuple[str, str]](per_minute=60, burst=1, clock=Clock())
    assert limit.take(("acme", "kim")) == 0
    assert limit.take(("rival", "kim")) == 0


@given(st.lists(st.floats(0, 10), max_size=60))
def test_never_more_pass_than_the_burst_and_what_time_has_earned(pauses: list[float]) -> None:
    clock = Clock()
    limit = RateLimit[tuple[str, str]](per_minute=60, burst=5, clock=clock)
    passed = 0
    for pause in pauses:
        clock.now += pause
        passed += limit.take(("acme", "kim")) == 0
    assert passed <= 5 + clock.now + 1e-6


def test_looking_takes_nothing() -> None:
    limit = RateLimit[str](per_minute=60, burst=1, clock=Clock())
    assert [limit.wait("192.0.2.1") for _ in range(3)] == [0, 0, 0]
    assert limit.take("192.0.2.1") == 0
    assert limit.wait("192.0.2.1") == 1


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::"),
        ("2001:db8:1:3::1", "2001:db8:1:3::"),
        ("", ""),
    ],
)
def test_all_addresses_of_an_ipv6_customer_are_one(address: str, network: str) -> None:
    assert network_of(address) == network


def test_ever_new_addresses_take_no_more_room() -> None:
    limit = RateLimit[int](per_minute=60, burst=1, clock=Clock())
    for number in range(MOST_BUCKETS + 10):
        limit.take(number)
    assert limit.wait(0) == 0
    assert limit.wait(MOST_BUCKETS) == 1


def test_bad_keys_of_one_id_keep_no_other_key_behind_the_address_from_being_looked_up() -> None:
    clock = Clock()
    refusals = Refusals(per_minute=30, clock=clock)
    told = 0
    for _ in range(3000):
        told += refusals.take("192.0.2.1", key_id="guessed") == 0
        clock.now += 0.02
        assert refusals.wait("192.0.2.1", key_id="new") == 0
    assert told <= 30 + 30


def test_one_invented_id_a_second_keeps_no_new_key_out() -> None:
    clock = Clock()
    refusals = Refusals(per_minute=30, clock=clock)
    for number in range(600):
        assert refusals.take("192.0.2.1", key_id=str(number)) == 0
        clock.now += 1.0
    assert refusals.wait("192.0.2.1", key_id="new") == 0


def test_ever_new_ids_of_an_address_have_a_limit_too() -> None:
    refusals = Refusals(per_minute=3, clock=Clock())
    told = [refusals.take("192.0.2.1", key_id=str(number)) for number in range(100)]
    assert sum(seconds == 0 for seconds in told) == 60
    assert refusals.wait("192.0.2.1", key_id="new") > 0
    assert refusals.wait("192.0.2.2", key_id="new") == 0
