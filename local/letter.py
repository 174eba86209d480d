"""A draft put together by rule from what find_for_request answered, without the judgement that a model would add."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

import yaml

FEW = 6
"""Items up to which each has a section of its own, whatever came with it."""

REVIEW = "> **SALESPERSON REVIEW:**"
ANNEX = """\
| item | offered | product_id | words from | precedents | confidence | status |
|---|---|---|---|---|---|---|"""
MISSING, NAME_REMOVED, PRICE_REMOVED = "[NOT IN CATALOGUE – confirm]", "[NAME REMOVED]", "$[PRICE]"
Status = Literal["used with review", "used for specs", "no match", "degraded"]
_SECTION = re.compile(r"<!-- section: (\S+) -->\n(.*?)(?=<!-- section: |<!-- end of )", re.DOTALL)
_FACTS = re.compile(r"^## House facts$.*?^```yaml\n(.*?)^```$", re.DOTALL | re.MULTILINE)
REMOVED = {"company": NAME_REMOVED, "person": NAME_REMOVED, "place": NAME_REMOVED, "price": PRICE_REMOVED}
"""What stands for a mention of another quote; dates are left to the salesperson, who is told of them."""


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


def copied(item: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """(the proven words with their line breaks, what was taken out of them and what stands there now)."""
    text: str = item["text"]
    named = [each.partition(": ") for each in item["source"].get("mentions", [])]
    taken = {said: REMOVED[kind] for kind, _, said in named if kind in REMOVED}
    for old, new in taken.items():
        text = text.replace(old, new)
    return text.replace("\n", "\\\n"), taken


def offered(offer: Mapping[str, Any]) -> str:
    several = f"{offer['machines']} × " if offer.get("machines", 1) > 1 else ""
    return f"{several}{offer['manufacturer']} {offer['model']}"


def is_a_row(item: Mapping[str, Any]) -> bool:
    """Whether the item came without words and block, as those of a long list do."""
    return "text" not in item and "characteristics" not in item


def compliance(notes: Notes, items: Sequence[Mapping[str, Any]], letter: Mapping[str, str]) -> list[str]:
    """A row for each position of a tender, with a note on those that are not simply met."""
    rows, told = [], []
    for item in items:
        first = item["offers"][0] if item.get("offers") else {}
        met = first.get("confidence") == "likely_good"
        complies = "yes" if met else "to be confirmed" if first.get("confidence") == "analog" else "exception"
        rows.append(f"| {item['item']}. {item['query']} | {offered(first) if first else '–'} | {complies} |")
        notes.rows.append(row(item, first) if met or complies != "exception" else missing(item))
        told += [] if met else [f"{item['item']}. {first.get('fit', '')} {' '.join(_notice(item))}"]
    return [fill(letter["compliance"], {"COMPLIANCE ROWS": "\n".join(rows)}), notes.note("not simply met:", *told)]


def missing(item: Mapping[str, Any]) -> str:
    return f"| {item['item']} | – | – | – | – | – | no match |"


def line_item(notes: Notes, item: Mapping[str, Any], letter: Mapping[str, str]) -> list[str]:
    """The item's part of the letter with its notes; its row of the annex goes to them."""
    heading = {"ITEM NUMBER": str(item["item"])}
    offers, source = item.get("offers", []), item.get("source")
    offers, nearest = ([], offers) if offers and offers[0].get("confidence") == "probable_miss" else (offers, [])
    if not offers and source is None:
        notes.rows.append(missing(item))
        told = [*(f"nearest: {offered(each)}, {each.get('fit', '')}" for each in nearest), *_notice(item)]
        gap = notes.note(f'nothing fits "{item["query"]}".', *told)
        return [fill("### Item [ITEM NUMBER]", heading), gap]
    words, taken = copied(item) if source else ("[VERBATIM DESCRIPTION]", {})
    first: Mapping[str, Any] = offers[0] if offers else {}
    notes.rows.append(row(item, first))
    checks = [
        *([f"the words say otherwise: {source['differs']}"] if source and "differs" in source else []),
        *_notice(item),
        *(f"alternate: {offered(each)}, {each['facts']}; {each.get('fit', '')}" for each in offers[1:]),
    ]
    block = item.get("characteristics")
    part = letter["line-item" if block else "line-item-plain"]
    values = {**heading, "VERBATIM DESCRIPTION": words, "QUANTITY": str(item.get("quantity", 1))}
    named = {"CATEGORY IN CAPS": first.get("facts", item["query"]).partition(",")[0].upper()}
    described = f"Model {first['model']}" if offers else "Service"
    past = [*item.get("prices", []), *item.get("precedents", [])]
    budget = [f"the customer's budget is {item['budget']}"] if "budget" in item else []
    changed = [f"`{old}`, now `{new}`" for old, new in taken.items()]
    foreign = (source or {}).get("take_out", [])
    left = [each for each in (source or {}).get("mentions", []) if each.partition(": ")[2] not in taken]
    of_then = {"delivery_weeks": "weeks of delivery told then", "warranty": "warranty told then"}
    then = [f"{label}: {source[name]}" for name, label in of_then.items() if source and name in source]
    return [
        fill(part, {**values, **named, "CHARACTERISTICS BLOCK": block or "", "MODEL LINE": described}),
        notes.note("the words were another job's; check what they name.", *changed, *left, *foreign, *then),
        notes.note(f"{offered(first) if offers else 'the service'}: {first.get('fit', 'unrated')}.", *checks),
        notes.note("price needed. Precedents, not proposals:", *budget, *past),
    ]


