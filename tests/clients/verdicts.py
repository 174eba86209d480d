"""What a client must have seen, whichever it is."""

from collections.abc import Callable
from typing import Any

from tests.e2e.sample_calls import ONE_CALL_OF_EACH, names_of

MODERN = "2026-07-28"
FIXED_RESOURCES = 7
SAID_OF_A_WRONG_KEY = ("The API key is not valid", "401 Unauthorized", "requires authorization")
"""What clients pass on: our words, or the status they stand for."""
WITH_THE_KEY = set(names_of("equipment"))


class Fault(Exception):
    """What is wrong with what a client saw."""


def _protocol(version: str, era: str) -> str:
    if (version == MODERN) != (era == "modern"):
        raise Fault(f"speaks {version}")
    return version


def _tools(names: list[str], _: str) -> str:
    known = set(names_of())
    if set(names) != known or len(names) != len(known):
        raise Fault(f"not listed: {sorted(known - set(names))}; not expected: {sorted(set(names) - known)}")
    return f"{len(names)} tools"


def _search(found: dict[str, Any], _: str) -> str:
    products = [hit["product"] for hit in found["results"]]
    models = [product["model"] for product in products]
    told = {product["attributes"].get("lubrication") for product in products}
    if found["needs"] != ONE_CALL_OF_EACH["search_equipment"]["needs"] or told != {"oilless"}:
        raise Fault(f"{models}, {told}, for {found['needs']}")
    return f"{len(models)} products, the first is {models[0]}"


def _tool_error(text: str, _: str) -> str:
    if "QMB3O" not in text or "QMB30" not in text:
        raise Fault(f"does not name what was asked and what is near: {text[:200]}")
    return text.partition("\n")[0][:80]


def _resources(uris: list[str], _: str) -> str:
    if len(uris) < FIXED_RESOURCES or len(set(uris)) != len(uris):
        raise Fault(f"lists {uris}")
    return f"{len(uris)} resources"


def _text(text: str, _: str) -> str:
    if len(text) < 100:
        raise Fault(f"not a text: {text!r}")
    return f"{len(text)} characters"


def _prompt(text: str, _: str) -> str:
    if "a dryer" not in text:
        raise Fault(f"the argument is not in it: {text[:200]}")
    return f"{len(text)} characters"


def _completion(values: list[str], _: str) -> str:
    if values != ["Ida Marrow"]:
        raise Fault(f"offers {values}")
    return values[0]


def _tools_with_a_key(names: list[str], _: str) -> str:
    if set(names) != WITH_THE_KEY:
        raise Fault(f"lists {sorted(names)}")
    return f"the {len(names)} tools that the key opens"


def _refusal(text: str, _: str) -> str:
    if not any(sign in text for sign in SAID_OF_A_WRONG_KEY):
        raise Fault(f"does not say what is wrong: {text[:300]}")
    return text.partition("\n")[0][:80]


def _end(errors: str, _: str) -> str:
    raise Fault(errors.strip().rpartition("\n")[2][:300])


JUDGES: dict[str, Callable[[Any, str], str]] = {
    "protocol": _protocol,
    "tools": _tools,
    "search": _search,
    "tool error": _tool_error,
    "resources": _resources,
    "resource": _text,
    "templated": _text,
    "prompt": _prompt,
    "completion": _completion,
    "tools with a key": _tools_with_a_key,
    "refusal": _refusal,
    "end": _end,
}
