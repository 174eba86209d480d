"""Good drafts and short letters that tests change, and what check_draft says of them."""

from cpq.drafts.findings import Remark
from tests.drafting.composing import Drafted, Item, Letter, write
from tests.drafting.letters import drafts, report


def said(drafted: Drafted, was: str, now: str) -> list[Remark]:
    assert was in drafted.text
    return report(drafted.text.replace(was, now, 1), drafted.evidence).faults


def letter(name: str) -> Drafted:
    return next(each for each in drafts() if each.letter.name == name)


def of_models(body: str, *models: str, request: str = "") -> list[tuple[str, str, str]]:
    """What is said of the facts of a letter on these machines."""
    items = [Item(model=model) for model in models]
    drafted = write(Letter(name="", customer="Elm", request=request, project="", requirements="", items=items))
    faults = report(body, drafted.evidence).faults
    return [(each.kind, each.text, each.right) for each in faults if each.verdict != "missing"]


PAIR = ("SES2-3", "QR-325")
TABLE = "### Comparison\n\n| | Powerex SES2-3 | Quincy QR-325 |\n|---|---|---|\n"
OPTIONS = "### Options\n\n| Option | For item | What it changes | Net |\n|---|---|---|---|\n"
SCROLL = "Tip seals at 10,000 hours are the one big expense, we budget it at eleven cents per pump hour."
"""A sentence of a past line."""
