"""Writes a letter by the house template from what a salesperson would put in, and the evidence that it names."""

import csv
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any

import yaml

from cpq.drafts.evidence import Evidence, Machine, OwnLine, OwnQuote, PastQuote, SourceText
from cpq.drafts.facts import FactReader
from cpq.drafts.house import read_house
from local.files import ROOT
from quarry.characteristics import printed
from quarry.understanding.names import ModelName, Names
from quarry.understanding.text import key_of
from quarry.understanding.words import Vocabulary
from quarry.units import metric

TODAY = date(2026, 11, 22)
CORPUS = ROOT / "local" / "corpus"
TEMPLATES = ROOT / "templates"
MISSING = "[NOT IN CATALOGUE – confirm]"
NOTE = "> **SALESPERSON REVIEW:** To be settled before this leaves."
SECTION = re.compile(r"<!-- section: (\S+) -->\n(.*?)(?=<!-- section: |<!-- end of )", re.DOTALL)
NUMBERS = (
    "hp",
    "cfm",
    "psi",
    "vacuum_inhg",
    "dewpoint_f",
    "length_in",
    "width_in",
    "height_in",
    "weight_lb",
    "noise_dba",
)
METRIC_LINES = {
    "Pressure": ("psi", "bar", "bar"), "Capacity": ("cfm", "m3_h", "m³/h"), "Horsepower": ("hp", "kw", "kW"),
    "Weight": ("weight_lb", "kg", "kg"), "Rated flow": ("cfm", "m3_h", "m³/h"),
    "Maximum working pressure": ("psi", "bar", "bar"),
    "Pressure dew point": ("dewpoint_f", "dewpoint_c", "°C"),
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """``copied`` are (quote, position, the passage that is taken over); "" takes all of it."""

    model: str = ""
    quantity: int = 1
    copied: tuple[str, int, str] = ("", 0, "")
    prose: str = ""
    price: Decimal | None = None
    heading: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    name: str
    customer: str
    request: str
    project: str
    requirements: str
    items: Sequence[Item]
    opening: str = ""
    closing: str = ""
    installation: tuple[str, int, str] = ("", 0, "")
    units: str = "us"
    currency: str = "USD"
    contact: str = ""
    answers: Sequence[tuple[str, str]] = ()
    """What the customer asked, in his words, with what the letter says to it."""
    compliance: Sequence[tuple[str, str, str]] = ()
    options: Sequence[tuple[str, str, str, str]] = ()
    references: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Drafted:
    """A letter as Markdown with what the check is given for it."""

    letter: Letter
    text: str
    evidence: Evidence


@cache
def products() -> Mapping[str, Mapping[str, Any]]:
    with (CORPUS / "products.csv").open(encoding="utf-8") as file:
        rows = [{name: value or None for name, value in row.items()} for row in csv.DictReader(file)]
    return {row["model"]: {**row, **{name: float(row[name]) for name in NUMBERS if row[name]}} for row in rows}  # type: ignore[misc, arg-type]  # rows of a file with a header


@cache
def past() -> tuple[Mapping[str, Mapping[str, Any]], Mapping[tuple[str, int], Mapping[str, Any]]]:
    quotes = [json.loads(line) for line in (CORPUS / "past_quotes.jsonl").read_text("utf-8").splitlines()]
    lines = [json.loads(line) for line in (CORPUS / "line_items.jsonl").read_text("utf-8").splitlines()]
    by_number = {quote["quote_number"]: quote for quote in quotes}
    return by_number, {(line["quote_number"], line["position"]): line for line in lines}


@cache
def costs() -> Mapping[str, Decimal]:
    rows = [json.loads(line) for line in (CORPUS / "cpq" / "products.jsonl").read_text("utf-8").splitlines()]
    return {key_of(row["model"]): Decimal(row["cost"]) for row in rows if row.get("model") and row.get("cost")}


@cache
def reading() -> FactReader:
    quotes, lines = past()
    models: dict[str, list[ModelName]] = {}
    for row in [*products().values(), *(line for line in lines.values() if line["model"])]:
        models.setdefault(key_of(row["model"]), []).append(ModelName(row["model"], row["manufacturer"] or ""))
    makers = {row["manufacturer"].lower(): row["manufacturer"] for row in products().values()}
    who = {kind: {quote[kind].lower(): quote[kind] for quote in quotes.values() if quote[kind]}
           for kind in ("customer", "salesperson", "contact")}  # fmt: skip
    names = Names(makers, models, who["customer"], who["salesperson"], who["contact"])
    return FactReader(Vocabulary.shipped(), names)


def write(letter: Letter) -> Drafted:
    template = (TEMPLATES / "quote.md").read_text("utf-8")
    parts = {name: body.strip() for name, body in SECTION.findall(template)}
    facts = yaml.safe_load(re.findall(r"(?ms)^```yaml\n(.*?)^```$", template)[0])
    said = {name.upper().replace("_", " "): "\\\n".join(value) if isinstance(value, list) else value.strip()
            for name, value in facts.items()}  # fmt: skip
    offer = _offer(letter)
    values = {
        **said, "DATE": f"{TODAY:%B} {TODAY.day}, {TODAY.year}", "CUSTOMER COMPANY": letter.customer,
        "PROJECT": letter.project, "REQUIREMENTS": letter.requirements,
        **({"PROPOSAL NUMBER": offer.id} if offer else {}),
        **({"CONTACT NAME": letter.contact, "SALUTATION": letter.contact} if letter.contact else {}),
    }  # fmt: skip
    body = [fill(parts[name], values) for name in ("header", "intro")]
    body += [letter.opening] if letter.opening else []
    if letter.answers:
        body.append(_heading(parts["answers"]))
        for question, answer in letter.answers:
            body += [f"**{question}**", answer, *([NOTE] if "[ANSWER]" in answer else [])]
    for number, item in enumerate(letter.items, start=1):
        body.append(_item(number, item, letter, values))
    for name, table in (("compliance", letter.compliance), ("options", letter.options)):
        if table:
            shown = "\n".join(f"| {' | '.join(row)} |" for row in table)
            body.append(fill(parts[name], {f"{name.upper()} ROWS": shown}))
    if letter.installation[0]:
        copied = fill(parts["installation"], {"VERBATIM INSTALLATION": _copied(letter.installation)})
        body.append(copied)
    rows = [_row(number, item) for number, item in enumerate(letter.items, start=1)]
    total = {"TOTAL": f"{offer.total:,.2f}"} if offer else {}
    body.append(fill(parts["exclusions"], values))
    body.append(fill(parts["totals"], {**values, **total, "TOTALS ROWS": "\n".join(rows)}))
    body += [letter.closing] if letter.closing else []
    body += [fill(parts[name], values) for name in ("terms", "capability")]
    if letter.references:
        body.append(fill(parts["references"], {"REFERENCES": "\n".join(f"- {each}" for each in letter.references)}))
    body += [fill(parts[name], values) for name in ("signature", "footer")]
    return Drafted(letter, "\n\n".join(body) + "\n", _evidence(letter, offer))


def _heading(section: str) -> str:
    return section.partition("\n")[0]


def fill(text: str, values: Mapping[str, str]) -> str:
    return re.sub(r"\[([A-Z][A-Z ]+)\]", lambda match: values.get(match[1], match[0]), text)


def _item(number: int, item: Item, letter: Letter, values: Mapping[str, str]) -> str:
    parts = [f"### Item {number}"]
    if item.heading:
        parts.append(f"**{item.heading}**")
    if item.copied[0]:
        parts.append(_copied(item.copied))
    if item.prose:
        parts.append(item.prose)
    if item.model:
        parts.append(_block(item, letter))
    else:
        shown = f"{item.price:,.2f}" if item.price else "[PRICE]"
        parts.append(f"{item.heading.capitalize()} as described above, quantity {item.quantity}: Net ${shown} Each")
    return "\n\n".join(parts)


def _copied(copied: tuple[str, int, str]) -> str:
    number, position, passage = copied
    quote, line = past()[0][number], past()[1][number, position]
    text = passage or line["description"]
    assert text in line["description"], f"{number} line {position} does not say: {text}"
    cited = f"{quote['customer']}, {number}, {quote['quote_date']}, line {position}"
    return f"> **Attribution:** {cited} · score 0.91 · likely_good\n\n{text}"


def _block(item: Item, letter: Letter) -> str:
    product = products()[item.model]
    path = TEMPLATES / "characteristics" / f"{product['family'].replace('_', '-')}.md"
    if not path.exists():
        net = f"{item.price:,.2f}" if item.price else "[PRICE]"
        return (f"{product['manufacturer']} {item.model} as described above, quantity {item.quantity}: "
                f"Net ${net} Each\n\nDelivery: [DELIVERY]")  # fmt: skip
    block = re.sub(r" <!-- only: .*? -->", "", dict(SECTION.findall(path.read_text("utf-8")))["characteristics"])
    values = printed(product).items()
    shown = {name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in values if value}
    text = re.sub(r"\[([a-z_]+)\]", lambda match: shown.get(match[1], MISSING), block)
    text = re.sub(rf"^(- [^:]*: ).*{re.escape(MISSING)}.*$", rf"\g<1>{MISSING}", text, flags=re.MULTILINE)
    if letter.units == "metric":
        text = re.sub(r"^- ([^:]*): .*$", lambda line: _metric(line, product), text, flags=re.MULTILINE)
    price = {"PRICE": f"{item.price:,.2f}"} if item.price else {}
    return fill(
        text.strip(), {"CATEGORY IN CAPS": product["category"].upper(), "QUANTITY": str(item.quantity), **price}
    )


def _metric(line: re.Match[str], product: Mapping[str, Any]) -> str:
    if line[1] not in METRIC_LINES or MISSING in line[0]:
        return line[0]
    column, name, unit = METRIC_LINES[line[1]]
    return f"- {line[1]}: {(metric({column: product[column]}) or {})[name]:g} {unit}"


def _what(item: Item) -> str:
    return f"{products()[item.model]['manufacturer']} {item.model}" if item.model else item.heading.capitalize()


def _row(number: int, item: Item) -> str:
    what = _what(item)
    if item.price is None:
        return f"| {number} | {what} | {item.quantity} | $[PRICE] | $[PRICE] |"
    return f"| {number} | {what} | {item.quantity} | ${item.price:,.2f} | ${item.price * item.quantity:,.2f} |"


def _offer(letter: Letter) -> OwnQuote | None:
    if any(item.price is None for item in letter.items):
        return None
    lines = [
        OwnLine(
            name=_what(item),
            sku=item.model or item.heading, maker=products()[item.model]["manufacturer"] if item.model else "",
            model=item.model, text="", quantity=item.quantity, unit_price=item.price,
            total=item.price * item.quantity,
        )
        for item in letter.items if item.price is not None
    ]  # fmt: skip
    total = sum((line.total for line in lines if line.total), Decimal(0))
    return OwnQuote("Q-2026-0042", letter.customer, letter.currency, "Net 30 days", date(2026, 12, 22), lines, total)


def _evidence(letter: Letter, offer: OwnQuote | None) -> Evidence:
    quotes, lines = past()
    cited = [item.copied for item in letter.items] + [letter.installation]
    named = {number: quotes[number] for number, _, _ in cited if number}
    whole = [line for key, line in lines.items() if key[0] in named]
    machines = [products()[item.model] for item in letter.items if item.model]
    return Evidence(
        reading=reading(), house=read_house(TEMPLATES), today=TODAY, customer=letter.customer,
        people=(letter.contact,) if letter.contact else (), request=letter.request,
        machines=[Machine(row["manufacturer"], row["model"], row["family"], row) for row in machines],
        lines=[SourceText(f"{line['quote_number']} line {line['position']}", "past quote", line["description"],
                      line["model"] or "", line["quote_number"], line["position"]) for line in whole],
        past_quotes={number: PastQuote(number, quote["customer"], tuple(filter(None, [quote["contact"]])),
                                       date.fromisoformat(quote["quote_date"]), quote["terms"] or "")
                     for number, quote in named.items()},
        references={each: each.partition(" (")[0] for each in letter.references},
        offer=offer,
    )  # fmt: skip
