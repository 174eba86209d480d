"""Depth and number of values, counted without parsing, agree with what a parser finds."""

import json
import time
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from proxy.endpoint import too_complex

TEXT = st.text(alphabet='[]{},"\\ab:', max_size=8)
VALUE = st.recursive(
    st.none() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=30,
)


def depth(value: Any) -> int:
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0


@given(VALUE, st.integers(0, 6))
def test_depth_is_what_a_parser_finds(value: Any, most: int) -> None:
    assert too_complex(json.dumps(value).encode(), most_depth=most, most_values=10_000) is (depth(value) > most)


@given(st.lists(TEXT, max_size=30), st.integers(0, 30))
def test_items_are_counted_and_what_text_holds_is_not(items: list[str], most: int) -> None:
    found = max(len(items), 1)
    assert too_complex(json.dumps(items).encode(), most_depth=9, most_values=most) is (found > most)


def test_a_string_without_an_end_costs_one_pass() -> None:
    hostile = b'{"a":[' + b"[" * 100 + b'"' + rb"\"," * 300_000
    started = time.process_time()
    too_complex(hostile, most_depth=64, most_values=20_000)
    # A pass over a megabyte takes some 20 ms; the square of it, hours.
    assert time.process_time() - started < 2
