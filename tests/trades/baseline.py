"""A plain judge to compare with: a folder's files, units, bounds, four verdicts, BM25, and nothing of the product.

No vectors, no synonyms, no reading of text: who asks by needs has read already. What does not beat it goes.
"""

import csv
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

Row = dict[str, Any]
SAME = {
    "volume flow": "cfm=1 scfm=1 acfm=1 gpm=.133681 m³/h=.588578 m3/h=.588578 m³/min=35.3147 m3/min=35.3147 "
    "l/s=2.11888 l/min=.0353147 l/h=.000588578 ml/min=.0000353147",
    "power": "hp=745.7 kw=1000 w=1 ps=735.5 cv=735.5",
    "pressure": "psi=6894.76 psig=6894.76 bar=100000 bar(g)=100000 mbar=100 mbar(a)=100 pa=1 kpa=1000 mpa=1000000 "
    "hpa=100 torr=133.322",
    "length": "mm=.001 cm=.01 m=1 in=.0254 ft=.3048 µm=.000001",
    "mass": "kg=1 g=.001 mg=.000001 µg=.000000001 lb=.453592 t=1000",
    "volume": "l=.001 ml=.000001 µl=.000000001 gal=.00378541 m³=1 m3=1",
    "torque": "nm=1 n·m=1 lbfft=1.35582 ft·lbf=1.35582 lb·ft=1.35582",
    "mass flow": "kg/h=1 t/h=1000 kg/s=3600 lb/h=.453592",
    "time": "s=1 ms=.001 min=60 h=3600 weeks=604800 months=2629800 years=31557600",
    "current": "a=1 ma=.001",
    "voltage": "v=1 kv=1000",
}
SCALES = {
    unit: (dimension, float(factor))
    for dimension, units in SAME.items()
    for unit, factor in (each.split("=") for each in units.split())
}
NUMBERS = {"price", "total", "quantity", "year"}
OF_A_QUOTE = ("customer", "industry", "salesperson", "contact", "status", "project", "reference", "terms", "currency")
WORST = "-?~+"


