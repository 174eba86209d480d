"""Changes of a kept draft by path, so that nobody sends a page again for one number of it."""

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, cast

from pydantic import Field, ValidationError

from cpq.drafts.value import LONGEST_PAGE, DraftArgs, LetterArgs, Named
from cpq.model import Problem

MOST_CHANGES = 100


class ChangeArgs(LetterArgs):
    """``to`` takes the place of ``old`` in a text, else of the whole; unset, that goes."""

    path: Named = Field(description="As items/1/note.")
    old: str | None = Field(default=None, max_length=LONGEST_PAGE, description="Part of a text.")
    to: str | None = Field(default=None, max_length=LONGEST_PAGE, description="Rows as JSON.")


def changed(content: DraftArgs, changes: Sequence[ChangeArgs]) -> tuple[DraftArgs, list[Problem]]:
    """The draft with all changes, in their order, and what is wrong with them; with a problem nothing is changed."""
    tree = content.model_dump(mode="json", by_alias=True, exclude_unset=True)
    problems = []
    for number, change in enumerate(changes, 1):
        if told := _change(tree, change):
            problems.append(Problem(code="NOT_FOUND", path=f"changes/{number} ({change.path})", message=told))
    if problems:
        return content, problems
    try:
        return DraftArgs.model_validate({name: value for name, value in tree.items() if value != []}), []
    except ValidationError as error:
        return content, [
            Problem(
                code="INVALID",
                path="/".join(str(part + 1 if isinstance(part, int) else part) for part in each["loc"]),
                message=f"{each['msg']}.",
            )
            for each in error.errors()
        ]


def _change(tree: dict[str, Any], change: ChangeArgs) -> str | None:
    """Makes it in the tree; what is wrong with it where it cannot be made."""
    names, holder = change.path.split("/"), cast("Any", tree)
    for name, following in pairwise(names):
        if following == "1" and isinstance(holder, dict):
            holder.setdefault(name, [])
        holder = _at(holder, name)
        if holder is None:
            return f"'{name}' is not there; {_there(tree)}"
    last = names[-1]
    now = _at(holder, last)
    if change.old is not None:
        count = now.count(change.old) if isinstance(now, str) else 0
        if count != 1:
            return f"the old text stands there {count} times and has to stand once."
        return _put(holder, last, now.replace(change.old, change.to or ""))
    if change.to is None:
        if now is None:
            return f"it is not there; {_there(tree)}"
        del holder[last if isinstance(holder, dict) else int(last) - 1]
        return None
    return _put(holder, last, _value(change.to))


def _at(holder: object, name: str) -> Any:
    if isinstance(holder, list):
        return holder[int(name) - 1] if _is_place(name, of=len(holder)) else None
    return holder.get(name) if isinstance(holder, dict) else None


def _is_place(name: str, *, of: int) -> bool:
    return name.isascii() and name.isdecimal() and len(name) < 4 and 1 <= int(name) <= of


def _put(holder: Any, name: str, value: object) -> str | None:
    if isinstance(holder, dict):
        holder[name] = value
    elif not isinstance(holder, list) or not _is_place(name, of=len(holder) + 1):
        return f"'{name}' is no place in a list of {len(holder) if isinstance(holder, list) else 0}."
    elif int(name) > len(holder):
        holder.append(value)
    else:
        holder[int(name) - 1] = value
    return None


def _value(text: str) -> object:
    """A row or a list where the text is one as JSON, else the text: fields read numbers from it themselves."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _there(tree: dict[str, Any]) -> str:
    counts = [f"{name} ({len(value)})" if isinstance(value, list) else name for name, value in sorted(tree.items())]
    return f"the draft has {', '.join(counts) or 'nothing'}."
