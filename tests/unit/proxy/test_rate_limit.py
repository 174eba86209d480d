"""A bucket per principal, refilled with time."""

from hypothesis import given
from hypothesis import strategies as st

from proxy.rate_limit import RateLimit


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_burst_passes_then_one_each_interval() -> None:
    clock = Clock()
    limit = RateLimit(per_minute=60, burst=2, clock=clock)
    assert [limit.take(("acme", "kim")) for _ in range(3)] == [0, 0, 1]
    clock.now = 0.5
    assert limit.take(("acme", "kim")) == 0.5
    clock.now = 1.0
    assert limit.take(("acme", "kim")) == 0


def test_the_same_name_in_another_tenant_is_another_principal() -> None:
    limit = RateLimit(per_minute=60, burst=1, clock=Clock())
    assert limit.take(("acme", "kim")) == 0
    assert limit.take(("rival", "kim")) == 0


@given(st.lists(st.floats(0, 10), max_size=60))
def test_never_more_pass_than_the_burst_and_what_time_has_earned(pauses: list[float]) -> None:
    clock = Clock()
    limit = RateLimit(per_minute=60, burst=5, clock=clock)
    passed = 0
    for pause in pauses:
        clock.now += pause
        passed += limit.take(("acme", "kim")) == 0
    assert passed <= 5 + clock.now + 1e-6
