"""The characteristics block of a line: the house's partial, filled with what the catalogue says of one product."""

import re
import time
from collections.abc import Mapping, Sequence
from typing import Literal

from quarry.data.environment import kept
from quarry.data.settings import settings
from quarry.tool.errors import Unavailable
from quarry.understanding.text import fold
from quarry.understanding.traits import REFRIGERANT, refrigerant, row_traits
from quarry.understanding.units import CFM_PER_M3_MIN, figure
from quarry.units import Units, beside

PARTIALS = {
    "compressor": "compressor",
    "vacuum_pump": "vacuum-pump",
    "dryer": "dryer",
    "blower": "blower",
}
"""Families that have a partial, with its name."""

MISSING = "[NOT IN CATALOGUE – confirm]"
KEPT_S = 60.0

FIELD = re.compile(r"\[([a-z_]+|CATEGORY IN CAPS|QUANTITY)\]")
ONLY = re.compile(r"\s*<!-- only: (\w+) -->")
"""Marks a line that is for one kind of product alone."""
EITHER = re.compile(r"\s*<!-- either: (\w+) -->")
"""Marks lines of which those stay that the catalogue fills, or all of them where it fills none."""
PER_MINUTE = re.compile(r"(?i)(?:m³|m3|cbm|nm³|nm3)\s?/\s?min")
Metric = Literal["m3_h", "m3_min"]
"""How a flow is written beside the catalogue's."""
BLOCK = re.compile(r"<!-- section: characteristics -->\n(.*?)<!-- end of characteristics -->", re.DOTALL)


def metric_of(query: str, *, units: Units) -> Metric | None:
    """How the customer writes a flow; None where he does not measure in metric units."""
    if units != "metric":
        return None
    return "m3_min" if PER_MINUTE.search(query) else "m3_h"


def block(product: Mapping[str, object], *, quantity: int | None, metric: Metric | None) -> str | None:
    """The block as Markdown, with ``metric`` the catalogue's figures in brackets; None of a family without one.
    Raises Unavailable where the partial cannot be read.
    """
    name = PARTIALS.get(str(product["family"]))
    return None if name is None else filled(partial(name), product, quantity=quantity, metric=metric)


def printed(product: Mapping[str, object]) -> dict[str, object]:
    """Its columns, with what a block prints of its text: a dryer's refrigerant, the share of its rating that it
    purges.
    """
    purge = max(row_traits(product).get("purge", ()), key=float, default=None)
    named = REFRIGERANT.search(fold(str(product.get("description") or "")))
    return {**product, "purge_percent": purge, "refrigerant": refrigerant(named) if named else None}


def filled(partial: str, product: Mapping[str, object], *, quantity: int | None, metric: Metric | None) -> str:
    """What the catalogue does not say is marked in one line; a series that is missing is left out, and a line that is
    for another kind of product than its category or else its description says.
    """
    found = BLOCK.search(partial)
    if found is None:
        raise Unavailable(
            "The characteristics partial has no section 'characteristics': publish the templates again."
        )
    values = {
        **printed(product),
        "CATEGORY IN CAPS": str(product["category"]).upper(),
        "QUANTITY": quantity or "[QUANTITY]",
    }
    lines = found[1].strip().splitlines()
    kinds = {mark[1] for line in lines if (mark := ONLY.search(line))}
    said = (str(product.get(name) or "").lower() for name in ("category", "description"))
    its = next((named for text in said if (named := {kind for kind in kinds if kind in text})), kinds)
    fitting = [line for line in lines if not (mark := ONLY.search(line)) or mark[1] in its]
    has = {mark[1] for line in fitting if (mark := EITHER.search(line)) and _is_filled(line, values)}
    fitting = [line for line in fitting
               if not (mark := EITHER.search(line)) or mark[1] not in has or _is_filled(line, values)]  # fmt: skip
    return _with_one_gap([_line(EITHER.sub("", ONLY.sub("", line)), values, metric=metric) for line in fitting])


def _with_one_gap(lines: Sequence[str]) -> str:
    """The lines, of which those without a value are one behind the last that has one."""
    end = f": {MISSING}"
    missing = [line.removesuffix(end).removeprefix("- ") for line in lines if line.endswith(end)]
    told = [line for line in lines if not line.endswith(end)]
    if missing:
        last = max(place for place, line in enumerate(told) if line.startswith("- "))
        told.insert(last + 1, f"- {'; '.join(missing)}{end}")
    return "\n".join(told)


def _is_filled(line: str, values: Mapping[str, object]) -> bool:
    return all(values.get(name) is not None for name in FIELD.findall(line))


def _line(line: str, product: Mapping[str, object], *, metric: Metric | None) -> str:
    if product.get("series") is None:
        line = line.replace("[series] / ", "").replace("Series / Model:", "Model:")
    names = FIELD.findall(line)
    if any(product.get(name) is None for name in names) and line.startswith("- "):
        return f"{line.partition(':')[0]}: {MISSING}"
    said = FIELD.sub(lambda match: _shown(product.get(match[1])), line)
    others = [_beside(name, product[name], flow=metric) for name in names] if metric else []
    if others and all(others) and line.startswith("- "):
        unit = str(others[-1]).rpartition(" ")[2]
        figures = " x ".join(str(other).removesuffix(f" {unit}") for other in others)
        label, _, ours = said.partition(": ")
        return f"{label}: {figures} {unit} ({ours})"
    return said


def _beside(name: str, value: object, *, flow: Metric) -> str | None:
    if name != "cfm" or flow == "m3_h" or not isinstance(value, int | float):
        return beside(name, value)
    return f"{figure(value / CFM_PER_M3_MIN)} m³/min"


def _shown(value: object) -> str:
    return MISSING if value is None else f"{value:g}" if isinstance(value, int | float) else str(value)


def partial(name: str) -> str:
    """The partial as the house published it; a process reads it once a minute."""
    read_at, text = _read().get(name, (None, ""))
    if read_at is None or time.monotonic() - read_at > KEPT_S:
        text = _published(f"characteristics/{name}.md")
        _read()[name] = (time.monotonic(), text)
    return text


@kept
def _read() -> dict[str, tuple[float, str]]:
    """Each partial, and when it was read."""
    return {}


def _published(name: str) -> str:
    # boto3 costs a cold start 0.1 s, which a call without a block need not pay.
    from botocore.exceptions import BotoCoreError, ClientError

    from quarry.data.aws import client

    configuration = settings()
    if configuration.template_bucket is None:
        raise Unavailable("TEMPLATE_BUCKET is not set: name the bucket that holds the templates.")
    try:
        key = f"{configuration.template_prefix}{name}"
        body: bytes = client("s3").get_object(Bucket=configuration.template_bucket, Key=key)["Body"].read()
    except (BotoCoreError, ClientError) as error:
        raise Unavailable(f"The template {name} cannot be read at the moment.", retryable=True) from error
    return body.decode("utf-8")
