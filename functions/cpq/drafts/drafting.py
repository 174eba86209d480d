"""From what a draft says to the letter that it makes: grounds, blocks, what its text has no source for, sheet."""

import re
from datetime import UTC, datetime
from pathlib import Path

from cpq.drafts.blocks import Letter, Opening
from cpq.drafts.checking import Remark, check
from cpq.drafts.composing import Composer
from cpq.drafts.grounds import Gathered, Grounds, machine_in
from cpq.drafts.reading import Gathering
from cpq.drafts.sheet import sheet
from cpq.drafts.table import sums
from cpq.drafts.value import REFERENCE, DraftArgs, texts_of
from cpq.quotes.drafting import refusal
from quarry.data.database import Connection
from quarry.data.settings import settings
from quarry.text import part_key


def composed(
    connection: Connection, content: DraftArgs, tenant: str, *, accepted: frozenset[str] = frozenset()
) -> tuple[Letter, list[Remark], Composer]:
    """The letter as the rows are now. Raises a ToolError that names everything that is wrong with the draft's ids.

    ``accepted`` are open fields that this call accepts, which have to be open.
    """
    templates = Path(settings().templates_dir)
    search = Gathered(connection, content, tenant=tenant, templates=templates)
    grounds = search.grounds()
    if grounds is None:
        raise refusal(search.problems)
    composer = Composer(grounds, accepted=accepted)
    letter = composer.letter()
    if composer.problems:
        raise refusal(composer.problems)
    remarks = _findings(connection, grounds)
    letter = letter.model_copy(update={"openings": [*letter.openings, *_openings(remarks)]})
    return letter.model_copy(update={"sheet": sheet(composer, letter, remarks)}), remarks, composer


def _findings(connection: Connection, grounds: Grounds) -> list[Remark]:
    """In the order of the page; what has a source is none."""
    content = grounds.content
    typed = _typed(grounds)
    said = "\n".join([typed, *(line.name for line in grounds.lines.values())])
    found = Gathering(connection, said, today=datetime.now(UTC).date())
    found.house()
    asked = [content.request or "", *(each.text for each in content.requirements)]
    found.text("the request", "\n".join(asked), own=True)
    customer = found.account(content.account_id or grounds.customer)
    models = [str(machine["model"]) for machine in grounds.machines.values()]
    found.things([*models, *(item.product_id for item in grounds.items)])
    found.past(customer, numbers=sorted({line.quote_number for line in grounds.lines.values()}))
    for quote in grounds.quotes:
        found.quote(quote.version, quote.lines)
    for (_, model), sale in grounds.sold.items():
        found.text(f"the lead time told of {model}", f"{sale.lead_time}\n{sale.kept}", of=part_key(model))
    found.table([(item.name, [item.unit_price, item.amount]) for item in grounds.items], grounds.currency)
    totals = [value for _, value in (*sums(grounds, grounds.ordered), *grounds.recurring)]
    found.table([("the total", totals)], grounds.currency)
    found.evidence.counts |= {item.quantity for item in grounds.items} | {len(grounds.items)}
    found.evidence.dates |= {each.by for each in content.accept_open}
    found.names()
    return [remark for remark in check(typed, found.evidence) if remark.verdict != "supported"]


def _typed(grounds: Grounds) -> str:
    """The page first, so that lines are its lines. Facts given by id need no source, but their model is named."""

    def named(match: re.Match[str]) -> str:
        thing = machine_in(match[1].strip(), grounds.machines)
        return f"({thing})" if thing else "–"

    content = grounds.content
    wordings = [each.wording for item in content.items for each in item.passages if each.wording]
    return REFERENCE.sub(named, "\n\n".join([*texts_of(content), *wordings]))


def _openings(remarks: list[Remark]) -> list[Opening]:
    """What is another customer's keeps a letter from going out."""
    names = dict.fromkeys(each.text for each in remarks if each.verdict == "foreign")
    who = "whoever writes the page: it is another customer's"
    return [Opening(field=f"finding: {name}", who=who, acceptable=False) for name in names]
