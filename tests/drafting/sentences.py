"""Letters of one statement over rows of the sample, right or with one figure wrong, in five languages."""

import csv
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from cpq.drafts.figures import Reader
from cpq.drafts.reading import amounts, of_row
from cpq.drafts.support import Evidence, FactSource
from local.files import ROOT
from quarry.attributes.units import shipped
from quarry.text import part_key

TEMPLATES = Path(__file__).with_name("templates.toml")
READER = Reader(shipped(), frozenset(("USD", "EUR", "PLN", "CZK")))
US = {"flow": ("cfm", "cfm", 1.0), "pressure": ("psi", "psi", 1.0), "power": ("hp", "hp", 1.0),
      "weight": ("weight_lb", "lb", 1.0)}  # fmt: skip
METRIC = {"flow": ("cfm", "m³/min", 0.028316847), "pressure": ("psi", "bar", 0.0689476),
          "power": ("hp", "kW", 0.7457), "weight": ("weight_lb", "kg", 0.45359237)}  # fmt: skip
WORDS = {"en": ("days", "weeks"), "de": ("Tagen", "Wochen"), "fr": ("jours", "semaines"), "pl": ("dni", "tygodni"),
         "cs": ("dnů", "týdnů")}  # fmt: skip
CURRENCY = {"en": "USD", "de": "EUR", "fr": "EUR", "pl": "PLN", "cs": "CZK"}
UNPLACED = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Case:
    """``was`` is what stands in the right letter where this one is ``wrong``, "" in a right one."""

    language: str
    text: str
    evidence: Evidence
    was: str = ""
    wrong: str = ""


@cache
def rows() -> list[dict[str, Any]]:
    """Products of every family that have all that the templates say."""
    with (ROOT / "local" / "corpus" / "products.csv").open(encoding="utf-8") as file:
        found = [{name: value for name, value in row.items() if value} for row in csv.DictReader(file)]
    measures = {column for column, _, _ in US.values()}
    typed = [{name: float(value) if name in measures else value for name, value in row.items()} for row in found]
    return [row for row in typed if {"psi", "weight_lb"} <= row.keys()]


def cases(*, wrong: bool, each: int = 40, seed: int = 16) -> Iterator[Case]:
    """As many letters of every language, over rows drawn at random."""
    random = Random(seed)
    for language, said in tomllib.loads(TEMPLATES.read_text("utf-8")).items():
        made = 0
        while made < each:
            template = said["texts"][made % len(said["texts"])]
            letter = _letter(language, said, template, random=random, wrong=wrong)
            if letter is not None:
                yield letter
                made += 1


def _letter(language: str, said: Mapping[str, Any], template: str, *, random: Random, wrong: bool) -> Case | None:
    one, two = random.sample(rows(), 2)
    prices = [Decimal(random.randrange(120_000, 9_900_000)) / 100 for _ in range(2)]
    n = random.randrange(2, 9)
    values = _values(language, said, one, two, prices=prices, n=n)
    asked = UNPLACED.findall(template)
    if any(name not in values for name in asked):
        return None
    evidence = _evidence(language, said, (one, two), prices=prices, n=n)
    was = now = ""
    if wrong:
        changed = random.choice([name for name in asked if name not in ("model", "other", "n")])
        was, now = values[changed], _slip(values[changed], random)
        values[changed] = now
    return Case(language, template.format(**values), evidence, was, now)


def _values(language: str, said: Mapping[str, Any], one: Mapping[str, Any], two: Mapping[str, Any], *,
            prices: list[Decimal], n: int) -> dict[str, str]:  # fmt: skip
    def number(value: float | Decimal, digits: int) -> str:
        group, point = said["marks"]
        return f"{value:,.{digits}f}".translate(str.maketrans({",": group, ".": point}))

    units = METRIC if said["metric"] else US
    found = {"model": one["model"], "other": two["model"], "n": str(n)}
    for row, place in ((one, ""), (two, "2")):
        for name, (column, unit, factor) in units.items():
            if column in row:
                small = row[column] * factor < 100 and factor != 1
                found[name + place] = f"{number(row[column] * factor, int(small))} {unit}"
    column, unit, factor = units["weight"]
    found["sum"] = f"{number((one[column] + two[column]) * factor, 0)} {unit}"
    found |= {
        "price": said["money"].format(number(prices[0], 2)),
        "price2": said["money"].format(number(prices[1], 2)),
    }
    found |= {"total": said["money"].format(number(prices[0] * n, 2))}
    days, weeks = WORDS[language]
    return {**found, "days": f"30 {days}", "weeks": f"8 {weeks}"}


def _slip(written: str, random: Random) -> str:
    """One of its first two digits is another; a single digit becomes two or another."""
    digits = [
        place
        for place, sign in enumerate(written.split(" ")[0] if written[0].isdecimal() else written)
        if sign.isdecimal()
    ]
    place = random.choice(digits[:2])
    other = random.choice([digit for digit in "123456789" if digit != written[place]])
    return written[:place] + other + written[place + 1 :]


def _evidence(language: str, said: Mapping[str, Any], models: tuple[Mapping[str, Any], ...], *, prices: list[Decimal],
              n: int) -> Evidence:  # fmt: skip
    sources = [FactSource("the terms", READER.figures(said["terms"]))]
    for row, price in zip(models, prices, strict=True):
        key = part_key(row["model"])
        sources.append(FactSource(row["model"], of_row(READER, row, {}), key))
        sources.append(FactSource(f"{row['model']}, quoted", amounts([price], CURRENCY[language]), key))
    keys = {part_key(row["model"]): part_key(row["model"]) for row in models}
    return Evidence(reader=READER, sources=sources, aliases=keys, counts={n}, today=date(2026, 11, 23))
