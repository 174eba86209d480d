"""Items that ask for no product but for terms of the sale or for papers: freight, payment, a certificate."""

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
    (
        "documents",
        re.compile(
            r"\bletters?\b(?! of credit)|\bcertificates?\b|\bdeclarations?\b|\battestations?\b|\bzertifikate?\b"
            r"|bescheinigung|bestatigung(?:sschreiben)?\b|konformitatserklarung|\bherstellererklarung|\bzeugnis"
            r"|\bcertificados?\b|\bdeclaracion(?:es)?\b|\bcartas?\b|\bcertificats?\b|\blettres?\b"
        ),
    ),
)
PAPERS = frozenset(("documents",))
"""Topics that name what they are about and say no more of it: "a letter for the compressor"."""
ABOUT = re.compile(r"\b(?:for|of|on|fur|des|der|zum|zur|vom|de|del|du|para|pour|sur|sobre)\b")
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
    elif topic in PAPERS:
        said = [need for need in named if need.implied_by is None]
        wanted = any(need.start < start or not ABOUT.search(folded, start, need.start) for need in said)
    else:
        wanted = bool(named)
    return None if wanted else topic


def notice_of(topic: str) -> str:
    return f"No product is asked for: a person of the house answers on {topic}."
