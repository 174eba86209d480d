"""A draft put together by rule from what the tools answered, without the judgement that a model would add."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

import yaml

from quarry.text import company_key, part_key

REVIEW = "> **SALESPERSON REVIEW:**"
ANNEX = """\
| item | offered | product_id | words from | precedents | confidence | status |
|---|---|---|---|---|---|---|"""
Status = Literal["used verbatim", "used with review", "used for specs", "no match", "degraded"]
_SECTION = re.compile(r"<!-- section: (\S+) -->\n(.*?)(?=<!-- section: |<!-- end of )", re.DOTALL)
_FACTS = re.compile(r"^## House facts$.*?^```yaml\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_SENTENCE = re.compile(r"[^\n.!?]*(?:[.!?](?!\s|$)[^\n.!?]*)*(?:[.!?]+|\n|$)\s*")
_AMOUNT = re.compile(r"[$€£¥]\s?\d|\d\s?[€£¥]|\b[A-Z]{3}\s?[\d.,'’]*\d[.,]\d\d\b|\d[.,]\d\d\s?[A-Z]{3}\b")


@dataclass(frozen=True, slots=True)
class Words:
    """The proven words of a past line, and whose they are."""

    text: str
    quote_number: str
    position: int
    customer: str
    contact: str | None
    quote_date: str

    @property
    def kept(self) -> str:
        """Whole sentences; none that names the line's customer or an amount of its quote."""
        named = [company_key(each) for each in (self.customer, self.contact) if each]
        sentences = (match[0] for match in _SENTENCE.finditer(self.text) if match[0])
        return "".join(
            each
            for each in sentences
            if not _AMOUNT.search(each) and not any(name and name in part_key(each) for name in named)
        ).strip()


@dataclass(frozen=True, slots=True)
class Offered:
    """An item of a request with what was found for it: ``row`` is its first candidate by column."""

    number: int
    what: str
    kind: str = "goods"
    quantity: int = 1
    row: Mapping[str, str] = field(default_factory=dict)
    block: str | None = None
    product_id: str | None = None
    words: Words | None = None
    others: Sequence[Mapping[str, str]] = ()
    notice: str | None = None
    degraded: bool = False

    @property
    def fits(self) -> bool:
        """Whether the candidate contradicts nothing."""
        return bool(self.row) and "-" not in self.row.get("fit", "")


@dataclass
class Notes:
    """What is not for the customer: numbered notes for the salesperson, and the rows of the annex."""

    count: int = 0
    rows: list[str] = field(default_factory=list)

    def note(self, headline: str, *points: str) -> str:
        self.count += 1
        return "\n".join([f"{REVIEW} {self.count}. {headline}", *(f"> - {' '.join(one.split())}" for one in points)])


def sections(template: str) -> dict[str, str]:
    return {name: body.strip() for name, body in _SECTION.findall(template)}


def house_facts(template: str) -> dict[str, str]:
    """The house's facts under the names the skeleton's placeholders use; the offices one line each."""
    facts: dict[str, str | list[str]] = yaml.safe_load(_FACTS.findall(template)[0])
    return {
        name.upper().replace("_", " "): "\\\n".join(value) if isinstance(value, list) else str(value).strip()
        for name, value in facts.items()
    }


def fill(text: str, values: Mapping[str, str]) -> str:
    """Replaces `[NAME]` in one pass, so that text that was filled in is never read for placeholders."""
    return re.sub(r"\[([A-Z][A-Z ]+)\]", lambda match: values.get(match[1], match[0]), text)


def rows_of(table: Mapping[str, Any] | None) -> list[dict[str, str]]:
    """The rows of a table by column."""
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]] if table else []


def line_item(notes: Notes, item: Offered, letter: Mapping[str, str]) -> list[str]:
    """The item's part of the letter with its notes; its row of the annex goes to them."""
    if item.kind == "question":
        return [notes.note(f'to be answered: "{item.what}".')]
    heading = {"ITEM NUMBER": str(item.number)}
    notes.rows.append(_row(item))
    if not item.fits and item.words is None:
        nearest = [f"nearest: {item.row['id']}, {item.row.get('fit', '')}"] if item.row else []
        told = [*nearest, *([item.notice] if item.notice else [])]
        return [fill("### Item [ITEM NUMBER]", heading), notes.note(f'nothing fits "{item.what}".', *told)]
    told = [
        *([item.notice] if item.notice else []),
        *(f"alternate: {_facts(row)}" for row in item.others),
        *([f"list and newest sale: {_facts(item.row)}"] if item.row else []),
    ]
    values = {
        **heading,
        "VERBATIM DESCRIPTION": (item.words.kept if item.words else "").replace("\n", "\\\n"),
        "CHARACTERISTICS BLOCK": item.block or f"**{item.what.upper()}**",
        "MODEL LINE": f"Model {item.row['id']}" if item.fits else item.what[:1].upper() + item.what[1:],
        "QUANTITY": str(item.quantity),
    }
    part = fill(letter["line-item"], values)
    return [re.sub(r"\n{3,}", "\n\n", part), notes.note(f"item {item.number}: check before it goes out.", *told)]


def _facts(row: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in row.items() if value and name != "fit")


def _row(item: Offered) -> str:
    words = item.words
    status: Status = "no match" if not item.fits and words is None else "used for specs"
    status = "degraded" if item.degraded else "used with review" if words else status
    said = f"{words.customer}, {words.quote_number}, {words.quote_date}, line {words.position}" if words else "–"
    offered = (item.row["id"], item.product_id or "–") if item.fits else ("–", "–")
    cells = (
        str(item.number),
        *offered,
        said,
        item.row.get("newest sale") or "none",
        item.row.get("fit", "–"),
        status,
    )
    return f"| {' | '.join(cells)} |"


def compose(template: str, items: Sequence[Offered], *, customer: str, today: date, usual: Iterable[str] = ()) -> str:
    """The draft of a request whose items were looked up; ``usual`` is what such goods were sold with."""
    notes = Notes()
    totals = (
        f"| {item.number} | {item.row['id']} | {item.quantity} | $[PRICE] | $[PRICE] |" for item in items if item.fits
    )
    asked = [item.what for item in items if item.kind != "question"]
    values = {
        **house_facts(template),
        "DATE": f"{today:%B} {today.day}, {today.year}",
        "CUSTOMER COMPANY": customer,
        "PROJECT": ", ".join(dict.fromkeys(asked))[:300],
        "REQUIREMENTS": "; ".join(asked),
        "TOTALS ROWS": "\n".join(totals),
    }
    letter = {part: fill(text, values) for part, text in sections(template).items()}
    parts = [
        "> **DRAFT, not for sending.** Take out every blockquote and what stands behind the footer.",
        letter["header"],
        letter["intro"],
        notes.note("proposal number, address, contact and salutation are yours to fill in."),
        *(part for item in items for part in line_item(notes, item, letter)),
        notes.note("usually goes with it; offer any of these?", *usual),
        *(letter[part] for part in ("exclusions", "totals", "terms", "capability", "signature", "footer")),
        "## Sources (internal)",
        "\n".join([ANNEX, *notes.rows]),
    ]
    return "\n\n".join(parts) + "\n"
