"""Items that ask for no product but for terms of the sale: freight, disposal, payment."""

import re

from quarry.understanding.needs import SIZES, Request
from quarry.understanding.text import fold

TOPICS = (
    (
        "disposal",
        re.compile(
            r"\bdispos(?:al|e|ing)\b|\bscrapping\b|entsorg|verschrott|\bdesecho\b|\bretir(?:o|ar) (?:de|del|la"
            r"|el)\b.{0,12}\b(?:viej|antigu)"
            r"|\bmise au rebut\b|\b(?:evacuation|enlevement|elimination) d"
        ),
    ),
    (
        "freight and delivery",
        re.compile(
            r"\bfreight\b|\bshipping\b|\bdeliver(?:y|ed|ies)\b|\blead times?\b|\b(?:dap|ddp|cif|fca|exw"
            r"|incoterms?)\b|\bfrei haus\b|\bfracht"
            r"|\bliefer(?:ung|zeit|kosten|bedingung)|\bfletes?\b|\bentrega\b|\benvio\b|\brendu\b|\blivraison\b"
            r"|\bfranco\b|\bdelai de\b"
        ),
    ),
    (
        "payment",
        re.compile(
            r"\bpayment\b|\bpay\s?terms\b|\bskonto\b|\bzahlungs(?:ziel|bedingung)|\bcondiciones de pago\b"
            r"|\bplazo de pago\b"
            r"|\bconditions de (?:paiement|reglement)\b|\bescompte\b"
        ),
    ),
)
OF_WHAT_GOES = frozenset(("disposal",))
"""Topics that name a machine which is there already, and none that is wanted."""
A_NEW_ONE = re.compile(
    r"\bnew\b|\bneue[nrsm]?\b|\bnuev[oa]\b|\bnouve(?:au|lle)\b|\bpurchase\b|\bkauf\b|\bcompra de\b|\bachat\b"
)
PRODUCT = SIZES | {
    "family",
    "model",
    "psi",
    "inhg",
    "dewpoint_f",
    "compression",
    "accessory_kind",
    "filter_kind",
    "dryer_kind",
}
"""Needs of which one, where nothing but terms is spoken of, shows that a product is asked for."""


def topic_of(query: str, request: Request | None) -> str | None:
    """The topic of an item that asks for terms alone; None where it asks for a product or a service."""
    folded = fold(query)
    found = [(match.start(), name) for name, pattern in TOPICS if (match := pattern.search(folded))]
    if not found or request is None or len(request.items) > 1:
        return None
    start, topic = min(found)
    named = [need for need in request.needs if need.attribute in PRODUCT and need.values != {"service"}]
    if topic in OF_WHAT_GOES:
        wanted = any(need.start < start for need in named) or A_NEW_ONE.search(folded) is not None
    else:
        wanted = bool(named)
    return None if wanted else topic


def notice_of(topic: str) -> str:
    return f"No product is asked for: a person of the house answers on {topic}."
