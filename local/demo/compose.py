"""Puts the draft together, section by section as the house skeleton gives them."""

from collections.abc import Mapping
from datetime import date

from local.demo.evidence import Evidence, LineEvidence
from local.demo.item import House, copied, line_item
from local.demo.notes import REVIEW, project_points, review
from local.demo.template import fill

OPENING = (
    "> **DRAFT, not for sending.** {count} review notes below. Every blockquote and the"
    " retrieval summary are internal: take them out before this goes to the customer."
)


def compose(evidence: Evidence, *, house: House, facts: Mapping[str, str], today: date, read: list[str]) -> str:
    values = _values(evidence, house=house, facts=facts, today=today)
    letter = [
        *_search_notes(evidence),
        fill(house.sections["header"], values),
        fill(house.sections["intro"], values),
        *_opening_notes(evidence),
        *(line_item(found, house=house, evidence=evidence) for found in evidence.lines),
        *_installation(evidence, house),
        *(fill(house.sections[name], values) for name in ("exclusions", "totals", "terms", "capability")),
        *(fill(house.sections[name], values) for name in ("signature", "footer")),
        "## Retrieval summary (internal)",
        evidence.trace.table(),
        "Read over MCP: " + ", ".join(read) + ".",
    ]
    text = "\n\n".join(letter)
    return "\n\n".join([OPENING.format(count=text.count(REVIEW)), text]) + "\n"


def _values(evidence: Evidence, *, house: House, facts: Mapping[str, str], today: date) -> dict[str, str]:
    request = evidence.request
    stated = [word for line in request.lines for word in line.stated] + list(request.applications)
    known = {
        "DATE": f"{today:%B} {today.day}, {today.year}",
        "CUSTOMER COMPANY": house.customer,
        "PROJECT": " ".join(request.text.split()),
        "REQUIREMENTS": ", ".join(dict.fromkeys(stated)),
        "TOTALS ROWS": "\n".join(_totals(evidence)),
    }
    return {**facts, **{name: value for name, value in known.items() if value}}


def _totals(evidence: Evidence) -> list[str]:
    rows = [_total_row(str(found.number), _described(found), str(found.line.quantity)) for found in evidence.lines]
    if evidence.installation or evidence.request.installation:
        rows.append(_total_row(str(len(rows) + 1), _installation_title(evidence), "1"))
    return rows


def _total_row(number: str, description: str, quantity: str) -> str:
    return f"| {number} | {description} | {quantity} | $[PRICE] | $[PRICE] |"


def _described(found: LineEvidence) -> str:
    return found.product.name if found.product else (found.line.family or "equipment").replace("_", " ").capitalize()


def _search_notes(evidence: Evidence) -> list[str]:
    notes: list[str] = []
    if evidence.trace.notices:
        notes.append(review("a search ran degraded; matches are weaker evidence.", points=evidence.trace.notices))
    if evidence.trace.failures:
        notes.append(
            review(
                "a tool could not answer, which is not the same as finding nothing:", points=evidence.trace.failures
            )
        )
    return notes


def _opening_notes(evidence: Evidence) -> list[str]:
    notes = [review("proposal number, address, contact and salutation are yours to fill in.")]
    if not any(line.stated for line in evidence.request.lines):
        notes.append(review("no hard requirement could be read from the request: ask for power, flow and pressure."))
    if any(line.family is None for line in evidence.request.lines):
        notes.append(review("the request does not name a kind of equipment that the parser knows."))
    points = project_points(evidence.projects)
    if points:
        notes.append(review("similar projects, for context only:", points=points))
    else:
        notes.append(review("no similar project was found in the archive."))
    beside = _sold_beside(evidence)
    if beside:
        notes.append(review("sold beside this equipment before, not in this draft; offer it?", points=beside))
    return notes


def _sold_beside(evidence: Evidence) -> list[str]:
    """What else the copied quotes held, one point per quote: the usual way to learn what a request forgot."""
    wanted = {found.product.family if found.product else found.line.family for found in evidence.lines}
    points: list[str] = []
    for found in evidence.lines:
        context = evidence.contexts.get(found.language.line_item.quote_number) if found.language else None
        others = [item for item in context.line_items if item.family not in wanted] if context else []
        names = dict.fromkeys(
            " ".join(part for part in (item.manufacturer, item.model) if part) or (item.category or "unnamed").lower()
            for item in others
        )
        if context and names:
            points.append(f"{context.quote.quote_number}: {', '.join(names)}")
    return list(dict.fromkeys(points))


def _installation_title(evidence: Evidence) -> str:
    return "Installation" if evidence.request.installation else "Installation (optional)"


def _installation(evidence: Evidence, house: House) -> list[str]:
    asked, hit = evidence.request.installation, evidence.installation
    if not asked and hit is None:
        return []
    notes: list[str] = []
    if not asked:
        notes.append(
            review("installation was not asked for. Keep this section as an option, or drop it with its row.")
        )
    if hit is None:
        notes.append(
            review("installation was asked for and no earlier scope fits. Write the scope after a site visit.")
        )
        words = "[INSTALLATION SCOPE]"
    else:
        site = ["rooms, distances, pipe sizes, lifting, drawings and dates belong to the other site: rewrite them"]
        words = "\n\n".join(copied(hit, customer=house.customer, evidence=evidence, apart=site))
    body = fill(house.sections["installation"], {"VERBATIM INSTALLATION": words})
    body = body.replace("### Installation", f"### {_installation_title(evidence)}", 1)
    price = "installation price needed."
    if hit and hit.line_item.price_note:
        price += f" The copied scope's price was explained so: {hit.line_item.price_note}"
    return [body, *notes, review(price)]