class PlainJudge:
    """The rows of a folder; `ranked` gives their keys with a sign for each need, best first."""

    def __init__(self, folder: Path) -> None:
        self.attributes = {row["name"]: row for row in _table(folder / "attributes.csv")}
        units = folder / "units.csv"
        self.own = {
            spelled.lower(): (row["dimension"], float(row["factor"]))
            for row in (_table(units) if units.exists() else ())
            for spelled in (row["symbol"], *row["spellings"].split("|"))
        }
        prices = folder / "prices.csv"
        listed = {row["model"]: row["price"] for row in (_table(prices) if prices.exists() else ())}
        products = [self._product(row, listed) for row in _table(folder / "products.csv")]
        quotes = {row["quote_number"]: _quote(row) for row in _json(folder / "past_quotes.jsonl")}
        catalogue = {row["model"]: row for row in products}
        lines = [_line(row, quotes, catalogue) for row in _json(folder / "line_items.jsonl")]
        for line in lines:
            if not line["optional"]:
                quotes[line["quote_number"]]["lines"].append(line)
        self.rows = {
            "search_equipment": products, "search_line_items": lines, "search_past_quotes": list(quotes.values()),
        }  # fmt: skip

    def _product(self, row: Row, prices: Mapping[str, str]) -> Row:
        parted = {
            name: value.split("|") if name in self.attributes else value for name, value in row.items() if value
        }
        return {**parted, "key": row["model"], "price": prices.get(row["model"])}

    def ranked(self, tool: str, asked: Mapping[str, Any]) -> list[tuple[str, str]]:
        needs, sort = asked.get("needs", []), str(asked.get("sort", ""))
        filters = asked.get("filters", [])
        rows = [row for row in self.rows[tool] if all(self._signs(row, [each])[0] in "+~" for each in filters)]
        scores = _bm25(rows, str(asked.get("query", "")))
        found = []
        for place, (row, score) in enumerate(zip(rows, scores, strict=True)):
            signs = self._signs(row, needs)
            near = sum(self._distance(row, need) for need in needs)
            value = _figure(row.get(sort.removeprefix("-"))) if sort else None
            order = math.inf if value is None else -value if sort.startswith("-") else value
            doubts = signs.count("?") + signs.count("~") * 0.8 + signs.count("w") * 0.5
            key = (
                signs.count("-"),
                signs.count("?") if sort else 0,
                order if sort else 0,
                doubts,
                near,
                -score,
                place,
            )
            found.append((key, row["key"], signs))
        return [(key, signs) for _, key, signs in sorted(found)]

    def _signs(self, row: Row, needs: Sequence[Mapping[str, Any]]) -> str:
        """Of a quote, by its own columns and by the one line that meets the rest best."""
        over = [row, *({**line, **row} for line in row.get("lines", ()))]
        every = ["".join(self._sign(one, need) for need in needs) for one in over]
        return min(every, key=lambda signs: (signs.count("-"), signs.count("?"), signs.count("~")))

    def _sign(self, row: Row, need: Mapping[str, Any]) -> str:
        name, asked = need["attribute"], need["is"].strip()
        negated = asked.lower().startswith("not ")
        parts = [re.sub(r"^\s*not\s+", "", part, flags=re.IGNORECASE).strip() for part in asked.split("|")]
        if name == "description":
            words = set(_words(row.get("text", "")))
            held = any(set(_words(part)) <= words for part in parts)
            sign = ("-" if held else "+") if negated else "+" if held else "?"
        elif row.get(name) in (None, "", []):
            sign = "?"
        else:
            found = max((self._one(row[name], part, name) for part in parts), key=WORST.index)
            sign = {"+": "-", "~": "+", "-": "+"}.get(found, "?") if negated else found
        return "w" if need.get("wish") and sign != "+" else sign

    def _one(self, have: Any, asked: str, name: str) -> str:
        if name == "date" or (name not in NUMBERS and self.attributes.get(name, {}).get("kind") != "number"):
            return self._text(have, asked, name)
        held, wanted = _span(have), self._asked(asked, name)
        if held is None or wanted is None:
            return "?"
        (sign, low, high), (least, most), spec = wanted, held, self.attributes.get(name, {})
        if sign in (">", "<"):
            return "+" if (most > low if sign == ">" else least < high) else "-"
        if low != high:
            return "+" if least <= high * 1.005 and most >= low * 0.995 else "-"
        whole = 1.0 if spec.get("absolute") in ("yes", "true", "1") else abs(low)
        met, close = (float(spec.get(bound) or 0) * whole + 1e-9 * abs(low) for bound in ("met", "close"))
        if sign in (">=", "<="):
            met = close = 0.005 * abs(low)
        sense = {">=": "at_least", "<=": "at_most", "~": "about"}.get(
            sign, spec.get("sense") or ("at_most" if name in ("price", "total") else "exactly")
        )
        off = {"at_least": low - most, "at_most": least - low}.get(sense, max(least - low, low - most))
        return "+" if off <= met else "~" if off <= close else "-"

    def _text(self, have: Any, asked: str, name: str) -> str:
        sign = re.match(r"(>=|<=|>|<)?\s*(.*?)(?:\.\.(.*))?$", asked, re.DOTALL)
        assert sign
        held, wanted = [str(one).lower() for one in (have if isinstance(have, list) else [have])], sign[2].lower()
        order = [one.lower() for one in (self.attributes.get(name, {}).get("ordered") or "").split("|")]
        if name == "date":
            least, most = (wanted, f"{(sign[3] or wanted).lower()}~") if sign[1] is None else ("", "9")
            least, most = {">=": (wanted, "9"), "<=": ("", f"{wanted}~")}.get(sign[1] or "", (least, most))
            return "+" if least <= held[0] <= most else "-"
        if sign[1] and wanted in order:
            places = [order.index(one) - order.index(wanted) for one in held if one in order]
            good = {">=": lambda x: x >= 0, "<=": lambda x: x <= 0, ">": lambda x: x > 0, "<": lambda x: x < 0}[
                sign[1]
            ]
            return "?" if not places else "+" if any(map(good, places)) else "-"
        if wanted in held or wanted in self._listed(name):
            return "+" if wanted in held else "-"
        inside = re.compile(rf"(?<!\w){re.escape(wanted)}(?!\w)")
        return "+" if any(inside.search(one) for one in held) else "-"

    @lru_cache(maxsize=500)  # noqa: B019 - as long as the command runs
    def _listed(self, name: str) -> frozenset[str]:
        values = [row.get(name) for rows in self.rows.values() for row in rows if row.get(name) is not None]
        return frozenset(
            str(one).lower() for value in values for one in (value if isinstance(value, list) else [value])
        )

    def _asked(self, text: str, name: str) -> tuple[str, float, float] | None:
        found = re.match(r"(>=|<=|>|<|~)?\s*(-?[\d,]*\.?\d+)(?:\s*\.\.\s*(-?[\d,]*\.?\d+))?\s*(.*)$", text)
        if not found:
            return None
        ends = [float(end.replace(",", "")) for end in (found[2], found[3] or found[2])]
        said, own = found[4].replace(" ", "").lower(), (self.attributes.get(name, {}).get("unit") or "").lower()
        if said and own and said != own:
            converted = [self._convert(end, said, own) for end in ends]
            if None in converted:
                return None
            ends = [end for end in converted if end is not None]
        return found[1] or "", min(ends), max(ends)

    def _convert(self, value: float, said: str, own: str) -> float | None:
        celsius, fahrenheit = ("°c", "c"), ("°f", "f")
        if said in celsius and own in fahrenheit:
            return value * 1.8 + 32
        if said in fahrenheit and own in celsius:
            return (value - 32) / 1.8
        here, there = ({**SCALES, **self.own}.get(unit) for unit in (said, own))
        if own == "inhg" and here and here[0] == "pressure":
            return 29.92 - value * here[1] / 3386.39
        return value * here[1] / there[1] if here and there and here[0] == there[0] else None

    def _distance(self, row: Row, need: Mapping[str, Any]) -> float:
        """How far a figure is from the one asked for, in doublings."""
        wanted = self._asked(need["is"].split("|")[0], need["attribute"])
        held = _span(row.get(need["attribute"]))
        if self.attributes.get(need["attribute"], {}).get("kind") != "number" or not wanted or not held:
            return 0.0
        low, have = wanted[1], held[0] if wanted[1] < held[0] else min(held[1], wanted[1])
        return abs(math.log2(have / low)) if have > 0 and low > 0 else 0.0


