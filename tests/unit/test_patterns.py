"""No text from outside hangs a pattern: the time that any of them takes grows no faster than the text."""

import re
import signal
import time
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from quarry.attributes.units import shipped
from quarry.reading.languages import words_of
from tests.hostile_shapes import shapes
from tests.patterns import METHODS, collected

SHORT, LONG = 500, 2_000
QUICK = 0.0000004
"""Seconds a character: what is quicker at LONG is not quadratic, whose cheapest step takes a nanosecond or two."""

HANGS = 0.1
GROWTH = LONG / SHORT * 2.2
"""How much longer LONG may take than SHORT. Quadratic is 16 times, linear 4."""


class Hangs(Exception):
    pass


def stop(*_: object) -> None:
    raise Hangs


@pytest.fixture
def alarm() -> Iterator[None]:
    before = signal.signal(signal.SIGPROF, stop)
    yield
    signal.signal(signal.SIGPROF, before)


def run(pattern: re.Pattern[Any], method: str, text: str | bytes) -> None:
    if method in ("sub", "subn"):
        pattern.sub(text[:0], text)
    elif method == "finditer":
        deque(pattern.finditer(text), maxlen=0)
    else:
        getattr(pattern, method)(text)


def seconds(pattern: re.Pattern[Any], method: str, text: str | bytes, *, repeats: int = 1) -> float:
    """CPU time of the quickest run, HANGS where it takes longer."""
    best = HANGS
    for _ in range(repeats):
        signal.setitimer(signal.ITIMER_PROF, HANGS)
        try:
            begun = time.thread_time()
            run(pattern, method, text)
            best = min(best, time.thread_time() - begun)
        except Hangs:
            return HANGS
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    return best


def grows(pattern: re.Pattern[Any], method: str, texts: Mapping[int, str | bytes]) -> bool:
    """Whether it is so each time: a busy machine is slow at times."""
    if seconds(pattern, method, texts[LONG]) < QUICK * LONG:
        return False
    for _ in range(3):
        long, short = (seconds(pattern, method, texts[length], repeats=3) for length in (LONG, SHORT))
        if long < HANGS and long < GROWTH * short:
            return False
    return True


def slow(pattern: re.Pattern[Any], methods: set[str]) -> str | None:
    """How a text makes the pattern slow, or None."""
    for shape in shapes(pattern):
        texts: dict[int, str | bytes] = {length: shape.text(length) for length in (SHORT, LONG)}
        if isinstance(pattern.pattern, bytes):
            texts = {length: str(text).encode("latin-1", "replace") for length, text in texts.items()}
        for method in methods or METHODS[:4]:
            if grows(pattern, method, texts):
                return f"{method} over {shape}"
    return None


@pytest.mark.slow
@pytest.mark.usefixtures("alarm")
def test_no_text_hangs_a_pattern() -> None:
    found = collected({"pattern": shipped().pattern, "per": words_of(None).per})
    assert len(found) > 200
    slow_ones = {
        f"{each.place}: {each.pattern.pattern!r}": how for each in found if (how := slow(each.pattern, each.methods))
    }
    assert not slow_ones, "\n".join(f"{place} → {how}" for place, how in slow_ones.items())


@pytest.mark.usefixtures("alarm")
@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (r"(a+)+$", "match"),
        (r"\s+$", "sub"),
        (r"<!--.*?-->", "sub"),
        (r"x\d*\d*y", "fullmatch"),
        (r"(?:\d{3} )+(?:\d{3} )+$", "match"),
        (r"1(?:e|et|to|o)+;", "match"),
        (rb"k=[^;]+;", "search"),
    ],
)
def test_a_pattern_that_hangs_is_found(pattern: Any, method: str) -> None:
    assert slow(re.compile(pattern), {method})
