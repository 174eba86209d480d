"""What holds for any text: reading never fails, words are verbatim, bounds agree, and it takes no time."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarry.understanding.fit import judge, short
from quarry.understanding.needs import Request
from tests.unit.understanding.test_fit import SCREW
from tests.unit.understanding.trade import read

WORDS = """
100 7,5 1.200 -40 ½ hp cfm m³/h bar mbar inHg °C V 3/60 460 to not no ohne sin or and only for with oil free
oilless compressor Trockner tank QMB30 QMB DSP-75 XK-20 Quincy
powrex BOGE since 2024 50k minus two hundred replace required n+1 x 1) 2) ( , . $ | ≤ – - /
é ß İ 😀 ٣ Ⅷ ²
"""
PHRASES = [
    "at least",
    "bomba de vacío",
    "dew point",
    "10 hp",
    "300 cfm",
    "compressors:",
    "\n- ",
    "lost to",
    "has died",
]
PIECES = st.sampled_from([*WORDS.split(), "\n", '"', "\u0301", *PHRASES])
TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(PIECES, max_size=40).map(" ".join),
    st.lists(PIECES, max_size=40).map("".join),
)
HOSTILE = {
    "units": "100 hp 300 cfm 7 bar ",
    "figures": "1 2 3 4 ",
    "letters": "a b c d ",
    "negations": "no not without ",
    "mixed": "x1y2z3 ",
    "dashes": "-",
    "blanks": " ",
    "alternatives": "scroll or claw, ",
    "families": "compressor and dryer, ",
    "models": "QMB31 XK-20 ",
    "one word": "a",
    "one figure": "1",
    "supplies": "460/3/60/",
    "points": ",1.",
    "unknown words": "ölfreie Kompressoren qwertzuiop ",
    "years": "since 2024 in 2023 ",
    "money": "$50,000 20k EUR ",
    "brackets": "((((",
    "quotes": "27\" Hg ''",
    "combining": "e\u0301",
    "lines": "- 50 hp\n",
}


@given(TEXTS)
@settings(max_examples=400, deadline=None)
def test_any_text_is_read_and_its_words_are_its_own(text: str) -> None:
    request = read(text)
    assert isinstance(request, Request)
    for item in request.items:
        assert item.text in text
        assert item.quantity is None or item.quantity > 0
        for need in item.needs:
            assert need.words in text
            assert need.words
            assert need.low is None or need.high is None or need.low <= need.high
            assert need.operator not in ("one_of", "none_of") or need.values
            assert need.operator != "between" or (need.low is not None and need.high is not None)
            assert need.operator != "at_least" or (need.low is not None and need.high is None)
            assert need.operator != "at_most" or (need.low is None and need.high is not None)
    assert all(word in text for word in request.not_understood)


@given(TEXTS)
@settings(max_examples=150, deadline=None)
def test_any_item_is_judged_and_said(text: str) -> None:
    for item in read(text).items:
        judged = judge(item, SCREW)
        assert judged.met + judged.close + judged.unknown + judged.contradicted == len(judged.findings)
        assert short(judged.findings) or not judged.findings


def _processor_time(text: str) -> float:
    best = 1.0
    for _ in range(5):
        start = time.process_time()
        read(text)
        best = min(best, time.process_time() - start)
    return best


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_text_is_read_in_a_few_milliseconds(kind: str) -> None:
    """5 ms on a quiet machine; the bound is generous, because tests run on busy ones."""
    piece = HOSTILE[kind]
    assert _processor_time((piece * 10_000)[:10_000]) < 0.04


def test_reading_grows_no_faster_than_the_text() -> None:
    text = "oil-free screw compressor 100 hp at least 400 cfm, not Quincy. "
    short_text, long_text = _processor_time(text * 2), _processor_time(text * 8)
    assert long_text < 12 * short_text + 0.002


def test_what_is_not_read_of_a_long_text_is_counted() -> None:
    assert read("oil-free screw 100 hp").unread == 0
    assert read("word " * 1000).unread > 2000