def _quote(row: Row) -> Row:
    text = " ".join(
        str(row.get(name) or "") for name in ("customer", "project", "summary", "industry", "price_rationale")
    )
    money = {"date": row["quote_date"], "year": row["quote_date"][:4], "total": row["total_price"]}
    return {
        **row,
        **money,
        "reference": _flag(row.get("reference")),
        "key": row["quote_number"],
        "text": text,
        "lines": [],
    }


def _line(row: Row, quotes: Mapping[str, Row], catalogue: Mapping[str, Row]) -> Row:
    quote = quotes[row["quote_number"]]
    shared = {name: quote.get(name) for name in (*OF_A_QUOTE, "date", "year")}
    own = {name: value for name, value in row.items() if value not in (None, "", [])}
    return {
        **catalogue.get(str(row.get("model")), {}),
        **shared,
        **own,
        "optional": _flag(row["optional"]),
        "price": row["unit_price"],
        "key": f"{row['quote_number']}/{row['position']}",
    }


def _flag(value: object) -> str:
    return "yes" if value else "no"


def _figure(value: Any) -> float | None:
    span = _span(value) if value is not None else None
    return span[0] if span else None


def _span(value: Any) -> tuple[float, float] | None:
    """A figure, or the ends of a range: 129, "100..300", ["129"], "2024-03-01" as 20240301."""
    if isinstance(value, list):
        ends = [span for span in map(_span, value) if span]
        return (min(low for low, _ in ends), max(high for _, high in ends)) if ends else None
    text = str(value).replace("-", "") if re.fullmatch(r"\d{4}-\d\d-\d\d", str(value)) else str(value)
    found = re.match(r"(-?\d+\.?\d*(?:e-?\d+)?)(?:\.\.(-?\d+\.?\d*))?", text)
    return (float(found[1]), float(found[2] or found[1])) if found else None


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _bm25(rows: Sequence[Row], query: str) -> list[float]:
    said = [Counter(_words(row["text"])) if "text" in row else Counter(_words(_text_of(row))) for row in rows]
    held = Counter(word for words in said for word in words)
    mean = sum(words.total() for words in said) / max(len(said), 1) or 1
    rare = {word: math.log(1 + (len(rows) - held[word] + 0.5) / (held[word] + 0.5)) for word in _words(query)}
    return [
        sum(
            idf * words[word] * 2.2 / (words[word] + 1.2 * (0.25 + 0.75 * words.total() / mean))
            for word, idf in rare.items()
        )
        for words in said
    ]


def _text_of(row: Row) -> str:
    named = ("model", "manufacturer", "series", "category", "description")
    row["text"] = " ".join(str(row.get(name) or "") for name in named)
    return str(row["text"])


def _table(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _json(path: Path) -> Iterable[Row]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
