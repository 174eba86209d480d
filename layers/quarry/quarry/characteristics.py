"""The characteristics block of a line: the house's partial, filled with what the catalogue says of one product."""

import re
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Self

from quarry.data.environment import kept
from quarry.data.settings import settings
from quarry.tool.errors import Unavailable
from quarry.understanding.needs import Language
from quarry.understanding.text import fold
from quarry.understanding.traits import REFRIGERANT, refrigerant, row_traits
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
PER_TIME = re.compile(r"(?i)(?:m³|m3|cbm|nm³|nm3)\s?/\s?(min|h)")
Metric = Literal["m3_h", "m3_min"]
"""How a flow is written beside the catalogue's."""
BLOCK = re.compile(r"<!-- section: characteristics -->\n(.*?)<!-- end of characteristics -->", re.DOTALL)


@dataclass(frozen=True, slots=True)
class BlockWords:
    """How a block is written in a language: its numbers, and its words by those of the partials and the catalogue."""

    decimal_mark: str
    group_mark: str
    words: Mapping[str, str]

    @classmethod
    def read(cls, labels: str) -> Self:
        """Of a document's labels, templates/pdf/labels/<language>.toml."""
        content = tomllib.loads(labels)
        return cls(content["composed"]["decimal_mark"], content["composed"]["group_mark"], content["block"])

    def word(self, said: str) -> str:
        return self.words.get(said, said)

    def partial(self, text: str) -> str:
        """A partial with its lines in the language; a line that it has no words for stays."""
        return "\n".join(map(self._line, text.splitlines()))

    def numbers(self, text: str) -> str:
        """Figures as the language writes them; four digits are not parted."""
        said = re.sub(r"(?<=\d)\.(?=\d)", self.decimal_mark, text)
        return re.sub(r"(?<![\d.,])\d{5,}", lambda digits: f"{int(digits[0]):,}".replace(",", self.group_mark), said)

    def _line(self, line: str) -> str:
        said, mark, comment = line.partition(" <!--")
        bullet = "- " if said.startswith("- ") else ""
        label, colon, rest = said.removeprefix("- ").partition(": ")
        if said in self.words or not colon:
            return self.word(said) + mark + comment
        return f"{bullet}{self.word(label)}: {self.word(rest)}{mark}{comment}"


def metric_of(query: str, *, units: Units) -> Metric | None:
    """How the customer writes a flow; None where he does not measure in metric units, or here by cubic metres an hour
    where he does not say.
    """
    if units != "metric":
        return None
    told = PER_TIME.search(query)
    return "m3_min" if told and told[1].lower() == "min" else "m3_h"


def tells_a_flow(query: str) -> bool:
    return PER_TIME.search(query) is not None


def block(
    product: Mapping[str, object], *, quantity: int | None, metric: Metric | None, language: Language = "en"
) -> str | None:
    """The block as Markdown, with ``metric`` the catalogue's figures in brackets; None of a family without one.
    Raises Unavailable where the partial cannot be read.
    """
    name = PARTIALS.get(str(product["family"]))
    if name is None:
        return None
    return filled(partial(name), product, quantity=quantity, metric=metric, words=words_of(language))


def words_of(language: Language) -> BlockWords | None:
    """The house's words as published; None in English, in which the partials are. Raises Unavailable."""
    return None if language == "en" else BlockWords.read(_kept(f"pdf/labels/{language}.toml"))


def printed(product: Mapping[str, object]) -> dict[str, object]:
    """Its columns, with what a block prints of its text: a dryer's refrigerant, the share of its rating that it
    purges.
    """
    purge = max(row_traits(product).get("purge", ()), key=float, default=None)
    named = REFRIGERANT.search(fold(str(product.get("description") or "")))
    return {**product, "purge_percent": purge, "refrigerant": refrigerant(named) if named else None}


def filled(
    partial: str,
    product: Mapping[str, object],
    *,
    quantity: int | None,
    metric: Metric | None,
    words: BlockWords | None = None,
) -> str:
    """What the catalogue does not say is marked in one line; a series that is missing is left out, and a line that is
    for another kind of product than its category or else its description says.
    """
    found = BLOCK.search(partial)
    if found is None:
        raise Unavailable(
            "The characteristics partial has no section 'characteristics': publish the templates again."
        )
    category = str(product["category"]).upper()
    values = {
        **printed(product),
        "CATEGORY IN CAPS": words.word(category) if words else category,
        "QUANTITY": quantity or "[QUANTITY]",
    }
    lines = (words.partial(found[1]) if words else found[1]).strip().splitlines()
    kinds = {mark[1] for line in lines if (mark := ONLY.search(line))}
    said = (str(product.get(name) or "").lower() for name in ("category", "description"))
    its = next((named for text in said if (named := {kind for kind in kinds if kind in text})), kinds)
    fitting = [line for line in lines if not (mark := ONLY.search(line)) or mark[1] in its]
    has = {mark[1] for line in fitting if (mark := EITHER.search(line)) and _is_filled(line, values)}
    fitting = [line for line in fitting
               if not (mark := EITHER.search(line)) or mark[1] not in has or _is_filled(line, values)]  # fmt: skip
    return _with_one_gap(
        [line_of(EITHER.sub("", ONLY.sub("", line)), values, metric=metric, words=words) for line in fitting]
    )


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


def line_of(
    line: str, product: Mapping[str, object], *, metric: Metric | None, words: BlockWords | None = None
) -> str:
    """A line of a partial, which is in the language of the words, with the product's values."""
    if product.get("series") is None and "[series] / " in line:
        label, _, value = line.removeprefix("- ").replace("[series] / ", "").partition(":")
        line = f"- {label.rpartition(' / ')[2]}:{value}"
    names = FIELD.findall(line)
    bulleted = line.startswith("- ")
    if any(product.get(name) is None for name in names) and bulleted:
        return f"{line.partition(':')[0]}: {MISSING}"
    said = FIELD.sub(lambda match: _shown(match[1], product.get(match[1]), words), line)
    others = [beside(name, product, by_minute=metric == "m3_min") for name in names] if metric else []
    if others and all(others) and bulleted:
        unit = re.sub(r"^.*?\d ", "", str(others[-1]))
        figures = " x ".join(str(other).removesuffix(f" {unit}") for other in others)
        label, _, ours = said.partition(": ")
        return f"{label}: {words.numbers(figures) if words else figures} {unit} ({ours})"
    return said


def _shown(name: str, value: object, words: BlockWords | None) -> str:
    if value is None:
        return MISSING
    said = f"{value:g}" if isinstance(value, int | float) else str(value)
    if words is None:
        return said
    return words.numbers(said) if name == "motor" or isinstance(value, int | float) else words.word(said)


def partial(name: str) -> str:
    """The partial as the house published it."""
    return _kept(f"characteristics/{name}.md")


def _kept(name: str) -> str:
    """A template, which a process reads once a minute."""
    read_at, text = _read().get(name, (None, ""))
    if read_at is None or time.monotonic() - read_at > KEPT_S:
        text = _published(name)
        _read()[name] = (time.monotonic(), text)
    return text


@kept
def _read() -> dict[str, tuple[float, str]]:
    """Each template, and when it was read."""
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
