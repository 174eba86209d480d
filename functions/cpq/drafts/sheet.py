"""The sheet beside a letter, for the house alone: what to look at before it is signed, and where all comes from."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from cpq.drafts.blocks import Block, Grid, Letter, Points, Title
from cpq.drafts.checking import Remark, first
from cpq.drafts.grounds import Grounds
from cpq.drafts.typed import Tested
from cpq.pricing.engine import of_money
from cpq.pricing.policies import violations
from cpq.pricing.rules import Measure
from quarry.needs.model import SIGNS
from quarry.precedents.sales import CELLS
from quarry.text import part_key


def sheet(grounds: Grounds, tested: Sequence[Tested], letter: Letter, findings: Sequence[Remark]) -> list[Block]:
    """Returns the sections that have something to tell. The letter has all requirements and values itself; the sheet
    has what is not met, and how values at the conditions of the job were worked out.
    """
    tested = [each for one in tested for each in (one.ways or [one])]
    states = [[one.field, one.who, "accepted" if one.accepted else "open"] for one in letter.openings]
    how = dict.fromkeys(f"{each.model}: {each.how}" for each in tested if each.how)
    sections: dict[str, Grid | Points] = {
        "Open points": Grid(head=["open", "who can close it", "state"], rows=states),
        "Without a source, or with another": Points(items=_findings(findings)),
        "Musts not met, as set up": Grid(head=["must", "on", "set up", "has", "verdict"], rows=_not_met(tested)),
        "At the conditions of the job": Points(items=[*how]),
        "List, sold or quoted, lead time": Grid(
            head=["item", "list", "sold or quoted", "lead time told last", "won", "warning"], rows=_prices(grounds)
        ),
        "Approvals": Points(items=_approvals(grounds)),
        "Sold with such goods and not in the draft": Points(items=_lacking(grounds)),
        "Sources (internal)": Grid(
            head=["item", "offered", "product_id", "words from", "price from", "fit", "status"],
            rows=[*_sources(grounds, tested)],
        ),
    }
    filled = {
        title: block for title, block in sections.items() if (block.rows if block.kind == "grid" else block.items)
    }
    return [each for title, block in filled.items() for each in (Title(text=title), block)]


def _findings(findings: Sequence[Remark]) -> list[str]:
    """Tells what to do, and about which statements."""
    told, more = first(findings)
    groups = {each.remedy: [one.text for one in told if one.remedy == each.remedy] for each in told}
    rest = [f"and {more} more"] if more else []
    return [*(f"{', '.join(texts)}: {remedy}" for remedy, texts in groups.items()), *rest]


def _not_met(tested: Sequence[Tested]) -> list[list[str]]:
    found = dict[tuple[str, ...], None]()
    for each in tested:
        if each.verdict not in ("met", None):
            count, down = each.asked.machines, each.asked.down
            set_up = "alone" if count == 1 and not down else f"{count} machines" + (f", {down} down" if down else "")
            found[each.asked.text, each.model, set_up, each.has or "–", each.verdict] = None
    return list(map(list, found))


def _prices(grounds: Grounds) -> list[list[str]]:
    """Lists sales of the items, and of what is compared with them what has a warning."""
    sales = {item.short: item.sale for item in grounds.items if item.sale}
    for each in grounds.content.comparison:
        machine = grounds.machines[part_key(each.model)]
        if (sale := grounds.sale_of(machine)) and sale.above_list:
            sales.setdefault(str(machine["model"]), sale)
    return [
        [
            name,
            *(sale.cell(cell) or "–" for cell in CELLS),
            f"list is below {' and '.join(above)}" if (above := sale.above_list) else "",
        ]
        for name, sale in sales.items()
    ]


def _approvals(grounds: Grounds) -> list[str]:
    """Lists approvals of each quote with who decides or has decided, then those that are needed only if quotes are
    ordered together. Offers of which one takes the other's place are not.
    """
    given = {quote.version.name: ", ".join(f"{each.approver_name or each.approver_role} on {each.ended_at:%Y-%m-%d}"
             for each in quote.approvals) for quote in grounds.quotes}  # fmt: skip
    found = [(quote.version.name, each) for quote in grounds.quotes if quote.version.evaluation
             for each in quote.version.evaluation.violations]  # fmt: skip
    policy, known = grounds.policy, {(each.measure, each.required_approver_role) for _, each in found}
    ordered = grounds.ordered
    for quotes in [ordered] if len(ordered) > 1 else [(*ordered, each) for each in grounds.apart]:
        if policy is None:
            break
        versions = [each.version for each in quotes]
        amounts: dict[Measure, Decimal] = {
            "net_amount": sum((each.net for each in versions), Decimal(0)),
            "discount_amount": sum((each.discount_total for each in versions), Decimal(0)),
        }
        readings = of_money(amounts, policy, code=grounds.currency, rates=grounds.rates)
        name = " + ".join(each.name for each in versions)
        name += "" if grounds.content.together else ", if both are ordered"
        found += [(name, each) for each in violations(policy, readings)
                  if (each.measure, each.required_approver_role) not in known]  # fmt: skip
    return [f"{name}: {each.description}. Approved by {given[name]}." if given.get(name)
            else f"{name}: {each.description}. Decides: {each.required_approver_role or 'nobody may'}."
            for name, each in found]  # fmt: skip


def _lacking(grounds: Grounds) -> list[str]:
    """Lists what the goods require or recommend, and what such goods were sold with, that the draft lacks."""
    short = {item.product_id: item.short for item in grounds.items}
    related = [f"{short[each.product_id]} {each.kind} {each.related_name} ({each.related_id})"
               for each in grounds.relations if each.kind != "excludes" and each.related_id not in short]  # fmt: skip
    categories = [str(item.machine["category"]) for item in grounds.items if item.machine]
    said = " ".join([*(item.name for item in grounds.items), *categories]).casefold()
    went = [f"{row['what']}: in {row['quotes']} of {row['of_quotes']} quotes of such goods, e.g. {row['newest']}"
            for row in grounds.went_with if row["what"] not in said and row["product_id"] not in short]  # fmt: skip
    return [*dict.fromkeys(related), *went]


def _sources(grounds: Grounds, tested: Sequence[Tested]) -> Iterator[list[str]]:
    """Yields a row for each item: where words and price come from, and how well it fits."""
    for item in grounds.items:
        words = "; ".join(passage.source for passage in item.passages) or "–"
        model = str(item.machine["model"]) if item.machine else None
        fit = [SIGNS[each.verdict] for each in tested if each.verdict and each.model == model]
        status = "used for specs" if item.machine else "no match"
        if item.passages:
            status = "used with review" if any(each.reworded for each in item.passages) else "used verbatim"
        yield [item.role, item.short, item.product_id, words, item.source, "".join(fit) or "–", status]
