"""One line item of the draft: the copied words, the characteristics block and the notes around them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from local.demo.choose import DRY, barred, differences, motor_gaps, unchecked, unmet
from local.demo.evidence import Evidence, LineEvidence
from local.demo.notes import attribution, price_review, review
from local.demo.results import LineItemHit, Product, shown
from local.demo.scrub import NAME_REMOVED, PRICE_REMOVED, scrub
from local.demo.template import PARTIALS, fill, fill_characteristics

# Past quotes spell it in more than one way.
WARRANTY = re.compile(r"warr[ae]nt", re.I)


@dataclass(frozen=True)
class House:
    """The skeleton's sections, the partials by category, and whom the draft is for."""

    sections: Mapping[str, str]
    partials: Mapping[str, str]
    customer: str


def line_item(found: LineEvidence, *, house: House, evidence: Evidence) -> str:
    product, category = found.product, PARTIALS.get(_family(found) or "")
    heading = (product and product.category) or (_family(found) or "equipment").replace("_", " ")
    words = "\n\n".join(
        copied(found.language, customer=house.customer, evidence=evidence, apart=_apart(found))
        if found.language
        else _no_words(found)
    )
    values = {
        "ITEM NUMBER": str(found.number),
        "CATEGORY IN CAPS": heading.upper(),
        "QUANTITY": str(found.line.quantity),
        "MODEL LINE": product.name if product else "[MODEL]",
        "VERBATIM DESCRIPTION": words,
    }
    points = _points(found, evidence)
    if category is None:
        body = fill(house.sections["line-item-plain"], values)
    else:
        block = fill_characteristics(house.partials[category], product=product, values=values)
        if product and block.missing:
            points.append("not in the catalogue: " + "; ".join(block.missing))
        body = fill(house.sections["line-item"], values | {"CHARACTERISTICS BLOCK": block.text})
    checks = review(f"{found.name}, before it goes out:", points=[*points, _warranty(found)])
    return "\n\n".join([body, checks, price_review(found.precedents, contexts=evidence.contexts)])


def copied(hit: LineItemHit, *, customer: str, evidence: Evidence, apart: list[str]) -> list[str]:
    """What has to be looked at before sending, the attribution, then the words to the letter."""
    quote = hit.source_quote
    context = evidence.contexts.get(hit.line_item.quote_number)
    people = {context.quote.contact} if context and context.quote.contact else set()
    others = evidence.customers | people
    clean = scrub(hit.line_item.description, source=quote.customer, others=others, own=customer)
    notes: list[str] = []
    if apart or hit.confidence != "likely_good":
        band = hit.confidence or "match without a score"
        notes.append(review(f"borrowed language, {band}. Before it goes out:", points=apart or ["read it through"]))
    taken = [f"another customer's name or contact ({name}), now `{NAME_REMOVED}`" for name in clean.names]
    taken += [f"an old price ({price}), now `{PRICE_REMOVED}`" for price in clean.prices]
    if taken:
        notes.append(review("taken out of the copied block; rewrite the passage:", points=taken))
    if clean.contacts:
        notes.append(review(f"the copied block carries contact details: {', '.join(clean.contacts)}."))
    return [*notes, attribution(hit), clean.text]


def _family(found: LineEvidence) -> str | None:
    return found.product.family if found.product else found.line.family


def _apart(found: LineEvidence) -> list[str]:
    if not found.language:
        return []
    return differences(found.language.line_item, line=found.line, product=found.product)


def _no_words(found: LineEvidence) -> list[str]:
    text = "no proven language found for this item."
    if found.closest:
        item = found.closest.line_item
        why = "another kind of machine" if barred(item, found.line) else found.closest.confidence or "no score"
        text += f" The closest hit was {item.quote_number} line {item.position}: {why}."
    return [review(text), "[DESCRIPTION]"]


def _points(found: LineEvidence, evidence: Evidence) -> list[str]:
    """What a salesperson has to settle about the machine itself."""
    product = found.product
    points = [text for text in (found.loosened, found.sized) if text]
    if found.line.unread:
        points.append("not read from the request, so not searched for: " + ", ".join(found.line.unread))
    if product is None:
        return [*points, "no product in the catalogue fits this line: choose one, or ask the makers"]
    points += [f"departs from the request in {text}" for text in unmet(found.line, product)]
    if unknown := unchecked(found.line, product):
        points.append("required, and not confirmed by the catalogue: " + ", ".join(unknown))
    if found.hit and found.hit.confidence != "likely_good":
        points.append(f"{product.name} was found as {found.hit.confidence or 'a match by words only'}")
    points += [f"fits as well: {_compared(other)}" for other in found.products[1:]]
    if gaps := motor_gaps(product):
        points.append("the catalogue's motor entry does not give " + ", ".join(gaps))
    if evidence.request.applications and product.family in PARTIALS:
        points.append(_application(product, evidence.request.applications))
    if product.lubrication in DRY and product.family in ("compressor", "vacuum_pump"):
        points.append(_without_oil(found, product))
    return points


def _application(product: Product, applications: tuple[str, ...]) -> str:
    quality = f"the catalogue gives {product.air_quality}" if product.air_quality else "the catalogue gives no class"
    return (
        f"the request says {', '.join(applications)}; for air quality {quality}. Confirm that it satisfies the plant."
    )


def _without_oil(found: LineEvidence, product: Product) -> str:
    text = found.language.line_item.description.lower() if found.language else ""
    named = ". The copied block names one: check it" if "separator" in text or "coalesc" in text else ""
    return f"{product.lubrication} machine: oil/water separator and oil-removal filters are left out{named}"


def _warranty(found: LineEvidence) -> str:
    if found.language and WARRANTY.search(found.language.line_item.description):
        return "warranty: the copied block speaks of one; confirm it for this model. Delivery time: ask the maker"
    return "warranty and delivery time: get both from the manufacturer"


def _compared(product: Product) -> str:
    values = (
        (product.hp, "HP"),
        (product.cfm, "CFM"),
        (product.psi, "PSI"),
        (product.vacuum_inhg, "inHg"),
        (product.dewpoint_f, "°F dew point"),
    )
    facts = [f"{shown(value)} {unit}" for value, unit in values if value is not None]
    return f"{product.name}: {', '.join([*facts, product.lubrication or 'lubrication unknown'])}"
