"""The sheet beside a letter, for the house alone: what to look at before it is signed, and where all comes from."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from cpq.drafts.blocks import Block, Grid, Letter, Points, Title
from cpq.drafts.checking import Remark, first
from cpq.drafts.figures import ANY
from cpq.drafts.grounds import Grounds
from cpq.drafts.tables import sums
from cpq.drafts.typed import Tested
from cpq.pricing.engine import of_money
from cpq.pricing.policies import violations
from cpq.pricing.rules import Measure
from quarry.needs.model import SIGNS
from quarry.precedents.sales import CELLS
from quarry.text import part_key

MOST_FINDINGS = 8


def sheet(grounds: Grounds, tested: Sequence[Tested], letter: Letter, findings: Sequence[Remark]) -> list[Block]:
    tested = [each for one in tested for each in (one.ways or [one])]
    return [
        *_open(letter),
        *_findings(findings),
        *_musts(tested),
        *_worked_out(tested),
        *_prices(grounds),
        *_approvals(grounds),
        *_budget(grounds),
        *_lacking(grounds),
        *_sources(grounds, tested),
    ]


def _open(letter: Letter) -> Iterator[Block]:
    if letter.openings:
        yield Title(text="Open points")
        rows = [[one.field, one.who, "accepted" if one.accepted else "open"] for one in letter.openings]
        yield Grid(head=["open", "who can close it", "state"], rows=rows)


def _findings(findings: Sequence[Remark]) -> Iterator[Block]:
    """Tells what to do, and about which statements."""
    told, more = first(findings, MOST_FINDINGS)
    if told:
        yield Title(text="Without a source, or with another")
        groups = {each.remedy: [one.text for one in told if one.remedy == each.remedy] for each in told}
        rest = [f"and {more} more"] if more else []
        yield Points(items=[*(f"{', '.join(texts)}: {remedy}" for remedy, texts in groups.items()), *rest])


def _musts(tested: Sequence[Tested]) -> Iterator[Block]:
    """Lists the requirements that a machine does not meet as it is set up; the letter has all of them."""
    missed = dict[tuple[str, ...], None]()
    for each in tested:
        if each.verdict not in ("met", None):
            count, down = each.asked.machines, each.asked.down
            set_up = "alone" if count == 1 and not down else f"{count} machines" + (f", {down} down" if down else "")
            missed[each.asked.text, each.model, set_up, each.has or "–", each.verdict] = None
    if rows := list(map(list, missed)):
        yield Title(text="Musts not met, as set up")
        yield Grid(head=["must", "on", "set up", "has", "verdict"], rows=rows)


def _worked_out(tested: Sequence[Tested]) -> Iterator[Block]:
    """Tells how machines come to their values at the conditions of the job; the letter has the values."""
    if told := [f"{each.model}: {each.how}" for each in tested if each.how]:
        yield Title(text="At the conditions of the job")
        yield Points(items=list(dict.fromkeys(told)))


def _prices(grounds: Grounds) -> Iterator[Block]:
    """Lists sales of the items, and of what is compared with them what has a warning."""
    sales = {item.short: item.sale for item in grounds.items if item.sale}
    for each in grounds.content.comparison:
        machine = grounds.machines[part_key(each.model)]
        if (sale := grounds.sale_of(machine)) and sale.above_list:
            sales.setdefault(str(machine["model"]), sale)
    rows = [
        [
            name,
            *(sale.cell(cell) or "–" for cell in CELLS),
            f"list is below {' and '.join(above)}" if (above := sale.above_list) else "",
        ]
        for name, sale in sales.items()
    ]
    if rows:
        yield Title(text="List, newest sale, lead time")
        yield Grid(head=["item", "list", "newest sale", "lead time told last", "won", "warning"], rows=rows)


def _approvals(grounds: Grounds) -> Iterator[Block]:
    """Lists approvals of each quote, then those that are needed only if quotes are ordered together. Offers of which
    one takes the other's place are not.
    """
    found = [(quote.version.name, each) for quote in grounds.quotes if quote.version.evaluation
             for each in quote.version.evaluation.violations]  # fmt: skip
    policy, known = grounds.policy, {(each.measure, each.required_approver_role) for _, each in found}
    ordered, instead = grounds.ordered, [offer.quote for offer in grounds.offers]
    several = [(*ordered, each) for each in grounds.further if each not in instead]
    for quotes in [ordered] if len(ordered) > 1 else several:
        if policy is None:
            break
        versions = [each.version for each in quotes]
        amounts: dict[Measure, Decimal] = {
            "net_amount": sum((each.net for each in versions), Decimal(0)),
            "discount_amount": sum((each.discount_total for each in versions), Decimal(0)),
        }
        readings = of_money(amounts, policy, code=grounds.currency, rates=grounds.rates)
        name = " + ".join(each.version.name for each in quotes)
        name += "" if grounds.content.together else ", if both are ordered"
        found += [(name, each) for each in violations(policy, readings)
                  if (each.measure, each.required_approver_role) not in known]  # fmt: skip
    if found:
        yield Title(text="Approvals")
        yield Points(items=[f"{name}: {each.description}. Decides: {each.required_approver_role or 'nobody may'}."
                            for name, each in found])  # fmt: skip


def _budget(grounds: Grounds) -> Iterator[Block]:
    """Tells what is left of each amount that a requirement names, as far as there are prices."""
    items = grounds.of_role("item")
    unpriced = ", ".join(dict.fromkeys(item.name for item in items if item.amount is None))
    priced = sum((item.amount for item in items if item.amount is not None), Decimal(0))
    told = [value for _, value in sums(grounds, grounds.ordered)] or [priced]
    net, total = told[0], told[-1]
    rest = f", without a price yet: {unpriced}" if unpriced else ""
    amounts = [
        (asked.text, Decimal(str(max(each.value for each in figure.readings))))
        for asked in grounds.content.requirements
        for figure in grounds.units.reader.figures(asked.text)
        if figure.currency in (grounds.currency, ANY)
    ]
    if amounts and items:
        left = []
        for text, amount in amounts:
            taxed = f"; before tax {grounds.money(net)}, {grounds.money(amount - net)} left" if net != total else ""
            left.append(f"{text}: {grounds.money(total)} taken, {grounds.money(amount - total)} left{taxed}{rest}")
        yield Title(text="The customer's money")
        yield Points(items=left)


def _lacking(grounds: Grounds) -> Iterator[Block]:
    """Lists what the goods require or recommend, and what such goods were sold with, that the draft lacks."""
    short = {item.product_id: item.short for item in grounds.items}
    related = [f"{short[each.product_id]} {each.kind} {each.related_name} ({each.related_id})"
               for each in grounds.relations if each.kind != "excludes" and each.related_id not in short]  # fmt: skip
    categories = [str(item.machine["category"]) for item in grounds.items if item.machine]
    said = " ".join([*(item.name for item in grounds.items), *categories]).casefold()
    went = [f"{row['what']}: in {row['quotes']} of {row['of_quotes']} quotes of such goods, e.g. {row['newest']}"
            for row in grounds.went_with if row["what"] not in said and row["product_id"] not in short]  # fmt: skip
    if related or went:
        yield Title(text="Sold with such goods and not in the draft")
        yield Points(items=[*dict.fromkeys(related), *went])


def _sources(grounds: Grounds, tested: Sequence[Tested]) -> Iterator[Block]:
    """Makes a table with a row for each item: where words and price come from, and how well it fits."""
    rows = []
    for item in grounds.items:
        words = "; ".join(passage.source for passage in item.passages) or "–"
        model = str(item.machine["model"]) if item.machine else None
        fit = [SIGNS[each.verdict] for each in tested if each.verdict and each.model == model]
        status = "used for specs" if item.machine else "no match"
        if item.passages:
            status = "used with review" if any(each.reworded for each in item.passages) else "used verbatim"
        rows.append([item.role, item.short, item.product_id, words, item.source, "".join(fit) or "–", status])
    yield Title(text="Sources (internal)")
    yield Grid(head=["item", "offered", "product_id", "words from", "price from", "fit", "status"], rows=rows)
