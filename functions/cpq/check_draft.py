"""check_draft: where every statement of a drafted letter comes from, and which have no source or a wrong one."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self

from psycopg.rows import DictRow
from pydantic import Field, model_validator

from cpq.drafts import queries
from cpq.drafts.checking import check
from cpq.drafts.denials import present
from cpq.drafts.evidence import Evidence, OwnQuote
from cpq.drafts.facts import FactReader
from cpq.drafts.findings import Remark
from cpq.drafts.house import House, read_house
from cpq.drafts.letter import Section, sections
from cpq.model import PLAIN, QuoteId
from cpq.quotes.versions import unknown
from quarry.characteristics import MISSING
from quarry.data import database
from quarry.data.environment import kept
from quarry.data.settings import settings
from quarry.precedents.past_lines import LINE_ITEMS
from quarry.precedents.past_prices import list_entries
from quarry.precedents.price_history import recurring
from quarry.retrieval import requests
from quarry.tool.contract import Args, Part, Result, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve
from quarry.understanding.names import company_key
from quarry.understanding.text import key_of

TOOL = retrieval_tool(
    "check_draft",
    title="Check a drafted letter",
    toolset="cpq",
    description="""
        Where each figure, price, model, name and sentence of a draft is from; which are unsupported, contradicted
        or another customer's. Run it before handing a draft over.
    """,
)

MOST_SHOWN = 100
SHOWN = 240
"""Characters of a statement that a finding repeats."""
OPEN_SHOWN = 90
"""Of what is open, which whoever wrote it knows."""

Name = Annotated[str, Field(min_length=1, max_length=200), PLAIN]


class CheckDraftArgs(Args):
    draft: Annotated[str, Field(min_length=1, max_length=60_000), PLAIN] | None = Field(
        default=None, description="Markdown; unset: the quote's own texts."
    )
    quote_id: QuoteId | None = Field(default=None, description="Whose prices it states.")
    products: list[Name] = Field(default=[], max_length=60, description="Models; unset: those it names.")
    past_quotes: list[Name] = Field(default=[], max_length=60, description="Unset: those attributed.")
    account: Name | None = Field(default=None, description="Customer's id or name.")
    request: Annotated[str, Field(max_length=20_000), PLAIN] | None = Field(
        default=None, description="What the customer wrote."
    )
    full: bool = Field(default=False, description="Also what is supported and what is open.")

    @model_validator(mode="after")
    def something_is_checked(self) -> Self:
        if self.draft is None and self.quote_id is None:
            raise ValueError("give a draft, or the quote_id of a quote of ours")
        return self


class CheckedStatement(Part):
    verdict: Literal["supported", "unsupported", "contradicted", "foreign", "missing"] = Field(
        description="foreign: another customer's; missing: the house template has it."
    )
    kind: str = Field(description="What it is, e.g. price.")
    line: int = Field(description="In the draft, from 1.")
    also: list[int] | None = Field(default=None, description="Further lines of the same fault.")
    text: str = Field(description="As written.")
    source: str | None = Field(default=None, description="Where it is from, or what denies it.")
    right: str | None = Field(default=None, description="What should stand there.")
    why: str | None = Field(default=None, description="Reason.")


class OpenPlace(Part):
    kind: Literal["review", "placeholder"] = Field(description="What it is.")
    lines: list[int] = Field(description="In the draft.")
    text: str = Field(description="How it begins.")


class UsedSource(Part):
    source: str = Field(description="E.g. Q22-0518 line 1; own words: nothing to check.")
    statements: int = Field(description="How many rest on it.")


class CheckDraftResult(Result):
    """What was found in a draft."""

    lean: ClassVar[bool] = True

    faults: int = Field(description="0: all has a source.")
    supported: int = Field(description="Statements that have one.")
    left: int = Field(description="Placeholders and review notes that a person has yet to settle.")
    findings: list[CheckedStatement] = Field(description="The first hundred faults; with full, every statement.")
    open: list[OpenPlace] | None = Field(default=None, description="With full: what is left.")
    sources: list[UsedSource] | None = Field(
        default=None, description="With full: what it rests on, most used first."
    )
    notice: str | None = Field(default=None, description="Sources that were named and are not here.")


def run(args: CheckDraftArgs, caller: Caller) -> CheckDraftResult:
    draft = sections(args.draft or "")
    evidence, notice = _evidence(args, caller, draft=draft)
    if args.draft is None and evidence.offer is not None:
        draft = sections(evidence.offer.as_letter())
    report = check(draft, evidence, whole=args.draft is not None)
    faults = report.faults
    told = [_shown(each) for each in report.findings if each.verdict != "open"] if args.full else _grouped(faults)
    used = Counter(each.source for each in report.findings if each.verdict == "supported" and each.source)
    sources = [UsedSource(source=source, statements=count) for source, count in used.most_common(40)]
    verdicts = Counter(each.verdict for each in report.findings)
    return CheckDraftResult(
        faults=len(faults),
        supported=verdicts["supported"],
        left=verdicts["open"],
        findings=told,
        open=_open(report.findings) if args.full else None,
        sources=sources if args.full else None,
        notice=notice,
    )


def _open(findings: Sequence[Remark]) -> list[OpenPlace]:
    """Each text once, with the lines where it stands; a value that is missing with its label alone."""
    left = [each for each in findings if each.verdict == "open"]
    labelled = {each.line for each in left if each.text.endswith(MISSING) and each.text != MISSING}
    found: dict[tuple[str, str], list[int]] = {}
    for each in left:
        if each.text != MISSING or each.line not in labelled:
            found.setdefault((each.kind, each.text[:OPEN_SHOWN]), []).append(each.line)
    return [
        OpenPlace.model_validate({"kind": kind, "lines": list(dict.fromkeys(lines)), "text": text})
        for (kind, text), lines in found.items()
    ][:MOST_SHOWN]


def _grouped(faults: Sequence[Remark]) -> list[CheckedStatement]:
    """The first hundred different faults, each with all lines where it stands."""
    lines: dict[Remark, list[int]] = {}
    for each in faults:
        lines.setdefault(replace(each, line=0), []).append(each.line)
    first = list(lines.items())[:MOST_SHOWN]
    return [_shown(replace(fault, line=at[0]), also=list(dict.fromkeys(at[1:]))) for fault, at in first]


def _shown(remark: Remark, *, also: Sequence[int] = ()) -> CheckedStatement:
    return CheckedStatement.model_validate(
        {
            "verdict": remark.verdict, "kind": remark.kind, "line": remark.line, "also": list(also) or None,
            "text": remark.text[:SHOWN],
            "source": remark.source or None, "right": remark.right[:SHOWN] or None, "why": remark.why or None,
        }
    )  # fmt: skip


def _evidence(args: CheckDraftArgs, caller: Caller, *, draft: Sequence[Section]) -> tuple[Evidence, str | None]:
    """What the draft names as its sources, and a sentence on those that there are not."""
    names, words = requests.known_names(LINE_ITEMS, tenant=caller.tenant)
    reader = FactReader(words, names)
    numbers = args.past_quotes or [
        part.strip()
        for section in draft
        for unit in section.attributions
        for part in re.split(r"[,·|]", unit.text)[:MOST_SHOWN]
    ]
    with database.transaction(caller.tenant) as connection:
        quote = queries.own_quote(connection, quote_id=args.quote_id.upper()) if args.quote_id else None
        if args.quote_id and quote is None:
            raise unknown(args.quote_id)
        models = args.products or _named(draft, quote, reader)
        keys = [key_of(name) for name in models]
        sold = queries.sold(connection, names=models, keys=keys)
        found = queries.machines(connection, keys=[*keys, *(row["model_key"] for row in sold if row["model_key"])])
        who = args.account or (quote.customer if quote else "")
        customer, people, address = queries.account(connection, name=who) if who else ("", (), "")
        known = queries.past_of(connection, customer=customer) if customer else ()
        numbers += _spoken_of(draft, known)
        past, lines = queries.past_lines(connection, numbers=list(dict.fromkeys(numbers)))
        references = queries.may_be_named(connection)
        currency = quote.currency if quote is not None else None
        granted = queries.granted(connection, customers={row["customer"] for row in known}, currency=currency)
        quotes, priced = queries.of_the_account(connection, name=who, currency=currency) if who else (frozenset(), [])
        theirs = {
            each.number for each in past.values() if customer and company_key(each.customer) == company_key(customer)
        }
        had = {key_of(each.model) for each in lines if each.model and each.quote_number in theirs}
        before = queries.machines(connection, keys=had - {each.key for each in found}) if had else []
    lists: dict[str, set[Decimal]] = {}
    for entry in list_entries(caller.tenant, [machine.model for machine in found]):
        if entry["until"] is None and entry["active"] and not recurring(entry["unit"]):
            lists.setdefault(entry["model_key"], set()).add(entry["price"])
    evidence = Evidence(
        reading=reader, house=_house(), today=datetime.now(UTC).date(), customer=customer, people=people,
        address=address, request=args.request or "", machines=found, had=before, lines=lines, past_quotes=past,
        offer=quote, quotes=quotes, priced=priced, granted=granted, references=references,
        present=present(draft, tenant=caller.tenant),
        lists=lists,
    )  # fmt: skip
    held = (
        {machine.key for machine in found}
        | {row["id"] for row in sold}
        | {row["model_key"] for row in sold}
        | {key_of(each.model) for each in lines if each.model}
    )
    absent = [name for name in args.products if name not in held and key_of(name) not in held]
    absent += [number for number in args.past_quotes if number not in past]
    return evidence, f"Not found: {', '.join(absent)}." if absent else None


def _spoken_of(draft: Sequence[Section], known: Sequence[DictRow]) -> Sequence[str]:
    """The past quotes to the customer of which the letter names the number or the year."""
    text = " ".join(unit.text for section in draft if not section.internal for unit in section.units)
    years = frozenset(re.findall(r"\b(?:19|20)\d{2}\b", text))
    return [row["quote_number"] for row in known if row["quote_number"] in text or str(row["year"]) in years]


def _named(draft: Sequence[Section], quote: OwnQuote | None, reader: FactReader) -> Sequence[str]:
    """The models that the letter and its review notes name, and those of the quote."""
    found = [line.model for line in quote.lines if line.model] if quote else []
    for section in draft:
        for unit in (*section.units, *section.reviews) if not section.internal else ():
            for _, text in unit.lines:
                facts = reader.facts(text, language="en")
                found += [value for fact in facts if fact.kind == "model" for value in sorted(fact.values)]
    return list(dict.fromkeys(found))[:60]


@kept
def _house() -> House:
    return read_house(Path(settings().templates_dir))


handler = serve(TOOL, CheckDraftArgs, run)
