"""What was meant by a value that does not exist."""

import difflib
from collections.abc import Iterable


def alike(value: str, known: Iterable[str], *, most: int = 3) -> list[str]:
    """Known values that look like ``value`` or contain it, best first."""
    known = list(known)
    by_fold = {name.casefold(): name for name in known}
    close = difflib.get_close_matches(value.casefold(), list(by_fold), n=most, cutoff=0.6)
    wanted = value.casefold().rstrip("/")
    containing = [name for name in by_fold if len(wanted) > 2 and wanted in name and name not in close]
    return [by_fold[name] for name in [*close, *containing][:most]]
