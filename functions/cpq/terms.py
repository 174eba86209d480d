"""Dates of a quote: when its term ends, how long it is valid, and what dates may be asked for."""

import calendar
from datetime import date, timedelta

VALID_FOR = timedelta(days=30)
"""How long a quote can be accepted when nobody says."""

LONGEST_TERM = 600
FURTHEST = timedelta(days=3660)
"""A date further away than ten years is a slip of the pen."""


def day(text: str) -> date | None:
    """A date written YYYY-MM-DD; None when it is none."""
    try:
        return date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        return None


def last_day(start: date, *, months: int) -> date:
    """Last day of a term: the day before the same day ``months`` later, or before that month's last one."""
    years, month = divmod(start.month - 1 + months, 12)
    year, month = start.year + years, month + 1
    same_day = min(start.day, calendar.monthrange(year, month)[1])
    return date(year, month, same_day) - timedelta(days=1)