def _notice(item: Mapping[str, Any]) -> list[str]:
    assumed = [f"assumed, not asked for: {', '.join(item['assumed'])}"] if "assumed" in item else []
    return [*assumed, *([item["notice"]] if "notice" in item else [])]


def _asked(item: Mapping[str, Any]) -> list[str]:
    """The needs that the customer named: what was assumed is told in a note."""
    assumed = tuple(each.partition(" (")[0] for each in item.get("assumed", []))
    needs = item.get("understood", [item["query"]])
    return [need for need in needs if not (assumed and need.startswith(assumed))]


def _subject(request: str, items: Sequence[Mapping[str, Any]]) -> str:
    """What is asked for without what the customer would spend, which no letter repeats."""
    for item in items:
        said = item.get("budget", "").partition(": ")[0]
        request = re.sub(rf"[\s,;]*{re.escape(said)}", "", request) if said else request
    return request


def row(item: Mapping[str, Any], first: Mapping[str, Any]) -> str:
    source = item.get("source")
    status: Status = "degraded" if item.get("degraded") else "used with review" if source else "used for specs"
    said = (
        source
        and f"{source['customer']}, {source['quote_number']}, {source['quote_date']}, line {source['position']}"
    )
    sold = ", ".join(each.partition("/")[0] for each in item.get("precedents", []))
    bands = [each.get("confidence", "none") for each in (first, source or {})]
    offer, product = (offered(first), first.get("product_id", "–")) if first else ("–", "–")
    cells = (str(item["item"]), offer, product, said or "–", sold or "none", " / ".join(bands), status)
    return f"| {' | '.join(cells)} |"


def answers(notes: Notes, questions: Sequence[str], letter: Mapping[str, str]) -> list[str]:
    """The customer's questions, left to the salesperson."""
    if not questions:
        return []
    heading, _, form = letter["answers"].partition("\n\n")
    return [
        heading,
        *(form.replace("[QUESTION]", question) for question in questions),
        notes.note("these questions are yours to answer."),
    ]


def compose(
    template: str,
    found: Mapping[str, Any],
    *,
    request: str,
    customer: str,
    today: date,
    questions: Sequence[str] = (),
) -> str:
    """The draft from what find_for_request answered, without the judgement that a model would add; ``questions`` are
    the customer's own.
    """
    notes, items = Notes(), found["items"]
    listed = [item for item in items if is_a_row(item)] if len(items) > FEW else []
    totals = (
        f"| {item['item']} | {first['manufacturer']} {first['model']} "
        f"| {item.get('quantity', 1) * first.get('machines', 1)} | $[PRICE] | $[PRICE] |"
        for item in items
        for first in item.get("offers", [])[:1]
        if item not in listed and first.get("confidence") != "probable_miss"
    )
    values = {
        **house_facts(template),
        "DATE": f"{today:%B} {today.day}, {today.year}",
        "CUSTOMER COMPANY": customer,
        "PROJECT": _subject(request, items),
        "REQUIREMENTS": "; ".join(", ".join(_asked(item)) for item in items),
        "OPEN QUESTIONS": "\n".join(
            dict.fromkeys(f"- {question}" for item in items for question in item.get("ask", []))
        ),
        "TOTALS ROWS": "\n".join(totals),
    }
    letter = {part: fill(text, values) for part, text in sections(template).items()}
    degraded = [notes.note("the search ran degraded: found by words alone.")] if found.get("degraded") else []
    usual = [*found.get("usual", []), *found.get("lead_times", [])]
    parts = [
        "> **DRAFT, not for sending.** Take out every blockquote and what stands behind the footer.",
        *degraded,
        letter["header"],
        letter["intro"],
        notes.note("proposal number, address, contact and salutation are yours to fill in."),
        *answers(notes, questions, letter),
        *([letter["questions"]] if values["OPEN QUESTIONS"] else []),
        *(part for item in items if item not in listed for part in line_item(notes, item, letter)),
        *(compliance(notes, listed, letter) if listed else []),
        notes.note("usually goes with it; offer any of these?", *usual),
        *(letter[part] for part in ("exclusions", "totals", "terms", "capability", "signature", "footer")),
        "## Sources (internal)",
        "\n".join([ANNEX, *notes.rows]),
    ]
    return "\n\n".join(parts) + "\n"


def claims(found: Mapping[str, Any]) -> dict[str, list[str]]:
    """What the draft rests on, as check_draft wants it named."""
    items = found["items"]
    used = [item["source"]["quote_number"] for item in items if "source" in item]
    return {
        "products": list(dict.fromkeys(offer["model"] for item in items for offer in item.get("offers", []))),
        "past_quotes": list(dict.fromkeys(used)),
    }
