"""What a draft's typed text says without a source: held against its grounds as check_draft holds any letter."""

import re
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from cpq.drafts.blocks import Opening
from cpq.drafts.checking import Remark, check
from cpq.drafts.grounds import Grounds
from cpq.drafts.reading import Gathering
from cpq.drafts.value import REFERENCE, DraftArgs, references, texts_of
from quarry.data.database import Connection


def findings(connection: Connection, grounds: Grounds, *, templates: Path) -> list[Remark]:
    """In the order of the page; what has a source is none."""
    content = grounds.content
    typed = _typed(content)
    said = "\n".join([typed, *(line.name for line in grounds.lines.values())])
    found = Gathering(connection, said, today=datetime.now(UTC).date())
    found.house(templates)
    asked = [content.request or "", *(each.text for each in content.requirements)]
    found.text("the request", "\n".join(asked), own=True)
    customer = found.account(content.account_id or grounds.customer)
    models = [str(machine["model"]) for machine in grounds.machines.values()]
    found.things([*models, *(item.product_id for item in grounds.items)])
    found.past(customer, numbers=sorted({line.quote_number for line in grounds.lines.values()}))
    for quote in grounds.quotes:
        found.quote(quote.version, quote.lines, worded=True)
    found.table([(item.name, [item.unit_price, item.amount]) for item in grounds.items], grounds.currency)
    total = sum((item.amount for item in grounds.of_role("item") if item.amount is not None), Decimal(0))
    found.table([("the total", [total])], grounds.currency)
    found.evidence.counts |= {item.quantity for item in grounds.items} | {len(grounds.items)}
    found.evidence.dates |= {each.by for each in content.accept_open}
    found.names()
    return [remark for remark in check(typed, found.evidence) if remark.verdict != "supported"]


def _typed(content: DraftArgs) -> str:
    """The page first, so that lines are its lines. Facts given by id need no source, but their model is named."""
    models = references(content).models

    def named(match: re.Match[str]) -> str:
        thing = match[1].strip().rpartition(".")[0]
        return f"({thing})" if thing in models else "–"

    wordings = [each.wording for item in content.items for each in item.passages if each.wording]
    return REFERENCE.sub(named, "\n\n".join([*texts_of(content), *wordings]))


def openings(remarks: list[Remark]) -> list[Opening]:
    """What is another customer's keeps a letter from going out."""
    names = dict.fromkeys(each.text for each in remarks if each.verdict == "foreign")
    who = "whoever writes the page: it is another customer's"
    return [Opening(field=f"finding: {name}", who=who, acceptable=False) for name in names]
