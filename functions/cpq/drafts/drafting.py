"""From what a draft says to the letter that it makes: grounds, blocks, findings, sheet."""

from pathlib import Path

from cpq.drafts.blocks import Letter
from cpq.drafts.checking import Remark
from cpq.drafts.composing import Composer
from cpq.drafts.findings import findings, openings
from cpq.drafts.grounds import Gathered
from cpq.drafts.sheet import sheet
from cpq.drafts.value import DraftArgs
from cpq.quotes.drafting import refusal
from quarry.data.database import Connection
from quarry.data.settings import settings


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
    remarks = findings(connection, grounds, templates=templates)
    letter = letter.model_copy(update={"openings": [*letter.openings, *openings(remarks)]})
    return letter.model_copy(update={"sheet": sheet(composer, letter, remarks)}), remarks, composer
